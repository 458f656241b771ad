#define _GNU_SOURCE
#include "windows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "placed.h"
#include "replay.h"
#include "shim/mpi/real.h"

/* Bytes that are compared at once, and what is compared of those that differ. */
enum { BLOCK = 4096, WORD = 8 };
/* Of the time since the first window was made, the part that looks at large ones may take. */
enum { LARGE_PART = 8, AT_FIRST = 10 * 1000 * 1000 /* ns */ };
enum { ATTRIBUTES = 5 };

/* Memory of a window. */
struct region {
	struct region *next;
	struct window *window;
	uint64_t number;            /* in the order in which they came, from 1 */
	unsigned char *at, *shadow; /* the shadow: recording only */
	size_t size;
	bool is_allocated, is_hidden;
};

struct window {
	struct window *next;
	uint32_t handle;
	int rank;      /* the caller's; recording only */
	void *own;     /* memory_of_program */
	bool accessed; /* the rank has changed its own memory by MPI */
	MPI_Aint attributes[ATTRIBUTES];
};

/* A part of a region that is to go to the log. */
struct change {
	const struct region *region;
	size_t at, size;
};

static struct window *windows;
static struct region *regions; /* the newest first */
static uint64_t region_count;  /* made so far */
static struct {
	struct change *all;
	size_t count, room;
} changes;
static int64_t began, spent; /* ns; of looking at large regions */

/* --- comparing -------------------------------------------------------------------------------- */

static void note_change(const struct region *region, size_t at, size_t size)
{
	struct change *last = changes.count > 0 ? &changes.all[changes.count - 1] : NULL;

	memcpy(region->shadow + at, region->at + at, size);
	if (last && last->region == region && last->at + last->size == at) {
		last->size += size;
		return;
	}
	if (changes.count == changes.room) {
		const size_t room = changes.room * 2 + 64;
		struct change *larger = realloc(changes.all, room * sizeof(*larger));

		if (!larger)
			record_refuse("out of memory");
		changes.all = larger;
		changes.room = room;
	}
	changes.all[changes.count++] = (struct change){region, at, size};
}

static void compare_block(const struct region *region, size_t at, size_t end)
{
	for (; at < end; at += WORD) {
		const size_t size = end - at < WORD ? end - at : WORD;

		if (memcmp(region->at + at, region->shadow + at, size) != 0)
			note_change(region, at, size);
	}
}

