/* room: execution. Which phases of an execution may follow which. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/execution/phase.h"

static void every_phase_has_a_name_of_its_own(void **state)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

	(void)state;
	for (int phase = 0; phase < EXECUTION_PHASES; phase++)
		assert_true(g_hash_table_add(names, (char *)phase_name(phase)));
}

static void each_can_be_ended_but_what_is_over(void **state)
{
	(void)state;
	for (int phase = 0; phase < EXECUTION_OVER; phase++)
		assert_true(phase_may_follow(phase, EXECUTION_ENDING));
	assert_false(phase_may_follow(EXECUTION_OVER, EXECUTION_ENDING));
}

static void nothing_follows_the_end(void **state)
{
	(void)state;
	for (int phase = 0; phase < EXECUTION_OVER; phase++) {
		assert_false(phase_may_follow(EXECUTION_OVER, phase));
		if (phase != EXECUTION_ENDING)
			assert_false(phase_may_follow(EXECUTION_ENDING, phase));
	}
}

static void only_what_is_ending_becomes_over(void **state)
{
	(void)state;
	for (int phase = 0; phase < EXECUTION_ENDING; phase++)
		assert_false(phase_may_follow(phase, EXECUTION_OVER));
	assert_true(phase_may_follow(EXECUTION_ENDING, EXECUTION_OVER));
}

/* Ranks that connect wait for nothing yet, and a world that runs is started only by parking. */
static void running_lies_between_start_and_parking(void **state)
{
	(void)state;
	assert_true(phase_may_follow(EXECUTION_STARTING, EXECUTION_RUNNING));
	assert_true(phase_may_follow(EXECUTION_STARTING, EXECUTION_PARKING));
	assert_true(phase_may_follow(EXECUTION_PARKING, EXECUTION_STARTING));
	for (int phase = EXECUTION_RUNNING; phase <= EXECUTION_UNDECIDED; phase++) {
		assert_true(phase_is_running(phase));
		assert_true(phase_may_follow(phase, EXECUTION_RUNNING));
		assert_true(phase_may_follow(phase, EXECUTION_PARKING));
		assert_false(phase_may_follow(phase, EXECUTION_STARTING));
		if (phase != EXECUTION_RUNNING)
			assert_false(phase_may_follow(EXECUTION_STARTING, phase));
	}
	assert_false(phase_is_running(EXECUTION_STARTING));
	assert_false(phase_is_running(EXECUTION_PARKING));
	assert_false(phase_is_running(EXECUTION_ENDING));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_phase_has_a_name_of_its_own),
		cmocka_unit_test(each_can_be_ended_but_what_is_over),
		cmocka_unit_test(nothing_follows_the_end),
		cmocka_unit_test(only_what_is_ending_becomes_over),
		cmocka_unit_test(running_lies_between_start_and_parking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
