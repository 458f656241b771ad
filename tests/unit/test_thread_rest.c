/* room: liveness. Rank 0 of two waits in MPI with one thread, and has another outside of MPI. Rank
 * 1 waits. What the threads do is what the test says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_calls.h"
#include "scheduler/liveness/thread_rest.h"

enum { RANKS = 2 };

struct fixture {
	struct host host; /* must be first */
	struct communicators *comms;
	struct world *world;
	struct host_link links[RANKS];
	struct rank_slot slots[RANKS];
	struct thread_sight sight;
	struct thread_rest rest;
	gint64 now, heard;
	enum threads_state threads; /* what is seen of them */
	bool unread, timed;
	guint others; /* threads that never called MPI, of each rank */
};

static gint64 now(struct host *host)
{
	return ((struct fixture *)host)->now;
}

static void timer_start(struct host_timer *timer, guint64 milliseconds)
{
	assert_true(milliseconds > 0);
	((struct fixture *)(void *)timer)->timed = true;
}

static bool timer_is_active(const struct host_timer *timer)
{
	return ((const struct fixture *)(const void *)timer)->timed;
}

static bool has_unread(const struct host_link *link)
{
	return ((const struct fixture *)(void *)link->host)->unread;
}

static enum threads_state look_at_threads(struct host *host, pid_t process,
                                          struct thread_view *views, guint count)
{
	assert_true(process > 0 && views && count > 0);
	return ((struct fixture *)host)->threads;
}

static GArray *other_threads(struct host *host, pid_t process)
{
	GArray *views = g_array_new(false, true, sizeof(struct thread_view));

	assert_true(process > 0);
	g_array_set_size(views, ((struct fixture *)host)->others);
	return views;
}

static const struct host_operations operations = {.now = now,
                                                  .timer_start = timer_start,
                                                  .timer_is_active = timer_is_active,
                                                  .has_unread = has_unread,
                                                  .look_at_threads = look_at_threads,
                                                  .other_threads = other_threads};

static void bind(void *user, int rank, const struct wire_bind *bind)
{
	(void)user, (void)rank, (void)bind;
}

static void go(void *user, int rank, const struct wire_go *go)
{
	(void)user, (void)rank, (void)go;
	fail_msg("nothing is to be answered here");
}

static void admit(void *user, int rank, guint32 thread)
{
	(void)user, (void)rank, (void)thread;
}

/* Waits for a message that nobody sends. */
static void waits(struct fixture *fixture, int rank)
{
	struct wire_op op = {
		.name = {1, 0}, .kind = WIRE_RECEIVE, .comm = WIRE_COMM_WORLD, .peer = !rank};
	const struct wire_call call = {.call = 1,
	                               .function = MPI_CALL_Recv,
	                               .wait = WIRE_WAIT_ALL,
	                               .op_count = 1,
	                               .ops = &op,
	                               .waited_count = 1,
	                               .waited = &op.name};

	assert_true(world_call(fixture->world, rank, &call, NULL));
}

static struct fixture *set_up(bool threads)
{
	static const struct world_orders orders = {.bind = bind, .go = go, .admit = admit};
	const struct world_options options = {.ranks = RANKS, .collectives = COLLECTIVES_SYNC};
	const struct wire_thread thread = {.thread = 1, .id = 9};
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->host.operations = &operations;
	fixture->comms = communicators_new(RANKS);
	fixture->world = world_new(&options, fixture->comms, &orders, fixture);
	fixture->now = fixture->heard = G_USEC_PER_SEC;
	world_start(fixture->world);
	for (int rank = 0; rank < RANKS; rank++) {
		fixture->links[rank].host = &fixture->host;
		fixture->slots[rank] = (struct rank_slot){.link = &fixture->links[rank],
		                                          .pid = 100 + rank};
	}
	fixture->sight = (struct thread_sight){.host = &fixture->host,
	                                       .world = fixture->world,
	                                       .ranks = RANKS,
	                                       .slots = fixture->slots,
	                                       .timer = (struct host_timer *)fixture,
	                                       .heard = &fixture->heard};
	if (threads)
		assert_true(world_thread(fixture->world, 0, &thread, NULL));
	for (int rank = 0; rank < RANKS; rank++)
		waits(fixture, rank);
	return fixture;
}

static void tear_down(struct fixture *fixture)
{
	world_free(fixture->world);
	communicators_free(fixture->comms);
	g_free(fixture);
}

static bool is_reached(struct fixture *fixture)
{
	return thread_rest_is_reached(&fixture->rest, &fixture->sight);
}

