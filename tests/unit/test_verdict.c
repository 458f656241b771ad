/* room: verdict. The verdicts of worlds driven by hand, without a search. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* --- output ----------------------------------------------------------------------------------- */

struct printed {
	struct host_output outputs[RANKS * HOST_STREAMS];
	struct verdict_printed all;
};

static void prints(struct printed *printed, int rank, enum host_stream stream, const char *text)
{
	struct host_output *output = &printed->outputs[rank * HOST_STREAMS + stream];

	g_bytes_unref(output->bytes);
	output->bytes = g_bytes_new_static(text, strlen(text));
}

static void begin_to_print(struct printed *printed)
{
	memset(printed, 0, sizeof *printed);
	printed->all.outputs = printed->outputs;
	for (guint i = 0; i < G_N_ELEMENTS(printed->outputs); i++)
		printed->outputs[i] = (struct host_output){.bytes = g_bytes_new_static("", 0),
		                                           .place = (char *)"/there"};
}

/* The verdict keeps what it needs. */
static const struct verdict *complete(struct fixture *fixture, struct printed *printed)
{
	verdict_reach(fixture->verdict, &fixture->facts);
	verdict_complete(fixture->verdict, &fixture->facts, &printed->all);
	for (guint i = 0; i < G_N_ELEMENTS(printed->outputs); i++)
		g_bytes_unref(printed->outputs[i].bytes);
	return fixture->verdict;
}

static void expect_bytes(const GPtrArray *texts, int rank, const char *text)
{
	g_autoptr(GBytes) expected = g_bytes_new_static(text, strlen(text));

	assert_int_equal(texts->len, RANKS);
	assert_true(g_bytes_equal(texts->pdata[rank], expected));
}

static void output_is_recorded(void **state)
{
	const struct verdict *verdict;
	struct printed printed;

	begin_to_print(&printed);
	prints(&printed, 0, HOST_STREAM_ERRORS, "oh");
	prints(&printed, 1, HOST_STREAM_OUTPUT, "one");
	verdict = complete(*state, &printed);
	expect_bytes(verdict->record->outputs, 0, "");
	expect_bytes(verdict->record->outputs, 1, "one");
	expect_bytes(verdict->record->errors, 0, "oh");
	expect_bytes(verdict->record->errors, 1, "");
	assert_int_equal(verdict->printed, 5);
	assert_null(verdict->lost_output);
	assert_false(verdict->cut_short);
	assert_false(verdict->no_room);
}

static void the_first_that_is_lost_is_named(void **state)
{
	const struct verdict *verdict;
	struct printed printed;

	begin_to_print(&printed);
	printed.outputs[1].lost = printed.outputs[2].lost = (char *)"it is gone";
	verdict = complete(*state, &printed);
	assert_string_equal(verdict->lost_output, "the output of rank 0 is lost: it is gone");
	assert_false(verdict->cut_short);
	assert_false(verdict->no_room);
}

/* Only more shared memory would help where that was full. */
static void cut_output_is_noted(void **state)
{
	const struct verdict *verdict;
	struct printed printed;

	begin_to_print(&printed);
	printed.outputs[2].cut = printed.outputs[2].on_disk = true;
	verdict = complete(*state, &printed);
	assert_string_equal(verdict->lost_output,
	                    "the output of rank 1 is cut short: /there, where what ranks print is "
	                    "kept, was full for a while; make room there, or name a store on "
	                    "another disk (--store)");
	assert_false(verdict->cut_short);
	verdict_free(((struct fixture *)*state)->verdict);
	((struct fixture *)*state)->verdict = verdict_new();
	begin_to_print(&printed);
	printed.outputs[2].cut = true;
	verdict = complete(*state, &printed);
	assert_non_null(strstr(verdict->lost_output, "MATCHPOINT_RUNDIR"));
	assert_true(verdict->cut_short);
	assert_false(verdict->no_room);
}

static void a_full_place_outweighs_what_is_cut(void **state)
{
	static const struct {
		struct host_room room;
		const char *what;
		bool is_cut;
	} rooms[] = {
		{{HOST_NO_DISK, (char *)"/d", 12.5, true},
	         "/d is full (12.5 MB): what ranks print is kept there, and may be cut short",
	         false},
		{{HOST_NO_SHARED_MEMORY, (char *)"/s", 64, false},
	         "/s is full (64.0 MB): what ranks print is kept there, and may be cut short",
	         true},
		{{HOST_NO_SHARED_MEMORY, (char *)"/s", 64, true},
	         "/s is full (64.0 MB): shared memory is kept there, and may be incomplete",
	         true},
	};
	struct fixture *fixture = *state;

	for (guint i = 0; i < G_N_ELEMENTS(rooms); i++) {
		const struct verdict *verdict;
		struct printed printed;

		verdict_free(fixture->verdict);
		fixture->verdict = verdict_new();
		begin_to_print(&printed);
		printed.outputs[0].cut = true;
		printed.all.room = rooms[i].room;
		verdict = complete(fixture, &printed);
		assert_true(g_str_has_prefix(verdict->lost_output, rooms[i].what));
		assert_true(verdict->no_room);
		assert_int_equal(verdict->cut_short, rooms[i].is_cut);
	}
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
		TEST(output_is_recorded),
		TEST(the_first_that_is_lost_is_named),
		TEST(cut_output_is_noted),
		TEST(a_full_place_outweighs_what_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
