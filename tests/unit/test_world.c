/* A world driven by hand: the open points at rest, and which ranks continue after a choice. */
#include "world_fixture.h"

static void test_waitany(void **state)
{
	struct fixture fixture;
	guint32 receives[2];

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	receives[0] = starts(&fixture, 0, WIRE_RECEIVE, WIRE_ANY);
	receives[1] = starts(&fixture, 0, WIRE_RECEIVE, WIRE_ANY);
	asks(&fixture, 0, MPI_CALL_Waitany, WIRE_WAIT_ANY, 2, receives);
	assert_open(&fixture, "");
	starts(&fixture, 1, WIRE_SEND, 0);
	starts(&fixture, 2, WIRE_SEND, 0);
	assert_open(&fixture, "0.1{1 2}");
	assert_true(choose(&fixture, 0, 1, taken_message((struct op_id){2, 0, 0})));
	assert_open(&fixture, "0.2{1} 0.3{#0}");
	assert_true(choose(&fixture, 0, 2, taken_message((struct op_id){1, 0, 0})));
	assert_open(&fixture, "0.3{#0 #1}");
	assert_orders(&fixture, "bind 0.1<-2 bind 0.2<-1 ");
	assert_false(choose(&fixture, 0, 3, taken_plain(TAKEN_NO)));
	assert_false(choose(&fixture, 0, 3, taken_one(2)));
	assert_true(choose(&fixture, 0, 3, taken_one(1)));
	assert_orders(&fixture, "go 0.3 [1] ");
	assert_open(&fixture, "");
	fixture_release(&fixture);
}

static void test_waitsome(void **state)
{
	struct fixture fixture;
	guint32 sends[3];

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	for (int i = 0; i < 3; i++)
		sends[i] = starts(&fixture, 0, i == 1 ? WIRE_RECEIVE : WIRE_SEND, 1);
	asks(&fixture, 0, MPI_CALL_Waitsome, WIRE_WAIT_SOME, 3, sends);
	assert_open(&fixture, "0.4{#0+2 #0 #2}");
	assert_false(choose(&fixture, 0, 4, taken_some(0, 7)));
	assert_true(choose(&fixture, 0, 4, taken_some(0, 5)));
	assert_orders(&fixture, "go 0.4 [0 2] ");
	fixture_release(&fixture);
}

/* "Not yet" once by choice. Then the poll waits; a second "no" comes only if nothing else can
 * move. */
static void test_poll(void **state)
{
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct choice));
	struct fixture fixture;
	guint32 receive;

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	receive = starts(&fixture, 0, WIRE_RECEIVE, 1);
	asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receive);
	assert_open(&fixture, "0.2{no}");
	assert_false(world_answer_polls(fixture.world, nothing));
	assert_true(choose(&fixture, 0, 2, taken_plain(TAKEN_NO)));
	assert_orders(&fixture, "go 0.2 [] ");
	asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receive);
	assert_open(&fixture, "");
	assert_true(world_answer_polls(fixture.world, nothing));
	assert_orders(&fixture, "go 0.3 [] ");
	asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receive);
	starts(&fixture, 1, WIRE_SEND, 0);
	assert_open(&fixture, "0.1{1}"); /* the program calls MPI_Cancel: it need not match */
	assert_true(choose(&fixture, 0, 1, taken_message((struct op_id){1, 0, 0})));
	assert_open(&fixture, "0.4{yes}");
	assert_true(choose(&fixture, 0, 4, taken_plain(TAKEN_YES)));
	assert_orders(&fixture, "bind 0.1<-1 go 0.4 [0] ");
	fixture_release(&fixture);
}

static guint count_repeated(const struct fixture *fixture, guint32 call)
{
	const struct trace *trace = world_trace(fixture->world);
	guint count = 0;

	for (size_t i = 0; i < trace_count(trace); i++)
		count += trace_at(trace, i)->kind == EVENT_REPEAT
		         && trace_at(trace, i)->op.id.call == call;
	return count;
}