/* After so many seconds the timer has expired. */
static void pass(struct fixture *fixture, int seconds)
{
	fixture->now += seconds * (gint64)G_USEC_PER_SEC;
	fixture->timed = false;
}

static void without_threads_nobody_is_looked_at(void **state)
{
	struct fixture *fixture = set_up(false);

	(void)state;
	fixture->threads = THREADS_MOVE;
	assert_true(is_reached(fixture));
	assert_false(fixture->timed);
	tear_down(fixture);
}

static void sleeping_threads_are_at_rest(void **state)
{
	struct fixture *fixture = set_up(true);

	(void)state;
	fixture->threads = THREADS_SLEEP;
	assert_true(is_reached(fixture));
	assert_false(fixture->rest.doubtful);
	tear_down(fixture);
}

static void running_threads_are_looked_at_again(void **state)
{
	struct fixture *fixture = set_up(true);

	(void)state;
	fixture->threads = THREADS_MOVE;
	assert_false(is_reached(fixture));
	assert_true(fixture->timed);
	fixture->threads = THREADS_SLEEP; /* not seen before the timer has expired */
	assert_false(is_reached(fixture));
	fixture->timed = false;
	assert_true(is_reached(fixture));
	tear_down(fixture);
}

/* It was sent before they fell asleep, and may have changed everything. */
static void a_message_that_is_not_read_is_awaited(void **state)
{
	struct fixture *fixture = set_up(true);

	(void)state;
	fixture->threads = THREADS_SLEEP;
	fixture->unread = true;
	assert_false(is_reached(fixture));
	fixture->unread = fixture->timed = false;
	assert_true(is_reached(fixture));
	tear_down(fixture);
}

static void after_a_while_running_threads_are_taken_to_be_at_rest(void **state)
{
	struct fixture *fixture = set_up(true);

	(void)state;
	fixture->threads = THREADS_MOVE;
	pass(fixture, 1);
	assert_false(is_reached(fixture));
	pass(fixture, 2);
	assert_true(is_reached(fixture));
	assert_true(fixture->rest.doubtful);
	tear_down(fixture);
}

/* If nothing could be decided so, they are waited for anew. */
static void doubt_is_given_up_if_it_leads_nowhere(void **state)
{
	struct fixture *fixture = set_up(true);

	(void)state;
	fixture->threads = THREADS_MOVE;
	pass(fixture, 3);
	assert_true(is_reached(fixture));
	assert_true(thread_rest_waits(&fixture->rest, &fixture->sight));
	assert_false(fixture->rest.doubtful);
	assert_int_equal(fixture->heard, fixture->now);
	pass(fixture, 1);
	assert_false(is_reached(fixture));
	tear_down(fixture);
}

/* Input from outside may never come. */
static void threads_that_listen_for_long_are_not_waited_for(void **state)
{
	struct fixture *fixture = set_up(true);

	(void)state;
	fixture->threads = THREADS_LISTEN;
	assert_false(is_reached(fixture));
	pass(fixture, 3);
	assert_true(is_reached(fixture));
	assert_true(thread_rest_waits(&fixture->rest, &fixture->sight));
	pass(fixture, 9);
	assert_true(is_reached(fixture));
	assert_false(thread_rest_waits(&fixture->rest, &fixture->sight));
	tear_down(fixture);
}

/* A rank that must not call MPI from several threads has threads that MPI does not know. */
static void threads_that_may_be_about_to_call_are_waited_for(void **state)
{
	struct fixture *fixture = set_up(false);

	(void)state;
	fixture->others = 1;
	fixture->threads = THREADS_MOVE;
	assert_true(thread_rest_waits(&fixture->rest, &fixture->sight));
	fixture->threads = THREADS_SLEEP;
	assert_false(thread_rest_waits(&fixture->rest, &fixture->sight));
	fixture->threads = THREADS_MOVE;
	pass(fixture, 3);
	assert_false(thread_rest_waits(&fixture->rest, &fixture->sight));
	tear_down(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_threads_nobody_is_looked_at),
		cmocka_unit_test(sleeping_threads_are_at_rest),
		cmocka_unit_test(running_threads_are_looked_at_again),
		cmocka_unit_test(a_message_that_is_not_read_is_awaited),
		cmocka_unit_test(after_a_while_running_threads_are_taken_to_be_at_rest),
		cmocka_unit_test(doubt_is_given_up_if_it_leads_nowhere),
		cmocka_unit_test(threads_that_listen_for_long_are_not_waited_for),
		cmocka_unit_test(threads_that_may_be_about_to_call_are_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
