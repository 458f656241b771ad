/* room: verdict. The verdicts of worlds driven by hand, without a search. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_calls.h"
#include "scheduler/verdict/verdict.h"

enum { RANKS = 2 };

struct fixture {
	struct communicators *comms;
	struct world *world;
	guint32 calls[RANKS];
	struct rank_end ends[RANKS];
	const struct wire_blocking_call *inside[RANKS];
	struct verdict_facts facts;
	struct verdict *verdict;
};

static void on_bind(void *user, int rank, const struct wire_bind *bind)
{
	(void)user;
	(void)rank;
	(void)bind;
}

static void on_go(void *user, int rank, const struct wire_go *go)
{
	(void)user;
	(void)rank;
	(void)go;
}

static struct place place_of(void *user, int rank, guint64 site)
{
	(void)user;
	(void)rank;
	return (struct place){.file = "a.c", .line = (uint32_t)site};
}

static int set_up(void **state)
{
	const struct world_options options = {
		.ranks = RANKS, .buffering = BUFFERING_ZERO, .collectives = COLLECTIVES_ASYNC};
	const struct world_orders orders = {.bind = on_bind, .go = on_go};
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->comms = communicators_new(RANKS);
	fixture->world = world_new(&options, fixture->comms, &orders, fixture);
	fixture->verdict = verdict_new();
	fixture->facts = (struct verdict_facts){.world = fixture->world,
	                                        .ranks = RANKS,
	                                        .comms = fixture->comms,
	                                        .ends = fixture->ends,
	                                        .inside = fixture->inside,
	                                        .place = place_of};
	world_start(fixture->world);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	verdict_free(fixture->verdict);
	world_free(fixture->world);
	communicators_free(fixture->comms);
	g_free(fixture);
	return 0;
}

/* A blocking send or receive, from this line. */
static void calls(struct fixture *fixture, int rank, guint8 kind, int peer, guint64 line)
{
	struct wire_name name = {++fixture->calls[rank], 0};
	struct wire_op op = {
		.name = name, .kind = kind, .comm = WIRE_COMM_WORLD, .peer = peer, .tag = 7};
	struct wire_call call = {.call = name.call,
	                         .function = kind == WIRE_SEND ? MPI_CALL_Send : MPI_CALL_Recv,
	                         .site = line,
	                         .wait = WIRE_WAIT_ALL,
	                         .op_count = 1,
	                         .ops = &op,
	                         .waited_count = 1,
	                         .waited = &name};

	assert_true(world_call(fixture->world, rank, &call, NULL));
}

static void ends(struct fixture *fixture, int rank, int status)
{
	fixture->ends[rank].known = fixture->ends[rank].gone = true;
	fixture->ends[rank].status = status;
	world_rank_ended(fixture->world, rank);
}

static const struct record_finding *only_finding(const struct fixture *fixture)
{
	assert_int_equal(fixture->verdict->findings->len, 1);
	return fixture->verdict->findings->pdata[0];
}

static void a_deadlock_names_the_waiting_ranks(void **state)
{
	struct fixture *fixture = *state;

	calls(fixture, 0, WIRE_RECEIVE, 1, 10);
	calls(fixture, 1, WIRE_RECEIVE, 0, 20);
	verdict_reach(fixture->verdict, &fixture->facts);
	assert_int_equal(only_finding(fixture)->kind, FINDING_DEADLOCK);
	assert_string_equal(only_finding(fixture)->message,
	                    "rank 0 waits in MPI_Recv(source=1, tag=7) at a.c:10; "
	                    "rank 1 waits in MPI_Recv(source=0, tag=7) at a.c:20");
	assert_false(fixture->verdict->ended_well);
	assert_int_equal(fixture->verdict->record->calls->len, 0);
	verdict_calls(fixture->verdict, &fixture->facts);
	assert_int_equal(fixture->verdict->record->calls->len, 2);
}

static void a_crash_outweighs_ranks_that_wait_for_it(void **state)
{
	struct fixture *fixture = *state;

	calls(fixture, 0, WIRE_RECEIVE, 1, 10);
	ends(fixture, 1, SIGSEGV);
	verdict_reach(fixture->verdict, &fixture->facts);
	assert_int_equal(only_finding(fixture)->kind, FINDING_CRASH);
	assert_int_equal(fixture->verdict->record->status, FINDING_CRASH);
	assert_false(fixture->verdict->starved);
}

