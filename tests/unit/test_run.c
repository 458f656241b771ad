/* room: execution. One execution without a session and without MPI (fake_runs.h). */
#include "fake_runs.h"

#include "scheduler/execution/execution_internal.h"
#include "scheduler/snapshot/snapshots.h"

/* --- strategy --------------------------------------------------------------------------------- */

struct asker {
	struct strategy strategy;
	guint asked;
	bool knows; /* it has an answer now: the first open choice */
};

static enum explorer_step rest(struct strategy *strategy, const struct trace *trace,
                               const GArray *open, struct choice *ret_choice)
{
	struct asker *asker = (struct asker *)strategy;

	(void)trace;
	assert_non_null(open);
	if (open->len == 0)
		return EXPLORER_DONE;
	asker->asked++;
	if (!asker->knows)
		return EXPLORER_LATER;
	return take_first(open, ret_choice);
}

/* --- client ----------------------------------------------------------------------------------- */

struct fixture {
	struct fake_runs fake;
	struct asker asker;
	struct execution *execution;
	guint ended, gone;
};

static void on_fall_back(void *user, char *reason)
{
	on_fail(user, reason);
	g_free(reason);
}

static bool on_end(void *owner, struct execution *execution, const char **ret_word)
{
	struct fixture *fixture = owner;

	assert_ptr_equal(execution, fixture->execution);
	fixture->ended++;
	*ret_word = "ok";
	return true;
}

static void on_gone(void *owner, struct execution *execution, const char *directory)
{
	assert_non_null(directory);
	assert_int_equal(execution_result(execution)->phase, EXECUTION_OVER);
	((struct fixture *)owner)->gone++;
}

static const struct run_client client = {
	.fail = on_fail, .fall_back = on_fall_back, .end = on_end, .gone = on_gone};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fake_runs_open(&fixture->fake, &client);
	fixture->asker.strategy.rest = rest;
	*state = fixture;
	return !fixture->fake.runs;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	if (fixture->execution)
		execution_drop(fixture->execution);
	fake_runs_close(&fixture->fake);
	g_free(fixture);
	return 0;
}

static void begin(struct fixture *fixture)
{
	const struct run_request request = {
		.position = position_new(path_new(RANKS, NULL, BUFFERING_ZERO, COLLECTIVES_ASYNC)),
		.strategy = &fixture->asker.strategy,
		.owner = fixture};

	fixture->execution = execution_begin(fixture->fake.runs, &request);
	assert_null(fixture->fake.failure);
}

static bool waits(void *data)
{
	const struct fixture *fixture = data;

	return fixture->fake.failure
	       || execution_result(fixture->execution)->phase == EXECUTION_UNDECIDED;
}

static bool has_ended(void *data)
{
	const struct fixture *fixture = data;

	return fixture->fake.failure || execution_has_ended(fixture->execution);
}

static bool never(void *data)
{
	(void)data;
	return false;
}

static guint made(const struct fixture *fixture)
{
	return world_choices(execution_world(fixture->execution))->len;
}

/* Rank 1's message and rank 2's are open. The one that is not the default is taken. */
static void a_strategy_answers_later(void **state)
{
	struct fixture *fixture = *state;
	struct choice choice = {point_call(0, 2, 0), taken_message((struct op_id){2, 2, 0})};
	struct choice impossible = {point_call(0, 2, 0), taken_message((struct op_id){0, 9, 0})};
	const GArray *choices;

	begin(fixture);
	assert_true(runs_pump(fixture->fake.runs, waits, fixture, 20));
	assert_null(fixture->fake.failure);
	runs_pump(fixture->fake.runs, never, NULL, SOON / 1000.0);
	assert_int_equal(fixture->asker.asked, 1); /* it is not asked repeatedly */
	assert_int_equal(made(fixture), 0);
	assert_int_equal(fixture->ended, 0);
	assert_false(execution_resume(fixture->execution, &impossible));
	assert_int_equal(execution_result(fixture->execution)->phase, EXECUTION_UNDECIDED);

	assert_true(execution_resume(fixture->execution, &choice));
	assert_int_not_equal(execution_result(fixture->execution)->phase, EXECUTION_UNDECIDED);
	assert_int_equal(made(fixture), 1);
	assert_false(
		execution_resume(fixture->execution, &choice)); /* it does not wait for an answer */
	assert_true(runs_pump(fixture->fake.runs, waits, fixture, 20));
	assert_int_equal(fixture->asker.asked, 2);

	fixture->asker.knows = true;
	assert_true(execution_resume(fixture->execution, NULL)); /* asks once more */
	assert_int_equal(fixture->asker.asked, 3);
	assert_true(runs_pump(fixture->fake.runs, has_ended, fixture, 20));
	assert_null(fixture->fake.failure);
	assert_int_equal(fixture->ended, 1);
	execution_report_gone(fixture->execution);
	assert_int_equal(fixture->gone, 1);
	choices = world_choices(execution_world(fixture->execution));
	assert_int_equal(choices->len, 2);
	assert_int_equal(g_array_index(choices, struct choice, 0).taken.send.rank, 2);
	assert_int_equal(g_array_index(choices, struct choice, 1).taken.send.rank, 1);
	for (int rank = 0; rank < RANKS; rank++)
		assert_true(execution_ends(fixture->execution)[rank].gone);
}

