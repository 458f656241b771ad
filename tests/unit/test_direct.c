/* Part of the preloaded shim, compiled in here, with windows and operations that stand in. */
#include "shim/check/direct.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* One window, at these addresses. */
enum { WINDOW = 7, LOW = 1 << 20, BYTES = 1 << 16, SOURCES = 3 };

_Thread_local unsigned process_call_depth;
static char sources[SOURCES];

/* What was reported, by byte of the window: the last one by each source, and how. */
static unsigned char reported[SOURCES][BYTES];
static unsigned reports, unknown;

bool process_is_controlled(void)
{
	return true;
}

bool process_is_managed(void)
{
	return true;
}

void window_memory_watch(void)
{
}

uint64_t window_memory_any(void)
{
	return WINDOW;
}

uint64_t window_memory_next(uintptr_t *low, uintptr_t high, uintptr_t *ret_high)
{
	if (*low >= high || *low >= LOW + BYTES || high <= LOW)
		return 0;
	*low = *low > LOW ? *low : LOW;
	*ret_high = high < LOW + BYTES ? high : LOW + BYTES;
	return WINDOW;
}

bool overlap_is_any(void)
{
	return false;
}

bool overlap_may_use(uintptr_t low, uintptr_t high)
{
	(void)low;
	(void)high;
	return false;
}

void overlap_pass(const struct wire_user *user, struct bytes *bytes)
{
	(void)user;
	(void)bytes;
}

struct bytes *bytes_new(void)
{
	struct bytes *bytes = calloc(1, sizeof(*bytes));

	bytes->users = 1;
	return bytes;
}

void bytes_release(struct bytes *bytes)
{
	if (bytes)
		free(bytes->parts);
	free(bytes);
}

void access_direct(const void *site, uint64_t window, const struct bytes *bytes, bool atomic)
{
	assert_int_equal(window, WINDOW);
	assert_false(atomic);
	if (!site) {
		unknown++;
		return;
	}
	reports++;
	for (uint32_t i = 0; i < bytes->count; i++) {
		const struct wire_part *part = &bytes->parts[i];

		for (uint64_t j = 0; j < part->times; j++) {
			int64_t at = part->start + (int64_t)j * part->stride - LOW;

			assert_true(at >= 0 && at + (int64_t)part->length <= BYTES);
			memset(&reported[(const char *)site - sources][at], 1 + part->role,
			       part->length);
		}
	}
}

static struct direct_watch *begin(void)
{
	struct direct_watch *found = matchpoint_direct_watch_1();

	direct_watch(LOW, LOW + BYTES);
	memset(reported, 0, sizeof(reported));
	reports = unknown = 0;
	return found;
}

static uint32_t draw(uint32_t below)
{
	static uint32_t state = 12345;

	state = state * 1664525u + 1013904223u;
	return (state >> 8) % below;
}

static void test_each_byte_is_reported_once(void **state)
{
	static unsigned char expected[SOURCES][BYTES];

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct direct_watch *hooks = begin();
		uint32_t count = draw(6000), spread = 1u + draw(round % 2 ? 2000 : BYTES - 64);

		memset(expected, 0, sizeof(expected));
		for (uint32_t i = 0; i < count; i++) {
			uint32_t source = draw(SOURCES), length = 1u << draw(5);
			uint32_t at = draw(4) ? draw(spread) : (i * 24) % spread;
			bool writes = source == 1;

			hooks->seen(LOW + at, length, writes ? DIRECT_WRITE : DIRECT_READ,
			            &sources[source]);
			memset(&expected[source][at],
			       1 + (writes ? WIRE_PART_WRITTEN : WIRE_PART_READ), length);
		}
		direct_flush();
		assert_memory_equal(reported, expected, sizeof(expected));
		assert_int_equal(unknown, 0);
		assert_true(reports <= SOURCES);
		direct_flush(); /* all is forgotten */
		assert_true(reports <= SOURCES);
	}
}

static void test_too_many_are_unknown(void **state)
{
	struct direct_watch *hooks = begin();

	(void)state;
	for (uint32_t i = 0; i < BYTES; i += 2) /* touch each other nowhere */
		hooks->seen(LOW + (i * 7) % BYTES, 1, DIRECT_WRITE, &sources[0]);
	direct_flush();
	assert_int_equal(unknown, 1);
	begin();
	hooks->seen(LOW, 4, DIRECT_WRITE, &sources[0]);
	direct_flush();
	assert_int_equal(unknown, 0);
	assert_int_equal(reports, 1);
}

/* A signal handler interrupts the thread that gathers. */
static void test_nothing_waits_for_itself(void **state)
{
	struct direct_watch *hooks = begin();

	(void)state;
	lock_direct();
	hooks->seen(LOW, 4, DIRECT_WRITE, &sources[0]);
	direct_flush();
	unlock_direct();
	direct_flush();
	assert_int_equal(unknown, 1);
	assert_int_equal(reports, 0);
}

static void test_a_page_is_watched_until_the_last_range_goes(void **state)
{
	struct direct_watch *hooks = begin();
	const size_t page = (LOW >> DIRECT_PAGE_BITS) % DIRECT_PAGES;
	uint32_t before = hooks->pages[page];

	(void)state;
	direct_watch(LOW + 8, LOW + 16);
	assert_int_equal(hooks->pages[page], before + 1);
	direct_unwatch(LOW + 8, LOW + 16);
	assert_int_equal(hooks->pages[page], before);
	assert_true(hooks->low <= LOW && hooks->high >= LOW + BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_byte_is_reported_once),
		cmocka_unit_test(test_too_many_are_unknown),
		cmocka_unit_test(test_nothing_waits_for_itself),
		cmocka_unit_test(test_a_page_is_watched_until_the_last_range_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
