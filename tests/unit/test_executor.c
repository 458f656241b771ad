/* room: session. The executor and its plan sources, without a session or MPI (fake_runs.h). */
#include "fake_runs.h"

#include <stdio.h>

#include "scheduler/session/executor.h"

/* --- a plan source whose strategy postpones its answers --------------------------------------- */

struct thinker {
	struct plan_source source;
	struct strategy strategy;
	struct fixture *fixture;
	guint plans;        /* not carried out yet */
	bool knows;         /* the strategy answers at once: the first open choice */
	bool gives_up;      /* may_go_on returns false */
	guint asked, ended; /* number of calls */
	guint renewed, well;
	bool cut_short, struck_before;
	GArray *made; /* struct choice, of the last execution that ended */
	void (*on_asked)(struct thinker *thinker, struct execution *execution);
	void (*on_ended)(struct thinker *thinker);
};

struct fixture {
	struct fake_runs fake;
	uv_timer_t answering;
	struct executor *executor;
	struct thinker one, other, third;
	guint most;    /* most executions side by side */
	guint in_time; /* executions with a call of `meanwhile` while they ran, one bit each */
	guint struck;
};

static enum explorer_step rest(struct strategy *strategy, const struct trace *trace,
                               const GArray *open, struct choice *ret_choice)
{
	struct thinker *thinker = (struct thinker *)(void *)((char *)strategy
	                                                     - offsetof(struct thinker, strategy));
	struct fixture *fixture = thinker->fixture;

	(void)trace;
	fixture->most = MAX(fixture->most, runs_count(fixture->fake.runs));
	assert_non_null(open);
	if (open->len == 0)
		return EXPLORER_DONE;
	if (!thinker->knows)
		return EXPLORER_LATER;
	return take_first(open, ret_choice);
}

static bool thinker_next(struct plan_source *source, struct run_request *ret_request)
{
	struct thinker *thinker = (struct thinker *)source;

	if (thinker->plans == 0)
		return false;
	thinker->plans--;
	*ret_request = (struct run_request){
		.position = position_new(path_new(RANKS, NULL, BUFFERING_ZERO, COLLECTIVES_ASYNC)),
		.strategy = &thinker->strategy,
		.owner = thinker};
	return true;
}

static bool thinker_may_go_on(const struct plan_source *source)
{
	return !((const struct thinker *)source)->gives_up;
}

static void thinker_asked(struct plan_source *source, struct execution *execution)
{
	struct thinker *thinker = (struct thinker *)source;

	assert_int_equal(execution_result(execution)->phase, EXECUTION_UNDECIDED);
	thinker->asked++;
	if (thinker->on_asked)
		thinker->on_asked(thinker, execution);
}

static void thinker_ended(struct plan_source *source, struct execution *execution)
{
	struct thinker *thinker = (struct thinker *)source;
	const struct run_result *result = execution_result(execution);
	const GArray *choices = world_choices(execution_world(execution));

	assert_int_equal(result->phase, EXECUTION_OVER);
	assert_false(plan_source_is_busy(source));
	thinker->ended++;
	thinker->cut_short = result->discard == DISCARD_CUT_SHORT;
	thinker->struck_before = result->struck_before;
	g_array_set_size(thinker->made, 0);
	g_array_append_vals(thinker->made, choices->data, choices->len);
	execution_drop(execution);
	if (thinker->on_ended)
		thinker->on_ended(thinker);
}

static void renew(void *owner)
{
	((struct thinker *)owner)->renewed++;
}

static void meanwhile(void *user)
{
	struct fixture *fixture = user;
	const struct execution *execution = fixture->one.source.execution;

	if (execution && !execution_has_ended(execution))
		fixture->in_time |= 1u << fixture->one.ended;
}

/* --- the fixture ------------------------------------------------------------------------------ */

static void on_fail_of_driver(void *user, const char *message)
{
	on_fail(user, message);
	executor_stop(((struct fixture *)user)->executor);
}

static void on_fall_back(void *user, char *reason)
{
	on_fail_of_driver(user, reason);
	g_free(reason);
}

static void on_struck(void *user, const char *what)
{
	assert_non_null(what);
	((struct fixture *)user)->struck++;
}

static bool on_end(void *owner, struct execution *execution, const char **ret_word)
{
	struct thinker *thinker = owner;

	assert_ptr_equal(execution, thinker->source.execution);
	thinker->well++;
	*ret_word = "ok";
	return true;
}