/* An execution can end while it waits for an answer. */
static void what_waits_can_be_cut_short(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture);
	assert_true(runs_pump(fixture->fake.runs, waits, fixture, 20));
	execution_cut_short(fixture->execution);
	assert_true(runs_pump(fixture->fake.runs, has_ended, fixture, 20));
	assert_true(execution_result(fixture->execution)->discard == DISCARD_CUT_SHORT);
	assert_false(execution_resume(fixture->execution, NULL));
	assert_int_equal(fixture->ended, 0);
	execution_drop(g_steal_pointer(&fixture->execution));
	assert_int_equal(runs_count(fixture->fake.runs), 0);
}

/* A rank that dies while the strategy has not answered is noticed. */
static void what_waits_can_be_struck(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture);
	assert_true(runs_pump(fixture->fake.runs, waits, fixture, 20));
	assert_true(execution_pid(fixture->execution, 1) > 1);
	kill(execution_pid(fixture->execution, 1), SIGKILL);
	runs_pump(fixture->fake.runs, has_ended, fixture, 1);
	assert_true(execution_ends(fixture->execution)[1].gone);
	assert_int_equal(fixture->ended, 0);
}

static const struct host_operations *real_operations;
static guint killed;

static gint64 much_later(struct host *host)
{
	return real_operations->now(host) + 3 * G_USEC_PER_SEC;
}

static void count_kill(struct host *host, pid_t process)
{
	killed++;
	real_operations->kill(host, process);
}

static bool all_have_answered(const struct execution *execution)
{
	for (int rank = 0; rank < RANKS; rank++)
		if (!real_operations->has_unread(execution->placement.slots[rank].link))
			return false;
	return true;
}

/* A scheduler that had no processor for seconds reads the answers to END before it kills a rank as
 * late. */
static void a_rank_that_has_answered_is_not_late(void **state)
{
	struct fixture *fixture = *state;
	struct host_operations operations = *fixture->fake.host->operations;

	begin(fixture);
	assert_true(runs_pump(fixture->fake.runs, waits, fixture, 20));
	real_operations = fixture->fake.host->operations;
	killed = 0;
	operations.now = much_later;
	operations.kill = count_kill;
	execution_end_ranks(fixture->execution, true);
	while (!all_have_answered(fixture->execution))
		g_usleep(1000);
	fixture->fake.host->operations = &operations;
	runs_look(fixture->fake.runs);
	assert_int_equal(killed, 0);
	fixture->fake.host->operations = real_operations;
	assert_true(runs_pump(fixture->fake.runs, has_ended, fixture, 20));
	assert_false(execution_output_is_cut(fixture->execution));
}

/* MPI may return an empty text for an error. */
static void an_error_may_have_an_empty_text(void **state)
{
	struct fixture *fixture = *state;
	const struct wire_message error = {.type = WIRE_ERROR,
	                                   .error = {.fatal = true, .text = (char *)""}};

	begin(fixture);
	assert_true(runs_pump(fixture->fake.runs, waits, fixture, 20));
	execution_message(fixture->execution, 1, &error);
	assert_string_equal(execution_ends(fixture->execution)[1].error, "");
}

#define REPORT "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x7 at pc 0x8\n"

#define REPORT "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x7 at pc 0x8\n"

/* What it was asked about the output of a rank. */
static struct {
	guint asked;
	int rank;
	struct host_timer *timer;
	void (*done)(void *user, struct host_output output);
	void *user;
} late;

static void answer_late(void *unused)
{
	const struct host_output output = {.bytes = g_bytes_new_static(REPORT, strlen(REPORT)),
	                                   .size = strlen(REPORT)};
	void (*done)(void *user, struct host_output output) = g_steal_pointer(&late.done);

	(void)unused;
	done(late.user, output);
}

static void ask_late(struct host *host, const struct host_range *range,
                     void (*done)(void *user, struct host_output output), void *user)
{
	(void)host;
	assert_int_equal(range->stream, HOST_STREAM_ERRORS);
	assert_true(range->last);
	assert_null(late.done);
	late.asked++;
	late.rank = range->rank;
	late.done = done;
	late.user = user;
}

