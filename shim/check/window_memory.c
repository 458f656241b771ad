#include "window_memory.h"

#include <stdlib.h>

#include "access.h"
#include "direct.h"
#include "shim/gate/gate.h"

struct area {
	uint64_t window;
	uintptr_t low, high;
};

static struct {
	struct area *list;
	uint32_t count, room;
	uintptr_t lowest, highest; /* of all areas */
} areas;

static void find_limits(void)
{
	areas.lowest = UINTPTR_MAX;
	areas.highest = 0;
	for (uint32_t i = 0; i < areas.count; i++) {
		if (areas.list[i].low < areas.lowest)
			areas.lowest = areas.list[i].low;
		if (areas.list[i].high > areas.highest)
			areas.highest = areas.list[i].high;
	}
}

void window_memory_add(uint64_t window, const void *base, size_t bytes)
{
	if (bytes == 0)
		return;
	if (areas.count == areas.room) {
		uint32_t room = 2 * areas.room + 8;
		struct area *list = realloc(areas.list, room * sizeof(*list));

		if (!list)
			return;
		areas.list = list;
		areas.room = room;
	}
	areas.list[areas.count++] = (struct area){window, (uintptr_t)base, (uintptr_t)base + bytes};
	direct_watch((uintptr_t)base, (uintptr_t)base + bytes);
	find_limits();
}

/* `base` 0: all areas of the window. */
static void forget_at(uint64_t window, uintptr_t base)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < areas.count; i++) {
		const struct area *area = &areas.list[i];

		if (area->window != window || (base != 0 && area->low != base))
			areas.list[kept++] = *area;
		else
			direct_unwatch(area->low, area->high);
	}
	areas.count = kept;
	find_limits();
}

void window_memory_detach(uint64_t window, const void *base)
{
	if (base)
		forget_at(window, (uintptr_t)base);
}

void window_memory_forget(uint64_t window)
{
	forget_at(window, 0);
}

bool window_memory_is_any(void)
{
	return areas.count > 0;
}

uint64_t window_memory_any(void)
{
	return areas.count > 0 ? areas.list[0].window : 0;
}

void window_memory_watch(void)
{
	for (uint32_t i = 0; i < areas.count; i++)
		direct_watch(areas.list[i].low, areas.list[i].high);
}

uint64_t window_memory_next(uintptr_t *low, uintptr_t high, uintptr_t *ret_high)
{
	const struct area *first = NULL;
	uintptr_t from = *low;

	if (from >= high || areas.count == 0 || high <= areas.lowest || from >= areas.highest)
		return 0;
	for (uint32_t i = 0; i < areas.count; i++) {
		const struct area *area = &areas.list[i];

		if (from < area->high && area->low < high && (!first || area->low < first->low))
			first = area;
	}
	if (!first)
		return 0;
	*low = from > first->low ? from : first->low;
	*ret_high = high < first->high ? high : first->high;
	return first->window;
}

uint64_t window_memory_at(uintptr_t low, uintptr_t high)
{
	if (areas.count == 0 || high <= areas.lowest || low >= areas.highest)
		return 0;
	for (uint32_t i = 0; i < areas.count; i++)
		if (low < areas.list[i].high && areas.list[i].low < high)
			return areas.list[i].window;
	return 0;
}

static uint64_t window_of_part(const struct wire_part *part)
{
	int64_t low, high;

	if (part->role == WIRE_PART_TARGET || part->length == 0 || part->times == 0
	    || part->count == 0)
		return 0;
	bytes_span(part, &low, &high);
	return window_memory_at((uintptr_t)low, (uintptr_t)high);
}

uint64_t window_memory_of(const struct bytes *bytes)
{
	uint64_t window = 0;

	for (uint32_t i = 0; areas.count > 0 && bytes && i < bytes->count && window == 0; i++)
		window = window_of_part(&bytes->parts[i]);
	return window;
}

/* --- uses by operations ----------------------------------------------------------------- */

void window_use_begin(struct window_use *use, const struct bytes *bytes)
{
	uint64_t window = window_memory_of(bytes);

	*use = (struct window_use){0};
	if (window == 0)
		return;
	gate_current(&use->function, &use->site);
	use->number = access_local_begin(window);
}

static void end_use(struct window_use *use, uint64_t window, const struct bytes *bytes)
{
	struct window_use ended = *use;

	*use = (struct window_use){0};
	if (ended.number != 0)
		access_local_end(&ended, window, bytes);
}

void window_use_end(struct window_use *use, const struct bytes *bytes)
{
	end_use(use, window_memory_of(bytes), bytes);
}

void window_use_drop(struct window_use *use, const struct bytes *bytes)
{
	end_use(use, window_memory_of(bytes), NULL);
}

void window_use_once(const struct bytes *bytes, uint8_t role)
{
	uint64_t window = window_memory_of(bytes);
	struct window_use use = {0};
	struct bytes *some;

	if (window == 0)
		return;
	gate_current(&use.function, &use.site);
	some = bytes_in_role(bytes, role);
	if (some && some->count > 0)
		access_local_end(&use, window, some);
	bytes_release(some);
}
