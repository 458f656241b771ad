/* room: debug. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scheduler/debug/stops.h"

struct fixture {
	struct stops *stops;
	GArray *made;
};

/* "01-": rank 0's call 2 takes rank 0's message, its call 3 that of rank 1. */
static const GArray *made(struct fixture *fixture, const char *sources)
{
	g_array_set_size(fixture->made, 0);
	for (guint32 call = 2; *sources; sources++, call++) {
		struct choice choice = {point_call(0, call, 0),
		                        taken_message((struct op_id){*sources - '0', 0, 0})};

		g_array_append_val(fixture->made, choice);
	}
	return fixture->made;
}

static struct position *position(const GArray *choices)
{
	return position_of(2, NULL, BUFFERING_ZERO, COLLECTIVES_ASYNC, choices);
}

static void arrive(struct fixture *fixture, const char *sources)
{
	stops_arrive(fixture->stops, position(made(fixture, sources)), false);
}

static int setup(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->stops = stops_new();
	fixture->made = g_array_new(false, false, sizeof(struct choice));
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	stops_free(fixture->stops);
	g_array_unref(fixture->made);
	g_free(fixture);
	return 0;
}

static void assert_place(const struct fixture *fixture, guint before, guint behind)
{
	assert_int_equal(stops_before(fixture->stops), before);
	assert_int_equal(stops_behind(fixture->stops), behind);
	assert_int_equal(stop_choices(stops_here(fixture->stops))->len, before);
}

static void there_is_no_stop_at_first(void **state)
{
	const struct fixture *fixture = *state;

	assert_null(stops_here(fixture->stops));
	assert_null(stops_at(fixture->stops, -1));
	assert_null(stops_at(fixture->stops, 1));
	assert_int_equal(stops_before(fixture->stops), 0);
	assert_int_equal(stops_behind(fixture->stops), 0);
}

static void back_and_forward_move_in_the_history(void **state)
{
	struct fixture *fixture = *state;

	arrive(fixture, "");
	arrive(fixture, "1");
	arrive(fixture, "12");
	assert_place(fixture, 2, 0);
	stops_move(fixture->stops, -2);
	assert_place(fixture, 0, 2);
	stops_move(fixture->stops, 1);
	assert_place(fixture, 1, 1);
	assert_null(stops_at(fixture->stops, -2));
	assert_null(stops_at(fixture->stops, 2));
	assert_non_null(stops_at(fixture->stops, -1));
}

static void the_same_decision_keeps_later_stops(void **state)
{
	struct fixture *fixture = *state;

	arrive(fixture, "");
	arrive(fixture, "1");
	arrive(fixture, "12");
	stops_move(fixture->stops, -2);
	arrive(fixture, "");
	assert_place(fixture, 0, 2);
	arrive(fixture, "1");
	assert_place(fixture, 1, 1);
}

static void another_decision_drops_later_stops(void **state)
{
	struct fixture *fixture = *state;

	arrive(fixture, "");
	arrive(fixture, "1");
	arrive(fixture, "12");
	stops_move(fixture->stops, -2);
	arrive(fixture, "2");
	assert_place(fixture, 1, 0);
	stops_move(fixture->stops, -1);
	arrive(fixture, "1");
	assert_place(fixture, 1, 0);
}

static void an_end_is_no_choice(void **state)
{
	struct fixture *fixture = *state;

	arrive(fixture, "");
	stops_arrive(fixture->stops, position(made(fixture, "")), true);
	assert_int_equal(stops_before(fixture->stops), 1);
	assert_true(stops_here(fixture->stops)->ended);
}

static void the_order_of_choices_does_not_matter(void **state)
{
	struct fixture *fixture = *state;
	struct choice first;

	arrive(fixture, "");
	arrive(fixture, "12");
	stops_move(fixture->stops, -1);
	made(fixture, "12");
	first = g_array_index(fixture->made, struct choice, 0);
	g_array_remove_index(fixture->made, 0);
	g_array_append_val(fixture->made, first);
	stops_arrive(fixture->stops, position(fixture->made), false);
	assert_int_equal(stops_before(fixture->stops), 1);
	assert_int_equal(stops_behind(fixture->stops), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(there_is_no_stop_at_first, setup, teardown),
		cmocka_unit_test_setup_teardown(back_and_forward_move_in_the_history, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(the_same_decision_keeps_later_stops, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(another_decision_drops_later_stops, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(an_end_is_no_choice, setup, teardown),
		cmocka_unit_test_setup_teardown(the_order_of_choices_does_not_matter, setup,
	                                        teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
