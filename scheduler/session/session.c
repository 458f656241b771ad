#include "session.h"

#include <string.h>

#include "coverage.h"
#include "explorer/program_parts.h"
#include "explorer/rank_name.h"
#include "infrastructure_failures.h"
#include "interruption.h"
#include "lanes.h"
#include "native_check.h"
#include "off_tree_outcomes.h"
#include "outcome_watch.h"
#include "program_facts.h"
#include "random_walks.h"
#include "replay.h"
#include "returned_errors.h"
#include "scheduler/tools/log.h"
#include "session_clock.h"
#include "session_internal.h"
#include "shard.h"
#include "state_exploration.h"

#define CALLERS_PART 20   /* see look_for_callers */
#define SECONDS_LEAST 0.1 /* of --max-time, for an attempt that begins again */

G_DEFINE_QUARK(matchpoint_session_error, session_error)

/* --- one interleaving ------------------------------------------------------------------------ */

struct interleaving *session_request(struct session *session, struct run_request *request,
                                     enum interleaving_calls calls)
{
	bool alone = session->options->position != NULL;
	struct interleaving *interleaving;

	request->stacks |= alone;
	interleaving = interleaving_new(session, alone ? CALLS_KEPT : calls, request->stacks);
	request->owner = interleaving;
	return interleaving;
}

void session_drop(struct execution *execution)
{
	struct interleaving *interleaving = interleaving_of(execution);

	execution_drop(execution);
	session_saving_forget(interleaving->session->saving, interleaving);
	interleaving_free(interleaving);
}

static bool is_needed(const struct world *world, void *user)
{
	const struct session *session = user;
	const struct world_options *options = world_options(world);

	return options->collectives
	               == collective_mode_under(session->options->collectives, options->buffering)
	       && (session_visits_states(session) ? state_exploration_need(session->states, world)
	                                          : lanes_need(session->lanes, world));
}

void session_release_snapshots(struct session *session)
{
	session_saving_settle(session->saving);
	snapshots_release_unneeded(runs_snapshots(session->runs), is_needed, session);
}

void session_keep_snapshots(struct session *session,
                            bool (*needed)(const struct world *world, void *user), void *user)
{
	session_saving_settle(session->saving);
	snapshots_release_unneeded(runs_snapshots(session->runs), needed, user);
}

void session_each_snapshot(const struct session *session,
                           void (*look)(const struct world *world, void *user), void *user)
{
	if (session->runs)
		snapshots_each(runs_snapshots(session->runs), look, user);
}

static bool output_is_known(const struct execution *execution)
{
	return session_output_is_whole(execution) || interleaving_verdict(execution)->printed_again;
}

void session_add_interleaving(struct session *session, const struct execution *execution,
                              struct record_execution *record, const GArray *choices,
                              GPtrArray *shown, bool ended_well)
{
	const struct world *world = execution ? execution_world(execution) : NULL;
	g_autoptr(GPtrArray) changed = g_ptr_array_new();

	record->id = (guint32)++session->interleavings;
	if (session->choices)
		choice_coverage_add(session->choices, record->choices);
	state_exploration_know(session->states, record, choices);
	while (shown->len > 0) {
		struct record_finding *finding = g_ptr_array_steal_index(shown, 0);

		finding = findings_add(session->findings, finding, record, choices);
		g_array_append_val(record->findings, finding->id);
		g_ptr_array_add(changed, finding);
		if (finding->count == 1)
			replay_add_log(session->replay, world ? call_log_take(world) : NULL);
	}
	if (record->calls->len > 0 && ended_well)
		replay_add_well_kept(session->replay, record->buffering);
	if (ended_well)
		findings_add_good(session->findings, record, choices);
	if (execution)
		returned_errors_add(session->returned, interleaving_verdict(execution)->returned);
	if (ended_well && (!execution || output_is_known(execution)))
		outcome_watch_add(session->outcomes, record, choices);
	if (world)
		session_tell_end(session, execution, record, changed);
	if (world)
		session_keep_stacks(session, execution, record->id);
	if (changed->len > 0 && world && session->options->fail_fast)
		session_stop(session, "stopped by --fail-fast");
}

