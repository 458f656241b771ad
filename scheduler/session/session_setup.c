/* Setup and release of a session: its objects, its event sources, and what stops it. */
#include <signal.h>

#include "compared_files.h"
#include "coverage.h"
#include "executor.h"
#include "explorer/program_parts.h"
#include "infrastructure_failures.h"
#include "interruption.h"
#include "lanes.h"
#include "mpi_calls.h"
#include "off_tree_outcomes.h"
#include "outcome_watch.h"
#include "program_facts.h"
#include "random_walks.h"
#include "replay.h"
#include "returned_errors.h"
#include "scheduler/execution/history.h"
#include "scheduler/host/local.h"
#include "scheduler/places/source_text.h"
#include "session_clock.h"
#include "session_internal.h"
#include "session_machine.h"
#include "shard.h"
#include "state_exploration.h"
#include "unresponsive_ranks.h"

#define STOP_PATIENCE_S 3.0

/* Under a debugger silent ranks are expected. */
static struct runs *runs_to_watch(const struct session *session)
{
	const struct wrapper *wrapper = session->options->wrapper;

	return wrapper && !wrapper->is_timed ? NULL : session->runs;
}

/* Cuts the executions of the exploration short; `all`: also replays that confirm findings. */
static void cut_executions(const struct session *session, bool all)
{
	g_autoptr(GList) executions = runs_executions(session->runs);

	for (const GList *one = executions; one; one = one->next) {
		const struct interleaving *interleaving = interleaving_of(one->data);

		if (all || !interleaving->apart || interleaving->spare)
			execution_cut_short(one->data);
	}
}

/* Ends the session. `patient`: some time is left to confirm findings; otherwise somebody waits at
 * the terminal. A scripted session always has that time. A second request ends it at once. */
static void end_session(struct session *session, const char *reason, bool patient)
{
	bool first = !session->stop_reason;
	double seconds = STOP_PATIENCE_S + (session->options->conduct ? 0 : session->longest);

	session_stop(session, reason);
	if (first && (patient || session->options->conduct)) {
		session_clock_set_deadline(session->clock, seconds);
		if (session->options->conduct)
			return;
		unresponsive_ranks_note(runs_to_watch(session), session->exploration->notes);
		cut_executions(session, false);
		return;
	}
	if (!session->hurry && (first || session->options->conduct))
		unresponsive_ranks_note(runs_to_watch(session), session->exploration->notes);
	session->hurry = true;
	runs_hurry(session->runs);
	cut_executions(session, true);
}

/* Whether Ctrl-C is for the rank in the debugger, or is handled by the scripted session. */
static bool is_for_another(struct session *session)
{
	const struct session_options *options = session->options;

	return runs_interrupt_debugged(session->runs)
	       || (options->interrupted && options->interrupted(options->scripted));
}

static void on_interruption(void *user)
{
	struct session *session = user;

	if (interruption_asked() == SIGINT && is_for_another(session))
		interruption_dismiss();
	else
		end_session(session, "interrupted", false);
}

static void on_deadline(void *user)
{
	struct session *session = user;
	g_autofree char *reason = g_strdup_printf("stopped by --max-time %g",
	                                          session->options->max_seconds);

	end_session(session, reason, true);
}

double session_seconds(const struct session *session)
{
	return past_seconds(session->past) + session_clock_seconds(session->clock);
}

#define LONG_SILENCE_S 10.0

static void on_tick(void *user)
{
	g_autoptr(GPtrArray) stacks = NULL;
	struct session *session = user;
	g_autoptr(GList) executions = runs_executions(session->runs);
	struct session_progress progress = {
		.interleavings = session->interleavings,
		.left = -1,
		.findings = findings_all(session->findings)->len
	                    + outcome_watch_sure(session->outcomes),
		.seconds = session_seconds(session),
		.runs = random_walks_made(session->walks),
	};

	if (session_visits_states(session)) {
		struct state_statistics statistics = state_exploration_statistics(session->states);

		progress.states = statistics.states;
		progress.waiting = statistics.waiting;
	} else {
		lanes_progress(session->lanes, &progress);
	}
	progress.silent_rank = unresponsive_ranks_first(runs_to_watch(session),
	                                                &progress.silent_seconds);
	if (progress.silent_seconds >= LONG_SILENCE_S && !session->stacks_told)
		stacks = unresponsive_ranks_stacks(runs_to_watch(session));
	session->stacks_told = progress.silent_seconds >= LONG_SILENCE_S;
	progress.stacks = stacks;
	for (const GList *one = executions; one; one = one->next)
		progress.depth = MAX(progress.depth,
		                     world_choices(execution_world(one->data))->len);
	session->options->progress(session->options->user, &progress);
}