/* A round of two polls that leads back to the first one had no effect. In the second round, the
 * last poll of the round waits. */
static void test_round(void **state)
{
	struct fixture fixture;
	guint32 receives[2];

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	for (int i = 0; i < 2; i++)
		receives[i] = starts(&fixture, 0, WIRE_RECEIVE, 1);
	for (guint32 i = 0; i < 2; i++) {
		asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receives[i]);
		assert_true(choose(&fixture, 0, 3 + i, taken_plain(TAKEN_NO)));
		assert_int_equal(count_repeated(&fixture, 3), 0);
	}
	asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receives[0]);
	assert_int_equal(count_repeated(&fixture, 3), 1);
	assert_int_equal(count_repeated(&fixture, 4), 1);
	assert_open(&fixture, "0.5{no}");
	assert_true(choose(&fixture, 0, 5, taken_plain(TAKEN_NO)));
	asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receives[1]);
	assert_open(&fixture, "");
	fixture_release(&fixture);
}

/* A call between two equal polls may be the reason for the second poll. */
static void test_no_round(void **state)
{
	struct fixture fixture;
	guint32 receive;

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	receive = starts(&fixture, 0, WIRE_RECEIVE, 1);
	asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receive);
	assert_true(choose(&fixture, 0, 2, taken_plain(TAKEN_NO)));
	starts(&fixture, 0, WIRE_SEND, 1);
	asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receive);
	assert_int_equal(count_repeated(&fixture, 2), 0);
	fixture_release(&fixture);
}

static void test_iprobe(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	starts(&fixture, 1, WIRE_SEND, 0);
	looks(&fixture, 0, 1);
	assert_open(&fixture, "0.1{no 1}");
	assert_true(choose(&fixture, 0, 1, taken_plain(TAKEN_NO)));
	looks(&fixture, 0, 1);
	assert_open(&fixture, "0.2{1}");
	assert_true(choose(&fixture, 0, 2, taken_message((struct op_id){1, 0, 0})));
	assert_orders(&fixture, "go 0.1 [] bind 0.2<-1 go 0.2 [0] ");
	looks(&fixture, 0, 1); /* the message is still there: "no" is not possible any more */
	assert_open(&fixture, "");
	assert_orders(&fixture, "bind 0.3<-1 go 0.3 [0] ");
	fixture_release(&fixture);
}

/* Calls between two equal polls end no count: else a program that does anything in each round of
 * its loop would be answered "no" for ever. A "yes" ends it. */
static void test_counted_probe(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	starts(&fixture, 1, WIRE_SEND, 0);
	looks(&fixture, 0, 1);
	assert_open(&fixture, "0.1{no 1}");
	assert_true(choose(&fixture, 0, 1, taken_plain(TAKEN_NO)));
	starts(&fixture, 0, WIRE_SEND, 1);
	looks(&fixture, 0, 1);
	assert_open(&fixture, "0.3{1}");
	assert_true(choose(&fixture, 0, 3, taken_message((struct op_id){1, 0, 0})));
	assert_int_equal(world_limits(fixture.world), LIMIT_BIT(LIMIT_POLLS));
	starts(&fixture, 0, WIRE_RECEIVE, 1);
	assert_true(choose(&fixture, 0, 4, taken_message((struct op_id){1, 0, 0})));
	starts(&fixture, 1, WIRE_SEND, 0);
	looks(&fixture, 0, 1);
	assert_open(&fixture, "0.5{no 1}");
	fixture_release(&fixture);
}

/* What is open may be chosen: nothing of a rank that has not told its digest. */
static void test_looked_at(void **state)
{
	const struct world_options options = {
		.ranks = 3, .buffering = BUFFERING_INFINITE, .digests = true, .not_yet = 1};
	struct fixture fixture;
	guint32 receive;

	(void)state;
	fixture_init_of(&fixture, &options);
	receive = starts(&fixture, 0, WIRE_RECEIVE, WIRE_ANY);
	asks(&fixture, 0, MPI_CALL_Testany, WIRE_TEST_ANY, 1, &receive);
	assert_non_null(strstr(fixture.orders->str, "look at 0"));
	starts(&fixture, 1, WIRE_SEND, 0);
	starts(&fixture, 2, WIRE_SEND, 0);
	assert_open(&fixture, "");
	assert_true(world_digest(fixture.world, 0, &(struct wire_digest){{1, 2}}, NULL));
	assert_open(&fixture, "0.1{1 2} 0.2{no}");
	fixture_release(&fixture);
}