/* Rank 1 crashes while the strategy is asked; the host does not answer yet. */
static void crash_unanswered(struct fixture *fixture, struct host_operations *operations)
{
	const struct wire_message crash = {.type = WIRE_ENDING, .ending.signal = SIGSEGV};

	begin(fixture);
	assert_true(runs_pump(fixture->fake.runs, waits, fixture, 20));
	real_operations = fixture->fake.host->operations;
	*operations = *real_operations;
	operations->rank_output = ask_late;
	fixture->fake.host->operations = operations;
	late.asked = 0;
	execution_message(fixture->execution, 1, &crash);
	assert_int_equal(late.asked, 1);
	assert_int_equal(late.rank, 1);
}

/* The outcome is not certain before it is known what the rank has written. */
static void what_a_crashed_rank_wrote_is_waited_for(void **state)
{
	struct fixture *fixture = *state;
	struct host_operations operations;

	crash_unanswered(fixture, &operations);
	fixture->asker.knows = true;
	execution_resume(fixture->execution, NULL);
	runs_pump(fixture->fake.runs, never, NULL, SOON / 1000.0);
	assert_int_equal(fixture->ended, 0);
	assert_null(execution_ends(fixture->execution)[1].report);
	assert_int_equal(late.asked, 1); /* it is not asked repeatedly */

	answer_late(NULL);
	assert_string_equal(execution_ends(fixture->execution)[1].report,
	                    "AddressSanitizer: heap-use-after-free");
	assert_true(runs_pump(fixture->fake.runs, has_ended, fixture, 20));
	assert_null(fixture->fake.failure);
	assert_int_equal(fixture->ended, 1);
	assert_int_equal(late.asked, 1);
	fixture->fake.host->operations = real_operations;
}

/* The host reads in the directory of the world, which is there until it has answered. */
static void an_execution_is_dropped_when_all_is_answered(void **state)
{
	struct fixture *fixture = *state;
	struct host_operations operations;

	crash_unanswered(fixture, &operations);
	late.timer = real_operations->timer_new(fixture->fake.host, answer_late, NULL);
	real_operations->timer_start(late.timer, SOON);
	execution_drop(g_steal_pointer(&fixture->execution));
	assert_null(late.done);
	assert_int_equal(fixture->ended, 0);
	real_operations->timer_free(late.timer);
	fixture->fake.host->operations = real_operations;
}

static int set_up_parked(void **state)
{
	g_setenv(DIES_PARKED, "1", true);
	return set_up(state);
}

static int tear_down_parked(void **state)
{
	g_unsetenv(DIES_PARKED);
	return tear_down(state);
}

static bool is_struck(void *data)
{
	const struct fixture *fixture = data;

	return fixture->fake.failure
	       || execution_result(fixture->execution)->discard == DISCARD_STRUCK;
}

/* A rank has answered that it is parked, and is dead before the others answer. That snapshot cannot
 * be copied. */
static void a_rank_can_be_struck_when_it_is_parked(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *copy = g_build_filename(run_directory_path(fixture->fake.directory), "w1",
	                                         NULL);

	begin(fixture);
	assert_true(runs_pump(fixture->fake.runs, is_struck, fixture, 20));
	runs_pump(fixture->fake.runs, never, NULL, SOON / 1000.0);
	assert_null(fixture->fake.failure);
	assert_int_equal(execution_result(fixture->execution)->discard, DISCARD_STRUCK);
	assert_false(g_file_test(copy, G_FILE_TEST_EXISTS));
}

static bool is_parking(void *data)
{
	const struct fixture *fixture = data;

	return execution_result(fixture->execution)->phase == EXECUTION_PARKING;
}

/* Its snapshot would become the root, although its keepers may have been released. */
static void no_snapshot_is_taken_of_what_begins_again(void **state)
{
	struct fixture *fixture = *state;
	const struct wire_parked parked = {.hazard = (char *)""};

	begin(fixture);
	assert_true(runs_pump(fixture->fake.runs, is_parking, fixture, 20));
	execution_discard(fixture->execution, DISCARD_REDO);
	for (int rank = 0; rank < RANKS; rank++)
		execution_parked(fixture->execution, rank, &parked);
	assert_null(fixture->fake.failure);
	assert_null(snapshots_root(runs_snapshots(fixture->fake.runs)));
	assert_non_null(fixture->execution->parking);
	execution_drop(g_steal_pointer(&fixture->execution));
	assert_null(snapshots_root(runs_snapshots(fixture->fake.runs)));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(a_strategy_answers_later),
		TEST(what_waits_can_be_cut_short),
		TEST(what_waits_can_be_struck),
		TEST(a_rank_that_has_answered_is_not_late),
		TEST(an_error_may_have_an_empty_text),
		TEST(what_a_crashed_rank_wrote_is_waited_for),
		TEST(an_execution_is_dropped_when_all_is_answered),
		cmocka_unit_test_setup_teardown(a_rank_can_be_struck_when_it_is_parked,
	                                        set_up_parked, tear_down_parked),
		cmocka_unit_test_setup_teardown(no_snapshot_is_taken_of_what_begins_again,
	                                        set_up_parked, tear_down_parked),
	};

	if (is_job(argc, argv))
		return be_job();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
