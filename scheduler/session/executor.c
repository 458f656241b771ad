#include "executor.h"

#define ENDING_PATIENCE_S 5.0 /* for ranks that were ordered to end */

/* Sources that run together. */
struct round {
	struct round *outer; /* the round of the source that runs these; NULL: none */
	struct executor *executor;
	struct plan_source *const *sources;
	guint count;
};

struct executor {
	struct runs *runs;
	void (*renew)(void *owner);
	void (*meanwhile)(void *user);
	bool (*save)(void *user, struct execution *execution);
	void *user;
	struct round *innermost; /* NULL: no source is running */
	bool stopped;
};

struct executor *executor_new(struct runs *runs, void (*renew)(void *owner),
                              void (*meanwhile)(void *user), void *user)
{
	struct executor *executor = g_new0(struct executor, 1);

	executor->runs = runs;
	executor->renew = renew;
	executor->meanwhile = meanwhile;
	executor->user = user;
	return executor;
}

void executor_save_by(struct executor *executor,
                      bool (*save)(void *user, struct execution *execution))
{
	executor->save = save;
}

void executor_free(struct executor *executor)
{
	g_free(executor);
}

void executor_stop(struct executor *executor)
{
	if (executor)
		executor->stopped = true;
}

bool plan_source_is_busy(const struct plan_source *source)
{
	return source->execution || source->again.position;
}

/* --- state of a source ---------------------------------------------------------------------- */

static bool must_begin_again(const struct plan_source *source)
{
	return source->execution
	       && discard_effect(execution_result(source->execution)->discard) == DISCARD_AGAIN;
}

static bool has_ended(const struct plan_source *source)
{
	return source->execution && !must_begin_again(source)
	       && execution_has_ended(source->execution);
}

static bool must_be_asked(const struct plan_source *source)
{
	return source->execution && !source->asked
	       && execution_result(source->execution)->phase == EXECUTION_UNDECIDED;
}

static bool any_source(const struct round *round, bool (*is)(const struct plan_source *source))
{
	for (guint i = 0; i < round->count; i++)
		if (is(round->sources[i]))
			return true;
	return false;
}

static bool is_running(const struct plan_source *source)
{
	return source->execution != NULL;
}

static bool is_ending(const struct plan_source *source)
{
	return source->execution && execution_result(source->execution)->phase == EXECUTION_ENDING;
}

static bool must_stop(const struct plan_source *source)
{
	return !source->type->may_go_on(source);
}

/* Conditions for runs_pump. */
static bool has_news(void *data)
{
	const struct round *round = data;

	return any_source(round, has_ended) || any_source(round, must_begin_again)
	       || any_source(round, must_be_asked) || round->executor->stopped;
}

static bool none_is_ending(void *data)
{
	for (const struct round *round = data; round; round = round->outer)
		if (any_source(round, is_ending))
			return false;
	return true;
}

/* --- begin and begin again ------------------------------------------------------------------ */

static void source_begin(struct plan_source *source, struct executor *executor)
{
	struct run_request request = {0};

	if (source->again.position) {
		request = source->again;
		source->again.position = NULL;
	} else if (!source->type->next(source, &request)) {
		return;
	}
	source->again = request;
	source->again.position = NULL; /* owned by the execution */
	source->asked = false;
	source->execution = execution_begin(executor->runs, &request);
	if (executor->stopped || must_stop(source))
		execution_cut_short(source->execution);
	else
		execution_set_off(source->execution);
}

static bool may_begin(const struct round *round, const struct plan_source *source)
{
	return !source->execution
	       && (runs_may_begin_beside(round->executor->runs) || !any_source(round, is_running));
}

/* Sources that must begin again come first, as their executions were the first to begin. */
static void round_begin(struct round *round)
{
	for (int pass = 0; pass < 2; pass++)
		for (guint i = 0; i < round->count; i++)
			if (may_begin(round, round->sources[i])
			    && (pass == 1 || round->sources[i]->again.position))
				source_begin(round->sources[i], round->executor);
}

static void source_take_back(struct plan_source *source, struct executor *executor)
{
	struct execution *execution = g_steal_pointer(&source->execution);
	const struct run_result *result = execution_result(execution);

	source->again.position = execution_position(execution);
	source->again.struck_before = result->discard == DISCARD_STRUCK || result->struck_before;
	execution_drop(execution);
	if (source->again.strategy->again)
		source->again.strategy->again(source->again.strategy);
	if (executor->renew)
		executor->renew(source->again.owner);
}

/* Takes back all executions that must begin again, in every round. If the snapshots have turned out
 * to be useless, this also ends their job. */
static void executor_fall_back(struct executor *executor)
{
	runs_pump(executor->runs, none_is_ending, executor->innermost, ENDING_PATIENCE_S);
	for (struct round *round = executor->innermost; round; round = round->outer)
		for (guint i = 0; i < round->count; i++)
			if (must_begin_again(round->sources[i]))
				source_take_back(round->sources[i], executor);
	runs_renew_job(executor->runs);
}

/* --- call the sources ------------------------------------------------------------------------ */

static void source_end(struct plan_source *source)
{
	execution_report_gone(source->execution);
	source->type->ended(source, g_steal_pointer(&source->execution));
}

/* An execution that was saved waits no more. */
static void source_ask(struct plan_source *source, const struct executor *executor)
{
	if (executor->save && executor->save(executor->user, source->execution))
		return;
	source->asked = true;
	source->type->asked(source, source->execution);
}

/* Stops what runs. An execution that has reached its end still counts. */
static void round_stop(struct round *round)
{
	for (guint i = 0; i < round->count; i++)
		if (round->sources[i]->execution)
			execution_cut_short(round->sources[i]->execution);
	runs_pump(round->executor->runs, none_is_ending, round, ENDING_PATIENCE_S);
	for (guint i = 0; i < round->count; i++)
		if (round->sources[i]->execution)
			source_end(round->sources[i]);
}

static void round_notify(struct round *round)
{
	for (guint i = 0; i < round->count; i++) {
		if (has_ended(round->sources[i]))
			source_end(round->sources[i]);
		else if (must_be_asked(round->sources[i]))
			source_ask(round->sources[i], round->executor);
	}
	if (round->executor->stopped || any_source(round, must_stop))
		round_stop(round);
	else if (any_source(round, must_begin_again))
		executor_fall_back(round->executor);
}

static void use_time(const struct executor *executor)
{
	runs_send_off(executor->runs);
	if (executor->meanwhile)
		executor->meanwhile(executor->user);
}

void executor_run(struct executor *executor, struct plan_source *const *sources, guint count)
{
	struct round round = {executor->innermost, executor, sources, count};

	executor->innermost = &round;
	round_begin(&round);
	while (any_source(&round, is_running)) {
		use_time(executor);
		runs_pump(executor->runs, has_news, &round, 0);
		round_notify(&round);
		round_begin(&round);
	}
	executor->innermost = round.outer;
}

bool executor_answer(struct plan_source *source, const struct choice *choice)
{
	source->asked = false;
	if (source->execution && execution_resume(source->execution, choice))
		return true;
	source->asked = true;
	return false;
}

bool executor_tell_polls(struct plan_source *source)
{
	source->asked = false;
	if (source->execution && execution_force_polls(source->execution))
		return true;
	source->asked = true;
	return false;
}
