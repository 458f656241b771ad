/* room: world. Which indices Waitany and its kin return, in a world driven by hand. */
#include "world_fixture.h"

static void assert_returned(const struct world *world, int rank, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (gsize i = 0; i < world_returned_count(world, rank); i++) {
		const struct world_returned *one = world_returned_at(world, rank, i);

		g_string_append_printf(text, "%s%u:", i > 0 ? " " : "", one->call);
		if (one->index == WORLD_INDEX_UNDEFINED)
			g_string_append(text, "undefined");
		else if (one->index == WORLD_INDEX_UNKNOWN)
			g_string_append_c(text, '?');
		else
			g_string_append_printf(text, "%u", one->index);
	}
	assert_string_equal(text->str, expected);
}

/* A call for these requests, with their places in the program's array. */
static guint32 picks(struct fixture *fixture, guint16 function, guint8 wait, guint32 count,
                     const guint32 *calls, guint32 place_count, guint32 *places)
{
	struct wire_name waited[4];
	struct wire_call call = {.function = function,
	                         .wait = wait,
	                         .waited_count = count,
	                         .waited = waited,
	                         .place_count = place_count,
	                         .places = places};

	for (guint32 i = 0; i < count; i++)
		waited[i] = (struct wire_name){calls[i], 0};
	return report(fixture, 0, &call);
}

/* Three sends, which are complete at once. */
static void start_three(struct fixture *fixture, guint32 *ret_calls)
{
	for (int i = 0; i < 3; i++)
		ret_calls[i] = starts(fixture, 0, WIRE_SEND, 1);
}

static void test_any(void **state)
{
	guint32 calls[3], gaps[] = {1, 4, 5};
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	start_three(&fixture, calls);
	picks(&fixture, MPI_CALL_Waitany, WIRE_WAIT_ANY, 3, calls, 0, NULL);
	assert_returned(fixture.world, 0, "");
	assert_true(choose(&fixture, 0, 4, taken_one(1)));
	assert_returned(fixture.world, 0, "4:1");
	start_three(&fixture, calls);
	picks(&fixture, MPI_CALL_Testany, WIRE_TEST_ANY, 3, calls, 3, gaps);
	assert_true(choose(&fixture, 0, 8, taken_one(2)));
	assert_returned(fixture.world, 0, "4:1 8:5");
	assert_returned(fixture.world, 1, "");
	fixture_release(&fixture);
}

/* Those that need no answer are among those that do. */
static void test_some(void **state)
{
	guint32 calls[3], places[] = {2, 3, 7, 0, 5};
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	start_three(&fixture, calls);
	picks(&fixture, MPI_CALL_Testsome, WIRE_TEST_SOME, 3, calls, 5, places);
	assert_true(choose(&fixture, 0, 4, taken_some(0, 6)));
	assert_returned(fixture.world, 0, "4:0 4:3 4:5 4:7");
	fixture_release(&fixture);
}

static void test_without_an_answer(void **state)
{
	guint32 none = WIRE_UNDEFINED, later = WIRE_TOLD_LATER, place = 3, two[] = {1, 2};
	const struct wire_returned returned = {4, 2, two};
	struct fixture fixture;
	struct world *copy;

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	picks(&fixture, MPI_CALL_Waitany, WIRE_WAIT_NONE, 0, NULL, 1, &none);
	picks(&fixture, MPI_CALL_Testany, WIRE_WAIT_NONE, 0, NULL, 1, &place);
	picks(&fixture, MPI_CALL_Waitany, WIRE_WAIT_NONE, 0, NULL, 0, NULL);
	assert_returned(fixture.world, 0, "1:undefined 2:3 3:?");
	picks(&fixture, MPI_CALL_Waitsome, WIRE_WAIT_NONE, 0, NULL, 1, &later);
	copy = world_copy(fixture.world, world_options(fixture.world), &fixture);
	assert_true(world_told_indices(fixture.world, 0, &returned, NULL));
	assert_returned(fixture.world, 0, "1:undefined 2:3 3:? 4:1 4:2");
	assert_returned(copy, 0, "1:undefined 2:3 3:?");
	assert_true(world_told_indices(copy, 0, &returned, NULL));
	assert_returned(copy, 0, "1:undefined 2:3 3:? 4:1 4:2");
	world_free(copy);
	fixture_release(&fixture);
}

/* "Not yet", and calls of other functions, return none. */
static void test_none(void **state)
{
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct choice));
	guint32 gaps[] = {1};
	struct fixture fixture;
	guint32 receive, send;

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	receive = starts(&fixture, 0, WIRE_RECEIVE, 1);
	picks(&fixture, MPI_CALL_Testany, WIRE_TEST_ANY, 1, &receive, 1, gaps);
	assert_true(choose(&fixture, 0, 2, taken_plain(TAKEN_NO)));
	send = starts(&fixture, 0, WIRE_SEND, 1);
	asks(&fixture, 0, MPI_CALL_Wait, WIRE_WAIT_ALL, 1, &send);
	assert_returned(fixture.world, 0, "");
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_some),
		cmocka_unit_test(test_without_an_answer),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