static void add_execution(struct session *session, const struct execution *execution)
{
	const struct verdict *verdict = interleaving_verdict(execution);
	g_autoptr(GArray) choices = world_told_choices(execution_world(execution));

	program_facts_add_printed(session->facts, verdict->record);
	session_add_interleaving(session, execution, verdict->record, choices, verdict->findings,
	                         verdict->ended_well);
}

/* Times that an interleaving is run again for its output: what cuts it rarely does so twice. */
#define PRINTED_AGAIN_MOST 3

bool session_output_is_whole(const struct execution *execution)
{
	return !execution_output_is_cut(execution) && !interleaving_verdict(execution)->lost_output;
}

static void fail_for_output(struct session *session, const struct verdict *verdict)
{
	session->cut_short |= verdict->cut_short;
	session_fail(session, "%s", verdict->lost_output);
}

struct execution *session_follow_printed(struct session *session, const GArray *choices,
                                         enum buffering buffering, guint32 uneven_clocks)
{
	struct execution *execution = NULL;
	int left = PRINTED_AGAIN_MOST;

	do {
		if (execution)
			session_drop(execution);
		execution = session_follow_from_start(session,
		                                      session_position(session, choices, buffering),
		                                      uneven_clocks, CALLS_FORGOTTEN);
	} while (--left > 0 && session_is_whole(execution) && !session_output_is_whole(execution)
	         && !interleaving_verdict(execution)->no_room);
	if (interleaving_verdict(execution)->lost_output)
		fail_for_output(session, interleaving_verdict(execution));
	return execution;
}

/* What ranks printed is not known, or may not be all. Takes it from another run of the same
 * interleaving. If that is not possible, the session fails where output is lost, as what the
 * program printed must not be taken for nothing; where it may be cut, it is not compared, and a
 * note is added. */
static void print_again(struct session *session, const struct execution *execution)
{
	struct verdict *verdict = interleaving_verdict(execution);
	struct record_execution *record = verdict->record;
	const struct world *world = execution_world(execution);
	struct execution *again = NULL;
	const struct record_execution *other = NULL;

	if (session_may_make_sure(session) && !session->options->wrapper && !verdict->no_room) {
		again = session_follow_printed(session, world_choices(world),
		                               world_options(world)->buffering, 0);
		other = interleaving_verdict(again)->record;
	}
	if (other && session_is_whole(again) && session_output_is_whole(again)
	    && other->status == record->status) {
		g_ptr_array_unref(record->outputs);
		g_ptr_array_unref(record->errors);
		record->outputs = g_ptr_array_ref(other->outputs);
		record->errors = g_ptr_array_ref(other->errors);
		verdict->printed_again = true;
	} else if (verdict->lost_output) {
		fail_for_output(session, verdict);
	} else {
		infrastructure_failures_add_cut(session->failures, session->interleavings + 1);
	}
	if (again)
		session_drop(again);
}

/* Whether the execution counts as an interleaving. An off-tree execution counts only if it shows
 * something new; one on the tree does not count if an off-tree execution, or an earlier session's,
 * with the same choices and findings was counted. */
static bool is_one_more(struct session *session, const struct execution *execution)
{
	const struct verdict *verdict = interleaving_verdict(execution);

	if (execution_result(execution)->discard == DISCARD_LET_GO)
		return off_tree_outcomes_take(session->off_tree_outcomes, session->findings,
		                              verdict->record, verdict->findings);
	/* a search of states makes the same choices in several orders */
	return session_visits_states(session)
	       || !off_tree_outcomes_have(session->off_tree_outcomes, verdict->record,
	                                  verdict->findings);
}

void session_account(struct session *session, const struct execution *execution)
{
	const struct run_result *result = execution_result(execution);
	const struct verdict *verdict = interleaving_verdict(execution);

	session->longest = MAX(session->longest, execution_seconds(execution));
	program_facts_add(session->facts, execution);
	if (result->discard == DISCARD_CUT_SHORT || session->error)
		return;
	infrastructure_failures_add(session->failures, execution, verdict->starved);
	if (!verdict->record || result->phase != EXECUTION_OVER)
		return;
	if (!is_one_more(session, execution)) {
		infrastructure_failures_add_wasted(session->failures);
		return;
	}
	if (!session_output_is_whole(execution))
		print_again(session, execution);
	if (!session->error) /* otherwise a resumed exploration carries it out */
		add_execution(session, execution);
}

