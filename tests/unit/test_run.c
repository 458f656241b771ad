/* room: run. One execution by itself: no session, no MPI (fake_ranks.h). */
#include "fake_ranks.h"

#include <signal.h>

#include "scheduler/host/launcher.h"
#include "scheduler/host/local.h"
#include "scheduler/host/offspring.h"
#include "scheduler/run/execution.h"
#include "scheduler/run/runs.h"
#include "scheduler/run/stall.h"

enum { SOON = 200 };

/* --- who decides ------------------------------------------------------------------------------ */

struct asker {
	struct strategy strategy;
	guint asked;
	bool knows; /* now it has an answer: the first that is open */
};

static enum explorer_step rest(struct strategy *strategy, const struct trace *trace,
                               const GArray *open, struct choice *ret_choice)
{
	struct asker *asker = (struct asker *)strategy;
	const struct open_choice *first;

	(void)trace;
	assert_non_null(open);
	if (open->len == 0)
		return EXPLORER_DONE;
	asker->asked++;
	if (!asker->knows)
		return EXPLORER_LATER;
	first = &g_array_index(open, struct open_choice, 0);
	*ret_choice = (struct choice){first->point,
	                              g_array_index(first->alternatives, struct taken, 0)};
	return EXPLORER_TAKE;
}

/* --- for whom --------------------------------------------------------------------------------- */

struct fixture {
	uv_timer_t looker;
	struct run_directory *directory;
	struct host *host;
	struct communicators *comms;
	struct runs *runs;
	struct asker asker;
	struct execution *execution;
	guint ended, gone;
	char *failure;
};

static void on_fail(void *user, const char *message)
{
	struct fixture *fixture = user;

	g_free(fixture->failure);
	fixture->failure = g_strdup(message);
}

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
	assert_int_equal(execution_result(execution)->state, EXECUTION_OVER);
	((struct fixture *)owner)->gone++;
}

static const struct run_client client = {
	.fail = on_fail, .fall_back = on_fall_back, .end = on_end, .gone = on_gone};

static void on_look(uv_timer_t *timer)
{
	runs_look(((struct fixture *)timer->data)->runs);
}

static int set_up(void **state)
{
	static char *program[] = {(char *)"fake", NULL};
	struct fixture *fixture = g_new0(struct fixture, 1);
	struct local_options local = {
		.shim = "libc.so.6", .ranks = RANKS, .program = program, .launcher = "fake"};
	struct runs_options options = {.ranks = RANKS,
	                               .program = program[0],
	                               .not_yet = 1,
	                               .snapshots = g_getenv(DIES_PARKED) != NULL,
	                               .client = &client,
	                               .user = fixture};

	fixture->host = local_new();
	uv_timer_init(local_loop(fixture->host), &fixture->looker);
	fixture->looker.data = fixture;
	uv_timer_start(&fixture->looker, on_look, STALL_LOOK_MS, STALL_LOOK_MS);
	offspring_adopt();
	local.directory = fixture->directory = run_directory_new(RANKS, NULL);
	local_open(fixture->host, &local);
	options.host = fixture->host;
	options.comms = fixture->comms = communicators_new(RANKS);
	fixture->runs = runs_new(&options, NULL);
	fixture->asker.strategy.rest = rest;
	*state = fixture;
	return !fixture->runs;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	if (fixture->execution)
		execution_drop(fixture->execution);
	runs_close(fixture->runs);
	uv_close((uv_handle_t *)&fixture->looker, NULL);
	fixture->host->operations->drain(fixture->host);
	assert_false(uv_loop_alive(local_loop(fixture->host)));
	runs_free(fixture->runs);
	local_free(fixture->host);
	run_directory_free(fixture->directory);
	communicators_free(fixture->comms);
	g_free(fixture->failure);
	g_free(fixture);
	return 0;
}

static void begin(struct fixture *fixture)
{
	const struct run_request request = {
		.position = position_new(path_new(RANKS, BUFFERING_ZERO, COLLECTIVES_ASYNC)),
		.strategy = &fixture->asker.strategy,
		.owner = fixture};

	fixture->execution = execution_begin(fixture->runs, &request);
	assert_null(fixture->failure);
}

static bool waits(void *data)
{
	const struct fixture *fixture = data;

	return fixture->failure || execution_result(fixture->execution)->waits;
}

