/* room: world. Answers that are known before all ranks are at rest. */
#include "world_fixture.h"

static void init(struct fixture *fixture, enum buffering buffering)
{
	const struct world_options options = {.ranks = 3,
	                                      .buffering = buffering,
	                                      .collectives = COLLECTIVES_SYNC,
	                                      .arrives_early = buffering == BUFFERING_ZERO,
	                                      .not_yet = 1,
	                                      .hurries = true};

	fixture_init_of(fixture, &options);
}

/* Makes the choices that are certain. Returns their number. */
static int take_certain(struct fixture *fixture)
{
	struct choice choice;
	int count = 0;

	for (; world_next_certain(fixture->world, &choice); count++)
		assert_true(world_choose(fixture->world, &choice));
	return count;
}

/* While the request that was started first is open, a rest may come before it is complete. */
static void test_oldest(void **state)
{
	struct fixture fixture;
	guint32 receives[2];

	(void)state;
	init(&fixture, BUFFERING_INFINITE);
	for (int i = 0; i < 2; i++)
		receives[1 - i] = starts(&fixture, 0, WIRE_RECEIVE, 1 + i);
	asks(&fixture, 0, MPI_CALL_Waitany, WIRE_WAIT_ANY, 2, receives);
	starts(&fixture, 2, WIRE_SEND, 0);
	assert_int_equal(take_certain(&fixture), 0);
	assert_open(&fixture, "0.3{#0}");
	starts(&fixture, 1, WIRE_SEND, 0);
	assert_int_equal(take_certain(&fixture), 1);
	assert_orders(&fixture, "bind 0.2<-2 bind 0.1<-1 go 0.3 [1] ");
	fixture_release(&fixture);
}

/* MPI_Waitsome reports all that are complete: known when none is left. */
static void test_all(void **state)
{
	struct fixture fixture;
	guint32 receives[2];

	(void)state;
	init(&fixture, BUFFERING_INFINITE);
	for (int i = 0; i < 2; i++)
		receives[i] = starts(&fixture, 0, WIRE_RECEIVE, 1 + i);
	asks(&fixture, 0, MPI_CALL_Waitsome, WIRE_WAIT_SOME, 2, receives);
	starts(&fixture, 1, WIRE_SEND, 0);
	assert_int_equal(take_certain(&fixture), 0);
	starts(&fixture, 2, WIRE_SEND, 0);
	assert_int_equal(take_certain(&fixture), 1);
	assert_orders(&fixture, "bind 0.1<-1 bind 0.2<-2 go 0.3 [0 1] ");
	fixture_release(&fixture);
}

/* With zero buffering, the data of other receives may be there when the call returns. */
static void test_data_of_others(void **state)
{
	struct fixture fixture;
	guint32 receives[2];

	(void)state;
	init(&fixture, BUFFERING_ZERO);
	for (int i = 0; i < 2; i++)
		receives[i] = starts(&fixture, 0, WIRE_RECEIVE, 1 + i);
	asks(&fixture, 0, MPI_CALL_Waitany, WIRE_WAIT_ANY, 2, receives);
	starts(&fixture, 1, WIRE_SEND, 0);
	assert_int_equal(take_certain(&fixture), 0);
	starts(&fixture, 2, WIRE_SEND, 0);
	assert_int_equal(take_certain(&fixture), 1);
	assert_orders(&fixture, "bind 0.1<-1 bind 0.2<-2 see 0.2 go 0.3 [0] ");
	fixture_release(&fixture);
}

/* A poll that is repeated is answered "yes" at rest if that is possible, and so before. */
static void test_repeated_poll(void **state)
{
	struct fixture fixture;
	guint32 receive, call;

	(void)state;
	init(&fixture, BUFFERING_INFINITE);
	receive = starts(&fixture, 0, WIRE_RECEIVE, 1);
	call = asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receive);
	assert_int_equal(take_certain(&fixture), 0);
	assert_true(choose(&fixture, 0, call, taken_plain(TAKEN_NO)));
	asks(&fixture, 0, MPI_CALL_Testany, WIRE_TEST_ANY, 1, &receive);
	starts(&fixture, 1, WIRE_SEND, 0);
	assert_int_equal(take_certain(&fixture), 0); /* "not yet" would come first */
	assert_true(choose(&fixture, 0, call + 1, taken_plain(TAKEN_NO)));
	g_string_truncate(fixture.orders, 0);
	asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receive);
	assert_open(&fixture, "0.4{yes no}");
	assert_int_equal(take_certain(&fixture), 1);
	assert_orders(&fixture, "go 0.4 [0] ");
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oldest),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_data_of_others),
		cmocka_unit_test(test_repeated_poll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