/* A Test of the receive in call 1, with a digest. */
static void tests_told(struct fixture *fixture, guint64 digest)
{
	struct wire_name receive = {1, 0};
	struct wire_call call = {.function = MPI_CALL_Test,
	                         .wait = WIRE_TEST_ALL,
	                         .waited_count = 1,
	                         .waited = &receive,
	                         .has_digest = true,
	                         .digest = {{digest, 1}}};

	report(fixture, 0, &call);
}

/* What is known from a call need not be asked for: the rank is in a loop if it is in the same state
 * (what was answered "no" is open again, in call 2), and else not. */
static void check_told(guint64 second, const char *expected)
{
	const struct world_options options = {
		.ranks = 3, .buffering = BUFFERING_INFINITE, .digests = true, .not_yet = 1};
	struct fixture fixture;
	guint32 receive;

	fixture_init_of(&fixture, &options);
	starts(&fixture, 1, WIRE_SEND, 0);
	receive = starts(&fixture, 0, WIRE_RECEIVE, 1);
	asks(&fixture, 0, MPI_CALL_Test, WIRE_TEST_ALL, 1, &receive);
	assert_orders(&fixture, "bind 0.1<-1 look at 0 ");
	assert_true(world_digest(fixture.world, 0, &(struct wire_digest){{7, 1}}, NULL));
	assert_true(choose(&fixture, 0, 2, taken_plain(TAKEN_NO)));
	assert_orders(&fixture, "go 0.2 [] look ");
	tests_told(&fixture, second);
	assert_false(world_looks_at(fixture.world, 0));
	assert_open(&fixture, expected);
	assert_orders(&fixture, "");
	fixture_release(&fixture);
}

static void test_told(void **state)
{
	(void)state;
	check_told(7, "0.3{yes}");
	check_told(8, "0.3{no yes}");
}

static void test_cancel(void **state)
{
	struct fixture fixture;
	guint32 receive;

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	starts(&fixture, 1, WIRE_SEND, 0);
	receive = starts(&fixture, 0, WIRE_RECEIVE, 1);
	asks(&fixture, 0, MPI_CALL_Cancel, WIRE_CANCEL, 1, &receive);
	assert_open(&fixture, "0.1{1 cancelled}");
	assert_true(choose(&fixture, 0, 1, taken_plain(TAKEN_CANCELLED)));
	assert_orders(&fixture, "go 0.2 [0] ");
	assert_open(&fixture, "");
	fixture_release(&fixture);
}

static void test_per_send(void **state)
{
	struct fixture fixture;
	guint32 send;

	(void)state;
	fixture_init(&fixture, BUFFERING_PER_SEND);
	send = starts(&fixture, 0, WIRE_SEND, 1);
	assert_open(&fixture, "");
	asks(&fixture, 0, MPI_CALL_Wait, WIRE_WAIT_ALL, 1, &send);
	assert_open(&fixture, "0.1{early late}");
	assert_true(choose(&fixture, 0, 1, taken_plain(TAKEN_LATE)));
	assert_open(&fixture, "");
	assert_orders(&fixture, "");
	starts(&fixture, 1, WIRE_RECEIVE, WIRE_ANY);
	assert_true(choose(&fixture, 1, 1, taken_message((struct op_id){0, 0, 0})));
	assert_orders(&fixture, "bind 1.1<-0 go 0.2 [] ");
	send = starts(&fixture, 0, WIRE_SEND, 1);
	asks(&fixture, 0, MPI_CALL_Wait, WIRE_WAIT_ALL, 1, &send);
	assert_true(choose(&fixture, 0, send, taken_plain(TAKEN_EARLY)));
	assert_orders(&fixture, "go 0.4 [] ");
	fixture_release(&fixture);
}