static const struct run_client client = {
	.fail = on_fail_of_driver, .fall_back = on_fall_back, .struck = on_struck, .end = on_end};

static void set_up_thinker(struct fixture *fixture, struct thinker *thinker)
{
	static const struct plan_source_type type = {thinker_next, thinker_may_go_on, thinker_ended,
	                                             thinker_asked};

	thinker->source.type = &type;
	thinker->strategy.rest = rest;
	thinker->fixture = fixture;
	thinker->plans = 1;
	thinker->made = g_array_new(false, false, sizeof(struct choice));
}

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fake_runs_open(&fixture->fake, &client);
	uv_timer_init(local_loop(fixture->fake.host), &fixture->answering);
	fixture->answering.data = fixture;
	fixture->executor = executor_new(fixture->fake.runs, renew, meanwhile, fixture);
	set_up_thinker(fixture, &fixture->one);
	set_up_thinker(fixture, &fixture->other);
	set_up_thinker(fixture, &fixture->third);
	*state = fixture;
	return !fixture->fake.runs;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	executor_free(fixture->executor);
	uv_close((uv_handle_t *)&fixture->answering, NULL);
	fake_runs_close(&fixture->fake);
	g_array_unref(fixture->one.made);
	g_array_unref(fixture->other.made);
	g_array_unref(fixture->third.made);
	g_free(fixture);
	return 0;
}

static void drive(struct fixture *fixture, struct thinker *thinker)
{
	executor_run(fixture->executor, (struct plan_source *[]){&thinker->source}, 1);
}

static void drive_both(struct fixture *fixture)
{
	executor_run(fixture->executor,
	             (struct plan_source *[]){&fixture->one.source, &fixture->other.source}, 2);
}

static int source_of(const struct thinker *thinker, guint index)
{
	return g_array_index(thinker->made, struct choice, index).taken.send.rank;
}

/* --- postponed answers ------------------------------------------------------------------------ */

static const struct choice *take_other(void)
{
	static struct choice choice;

	choice = (struct choice){point_call(0, 2, 0), taken_message((struct op_id){2, 2, 0})};
	return &choice;
}

static void on_answering(uv_timer_t *timer)
{
	struct thinker *thinker = &((struct fixture *)timer->data)->one;
	struct choice impossible = {point_call(0, 2, 0), taken_message((struct op_id){0, 9, 0})};

	assert_int_equal(thinker->asked, 1); /* it is asked once only */
	assert_false(executor_answer(&thinker->source, &impossible));
	assert_true(executor_answer(&thinker->source, take_other()));
}

/* Postpones its answer the first time, and answers at once the second time. */
static void think_or_know(struct thinker *thinker, struct execution *execution)
{
	(void)execution;
	if (thinker->asked == 1) {
		uv_timer_start(&thinker->fixture->answering, on_answering, SOON, 0);
		return;
	}
	thinker->knows = true;
	assert_true(executor_answer(&thinker->source, NULL));
}

/* The messages of ranks 1 and 2 are both open; the answer takes the one that is not the default. */
static void a_postponed_answer_is_used(void **state)
{
	struct fixture *fixture = *state;

	fixture->one.on_asked = think_or_know;
	drive(fixture, &fixture->one);
	assert_null(fixture->fake.failure);
	assert_int_equal(fixture->one.asked, 2);
	assert_int_equal(fixture->one.ended, 1);
	assert_int_equal(fixture->one.well, 1);
	assert_false(fixture->one.cut_short);
	assert_int_equal(fixture->one.made->len, 2);
	assert_int_equal(source_of(&fixture->one, 0), 2);
	assert_int_equal(source_of(&fixture->one, 1), 1);
	assert_int_equal(runs_count(fixture->fake.runs), 0);
}

/* The world of the other source ends meanwhile, and so does its next one. */
static void other_sources_do_not_wait_for_a_postponed_answer(void **state)
{
	struct fixture *fixture = *state;

	fixture->one.on_asked = think_or_know;
	fixture->other.knows = true;
	fixture->other.plans = 2;
	drive_both(fixture);
	assert_null(fixture->fake.failure);
	assert_int_equal(fixture->one.ended, 1);
	assert_int_equal(source_of(&fixture->one, 0), 2);
	assert_int_equal(fixture->other.ended, 2);
	assert_int_equal(fixture->other.asked, 0);
	assert_int_equal(source_of(&fixture->other, 0), 1);
	assert_int_equal(fixture->most, 2);
}