static void on_look(void *user)
{
	runs_look(((const struct session *)user)->runs);
}

static bool goes_back(const struct session_options *options)
{
	return options->backtrack != BACKTRACK_RERUN
	       && (!options->position || options->save.folder);
}

/* Whether ranks are rewound in place where possible. A scripted session forks them by default. */
static bool goes_back_in_place(const struct session_options *options)
{
	return options->backtrack == BACKTRACK_REWIND
	       || (options->backtrack == BACKTRACK_AUTO && !options->position
	           && (!options->conduct || options->images));
}

/* Whether ranks may be asked for images from the beginning. */
static bool keeps_images(const struct session_options *options)
{
	return options->states || (options->images && goes_back_in_place(options));
}

static void describe_exploration(struct session *session)
{
	const struct session_options *options = session->options;
	struct record_exploration *exploration = record_exploration_new();

	session->exploration = exploration;
	exploration->command = g_intern_string(options->command);
	g_strfreev(exploration->program);
	exploration->program = g_strdupv(options->program);
	exploration->directory = g_get_current_dir();
	exploration->machine = g_strdup(g_get_host_name());
	exploration->standard_input = g_strdup(options->standard_input);
	exploration->launcher = g_strdup(options->launcher);
	exploration->ranks = options->ranks;
	exploration->nodes = options->nodes;
	exploration->bufferings = options->bufferings;
	exploration->shard = options->shard;
	exploration->shards = options->shards;
	exploration->random = options->random;
	exploration->seed = options->seed;
	exploration->collectives = collective_mode_word(options->collectives);
	exploration->version = g_strdup(MATCHPOINT_VERSION);
	exploration->backtrack = goes_back(options) ? "snapshot" : "rerun";
}

static void start_clock(struct session *session)
{
	const struct session_options *options = session->options;
	const struct session_clock_calls calls = {.interrupted = on_interruption,
	                                          .deadline = on_deadline,
	                                          .tick = options->progress ? on_tick : NULL,
	                                          .look = on_look};

	session->host = options->host ? options->host : local_new();
	session->clock = session_clock_new(
		session->host, options->host ? NULL : local_loop(session->host), &calls, session);
	if (options->max_seconds > 0)
		session_clock_set_deadline(session->clock, options->max_seconds);
}

static bool only_changes(unsigned call)
{
	return mpi_call_is_atomic(call) && !mpi_call_fetches(call);
}

static bool calls_one_that(const struct session *session, bool (*has_property)(unsigned call))
{
	for (unsigned call = MPI_CALL_NONE + 1; call < MPI_CALL_COUNT; call++)
		if (has_property(call)
		    && session->host->operations->program_calls(session->host, mpi_call_name(call)))
			return true;
	return false;
}

/* Which atomic operations on windows are ordered. With many orders there are many states, but few
 * that are equal: a search of states leaves them to MPI. */
static enum wire_atomics ordered_atomics(const struct session *session)
{
	bool known;

	if (session->options->states)
		return WIRE_ATOMICS_NONE;
	/* A program of which no call is known, such as a script, may make any. */
	known = calls_one_that(session, mpi_call_begins_mpi);
	if (known && !calls_one_that(session, mpi_call_fetches))
		return WIRE_ATOMICS_REPLACE;
	return !known || calls_one_that(session, only_changes) ? WIRE_ATOMICS_SUMS
	                                                       : WIRE_ATOMICS_READS;
}

static void renew(void *owner)
{
	const struct interleaving *interleaving = owner;

	session_saving_forget(interleaving->session->saving, interleaving);
	interleaving_renew(owner);
}

