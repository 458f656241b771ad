/* room: liveness. Rank 0 has a receive pending. It is held back until the others, which still run,
 * are at rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_calls.h"
#include "scheduler/liveness/liveness.h"
#include "scheduler/world/world_arrival.h"

struct fixture {
	struct communicators *comms;
	struct world *world;
	guint32 calls[3];
	guint gone;     /* ranks that were released */
	guint admitted; /* threads */
};

static void bind(void *user, int rank, const struct wire_bind *bind)
{
	(void)user;
	(void)rank;
	(void)bind;
}

static void go(void *user, int rank, const struct wire_go *go)
{
	(void)rank;
	(void)go;
	((struct fixture *)user)->gone++;
}

static void admit(void *user, int rank, guint32 thread)
{
	(void)rank;
	(void)thread;
	((struct fixture *)user)->admitted++;
}

/* Makes a send or a receive. A send is waited for, and complete at once. */
static void calls(struct fixture *fixture, int rank, guint8 kind, int peer)
{
	struct wire_op op = {.name = {++fixture->calls[rank], 0},
	                     .kind = kind,
	                     .nonblocking = kind == WIRE_RECEIVE,
	                     .comm = WIRE_COMM_WORLD,
	                     .peer = peer};
	const struct wire_call call = {.call = op.name.call,
	                               .function = kind == WIRE_SEND ? MPI_CALL_Send
	                                                             : MPI_CALL_Irecv,
	                               .wait = kind == WIRE_SEND ? WIRE_WAIT_ALL : WIRE_WAIT_NONE,
	                               .op_count = 1,
	                               .ops = &op,
	                               .waited_count = kind == WIRE_SEND,
	                               .waited = &op.name};

	assert_true(world_call(fixture->world, rank, &call, NULL));
}

/* Enters a collective, by the rank's first thread. */
static void meets(struct fixture *fixture, int rank)
{
	struct wire_op op = {.name = {++fixture->calls[rank], 0},
	                     .kind = WIRE_COLLECTIVE,
	                     .comm = WIRE_COMM_WORLD};
	const struct wire_call call = {.call = op.name.call,
	                               .function = MPI_CALL_Bcast,
	                               .wait = WIRE_WAIT_ALL,
	                               .op_count = 1,
	                               .ops = &op,
	                               .waited_count = 1,
	                               .waited = &op.name};

	assert_true(world_call(fixture->world, rank, &call, NULL));
}

/* Starts another thread of a rank. */
static void begin_thread(struct fixture *fixture, int rank)
{
	const struct wire_thread thread = {.thread = 1, .id = 9};

	assert_true(world_thread(fixture->world, rank, &thread, NULL));
}

static void fixture_init(struct fixture *fixture)
{
	const struct world_options options = {.ranks = 3,
	                                      .buffering = BUFFERING_INFINITE,
	                                      .collectives = COLLECTIVES_SYNC,
	                                      .arrives_early = true};
	const struct world_orders orders = {.bind = bind, .go = go, .admit = admit};

	*fixture = (struct fixture){.comms = communicators_new(3)};
	fixture->world = world_new(&options, fixture->comms, &orders, fixture);
	world_start(fixture->world);
	calls(fixture, 0, WIRE_RECEIVE, 1);
}

static void fixture_release(struct fixture *fixture)
{
	world_free(fixture->world);
	communicators_free(fixture->comms);
}

static gint64 patience(void)
{
	return WORLD_DEFERRED_SECONDS * G_USEC_PER_SEC / stall_haste();
}

static void test_rank_is_released(void **state)
{
	struct delivery_timeout timeout = {0};
	struct fixture fixture;
	gint64 begin = G_TIME_SPAN_DAY;

	(void)state;
	fixture_init(&fixture);
	calls(&fixture, 0, WIRE_SEND, 2);
	assert_int_equal(fixture.gone, 0);
	assert_false(delivery_timeout_check(&timeout, fixture.world, begin));
	assert_false(delivery_timeout_check(&timeout, fixture.world, begin + patience()));
	assert_int_equal(fixture.gone, 0);
	assert_true(delivery_timeout_check(&timeout, fixture.world, begin + patience() + 1));
	assert_int_equal(fixture.gone, 1);
	assert_true(world_limits(fixture.world) & LIMIT_BIT(LIMIT_DATA_ARRIVAL));
	fixture_release(&fixture);
}

