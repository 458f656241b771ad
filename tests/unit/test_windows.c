#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/world/windows.h"

enum { RANKS = 3, COMM = 77 };

static const int everybody[RANKS] = {0, 1, 2};

static struct lock_wish wish(int rank, int target, bool shared)
{
	return (struct lock_wish){.rank = rank,
	                          .comm = COMM,
	                          .window = {.window = 1},
	                          .target = target,
	                          .shared = shared,
	                          .members = everybody,
	                          .count = RANKS};
}

static gint32 place(int target, int reader)
{
	struct lock_place which = {1, 0, target, reader, 0};

	return lock_number(RANKS, &which);
}

/* Grants everything that the rank claims now, as far as it is free. */
static enum lock_progress grant_all(struct windows *windows, int rank)
{
	g_autoptr(GArray) claims = g_array_copy((GArray *)windows_claims(windows, rank));
	enum lock_progress progress = LOCK_WAITS;

	for (guint i = 0; i < claims->len; i++) {
		gint32 number = g_array_index(claims, struct lock_claim, i).place;

		if (windows_offer(windows, number) > 0)
			progress = windows_grant(windows, number, rank);
	}
	return progress;
}

static void take(struct windows *windows, int rank, int target, bool shared)
{
	struct lock_wish one = wish(rank, target, shared);

	assert_true(windows_ask(windows, &one));
	while (grant_all(windows, rank) == LOCK_CLAIMS)
		;
	assert_true(windows_holds(windows, rank, COMM, target));
}

static guint release(struct windows *windows, int rank, int target)
{
	g_autoptr(GArray) grants = g_array_new(false, false, sizeof(struct lock_grant));

	windows_release(windows, rank, COMM, target, grants);
	return grants->len;
}

static void test_numbers(void **state)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

	(void)state;
	for (int window = 1; window <= 3; window++) {
		for (int i = 0; i < RANKS * RANKS * (RANKS + 1); i++) {
			struct lock_place one = {window, i % RANKS, i / RANKS % RANKS,
			                         i / RANKS / RANKS - 1, 0};
			struct lock_place other;
			gint32 number = lock_number(RANKS, &one);

			assert_true(number >= RANKS);
			assert_true(g_hash_table_add(seen, GINT_TO_POINTER(number)));
			assert_true(lock_from_number(RANKS, number, &other));
			assert_memory_equal(&one, &other, sizeof one);
		}
	}
}

static void test_numbers_of_words(void **state)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

	(void)state;
	for (int word = 1; word <= 40; word++) {
		for (int i = 0; i < RANKS * (RANKS + 1); i++) {
			struct lock_place one = {1 + word % 2, 0, i % RANKS, i / RANKS - 1, word};
			struct lock_place other;
			gint32 number = lock_number(RANKS, &one);

			assert_true(number >= LOCK_FIRST_WORD);
			assert_true(g_hash_table_add(seen, GINT_TO_POINTER(number)));
			assert_true(lock_from_number(RANKS, number, &other));
			assert_memory_equal(&one, &other, sizeof(one));
		}
	}
}

/* Words far into a window have no numbers. */
static void test_word_limits(void **state)
{
	struct lock_place one = {1, 0, 0, -1, G_MAXINT32};

	(void)state;
	assert_int_equal(lock_number(RANKS, &one), -1);
	one.word = 1;
	one.window = G_MAXINT16;
	assert_int_equal(lock_number(RANKS, &one), -1);
}

static struct lock_wish word_wish(int rank, gint32 first, gint32 last, gint32 element)
{
	struct lock_wish words = wish(rank, 0, false);

	words.first_word = first;
	words.last_word = last;
	words.element = element;
	return words;
}

/* Makes an atomic operation, alone. */
static void make(struct windows *windows, int rank, gint32 first, gint32 last, gint32 element)
{
	g_autoptr(GArray) grants = g_array_new(false, false, sizeof(struct lock_grant));
	struct lock_wish words = word_wish(rank, first, last, element);

	assert_true(windows_ask(windows, &words));
	while (grant_all(windows, rank) == LOCK_CLAIMS)
		;
	windows_release_words(windows, rank, grants);
	assert_int_equal(grants->len, (last - first + 1) * RANKS);
}

static gint32 word(gint32 number)
{
	const struct lock_place which = {1, 0, 0, -1, number};

	return lock_number(RANKS, &which);
}

/* The order at the second word of 8 bytes is that at the first. */
static void test_words_together(void **state)
{
	struct windows *windows = windows_new(RANKS);

	(void)state;
	make(windows, 0, 1, 2, 2);
	assert_false(windows_contended(windows, word(1)));
	make(windows, 1, 1, 2, 2);
	assert_true(windows_contended(windows, word(1)));
	assert_false(windows_contended(windows, word(2)));
	assert_false(windows_mix(windows));
	make(windows, 2, 2, 2, 1);
	assert_true(windows_contended(windows, word(2)));
	windows_free(windows);
}

/* MPI may mix two operations of two elements each. */
static void test_words_mix(void **state)
{
	struct windows *windows = windows_new(RANKS);

	(void)state;
	make(windows, 0, 1, 2, 1);
	assert_false(windows_mix(windows));
	make(windows, 1, 1, 2, 1);
	assert_true(windows_mix(windows));
	windows_free(windows);
}