bool session_is_whole(const struct execution *execution)
{
	const struct run_result *result = execution_result(execution);

	return result->phase == EXECUTION_OVER && result->discard != DISCARD_CUT_SHORT
	       && !interleaving_of(execution)->session->error;
}

/* Coverage of choices tells calls at one place apart by their callers. A bounded exploration, whose
 * verdict has it, runs a good interleaving once more for the stacks: before a limit of time, if it
 * is short beside what is left; otherwise at the end. */
static void look_for_callers(struct session *session, bool at_end)
{
	const struct session_options *options = session->options;
	bool due = at_end ? options->max_seconds == 0 && session->stop_reason
	                  : session_seconds_left(session) > CALLERS_PART * session->longest;

	/* while it goes on, it is looked at seldom */
	if (!due || (!at_end && (session->interleavings & (session->interleavings - 1)) != 0)
	    || session->callers_sought || !session->choices || !session_may_make_sure(session)
	    || !choice_coverage_wants_stacks(session->choices))
		return;
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND && !session->callers_sought; i++)
		session->callers_sought = replay_good(session, (enum buffering)i);
}

bool session_finish(struct session *session, struct execution *execution, bool counts)
{
	enum buffering buffering = world_options(execution_world(execution))->buffering;
	guint64 before = session->interleavings;
	bool whole;

	if (counts)
		session_account(session, execution);
	whole = session_is_whole(execution);
	if (whole)
		session_saving_ended(session->saving, buffering);
	if (!counts && whole)
		infrastructure_failures_add_shared(session->failures,
		                                   interleaving_verdict(execution)->starved);
	coverage_add(session->coverage, buffering, session->interleavings - before);
	session_drop(execution);
	if (!whole)
		return false;
	if (counts) {
		replay_findings(session->replay);
		outcome_watch_suspect(session->outcomes);
		look_for_callers(session, false);
	}
	session_release_snapshots(session);
	return true;
}

/* Carries out what the options select. */
static void carry_out_all(struct session *session)
{
	const struct session_options *options = session->options;

	if (options->conduct) {
		options->conduct(session, options->scripted);
		session_release_snapshots(session);
		return;
	}
	if (options->random)
		random_walks_explore(session->walks);
	else if (session_visits_states(session))
		state_exploration_explore(session->states,
		                          state_exploration_bufferings(session->states));
	else if (shard_divide(session->shard, session->lanes))
		lanes_explore(session->lanes);
	if (lanes_left(session->lanes))
		state_exploration_explore(session->states, lanes_left(session->lanes));
	if (state_exploration_have_failed(session->states))
		lanes_explore_left(session->lanes);
}

/* --- the end --------------------------------------------------------------------------- */

static void conclude_exploration(struct session *session)
{
	struct record_exploration *exploration = session->exploration;
	g_autoptr(GError) error = NULL;

	findings_blame(session->findings);
	exploration->backtrack = runs_go_back(session->runs) ? "snapshot" : "rerun";
	exploration->interleavings = state_counts_all(state_exploration_counts(session->states));
	/* A run that reaches a known state is not wasted. */
	exploration->wasted = session_visits_states(session)
	                              ? 0
	                              : infrastructure_failures_wasted(session->failures);
	exploration->states = state_exploration_statistics(session->states).states;
	exploration->merged = state_exploration_statistics(session->states).merged;
	exploration->seconds = session_seconds(session);
	if (exploration->states > 0)
		log_debug(LOG_SESSION, "ranks told their states in %.3f s of %.3f s",
		          runs_fingerprint_seconds(session->runs), exploration->seconds);
	exploration->runs = random_walks_made(session->walks);
	exploration->threads = program_facts_threads(session->facts);
	session_add_limits(session);
	native_check(session);
	session_add_notes(session);
	if (!session->store)
		return;
	if (!store_add(session->store, NULL, findings_all(session->findings), &error)
	    || !store_put_exploration(session->store, exploration, &error)
	    || !store_release(session->store, &error))
		session_fail(session, "%s", error->message);
}