static bool open_runs(struct session *session, GError **error)
{
	const struct session_options *options = session->options;
	const struct runs_options runs = {
		.host = session->host,
		.comms = session->comms,
		.events = session->events,
		.ranks = options->ranks,
		.nodes = options->nodes,
		.program = options->program[0],
		.wrapper = options->wrapper,
		.every_call_waits = options->every_call_waits,
		.contents = options->contents,
		.images = keeps_images(options),
		.states = session_compares_states(options),
		.not_yet = options->not_yet,
		.some = options->some,
		.cancels = session->host->operations->program_calls(session->host, "MPI_Cancel"),
		.atomics = ordered_atomics(session),
		.digests = session->host->operations->can_digest(session->host),
		.snapshots = goes_back(options),
		.rewinds = goes_back_in_place(options),
		.memory_most = options->max_memory
	                               ? options->max_memory
	                               : session->host->operations->memory_free(session->host) / 2,
		.restart = options->restart,
		.client = &session_run_client,
		.user = session,
	};

	if (host_divides_job(session->host, options->program, options->ranks))
		communicators_divide(session->comms,
		                     program_parts_first_world(options->program, options->ranks));
	session->runs = runs_new(&runs, error);
	if (session->runs && runs.atomics >= WIRE_ATOMICS_READS && options->watch_left > 0)
		state_exploration_keep_to_tree(session->states);
	if (session->runs)
		session->executor = executor_new(session->runs, renew, session_catch_up, session);
	if (session->executor)
		executor_save_by(session->executor, session_saving_save, session_saving_is_saved);
	return session->runs != NULL;
}

bool session_open(struct session *session, GError **error)
{
	const struct session_options *options = session->options;

	if (!options->host && !session_machine_prepare(session, error))
		return false;
	if (options->store && !session_open_store(session, error))
		return false;
	session_add_sinks(session);
	return (options->host || session_machine_open(session, error)) && open_runs(session, error);
}

void session_init(struct session *session, const struct session_options *options)
{
	session->options = options;
	session->comms = communicators_new(options->ranks);
	session->stacks = stack_table_new();
	session->events = events_new(session_sink_failed, session);
	session->findings = findings_new(options->bufferings);
	if (!options->conduct && !options->position)
		session->choices = choice_coverage_new();
	session->coverage = coverage_new();
	session->facts = program_facts_new();
	session->lanes = lanes_new(session);
	session->walks = random_walks_new(session);
	session->states = state_exploration_new(session);
	session->shard = shard_new(session);
	session->replay = replay_new(session);
	session->returned = returned_errors_new();
	session->outcomes = outcome_watch_new(session);
	session->past = past_new();
	describe_exploration(session);
	start_clock(session);
	session->compared = compared_files_new(session->host, options->compare_files,
	                                       options->compare_written, (guint)options->ranks);
	session->saving = session_saving_new(session);
	session->failures = infrastructure_failures_new(session->host);
	session->off_tree_outcomes = off_tree_outcomes_new();
}

static void release_parts(struct session *session)
{
	lanes_free(session->lanes);
	random_walks_free(session->walks);
	state_exploration_free(session->states);
	shard_free(session->shard);
	replay_free(session->replay);
	outcome_watch_free(session->outcomes);
	compared_files_free(session->compared);
	returned_errors_free(session->returned);
	past_free(session->past);
	session_saving_free(session->saving);
	choice_coverage_free(session->choices);
	coverage_free(session->coverage);
	program_facts_free(session->facts);
	infrastructure_failures_free(session->failures);
	off_tree_outcomes_free(session->off_tree_outcomes);
}

void session_release(struct session *session)
{
	session_saving_settle(session->saving);
	runs_close(session->runs);
	session_clock_close(session->clock);
	session->host->operations->drain(session->host);
	executor_free(session->executor);
	runs_free(session->runs);
	if (!session->options->host)
		session_machine_close(session);
	store_close(session->store);
	source_text_free(session->source);
	release_parts(session);
	communicators_free(session->comms);
	events_free(session->events);
	history_free(session->history);
	stack_table_free(session->stacks);
	g_free(session->stop_reason);
}