static guint32 enters_as(struct fixture *fixture, int rank, int root, bool whole)
{
	struct wire_name name = {fixture->calls[rank] + 1, 0};
	struct wire_op op = {
		.kind = WIRE_COLLECTIVE, .comm = WIRE_COMM_WORLD, .peer = root, .whole = whole};
	struct wire_call call = {.function = MPI_CALL_Bcast,
	                         .wait = WIRE_WAIT_ALL,
	                         .op_count = 1,
	                         .ops = &op,
	                         .waited_count = 1,
	                         .waited = &name};

	return report(fixture, rank, &call);
}

static guint32 enters(struct fixture *fixture, int rank, int root)
{
	return enters_as(fixture, rank, root, false);
}

/* All wait, in every mode, and it is known that they need not. */
static void test_whole_collectives(void **state)
{
	const enum collective_mode modes[] = {COLLECTIVES_ASYNC, COLLECTIVES_PER_CALL,
	                                      COLLECTIVES_SYNC};
	struct fixture fixture;

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(modes); i++) {
		fixture_init_with(&fixture, BUFFERING_INFINITE, modes[i]);
		enters_as(&fixture, 0, 0, true);
		enters_as(&fixture, 2, 0, true);
		assert_orders(&fixture, "");
		assert_open(&fixture, "");
		assert_int_equal(world_limits(fixture.world),
		                 modes[i] == COLLECTIVES_SYNC ? 0
		                                              : LIMIT_BIT(LIMIT_COLLECTIVES_WHOLE));
		enters_as(&fixture, 1, 0, true);
		assert_orders(&fixture, "go 0.1 [] go 1.1 [] go 2.1 [] ");
		fixture_release(&fixture);
	}
}

static void test_async_and_sync_collectives(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init_with(&fixture, BUFFERING_INFINITE, COLLECTIVES_ASYNC);
	enters(&fixture, 0, 0);
	assert_orders(&fixture, "go 0.1 [] ");
	assert_true(world_collectives_matter(fixture.world));
	fixture_release(&fixture);
	fixture_init_with(&fixture, BUFFERING_INFINITE, COLLECTIVES_SYNC);
	enters(&fixture, 0, 0);
	enters(&fixture, 2, 0);
	assert_orders(&fixture, "");
	assert_open(&fixture, "");
	enters(&fixture, 1, 0);
	assert_orders(&fixture, "go 0.1 [] go 1.1 [] go 2.1 [] ");
	fixture_release(&fixture);
}

static void test_per_call(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init_with(&fixture, BUFFERING_INFINITE, COLLECTIVES_PER_CALL);
	enters(&fixture, 0, 0);
	assert_orders(&fixture, "");
	assert_open(&fixture, "0.1{early late}");
	assert_true(choose(&fixture, 0, 1, taken_plain(TAKEN_EARLY)));
	assert_orders(&fixture, "go 0.1 [] ");
	enters(&fixture, 1, 0);
	assert_true(choose(&fixture, 1, 1, taken_plain(TAKEN_LATE)));
	assert_false(choose(&fixture, 1, 1, taken_plain(TAKEN_EARLY)));
	assert_orders(&fixture, "");
	enters(&fixture, 2, 0);
	assert_orders(&fixture, "go 1.1 [] ");
	assert_open(&fixture, "2.1{early}");
	fixture_release(&fixture);
}