static void hand_over(struct session *session, struct session_result *ret)
{
	GPtrArray *all = findings_all(session->findings);

	ret->exploration = session->exploration;
	ret->findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	g_ptr_array_set_free_func(all, NULL);
	for (guint i = 0; i < all->len; i++)
		g_ptr_array_add(ret->findings, all->pdata[i]);
	ret->lost_reason = g_strdup(infrastructure_failures_lost_reason(session->failures));
	ret->lost = ret->lost_reason != NULL;
}

/* How a session is to be run again. NULL, NULL and false: it is not. */
struct again {
	const char *one_world; /* the reason to run one world at a time */
	char *run_parent;      /* where there is room for shared memory; free with g_free */
	bool output_on_disk;   /* so that there is room for shared memory */
	char **program;        /* with more processes that it spawns; free with g_strfreev */
	double seconds;        /* the time used */
};

static struct again again_of(struct session *session, bool mixed)
{
	const struct session_options *options = session->options;
	const bool needs_room = session->cut_short && session_explores(session);
	struct again again = {mixed ? lanes_reason_for_one_world(session->lanes) : NULL, NULL,
	                      false, session_larger_job(session),
	                      session_clock_seconds(session->clock)};

	again.output_on_disk = needs_room && !options->output_on_disk && session->output
	                       && output_place_use_disk(session->output);
	if (needs_room && !again.output_on_disk && !options->run_parent)
		again.run_parent = run_directory_elsewhere(session->directory);
	return again;
}

static bool run_session(const struct session_options *options, struct session_result *ret,
                        struct again *ret_again, GError **error)
{
	struct session session = {0};
	bool opened, mixed;

	interruption_hold();
	rank_names_set(options->program, options->ranks);
	session_init(&session, options);
	opened = session_open(&session, &session.error);
	if (opened)
		carry_out_all(&session);
	mixed = lanes_are_mixed(session.lanes) && !session.error;
	if (opened && !mixed) {
		replay_findings(session.replay);
		replay_well(session.replay);
		look_for_callers(&session, true);
		state_exploration_count(session.states);
		outcome_watch_conclude(session.outcomes, session.shard);
		conclude_exploration(&session);
	}
	hand_over(&session, ret);
	*ret_again = again_of(&session, mixed);
	session_release(&session);
	interruption_release();
	findings_free(session.findings);
	if (session.error)
		g_propagate_error(error, session.error);
	return session.error == NULL;
}

/* The same program, with more processes that it spawns. */
static void take_program(struct session_options *options, char **program)
{
	options->ranks += program_parts_behind(program, NULL)
	                  - program_parts_behind(options->program, NULL);
	options->program = program;
}

bool session_run(const struct session_options *options, struct session_result *ret, GError **error)
{
	struct session_options next = *options;
	g_autofree char *run_parent = NULL; /* found once at most */
	g_auto(GStrv) program = session_known_job(options);
	g_autoptr(GError) problem = NULL;
	struct again again;

	if (program)
		take_program(&next, program);
	while (true) {
		bool fine = run_session(&next, ret, &again, &problem);
		bool alone = again.one_world && !next.reason_for_one_world;

		if (!alone && !again.run_parent && !again.output_on_disk && !again.program) {
			if (!fine)
				g_propagate_error(error, g_steal_pointer(&problem));
			return fine;
		}
		g_clear_error(&problem);
		session_result_clear(ret);
		if (alone)
			next.reason_for_one_world = again.one_world;
		next.output_on_disk |= again.output_on_disk;
		if (again.run_parent)
			next.run_parent = run_parent = again.run_parent;
		if (again.program) {
			take_program(&next, again.program);
			g_strfreev(program);
			program = again.program;
		}
		if (options->max_seconds > 0)
			next.max_seconds = MAX(next.max_seconds - again.seconds, SECONDS_LEAST);
	}
}

void session_result_clear(struct session_result *result)
{
	record_exploration_free(result->exploration);
	if (result->findings)
		g_ptr_array_unref(result->findings);
	g_free(result->lost_reason);
	memset(result, 0, sizeof(*result));
}