/* While others do something, the rank is held back for longer. */
static void test_others_move(void **state)
{
	struct delivery_timeout timeout = {0};
	struct fixture fixture;
	gint64 now = G_TIME_SPAN_DAY;

	(void)state;
	fixture_init(&fixture);
	calls(&fixture, 0, WIRE_SEND, 2);
	for (int i = 0; i < 3; i++) {
		assert_false(delivery_timeout_check(&timeout, fixture.world, now));
		now += patience();
		calls(&fixture, 1, WIRE_RECEIVE, 2);
	}
	assert_false(delivery_timeout_check(&timeout, fixture.world, now));
	assert_false(delivery_timeout_check(&timeout, fixture.world, now + patience()));
	assert_int_equal(fixture.gone, 0);
	assert_true(delivery_timeout_check(&timeout, fixture.world, now + patience() + 1));
	fixture_release(&fixture);
}

/* Silence alone releases no rank. */
static void test_no_rank_held(void **state)
{
	struct delivery_timeout timeout = {0};
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	assert_false(delivery_timeout_check(&timeout, fixture.world, G_TIME_SPAN_DAY));
	assert_false(delivery_timeout_check(&timeout, fixture.world, 2 * G_TIME_SPAN_DAY));
	assert_false(world_limits(fixture.world) & LIMIT_BIT(LIMIT_DATA_ARRIVAL));
	fixture_release(&fixture);
}

/* MPI lets no member leave a collective alone. A member with threads is not held back for its
 * pending receive, so it leaves together with those that are. */
static void test_members_go_together(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	begin_thread(&fixture, 1);
	for (int rank = 0; rank < 3; rank++)
		meets(&fixture, rank);
	assert_int_equal(fixture.gone, 0);
	assert_true(world_answer_ready(fixture.world));
	assert_int_equal(fixture.gone, 3);
	fixture_release(&fixture);
}

/* No rank is held back for the pending receive of a rank with threads: its data arrives with
 * completion. */
static void test_threads_bring_nothing(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	begin_thread(&fixture, 0);
	for (int rank = 0; rank < 3; rank++)
		meets(&fixture, rank);
	assert_int_equal(fixture.gone, 3);
	assert_false(world_answer_ready(fixture.world));
	fixture_release(&fixture);
}

/* A rank that is held back is released before a thread is admitted, even if the thread is not
 * admitted because its rank has made all calls that it may. */
static void test_goes_before_a_thread_is_admitted(void **state)
{
	const struct wire_enter enter = {.thread = 1};
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture);
	calls(&fixture, 1, WIRE_RECEIVE, 2);
	begin_thread(&fixture, 1);
	assert_true(world_enter(fixture.world, 1, &enter, NULL));
	world_hold(fixture.world, 1, 1);
	calls(&fixture, 0, WIRE_SEND, 2);
	assert_int_equal(fixture.gone, 0);
	assert_true(world_admit(fixture.world));
	assert_int_equal(fixture.gone, 1);
	assert_false(world_admit(fixture.world));
	assert_int_equal(fixture.admitted, 0);
	world_hold(fixture.world, 1, WORLD_HOLDS_NOTHING);
	assert_true(world_admit(fixture.world));
	assert_int_equal(fixture.admitted, 1);
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rank_is_released),
		cmocka_unit_test(test_others_move),
		cmocka_unit_test(test_no_rank_held),
		cmocka_unit_test(test_members_go_together),
		cmocka_unit_test(test_threads_bring_nothing),
		cmocka_unit_test(test_goes_before_a_thread_is_admitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