static bool has_ended(void *data)
{
	const struct fixture *fixture = data;

	return fixture->failure || execution_has_ended(fixture->execution);
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

/* Rank 1's message or rank 2's: both are open, and the other one is taken than by default. */
static void a_strategy_answers_later(void **state)
{
	struct fixture *fixture = *state;
	struct choice choice = {point_call(0, 2, 0), taken_message((struct op_id){2, 2, 0})};
	struct choice impossible = {point_call(0, 2, 0), taken_message((struct op_id){0, 9, 0})};
	const GArray *choices;

	begin(fixture);
	assert_true(runs_pump(fixture->runs, waits, fixture, 20));
	assert_null(fixture->failure);
	runs_pump(fixture->runs, never, NULL, SOON / 1000.0);
	assert_int_equal(fixture->asker.asked, 1); /* it is not asked over and over */
	assert_int_equal(made(fixture), 0);
	assert_int_equal(fixture->ended, 0);
	assert_false(execution_resume(fixture->execution, &impossible));
	assert_true(execution_result(fixture->execution)->waits);

	assert_true(execution_resume(fixture->execution, &choice));
	assert_false(execution_result(fixture->execution)->waits);
	assert_int_equal(made(fixture), 1);
	assert_false(execution_resume(fixture->execution, &choice)); /* nothing waits for it */
	assert_true(runs_pump(fixture->runs, waits, fixture, 20));
	assert_int_equal(fixture->asker.asked, 2);

	fixture->asker.knows = true;
	assert_true(execution_resume(fixture->execution, NULL)); /* asks once more */
	assert_int_equal(fixture->asker.asked, 3);
	assert_true(runs_pump(fixture->runs, has_ended, fixture, 20));
	assert_null(fixture->failure);
	assert_int_equal(fixture->ended, 1);
	assert_int_equal(fixture->gone, 1);
	choices = world_choices(execution_world(fixture->execution));
	assert_int_equal(choices->len, 2);
	assert_int_equal(g_array_index(choices, struct choice, 0).taken.send.rank, 2);
	assert_int_equal(g_array_index(choices, struct choice, 1).taken.send.rank, 1);
	for (int rank = 0; rank < RANKS; rank++)
		assert_true(execution_ends(fixture->execution)[rank].gone);
}

/* Whoever asks may go away without an answer. */
static void what_waits_can_be_cut_short(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture);
	assert_true(runs_pump(fixture->runs, waits, fixture, 20));
	execution_cut_short(fixture->execution);
	assert_true(runs_pump(fixture->runs, has_ended, fixture, 20));
	assert_true(execution_result(fixture->execution)->cut_short);
	assert_false(execution_resume(fixture->execution, NULL));
	assert_int_equal(fixture->ended, 0);
	execution_drop(g_steal_pointer(&fixture->execution));
	assert_int_equal(runs_count(fixture->runs), 0);
}

/* A rank that dies while somebody thinks about the answer is seen. */
static void what_waits_can_be_struck(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture);
	assert_true(runs_pump(fixture->runs, waits, fixture, 20));
	assert_true(execution_pid(fixture->execution, 1) > 1);
	kill(execution_pid(fixture->execution, 1), SIGKILL);
	runs_pump(fixture->runs, has_ended, fixture, 1);
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
		if (!real_operations->has_unread(execution_link(execution, rank)))
			return false;
	return true;
}

/* A scheduler that had no processor for seconds reads what ranks have answered to END before it
 * takes them for deaf. */
static void who_has_answered_is_not_late(void **state)
{
	struct fixture *fixture = *state;
	struct host_operations operations = *fixture->host->operations;

	begin(fixture);
	assert_true(runs_pump(fixture->runs, waits, fixture, 20));
	real_operations = fixture->host->operations;
	killed = 0;
	operations.now = much_later;
	operations.kill = count_kill;
	execution_end_ranks(fixture->execution, true);
	while (!all_have_answered(fixture->execution))
		g_usleep(1000);
	fixture->host->operations = &operations;
	runs_look(fixture->runs);
	assert_int_equal(killed, 0);
	fixture->host->operations = real_operations;
	assert_true(runs_pump(fixture->runs, has_ended, fixture, 20));
	assert_false(execution_output_is_cut(fixture->execution));
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

	return fixture->failure || execution_result(fixture->execution)->struck;
}

/* It has answered that it is parked, and is dead before the others have: nothing can be copied from
 * that snapshot. */
static void a_rank_can_be_struck_when_it_is_parked(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *copy = g_build_filename(run_directory_path(fixture->directory), "w1",
	                                         NULL);

	begin(fixture);
	assert_true(runs_pump(fixture->runs, is_struck, fixture, 20));
	runs_pump(fixture->runs, never, NULL, SOON / 1000.0);
	assert_null(fixture->failure);
	assert_true(execution_result(fixture->execution)->again);
	assert_false(g_file_test(copy, G_FILE_TEST_EXISTS));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(a_strategy_answers_later),
		TEST(what_waits_can_be_cut_short),
		TEST(what_waits_can_be_struck),
		TEST(who_has_answered_is_not_late),
		cmocka_unit_test_setup_teardown(a_rank_can_be_struck_when_it_is_parked,
	                                        set_up_parked, tear_down_parked),
	};

	if (argc > 1 && strcmp(argv[1], LAUNCHER_VERB) == 0)
		return be_job();
	signal(SIGPIPE, SIG_IGN); /* as matchpoint does */
	/* what is preloaded comes before AddressSanitizer's library */
	g_setenv("ASAN_OPTIONS", "verify_asan_link_order=0", true);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