/* A member fails in a collective that all have been let into. */
static void test_stuck_collective(void **state)
{
	struct fixture fixture;
	guint32 failing = 0;

	(void)state;
	fixture_init_with(&fixture, BUFFERING_ZERO, COLLECTIVES_SYNC);
	for (int rank = 0; rank < 3; rank++)
		failing = enters(&fixture, rank, 0);
	assert_false(world_hold_stuck(fixture.world));
	world_failed(fixture.world, 2, failing);
	assert_true(world_hold_stuck(fixture.world));
	assert_int_equal(world_phase(fixture.world, 0), PHASE_CAUGHT);
	assert_int_equal(world_phase(fixture.world, 2), PHASE_RUNNING);
	assert_false(world_at_rest(fixture.world));
	world_rank_stopped(fixture.world, 2);
	assert_true(world_at_rest(fixture.world));
	g_autoptr(GArray) waits = world_waits_for(fixture.world, 0, 0);
	assert_int_equal(waits->len, 1);
	assert_int_equal(g_array_index(waits, gint32, 0), 2);
	/* The rank was only slow. */
	world_rank_moves(fixture.world, 1);
	enters(&fixture, 1, 0);
	assert_int_equal(world_phase(fixture.world, 1), PHASE_BLOCKED);
	assert_true(world_at_rest(fixture.world));
	fixture_release(&fixture);
}

/* An ended thread of a rank does not count as a failure of that rank. */
static void test_ended_thread_is_no_failure(void **state)
{
	const struct wire_thread begun = {.thread = 1, .id = 9},
				 over = {.thread = 1, .id = 9, .ended = true};
	struct wire_call call = {.function = MPI_CALL_Isend, .thread = 1};
	struct fixture fixture;

	(void)state;
	fixture_init_with(&fixture, BUFFERING_ZERO, COLLECTIVES_SYNC);
	assert_true(world_thread(fixture.world, 2, &begun, NULL));
	for (int rank = 0; rank < 3; rank++)
		enters(&fixture, rank, 0);
	report(&fixture, 2, &call);
	assert_true(world_thread(fixture.world, 2, &over, NULL));
	assert_false(world_hold_stuck(fixture.world));
	assert_int_equal(world_phase(fixture.world, 0), PHASE_RUNNING);
	fixture_release(&fixture);
}

/* Which data a rank sees follows from the state at rest, not from the speed of ranks. */
static void test_arrival(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init_with(&fixture, BUFFERING_ZERO, COLLECTIVES_SYNC);
	starts(&fixture, 0, WIRE_RECEIVE, 1);
	starts(&fixture, 0, WIRE_RECEIVE, 2);
	for (int rank = 0; rank < 3; rank += 2) {
		enters(&fixture, rank, 0);
		assert_orders(&fixture, "");
	}
	starts(&fixture, 1, WIRE_SEND, 0);
	assert_orders(&fixture, "bind 0.1<-1 ");
	enters(&fixture, 1, 0);
	assert_orders(&fixture, "");
	assert_true(world_at_rest(fixture.world));
	assert_true(world_answer_ready(fixture.world));
	assert_orders(&fixture, "see 0.1 go 0.3 [] go 1.2 [] go 2.1 [] ");
	asks(&fixture, 0, MPI_CALL_Wait, WIRE_WAIT_ALL, 1, &(guint32){1});
	assert_orders(&fixture, "");
	fixture_release(&fixture);
}

/* If all receives of a rank are matched, no rest can bring more. */
static void test_arrival_of_all(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init_with(&fixture, BUFFERING_ZERO, COLLECTIVES_SYNC);
	starts(&fixture, 0, WIRE_RECEIVE, 1);
	for (int rank = 0; rank < 3; rank += 2)
		enters(&fixture, rank, 0);
	starts(&fixture, 1, WIRE_SEND, 0);
	assert_orders(&fixture, "bind 0.1<-1 ");
	enters(&fixture, 1, 0);
	assert_orders(&fixture, "see 0.1 go 0.2 [] go 1.2 [] go 2.1 [] ");
	asks(&fixture, 0, MPI_CALL_Wait, WIRE_WAIT_ALL, 1, &(guint32){1});
	assert_orders(&fixture, "go 0.3 [] ");
	fixture_release(&fixture);
}

