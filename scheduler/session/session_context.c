#include "session_context.h"

#include <stdarg.h>

#include "executor.h"
#include "infrastructure_failures.h"
#include "lanes.h"
#include "outcome_watch.h"
#include "program_facts.h"
#include "scheduler/host/local.h"
#include "session_clock.h"
#include "session_internal.h"
#include "state_exploration.h"

struct host *session_host(const struct session *session)
{
	return session->host;
}

const struct session_options *session_options(const struct session *session)
{
	return session->options;
}

struct strategy *session_strategy(const struct session *session, const struct position *position)
{
	const struct session_options *options = session->options;

	return options->guide ? options->guide(options->guided, session->comms)
	                      : strategy_path(position_path(position)->choices);
}

struct executor *session_executor(const struct session *session)
{
	return session->executor;
}

struct store *session_store(const struct session *session)
{
	return session->store;
}

struct journal *session_journal(const struct session *session)
{
	return session->journal;
}

struct record_exploration *session_exploration(const struct session *session)
{
	return session->exploration;
}

struct findings *session_findings(const struct session *session)
{
	return session->findings;
}

struct coverage *session_coverage(const struct session *session)
{
	return session->coverage;
}

struct compared_files *session_compared_files(const struct session *session)
{
	return session->compared;
}

struct outcomes *session_outcomes(const struct session *session)
{
	return outcome_watch_outcomes(session->outcomes);
}

guint64 session_interleavings(const struct session *session)
{
	return session->interleavings;
}

guint64 session_stands_for(const struct session *session, guint32 execution)
{
	return state_counts_of(state_exploration_counts(session->states), execution);
}

void session_insert_counts(const struct session *session, GVariantDict *common)
{
	state_counts_insert(state_exploration_counts(session->states), common);
}

bool session_visits_states(const struct session *session)
{
	return state_exploration_have_begun(session->states);
}

struct state_watch *session_watch(const struct session *session)
{
	return state_exploration_watch(session->states);
}

bool session_turns_to_states(struct session *session)
{
	struct session_progress progress = {0};

	if (!state_exploration_watch(session->states))
		return false;
	lanes_progress(session->lanes, &progress);
	return state_exploration_look(session->states, progress.left);
}

bool session_knows(const struct session *session, const struct execution *execution)
{
	return state_exploration_have_failed(session->states)
	       && state_exploration_knows(session->states, execution);
}

void session_begin_comparing(struct session *session)
{
	runs_keep_images(session->runs, true);
}

void session_end_comparing(struct session *session)
{
	snapshots_release_sealed(runs_snapshots(session->runs));
	runs_keep_images(session->runs, false);
}

void session_leave_states(struct session *session)
{
	runs_leave_states(session->runs);
}

struct infrastructure_failures *session_failures(const struct session *session)
{
	return session->failures;
}

bool session_has_starved(const struct session *session)
{
	return infrastructure_failures_have_starved(session->failures);
}

bool session_has_hurried(const struct session *session, const struct execution *execution)
{
	return (execution_result(execution)->limits & LIMIT_BIT(LIMIT_THREADS_HURRIED))
	       || program_facts_hurried(session->facts) != NULL;
}

gint64 session_now(const struct session *session)
{
	return host_now(session->host);
}

void session_add_hurried(struct session *session, const struct execution *execution)
{
	program_facts_add_hurried(session->facts, execution);
}

/* --- whether to continue ---------------------------------------------------------------------- */

void session_fail(struct session *session, const char *format, ...)
{
	g_autofree char *message = NULL;
	va_list arguments;

	if (session->error)
		return;
	va_start(arguments, format);
	message = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	session->error = g_error_new_literal(SESSION_ERROR, 0, message);
	runs_stop(session->runs);
	executor_stop(session->executor);
}

bool session_has_failed(const struct session *session)
{
	return session->error != NULL;
}

void session_stop(struct session *session, const char *reason)
{
	if (!session->stop_reason)
		session->stop_reason = g_strdup(reason);
}

const char *session_stop_reason(const struct session *session)
{
	return session->stop_reason;
}

bool session_may_go_on(const struct session *session)
{
	return !session->error && !session->stop_reason;
}

bool session_may_make_sure(const struct session *session)
{
	return !session->error && !session->hurry;
}

double session_seconds_left(const struct session *session)
{
	return session->options->max_seconds - session_clock_seconds(session->clock);
}

bool session_is_enough(struct session *session)
{
	guint64 most = session->options->max_interleavings;
	guint running = runs_count(session->runs);
	g_autofree char *reason = NULL;

	if (most == 0 || session->interleavings + running < most)
		return !session_may_go_on(session);
	reason = g_strdup_printf("stopped by --max-interleavings %" G_GUINT64_FORMAT, most);
	if (running == 0)
		session_stop(session, reason);
	return true;
}

struct waiting {
	const struct session *session;
	bool (*condition)(void *data);
	void *data;
};

static bool is_enough_waited(void *data)
{
	const struct waiting *waiting = data;

	return waiting->condition(waiting->data) || !session_may_go_on(waiting->session);
}

void session_wait(struct session *session, bool (*condition)(void *data), void *data)
{
	struct waiting waiting = {session, condition, data};

	host_wait(session->host, is_enough_waited, &waiting, 0);
}

uv_loop_t *session_loop(const struct session *session)
{
	return session->options->host ? NULL : local_loop(session->host);
}

char *session_control_path(const struct session *session)
{
	return session->options->host
	               ? NULL
	               : run_directory_file(session->directory, RUN_DIRECTORY_CONTROL);
}