static void test_number_limits(void **state)
{
	struct lock_place one = {1, 0, 0, -1, 0}, other;

	(void)state;
	assert_false(lock_from_number(RANKS, RANKS - 1, &other));
	assert_int_equal(lock_number(RANKS, &one), RANKS);
	one.window = INT32_MAX;
	one.first = 2;
	assert_int_equal(lock_number(RANKS, &one), -1);
	assert_int_equal(lock_number(INT32_MAX, &one), -1);
}

/* An exclusive lock has the target's place before it claims the places of the others' shared
 * locks. */
static void test_exclusive(void **state)
{
	struct windows *windows = windows_new(RANKS);
	struct lock_wish one = wish(1, 0, false);
	const GArray *claims;

	(void)state;
	assert_true(windows_ask(windows, &one));
	claims = windows_claims(windows, 1);
	assert_int_equal(claims->len, 1);
	assert_int_equal(g_array_index(claims, struct lock_claim, 0).place, place(0, -1));
	assert_int_equal(windows_offer(windows, place(0, -1)), 1);
	assert_int_equal(windows_offer(windows, place(0, -1)), 0);
	assert_int_equal(windows_grant(windows, place(0, -1), 1), LOCK_CLAIMS);
	assert_false(windows_holds(windows, 1, COMM, 0));
	claims = windows_claims(windows, 1);
	assert_int_equal(claims->len, 2);
	assert_int_equal(g_array_index(claims, struct lock_claim, 0).place, place(0, 0));
	assert_int_equal(g_array_index(claims, struct lock_claim, 1).place, place(0, 2));
	assert_int_equal(grant_all(windows, 1), LOCK_GRANTED);
	assert_int_equal(release(windows, 1, 0), 3);
	assert_int_equal(release(windows, 1, 0), 0);
	assert_int_equal(windows_offer(windows, place(0, -1)), 2);
	windows_free(windows);
}

static void test_shared_do_not_meet(void **state)
{
	struct windows *windows = windows_new(RANKS);

	(void)state;
	take(windows, 0, 2, true);
	take(windows, 1, 2, true);
	take(windows, 2, WINDOWS_ALL, true);
	assert_true(windows_holds(windows, 2, COMM, 1));
	assert_false(windows_contended(windows, place(2, 0)));
	assert_false(windows_contended(windows, place(2, 2)));
	assert_int_equal(release(windows, 2, 1), 0);
	assert_int_equal(release(windows, 2, WINDOWS_ALL), RANKS);
	windows_free(windows);
}

/* A request for an exclusive lock waits for the holders of shared ones. A copy is independent. */
static void test_waits_for_shared(void **state)
{
	struct windows *windows = windows_new(RANKS), *copy;
	struct lock_wish one = wish(1, 0, false);
	bool waits[RANKS] = {false};

	(void)state;
	take(windows, 2, 0, true);
	assert_true(windows_ask(windows, &one));
	assert_int_equal(grant_all(windows, 1), LOCK_CLAIMS);
	assert_int_equal(grant_all(windows, 1), LOCK_WAITS);
	windows_mark_holders(windows, 1, waits);
	assert_false(waits[0]);
	assert_false(waits[1]);
	assert_true(waits[2]);
	assert_true(windows_contended(windows, place(0, 2)));
	assert_true(windows_contended(windows, place(0, -1)));
	assert_false(windows_contended(windows, place(0, 0)));
	copy = windows_copy(windows);
	assert_int_equal(release(copy, 2, 0), 1);
	assert_int_equal(windows_offer(copy, place(0, 2)), 2);
	assert_int_equal(windows_grant(copy, place(0, 2), 1), LOCK_GRANTED);
	assert_false(windows_holds(windows, 1, COMM, 0));
	windows_free(copy);
	windows_free(windows);
}

/* If a rank asks for a lock that it holds, the refusal gives nothing back, once. */
static void test_lock_that_is_held(void **state)
{
	struct windows *windows = windows_new(RANKS), *copy;

	(void)state;
	take(windows, 1, 0, false);
	assert_false(windows_was_again(windows, 1));
	windows_ask_again(windows, 1);
	copy = windows_copy(windows);
	assert_true(windows_was_again(copy, 1));
	assert_false(windows_was_again(copy, 1));
	assert_false(windows_was_again(windows, 0));
	take(windows, 1, 2, false);
	assert_false(windows_was_again(windows, 1));
	assert_true(windows_holds(windows, 1, COMM, 0));
	windows_free(copy);
	windows_free(windows);
}

static void test_too_many_windows(void **state)
{
	struct windows *windows = windows_new(RANKS);
	struct lock_wish one = wish(0, 0, false);

	(void)state;
	one.window.window = INT32_MAX;
	assert_false(windows_ask(windows, &one));
	windows_free(windows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),           cmocka_unit_test(test_number_limits),
		cmocka_unit_test(test_numbers_of_words),  cmocka_unit_test(test_word_limits),
		cmocka_unit_test(test_words_together),    cmocka_unit_test(test_words_mix),
		cmocka_unit_test(test_exclusive),         cmocka_unit_test(test_shared_do_not_meet),
		cmocka_unit_test(test_waits_for_shared),  cmocka_unit_test(test_too_many_windows),
		cmocka_unit_test(test_lock_that_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
