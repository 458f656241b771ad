/* room: run */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/run/naming.h"

static struct wire_state state_of(guint64 number)
{
	return (struct wire_state){.hash = {number, ~number}};
}

static void all_who_are_asked_are_in_it(void **state)
{
	struct naming one = {0}, other = {0};
	struct wire_state first = state_of(7), second = state_of(8);

	(void)state;
	naming_begin(&one, 3);
	naming_ask(&one, 0);
	naming_ask(&one, 2);
	assert_false(naming_answer(&one, 1, &first));
	assert_true(naming_answer(&one, 2, &second));
	assert_int_equal(one.missing, 1);
	assert_false(naming_answer(&one, 2, &second));
	assert_true(naming_answer(&one, 0, &first));
	assert_int_equal(one.missing, 0);
	assert_null(one.hazard);
	/* Who answers first makes no difference, who says what does. */
	naming_begin(&other, 3);
	naming_ask(&other, 0);
	naming_ask(&other, 2);
	naming_answer(&other, 0, &first);
	naming_answer(&other, 2, &second);
	assert_true(state_hash_equal(&one.ranks, &other.ranks));
	naming_begin(&other, 3);
	naming_ask(&other, 0);
	naming_ask(&other, 2);
	naming_answer(&other, 0, &second);
	naming_answer(&other, 2, &first);
	assert_false(state_hash_equal(&one.ranks, &other.ranks));
	naming_release(&one);
	naming_release(&other);
}

static void the_first_reason_counts(void **state)
{
	struct naming naming = {0};
	struct wire_state told = {.hazard = (char *)"it has 2 threads of its own"};

	(void)state;
	naming_begin(&naming, 2);
	naming_ask(&naming, 0);
	naming_ask(&naming, 1);
	naming_answer(&naming, 1, &told);
	told.hazard = (char *)"it writes files";
	naming_answer(&naming, 0, &told);
	assert_string_equal(naming.hazard, "rank 1: it has 2 threads of its own");
	naming_release(&naming);
	assert_null(naming.hazard);
	assert_false(naming.asked);
}

/* Who has done nothing since it told its state need not be asked again, in no copy of its world. */
static void who_has_not_moved_need_not_be_asked(void **state)
{
	struct naming naming = {0}, copy = {0};
	struct wire_state first = state_of(7), second = state_of(8);
	struct state_hash both;

	(void)state;
	naming_begin(&naming, 2);
	for (int rank = 0; rank < 2; rank++) {
		assert_false(naming_recall(&naming, rank));
		naming_ask(&naming, rank);
		naming_answer(&naming, rank, rank ? &second : &first);
	}
	both = naming.ranks;
	naming_end(&naming);
	naming_copy(&copy, &naming, 2);
	naming_moves(&naming, 1);
	naming_begin(&naming, 2);
	assert_true(naming_recall(&naming, 0));
	assert_false(naming_recall(&naming, 1));
	naming_ask(&naming, 1);
	naming_answer(&naming, 1, &first);
	assert_false(state_hash_equal(&naming.ranks, &both));
	naming_begin(&copy, 2);
	assert_true(naming_recall(&copy, 0));
	assert_true(naming_recall(&copy, 1));
	assert_true(state_hash_equal(&copy.ranks, &both));
	/* Who is asked all the same must say the same. */
	naming_begin(&copy, 2);
	naming_ask(&copy, 0);
	naming_answer(&copy, 0, &first);
	assert_null(copy.hazard);
	naming_ask(&copy, 1);
	naming_answer(&copy, 1, &first);
	assert_string_equal(copy.hazard, "rank 1: it changes while it waits");
	naming_release(&naming);
	naming_release(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_who_are_asked_are_in_it),
		cmocka_unit_test(the_first_reason_counts),
		cmocka_unit_test(who_has_not_moved_need_not_be_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
