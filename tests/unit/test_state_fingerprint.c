/* room: snapshot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/snapshot/state_fingerprint.h"

static struct wire_state state_of(guint64 number)
{
	return (struct wire_state){.hash = {number, ~number}};
}

static void all_asked_ranks_are_included(void **state)
{
	struct state_fingerprint one = {0}, other = {0};
	struct wire_state first = state_of(7), second = state_of(8);

	(void)state;
	state_fingerprint_begin(&one, 3);
	state_fingerprint_ask(&one, 0);
	state_fingerprint_ask(&one, 2);
	assert_false(state_fingerprint_answer(&one, 1, &first));
	assert_true(state_fingerprint_answer(&one, 2, &second));
	assert_int_equal(one.missing, 1);
	assert_false(state_fingerprint_answer(&one, 2, &second));
	assert_true(state_fingerprint_answer(&one, 0, &first));
	assert_int_equal(one.missing, 0);
	assert_null(one.hazard);
	/* The order of answers makes no difference; which rank reports which state does. */
	state_fingerprint_begin(&other, 3);
	state_fingerprint_ask(&other, 0);
	state_fingerprint_ask(&other, 2);
	state_fingerprint_answer(&other, 0, &first);
	state_fingerprint_answer(&other, 2, &second);
	assert_true(state_hash_equal(&one.ranks, &other.ranks));
	state_fingerprint_begin(&other, 3);
	state_fingerprint_ask(&other, 0);
	state_fingerprint_ask(&other, 2);
	state_fingerprint_answer(&other, 0, &second);
	state_fingerprint_answer(&other, 2, &first);
	assert_false(state_hash_equal(&one.ranks, &other.ranks));
	state_fingerprint_release(&one);
	state_fingerprint_release(&other);
}

static void the_first_reason_counts(void **state)
{
	struct state_fingerprint fingerprint = {0};
	struct wire_state told = {.hazard = (char *)"it has 2 threads of its own"};

	(void)state;
	state_fingerprint_begin(&fingerprint, 2);
	state_fingerprint_ask(&fingerprint, 0);
	state_fingerprint_ask(&fingerprint, 1);
	state_fingerprint_answer(&fingerprint, 1, &told);
	told.hazard = (char *)"it writes files";
	state_fingerprint_answer(&fingerprint, 0, &told);
	assert_string_equal(fingerprint.hazard, "rank 1: it has 2 threads of its own");
	state_fingerprint_release(&fingerprint);
	assert_null(fingerprint.hazard);
	assert_false(fingerprint.asked);
}

/* A rank that has done nothing since its report need not be asked again, nor its copies in other
 * worlds. */
static void a_rank_that_has_not_moved_need_not_be_asked(void **state)
{
	struct state_fingerprint fingerprint = {0}, copy = {0};
	struct wire_state first = state_of(7), second = state_of(8);
	struct state_hash both;

	(void)state;
	state_fingerprint_begin(&fingerprint, 2);
	for (int rank = 0; rank < 2; rank++) {
		assert_false(state_fingerprint_reuse(&fingerprint, rank));
		state_fingerprint_ask(&fingerprint, rank);
		state_fingerprint_answer(&fingerprint, rank, rank ? &second : &first);
	}
	both = fingerprint.ranks;
	state_fingerprint_end(&fingerprint);
	state_fingerprint_copy(&copy, &fingerprint, 2);
	state_fingerprint_moves(&fingerprint, 1);
	state_fingerprint_begin(&fingerprint, 2);
	assert_true(state_fingerprint_reuse(&fingerprint, 0));
	assert_false(state_fingerprint_reuse(&fingerprint, 1));
	state_fingerprint_ask(&fingerprint, 1);
	state_fingerprint_answer(&fingerprint, 1, &first);
	assert_false(state_hash_equal(&fingerprint.ranks, &both));
	state_fingerprint_begin(&copy, 2);
	assert_true(state_fingerprint_reuse(&copy, 0));
	assert_true(state_fingerprint_reuse(&copy, 1));
	assert_true(state_hash_equal(&copy.ranks, &both));
	/* A rank that is asked even so must report the same. */
	state_fingerprint_begin(&copy, 2);
	state_fingerprint_ask(&copy, 0);
	state_fingerprint_answer(&copy, 0, &first);
	assert_null(copy.hazard);
	state_fingerprint_ask(&copy, 1);
	state_fingerprint_answer(&copy, 1, &first);
	assert_string_equal(copy.hazard, "rank 1: it changes while it waits");
	state_fingerprint_release(&fingerprint);
	state_fingerprint_release(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_asked_ranks_are_included),
		cmocka_unit_test(the_first_reason_counts),
		cmocka_unit_test(a_rank_that_has_not_moved_need_not_be_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