/* A process was killed from outside for the second time. If memory ran out, that is the cause. */
static void memory_is_blamed_the_second_time(void **state)
{
	struct fixture *fixture = *state;

	calls(fixture, 0, WIRE_RECEIVE, 1, 10);
	ends(fixture, 1, SIGKILL);
	fixture->facts.struck_before = fixture->facts.memory_ran_out = true;
	verdict_reach(fixture->verdict, &fixture->facts);
	assert_true(fixture->verdict->starved);
	assert_non_null(strstr(only_finding(fixture)->message, "twice along this path"));
	assert_non_null(strstr(only_finding(fixture)->message, "memory ran out"));
}

static void ignored_findings_are_not_reported(void **state)
{
	static const char *const ignored[] = {"deadlock", NULL};
	struct fixture *fixture = *state;

	calls(fixture, 0, WIRE_RECEIVE, 1, 10);
	calls(fixture, 1, WIRE_RECEIVE, 0, 20);
	fixture->facts.ignored = ignored;
	verdict_reach(fixture->verdict, &fixture->facts);
	assert_int_equal(fixture->verdict->findings->len, 0);
	assert_int_equal(fixture->verdict->record->status, FINDING_DEADLOCK);
	assert_false(fixture->verdict->ended_well);
}

static void a_stall_names_the_calls_of_ranks(void **state)
{
	static const struct wire_blocking_call inside = {.function = MPI_CALL_Win_flush,
	                                                 .site = 30};
	struct fixture *fixture = *state;

	calls(fixture, 0, WIRE_RECEIVE, 1, 10);
	world_rank_moves(fixture->world, 1);
	calls(fixture, 1, WIRE_SEND, 0, 20);
	fixture->inside[1] = &inside;
	fixture->facts.stalled = true;
	fixture->facts.still = 10;
	assert_int_equal(world_phase(fixture->world, 1), PHASE_RUNNING);
	verdict_reach(fixture->verdict, &fixture->facts);
	assert_int_equal(only_finding(fixture)->kind, FINDING_STALL);
	assert_non_null(
		strstr(only_finding(fixture)->message, "rank 1 is inside MPI_Win_flush at a.c:30"));
	assert_non_null(strstr(only_finding(fixture)->message, "for 10 s"));
}

/* It depends on time how far the other ranks come, so findings are not compared by that. */
static void only_ranks_inside_MPI_stall(void **state)
{
	static const struct wire_blocking_call inside = {
		.function = MPI_CALL_Wait, .site = 20, .driven = true};
	struct fixture *fixture = *state;
	const struct record_rank *line;

	calls(fixture, 0, WIRE_RECEIVE, 1, 10);
	calls(fixture, 1, WIRE_RECEIVE, 0, 20);
	fixture->inside[1] = &inside;
	fixture->facts.stalled = true;
	fixture->facts.still = 10;
	verdict_reach(fixture->verdict, &fixture->facts);
	assert_int_equal(only_finding(fixture)->kind, FINDING_STALL);
	line = only_finding(fixture)->ranks->pdata[0];
	assert_true(line->bystander);
	line = only_finding(fixture)->ranks->pdata[1];
	assert_false(line->bystander);
}

static void a_lost_plan_is_reported(void **state)
{
	struct fixture *fixture = *state;

	fixture->facts.lost = "rank 0's call 2 is gone";
	verdict_lost(fixture->verdict, &fixture->facts);
	assert_int_equal(only_finding(fixture)->kind, FINDING_NOT_REPRODUCIBLE);
	assert_non_null(strstr(only_finding(fixture)->message, "rank 0's call 2 is gone"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_deadlock_names_the_waiting_ranks),
		TEST(a_crash_outweighs_ranks_that_wait_for_it),
		TEST(memory_is_blamed_the_second_time),
		TEST(ignored_findings_are_not_reported),
		TEST(a_stall_names_the_calls_of_ranks),
		TEST(only_ranks_inside_MPI_stall),
		TEST(a_lost_plan_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