/* Calls of a held rank have their effect; they return when the rank is not held any more. */
static void test_held(void **state)
{
	struct fixture fixture;
	guint32 receive, taken[1];
	struct world *copy;

	(void)state;
	fixture_init(&fixture, BUFFERING_INFINITE);
	world_hold(fixture.world, 0, 2);
	receive = starts(&fixture, 0, WIRE_RECEIVE, 1);
	assert_int_equal(world_phase(fixture.world, 0), PHASE_RUNNING);
	taken[0] = receive;
	asks(&fixture, 0, MPI_CALL_Wait, WIRE_WAIT_ALL, 1, taken);
	assert_int_equal(world_phase(fixture.world, 0), PHASE_BLOCKED);
	assert_false(world_holds(fixture.world));
	starts(&fixture, 1, WIRE_SEND, 0);
	assert_true(choose(&fixture, 0, 1, taken_message((struct op_id){1, 1, 0})));
	assert_orders(&fixture, "bind 0.1<-1 ");
	assert_int_equal(world_phase(fixture.world, 0), PHASE_HELD);
	assert_true(world_holds(fixture.world));
	for (int rank = 1; rank < 3; rank++)
		world_rank_stopped(fixture.world, rank);
	assert_true(world_at_rest(fixture.world));
	copy = world_copy(fixture.world, world_options(fixture.world), &fixture);
	world_let_held_go(fixture.world);
	assert_orders(&fixture, "");
	world_hold(fixture.world, 0, 3);
	world_let_held_go(fixture.world);
	assert_orders(&fixture, "go 0.2 [] ");
	assert_int_equal(world_phase(fixture.world, 0), PHASE_RUNNING);
	assert_false(world_at_rest(fixture.world));
	/* A copy can start with another rank held, or none. */
	world_hold(copy, 0, WORLD_HOLDS_NOTHING);
	world_start(copy);
	assert_orders(&fixture, "go 0.2 [] ");
	world_free(copy);
	fixture_release(&fixture);
}

/* No rank is let into a collective of MPI's to wait there, unseen, for a held rank. */
static void test_held_together(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init_with(&fixture, BUFFERING_ZERO, COLLECTIVES_SYNC);
	world_hold(fixture.world, 1, 1);
	for (int rank = 0; rank < 3; rank++)
		enters(&fixture, rank, 0);
	assert_orders(&fixture, "");
	assert_true(world_at_rest(fixture.world));
	assert_int_equal(world_held_with(fixture.world, 0), 1);
	assert_int_equal(world_held_with(fixture.world, 1), -1);
	world_hold(fixture.world, 1, 2);
	world_let_held_go(fixture.world);
	assert_orders(&fixture, "go 0.1 [] go 1.1 [] go 2.1 [] ");
	fixture_release(&fixture);
	/* The root of a broadcast leaves it even if others are held; the others do not leave before
	 * the root. */
	fixture_init(&fixture, BUFFERING_INFINITE);
	world_hold(fixture.world, 1, 1);
	for (int rank = 0; rank < 3; rank++)
		enters(&fixture, rank, 0);
	assert_orders(&fixture, "go 0.1 [] go 2.1 [] ");
	world_hold(fixture.world, 0, 2);
	for (int rank = 0; rank < 3; rank += 2)
		enters(&fixture, rank, 0);
	assert_orders(&fixture, "");
	assert_int_equal(world_held_with(fixture.world, 2), 0);
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waitany),
		cmocka_unit_test(test_waitsome),
		cmocka_unit_test(test_poll),
		cmocka_unit_test(test_round),
		cmocka_unit_test(test_no_round),
		cmocka_unit_test(test_iprobe),
		cmocka_unit_test(test_counted_probe),
		cmocka_unit_test(test_looked_at),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_per_send),
		cmocka_unit_test(test_async_and_sync_collectives),
		cmocka_unit_test(test_whole_collectives),
		cmocka_unit_test(test_per_call),
		cmocka_unit_test(test_stuck_collective),
		cmocka_unit_test(test_ended_thread_is_no_failure),
		cmocka_unit_test(test_arrival),
		cmocka_unit_test(test_arrival_of_all),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_held_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