static void compare(const struct region *region)
{
	for (size_t at = 0; at < region->size; at += BLOCK) {
		const size_t left = region->size - at, size = left < BLOCK ? left : BLOCK;

		if (memcmp(region->at + at, region->shadow + at, size) != 0)
			compare_block(region, at, at + size);
	}
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static bool is_looked_at(const struct record_call *call, const struct region *region)
{
	if (region->is_hidden)
		return false;
	return region->window == call->window || region->size <= WINDOWS_SMALL
	       || call->look == RECORD_LOOK_LARGE;
}

static void look(const struct record_call *call)
{
	const int64_t start = call->look == RECORD_LOOK_LARGE ? now() : 0;

	for (const struct region *region = regions; region; region = region->next)
		if (is_looked_at(call, region))
			compare(region);
	if (start > 0)
		spent += now() - start;
}

/* --- in each call ----------------------------------------------------------------------------- */

static bool has_order(enum mpi_call function)
{
	return mpi_call_order(function) != MPI_CALL_ORDER_NONE;
}

void windows_enter(struct record_call *call, enum mpi_call function)
{
	if (!regions || !mpi_call_counts(function))
		return;
	call->look = RECORD_LOOK_SMALL;
	if (!log_replaying && has_order(function)
	    && (spent - AT_FIRST) * LARGE_PART < now() - began)
		call->look = RECORD_LOOK_LARGE;
}

void windows_before(struct record_call *call)
{
	if (call->look != RECORD_LOOK_NOT)
		look(call);
}

static void put_changes(struct record_call *call)
{
	int64_t end = 0;

	look(call);
	for (size_t i = 0; i < changes.count; i++) {
		const struct change *change = &changes.all[i];

		log_number(change->size);
		log_number(change->region->number);
		log_signed((int64_t)change->at - end);
		/* Others may write on: what counts is what was compared. */
		log_data(change->region->shadow + change->at, change->size);
		end = (int64_t)(change->at + change->size);
	}
	log_number(0);
	call->was_shown = changes.count > 0;
	changes.count = 0;
}

static const struct region *find_region(uint64_t number)
{
	const struct region *region = regions;

	while (region && region->number != number)
		region = region->next;
	return region;
}

static void give_changes(void)
{
	int64_t end = 0;
	size_t size;

	while ((size = log_number(0)) > 0) {
		const struct region *region = find_region(log_number(0));
		const int64_t at = end + log_signed(0);

		if (!region || at < 0 || (size_t)at > region->size
		    || size > region->size - (size_t)at)
			replay_stop(REPLAY_CANNOT,
			            "the log names memory of a window that does not exist");
		log_data(region->at + at, size);
		end = at + (int64_t)size;
	}
}

void windows_after(struct record_call *call)
{
	if (call->look == RECORD_LOOK_NOT)
		return;
	if (log_replaying)
		give_changes();
	else
		put_changes(call);
}

/* --- calls on windows ------------------------------------------------------------------------- */

struct window *windows_find(MPI_Win win)
{
	struct window *window = windows;

	while (window && window->handle != (uint32_t)win)
		window = window->next;
	return window;
}

static bool shows(struct window *window, enum windows_show show, int rank)
{
	switch (show) {
	case WINDOWS_SHOW_NEVER: return false;
	case WINDOWS_SHOW_ALWAYS: return true;
	case WINDOWS_SHOW_OWN: return rank == window->rank;
	case WINDOWS_SHOW_ACCESSED: break;
	}
	if (!window->accessed || (rank != WINDOWS_ALL && rank != window->rank))
		return false;
	window->accessed = false;
	return true;
}

void windows_synchronise(struct record_call *call, MPI_Win win, enum windows_show show, int rank)
{
	struct window *window = windows_find(win);

	if (!regions)
		return;
	if (call->look == RECORD_LOOK_NOT)
		call->look = RECORD_LOOK_SMALL;
	if (window && shows(window, show, rank))
		call->window = window;
}

void windows_access(MPI_Win win, int rank)
{
	struct window *window = windows_find(win);

	if (window && rank == window->rank)
		window->accessed = true;
}

struct window *windows_add(MPI_Win win, MPI_Comm comm)
{
	struct window *window = calloc(1, sizeof(*window));

	if (!window)
		record_refuse("out of memory");
	if (!log_replaying)
		real_mpi()->Comm_rank(comm, &window->rank);
	window->handle = (uint32_t)win;
	window->next = windows;
	windows = window;
	return window;
}

static void *map_shadow(size_t size)
{
	void *shadow = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (shadow == MAP_FAILED)
		record_refuse("out of memory for a copy of a window of %zu bytes", size);
	return shadow;
}

static struct region *add_region(struct window *window, void *base, MPI_Aint size)
{
	struct region *region = calloc(1, sizeof(*region));

	if (!region)
		record_refuse("out of memory");
	*region = (struct region){.next = regions,
	                          .window = window,
	                          .number = ++region_count,
	                          .at = base,
	                          .size = (size_t)size};
	if (!log_replaying)
		region->shadow = map_shadow(region->size);
	if (!log_replaying && began == 0)
		began = now();
	regions = region;
	return region;
}

static void remove_region(struct region **at)
{
	struct region *region = *at;

	*at = region->next;
	if (region->shadow)
		munmap(region->shadow, region->size);
	else if (region->is_allocated && !region->window->own)
		placed_free(region->at, region->size);
	free(region);
}

void windows_attach(struct window *window, void *base, MPI_Aint size)
{
	struct region *region;

	if (!window || !base || size <= 0)
		return;
	region = add_region(window, base, size);
	if (!log_replaying)
		memcpy(region->shadow, base, region->size);
}

void windows_attach_allocated(struct window *window, void *base, MPI_Aint size, void *own)
{
	struct record_call all = {.look = RECORD_LOOK_SMALL, .window = window};

	window->own = own;
	if (size <= 0)
		return;
	if (log_replaying && !own && !placed_map(base, (size_t)size))
		replay_stop(REPLAY_CANNOT,
		            "the memory of the window cannot be where it was: something else is "
		            "at %p",
		            base);
	add_region(window, base, size)->is_allocated = true;
	windows_after(&all); /* the shadow is zero, as is what was mapped */
}

void windows_detach(struct window *window, const void *base)
{
	struct region **at = &regions;

	while (*at && ((*at)->window != window || (*at)->at != base))
		at = &(*at)->next;
	if (*at)
		remove_region(at);
}

void windows_end(struct window *window)
{
	for (struct region *region = regions; region; region = region->next)
		if (region->window == window)
			region->is_hidden = region->is_allocated;
}

void windows_ended(struct window *window, bool is_gone)
{
	struct window **at = &windows;

	if (!window)
		return;
	for (struct region **one = &regions; *one;) {
		if ((*one)->window == window && is_gone) {
			remove_region(one);
			continue;
		}
		if ((*one)->window == window)
			(*one)->is_hidden = false;
		one = &(*one)->next;
	}
	if (!is_gone)
		return;
	while (*at != window)
		at = &(*at)->next;
	*at = window->next;
	memory_of_program_free(window->own);
	free(window);
}

bool windows_is_own(const struct window *window)
{
	return window->own != NULL;
}

MPI_Aint *windows_attribute(struct window *window, int keyval)
{
	static const int keyvals[ATTRIBUTES] = {MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT,
	                                        MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL};
	int i = 0;

	while (i < ATTRIBUTES - 1 && keyvals[i] != keyval)
		i++;
	return &window->attributes[i];
}