/* A source that postpones work when one execution ends does it while the next one runs. */
static void meanwhile_is_called_while_each_runs(void **state)
{
	struct fixture *fixture = *state;

	fixture->one.knows = true;
	fixture->one.plans = 3;
	drive(fixture, &fixture->one);
	assert_null(fixture->fake.failure);
	assert_int_equal(fixture->one.ended, 3);
	assert_int_equal(fixture->in_time, 7);
}

/* --- other ends ------------------------------------------------------------------------------- */

static void give_up(struct thinker *thinker, struct execution *execution)
{
	(void)execution;
	thinker->gives_up = true;
}

/* Neither of them gets an answer. */
static void executions_that_may_not_continue_are_cut_short(void **state)
{
	struct fixture *fixture = *state;

	fixture->one.on_asked = fixture->other.on_asked = give_up;
	drive_both(fixture);
	assert_null(fixture->fake.failure);
	assert_int_equal(fixture->one.ended, 1);
	assert_true(fixture->one.cut_short);
	assert_int_equal(fixture->other.ended, 1);
	assert_true(fixture->other.cut_short);
	assert_int_equal(fixture->one.well + fixture->other.well, 0);
	assert_int_equal(runs_count(fixture->fake.runs), 0);
}

static pid_t parent_of(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autofree char *text = NULL;
	int parent = 0;

	assert_true(g_file_get_contents(path, &text, NULL, NULL));
	assert_int_equal(sscanf(strrchr(text, ')'), ") %*c %d", &parent), 1);
	return parent;
}

/* The job is killed after the first choice; the second time, that choice is not asked again. */
static void kill_the_job(struct thinker *thinker, struct execution *execution)
{
	if (thinker->asked == 1)
		assert_true(executor_answer(&thinker->source, take_other()));
	else if (thinker->renewed == 0)
		kill(parent_of(execution_pid(execution, 0)), SIGKILL);
	else
		think_or_know(thinker, execution);
}

static void a_killed_execution_begins_again(void **state)
{
	struct fixture *fixture = *state;

	fixture->one.on_asked = kill_the_job;
	drive(fixture, &fixture->one);
	assert_null(fixture->fake.failure);
	assert_int_equal(fixture->struck, 1);
	assert_int_equal(fixture->one.renewed, 1);
	assert_int_equal(fixture->one.asked, 3); /* the choice made before is not asked again */
	assert_int_equal(fixture->one.ended, 1);
	assert_true(fixture->one.struck_before);
	assert_false(fixture->one.cut_short);
	assert_int_equal(source_of(&fixture->one, 0), 2);
	assert_int_equal(source_of(&fixture->one, 1), 1);
}

/* --- nested runs ------------------------------------------------------------------------------ */

static void drive_the_third(struct thinker *thinker)
{
	thinker->fixture->third.plans = 1;
	drive(thinker->fixture, &thinker->fixture->third);
	assert_int_equal(thinker->fixture->third.plans, 0);
}

/* For example, a finding is replayed before the search goes on, while worlds of other lanes run. */
static void a_source_runs_between_two_executions_of_another(void **state)
{
	struct fixture *fixture = *state;

	fixture->one.knows = fixture->other.knows = fixture->third.knows = true;
	fixture->one.plans = 2;
	fixture->one.on_ended = drive_the_third;
	drive_both(fixture);
	assert_null(fixture->fake.failure);
	assert_int_equal(fixture->one.ended, 2);
	assert_int_equal(fixture->other.ended, 1);
	assert_int_equal(fixture->third.ended, 2);
	assert_in_range(fixture->most, 2, 3);
	assert_int_equal(runs_count(fixture->fake.runs), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(a_postponed_answer_is_used),
		TEST(meanwhile_is_called_while_each_runs),
		TEST(other_sources_do_not_wait_for_a_postponed_answer),
		TEST(executions_that_may_not_continue_are_cut_short),
		TEST(a_killed_execution_begins_again),
		TEST(a_source_runs_between_two_executions_of_another),
	};

	if (is_job(argc, argv))
		return be_job();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
