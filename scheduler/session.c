#include "session.h"
#include "../explorer/answer.h"

#include <string.h>

#include "interruption.h"
#include "janitor.h"
#include "lanes.h"
#include "log.h"
#include "offspring.h"
#include "portfolio.h"
#include "session_internal.h"
#include "strays.h"

#define LAUNCHER_PATIENCE_S 5.0 /* for the job to end once its ranks have */
#define LAUNCHER_KILLED_S 0.5   /* when they had to be killed */
#define TOOLS_PATIENCE_S 60.0   /* for what ranks run under */

#define SECONDS_LEAST 0.1 /* of --max-time, for what has to be begun again */

G_DEFINE_QUARK(matchpoint_session_error, session_error)

static guint64 mix(guint64 value)
{
	value ^= value >> 33;
	value *= 0xff51afd7ed558ccdu;
	value ^= value >> 33;
	value *= 0xc4ceb9fe1a85ec53u;
	return value ^ (value >> 33);
}

guint64 session_choice_key(const struct choice *choice)
{
	const struct op_id *point = &choice->point, *taken = &choice->taken;
	guint64 key = mix((guint64)point->rank << 32 | point->call);

	key = mix(mix(key ^ point->sub) ^ ((guint64)taken->rank + 1));
	/* Of a message the rank tells all, and paths know no more. */
	return answer_is(*taken) ? mix(key ^ ((guint64)taken->sub << 32 | taken->call)) : key;
}

guint64 session_buffering_key(enum buffering buffering)
{
	return mix(0x6d617463u + (guint64)buffering);
}

/* --- the loop -------------------------------------------------------------------------------- */

static void on_pump_timer(uv_timer_t *timer)
{
	*(gboolean *)timer->data = TRUE;
}

gboolean session_pump(struct session *session, gboolean (*condition)(struct session *session),
                      double seconds)
{
	gboolean expired = FALSE;
	uv_timer_t *timer = g_new0(uv_timer_t, 1);

	uv_timer_init(&session->loop, timer);
	timer->data = &expired;
	if (seconds > 0)
		uv_timer_start(timer, on_pump_timer, (uint64_t)(seconds * 1000), 0);
	while (!condition(session) && !expired)
		uv_run(&session->loop, UV_RUN_ONCE);
	timer->data = timer;
	uv_close((uv_handle_t *)timer, (uv_close_cb)(void (*)(void))g_free);
	return condition(session);
}

static gboolean current_is_over(struct session *session)
{
	return session->error || session->current->again
	       || session->current->state == EXECUTION_OVER;
}

static gboolean current_is_gone(struct session *session)
{
	return session->current->state == EXECUTION_OVER;
}

static gboolean launcher_is_gone(struct session *session)
{
	return !launcher_running(session->launcher);
}

static gboolean current_job_is_gone(struct session *session)
{
	return !launcher_running(session->current->launcher);
}

static gboolean current_job_is_gone_or_interrupted(struct session *session)
{
	return current_job_is_gone(session) || session->hurry;
}

/* How long its job may take to end once its ranks have, in seconds. */
static double patience(const struct execution *execution)
{
	return execution->ended_well ? LAUNCHER_PATIENCE_S : LAUNCHER_KILLED_S;
}

/* Who sits at a debugger ends it himself; other tools have a lot to say in the end. */
static void wait_for_tools(struct session *session, const struct wrapper *wrapper)
{
	session_pump(session, current_job_is_gone_or_interrupted,
	             wrapper->terminal ? 0 : TOOLS_PATIENCE_S);
}

/* --- one interleaving ------------------------------------------------------------------------ */

/* The choices that the snapshot has behind it need not be made again. */
static void forget_made(GArray *plan, const GArray *made)
{
	for (guint i = 0; i < made->len; i++) {
		const struct choice *choice = &g_array_index(made, struct choice, i);

		for (guint j = 0; j < plan->len; j++) {
			if (!op_id_equal(g_array_index(plan, struct choice, j).point,
			                 choice->point))
				continue;
			g_array_remove_index(plan, j);
			break;
		}
	}
}

static struct frozen *nearest(struct session *session, const GArray *plan, enum buffering buffering)
{
	g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(guint64));
	guint64 key = session_buffering_key(buffering);
	struct snapshot *snapshot;

	if (!session->snapshots || !session->root)
		return NULL;
	if (session_wants_stacks(session)) /* of all calls: from the beginning */
		return session->root;
	g_array_append_val(keys, key);
	for (guint i = 0; i < plan->len; i++) {
		key = session_choice_key(&g_array_index(plan, struct choice, i));
		g_array_append_val(keys, key);
	}
	snapshot = snapshot_set_find(session->set, (const guint64 *)(void *)keys->data, keys->len);
	return snapshot ? snapshot_owner(snapshot) : session->root;
}

struct execution *session_begin(struct session *session, struct strategy *strategy,
                                enum buffering buffering, GArray *plan)
{
	const struct session_options *asked = session->options;
	struct world_options options = {asked->ranks,
	                                buffering,
	                                asked->every_call_waits,
	                                collective_mode_under(asked->collectives, buffering),
	                                buffering == BUFFERING_ZERO,
	                                session->cancels,
	                                asked->not_yet,
	                                asked->some};
	struct frozen *frozen = nearest(session, plan, buffering);
	struct execution *execution = execution_new(session, strategy, plan);
	g_autoptr(GError) error = NULL;

	execution->buffering = buffering;
	log_debug(LOG_SESSION, "a plan of %u choices, from %s with %u", plan->len,
	          frozen ? "a snapshot" : "a new job",
	          frozen ? world_choices(frozen->world)->len : 0);
	if (session->journal)
		journal_put_back(session->journal, frozen ? frozen->files : NULL);
	if (!frozen) {
		execution->world = world_new(&options, session->comms, &execution_orders,
		                             execution);
		session_launch(session, execution);
		return execution;
	}
	execution->world = world_copy(frozen->world, &options, execution);
	forget_made(plan, world_choices(frozen->world));
	if (!frozen_restore(frozen, execution, &error)) {
		execution->again = TRUE;
		session_fall_back(session, g_strdup(error->message));
	}
	return execution;
}

gboolean session_has_ended(const struct execution *execution)
{
	gint64 waited = g_get_monotonic_time() - execution->over_since;

	if (execution->state != EXECUTION_OVER)
		return FALSE;
	return !launcher_running(execution->launcher)
	       || (double)waited > patience(execution) * G_USEC_PER_SEC;
}

/* The job of the current execution has to be over before another takes its place. */
static void end_job(struct session *session)
{
	struct execution *execution = session->current;

	if (!execution->launcher)
		return;
	if (session->options->wrapper)
		wait_for_tools(session, session->options->wrapper);
	if (!session_has_ended(execution)
	    && !session_pump(session, current_job_is_gone, patience(execution)))
		log_debug(LOG_SESSION, "the job launcher had to be killed");
	launcher_free(g_steal_pointer(&execution->launcher));
}

/* Ends all keepers, and with the root's the job. */
void session_release_root(struct session *session)
{
	while (session->frozen->len > 0)
		frozen_release(session->frozen->pdata[session->frozen->len - 1]);
	if (session->launcher && !session->error)
		session_pump(session, launcher_is_gone, LAUNCHER_PATIENCE_S);
	launcher_free(g_steal_pointer(&session->launcher));
}

void session_renew_job(struct session *session)
{
	if (!session->snapshots || !session->root)
		session_release_root(session);
}

void session_drop(struct session *session, struct execution *execution)
{
	session->current = execution;
	if (execution->state != EXECUTION_OVER) {
		execution_cut_short(execution);
		session_pump(session, current_is_gone, RANKS_PATIENCE_S);
	}
	end_job(session);
	execution_end_offspring(execution);
	if (execution->directory)
		run_directory_remove_world(session->directory, execution->number);
	pmi_server_forget(session->pmi, execution->number);
	session_forget_places(execution);
	session->current = NULL;
	execution_free(execution);
}

gboolean session_is_enough(struct session *session)
{
	guint64 most = session->options->max_interleavings;
	guint running = g_hash_table_size(session->executions);

	if (most > 0 && session->interleavings + running >= most) {
		if (running == 0 && !session->stop_reason)
			session->stop_reason = g_strdup_printf(
				"stopped by --max-interleavings %" G_GUINT64_FORMAT, most);
		return TRUE;
	}
	return session->error || session->stop_reason;
}

GArray *session_plan_again(const struct execution *execution)
{
	const GArray *made = world_choices(execution->world);
	GArray *plan = g_array_new(FALSE, FALSE, sizeof(struct choice));

	g_array_append_vals(plan, made->data, made->len);
	g_array_append_vals(plan, execution->plan->data, execution->plan->len);
	return plan;
}

struct execution *session_carry_out(struct session *session, struct strategy *strategy,
                                    enum buffering buffering, GArray *plan)
{
	struct execution *execution = session_begin(session, strategy, buffering, plan);

	session->current = execution;
	session_pump(session, current_is_over, 0);
	while (execution->again && !session->error) {
		gboolean struck = execution->struck || execution->struck_before;

		plan = session_plan_again(execution);
		session_drop(session, execution);
		lanes_fall_back(session);
		execution = session_begin(session, strategy, buffering, plan);
		execution->struck_before = struck;
		session->current = execution;
		session_pump(session, current_is_over, 0);
	}
	return execution;
}

void session_release_snapshots(struct session *session)
{
	struct snapshot *victim;

	for (guint i = session->frozen->len; i-- > 0;) {
		struct frozen *frozen = session->frozen->pdata[i];

		if (frozen != session->root && frozen->children == 0
		    && !lanes_need(session, frozen))
			frozen_release(frozen);
	}
	while ((victim = snapshot_set_evict(session->set))) {
		struct frozen *frozen = snapshot_owner(victim);

		if (frozen == session->root || frozen->children > 0)
			break;
		frozen_release(frozen);
	}
}

void session_take(struct session *session, struct record_execution *record, const GArray *choices,
                  GPtrArray *shown, gboolean ended_well)
{
	const struct world *world = session->current ? session->current->world : NULL;
	g_autoptr(GPtrArray) changed = g_ptr_array_new();
	g_autoptr(GError) error = NULL;

	record->id = (guint32)++session->interleavings;
	choice_coverage_add(session->choices, record->choices);
	while (shown->len > 0) {
		struct record_finding *finding = g_ptr_array_steal_index(shown, 0);

		finding = findings_add(session->findings, finding, record, choices);
		g_array_append_val(record->findings, finding->id);
		g_ptr_array_add(changed, finding);
		if (finding->count == 1)
			g_ptr_array_add(session->logs, world ? call_log_take(world) : NULL);
	}
	if (record->calls->len > 0 && ended_well)
		session->well_kept |= record->buffering;
	if (ended_well) {
		findings_add_good(session->findings, record, choices);
		session_outcome(session, record, choices);
	}
	if (world && session->store && !store_add(session->store, record, changed, &error))
		session_fail(session, "%s", error->message);
	if (world)
		session_keep_stacks(session, record->id);
	if (changed->len > 0 && world && session->options->fail_fast && !session->stop_reason)
		session->stop_reason = g_strdup("stopped by --fail-fast");
}

static void keep(struct session *session)
{
	struct execution *execution = session->current;
	g_autoptr(GArray) choices = world_told_choices(execution->world);

	session_take(session, execution->record, choices, execution->findings,
	             execution->ended_well);
	log_debug(LOG_SESSION, "interleaving %u ended: %s, %s", (guint)session->interleavings,
	          execution->record->status, execution->record->path);
}

void session_account(struct session *session, struct execution *execution)
{
	double seconds = (double)(g_get_monotonic_time() - execution->started) / G_USEC_PER_SEC;

	session->current = execution;
	session->longest = MAX(session->longest, seconds);
	session->by_rule |= world_answered_by_rule(execution->world);
	session->collectives_waited |= world_collectives_waited(execution->world);
	if (world_collectives_matter(execution->world))
		session->collectives_tried |= 1u << world_options(execution->world)->collectives;
	session->locks |= world_has_locked(execution->world);
	session->atomics |= world_has_atomics(execution->world);
	session->accesses |= world_has_accesses(execution->world);
	session->accesses_unknown |= world_doubts(execution->world)->unknown > 0;
	session->accesses_learnt |= world_doubts(execution->world)->learnt > 0;
	if (execution->cut_short || session->error)
		return;
	session->starved += execution->starved;
	if (execution->wasted)
		session->wasted++;
	if (execution->lost) {
		session->lost++;
		session->lost_unseen |= world_has_windows(execution->world);
		g_free(session->lost_reason);
		session->lost_reason = g_strdup(execution->lost);
	}
	if (execution->record && execution->state == EXECUTION_OVER)
		keep(session);
}

gboolean session_is_whole(const struct execution *execution)
{
	return execution->state == EXECUTION_OVER && !execution->cut_short
	       && !execution->session->error;
}

gboolean session_finish(struct session *session, struct execution *execution, gboolean counts)
{
	struct coverage *covered = &session->covered[world_options(execution->world)->buffering];
	guint64 before = session->interleavings;
	gboolean whole = session_is_whole(execution);

	if (counts)
		session_account(session, execution);
	covered->explored += session->interleavings - before;
	session_drop(session, execution);
	if (!whole)
		return FALSE;
	if (counts) {
		session_replay_findings(session);
		session_doubt_outcomes(session);
	}
	session_release_snapshots(session);
	return TRUE;
}

static void follow(struct session *session, const GArray *choices, enum buffering buffering,
                   gboolean keeps, void (*look)(struct session *session, void *data), void *data)
{
	struct strategy *strategy = strategy_path(choices);

	session->recording = keeps;
	session->following = TRUE;
	session_carry_out(session, strategy, buffering, strategy->next(strategy));
	look(session, data);
	if (keeps)
		session_account(session, session->current);
	session_drop(session, session->current);
	session->recording = session->following = FALSE;
	strategy->free(strategy);
}

void session_follow(struct session *session, const GArray *choices, enum buffering buffering,
                    void (*look)(struct session *session, void *data), void *data)
{
	follow(session, choices, buffering, FALSE, look, data);
}

void session_follow_and_keep(struct session *session, const GArray *choices,
                             enum buffering buffering,
                             void (*look)(struct session *session, void *data), void *data)
{
	follow(session, choices, buffering, TRUE, look, data);
}

/* What the options ask for. */
static void carry_out_all(struct session *session)
{
	const struct session_options *options = session->options;

	if (options->conduct) {
		options->conduct(session, options->conductor);
		session_release_snapshots(session);
		return;
	}
	if (options->random)
		session_wander(session);
	else if (session_divide(session))
		lanes_explore(session);
}

/* --- the end --------------------------------------------------------------------------- */

static void conclude(struct session *session)
{
	struct record_exploration *exploration = session->exploration;
	GPtrArray *all = findings_all(session->findings);
	g_autoptr(GError) error = NULL;

	findings_blame(session->findings);
	exploration->backtrack = session->snapshots ? "snapshot" : "rerun";
	exploration->interleavings = session->interleavings;
	exploration->wasted = session->wasted;
	exploration->seconds = session_seconds(session);
	exploration->runs = session->runs;
	if (session->options->random && !session->error) {
		exploration->incomplete_reason = session_wander_words(session);
	} else if (session->stop_reason || session->error) {
		g_free(exploration->incomplete_reason);
		exploration->incomplete_reason = g_strdup(session->error ? "stopped by an error"
		                                                         : session->stop_reason);
	} else if (session->lost > 0 && !session->options->path)
		exploration->incomplete_reason = g_strdup_printf(
			"%" G_GUINT64_FORMAT
			" planned interleavings could not be followed, the first "
			"because %s: %s",
			session->lost, session->lost_reason,
			session->lost_unseen ? "one-sided communication orders the ranks in ways "
					       "that are not seen"
					     : "the program does not behave the same way each "
					       "time");
	if (session->starved > 0 && !exploration->incomplete_reason)
		exploration->incomplete_reason = g_strdup_printf(
			"memory ran out in %" G_GUINT64_FORMAT " interleaving%s",
			session->starved, session->starved == 1 ? "" : "s");
	exploration->complete = !exploration->incomplete_reason;
	session_note(session);
	if (!session->store)
		return;
	if (!store_add(session->store, NULL, all, &error)
	    || !store_put_exploration(session->store, exploration, &error)
	    || !store_release(session->store, &error))
		session_fail(session, "%s", error->message);
}

static void close_session(struct session *session)
{
	session_release_root(session);
	link_listener_close(session->listener);
	pmi_server_close(session->pmi);
	interruption_watch(NULL);
	uv_close((uv_handle_t *)&session->interruption, NULL);
	uv_close((uv_handle_t *)&session->deadline, NULL);
	uv_close((uv_handle_t *)&session->ticker, NULL);
	uv_close((uv_handle_t *)&session->looker, NULL);
}

static void release_session(struct session *session)
{
	close_session(session);
	uv_run(&session->loop, UV_RUN_DEFAULT);
	uv_loop_close(&session->loop);
	offspring_end_all();
	journal_free(session->journal);
	store_close(session->store);
	run_directory_free(session->directory);
	strays_remove(session->strays);
	janitor_end(session->janitor);
	g_hash_table_destroy(session->strays);
	snapshot_set_free(session->set);
	g_ptr_array_unref(session->frozen);
	g_hash_table_destroy(session->executions);
	g_ptr_array_unref(session->logs);
	g_ptr_array_unref(session->parts);
	g_ptr_array_unref(session->lanes);
	portfolio_free(session->portfolio);
	choice_coverage_free(session->choices);
	outcomes_free(session->outcomes);
	g_array_unref(session->outcome_of);
	g_hash_table_destroy(session->places);
	communicators_free(session->comms);
	stack_table_free(session->stacks);
	source_lines_free(session->lines);
	session_shard_release(session);
	session_wander_release(session);
	g_free(session->stop_reason);
	g_free(session->lost_reason);
	g_free(session->struck_first);
}

static void hand_over(struct session *session, struct session_result *ret)
{
	GPtrArray *all = findings_all(session->findings);

	ret->exploration = session->exploration;
	ret->findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	g_ptr_array_set_free_func(all, NULL);
	for (guint i = 0; i < all->len; i++)
		g_ptr_array_add(ret->findings, all->pdata[i]);
	ret->lost = session->lost > 0;
	ret->lost_reason = g_strdup(session->lost_reason);
}

/* *ret_again: to be done again, without worlds side by side. */
static gboolean run(const struct session_options *options, struct session_result *ret,
                    const char **ret_again, GError **error)
{
	struct session session = {0};
	gboolean opened;

	interruption_hold();
	session_init(&session, options);
	opened = session_open(&session, &session.error);
	if (opened)
		carry_out_all(&session);
	*ret_again = session.mixed && !session.error ? session.alone : NULL;
	if (opened && !*ret_again) {
		session_replay_findings(&session);
		session_replay_well(&session);
		session_judge_outcomes(&session);
		conclude(&session);
	} else if (session.journal) {
		journal_put_back(session.journal, NULL);
	}
	hand_over(&session, ret);
	release_session(&session);
	interruption_release();
	findings_free(session.findings);
	if (session.error)
		g_propagate_error(error, session.error);
	return session.error == NULL;
}

gboolean session_run(const struct session_options *options, struct session_result *ret,
                     GError **error)
{
	struct session_options alone = *options;
	gint64 begun = g_get_monotonic_time();
	gboolean fine = run(options, ret, &alone.alone, error);
	double seconds = (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;

	if (!fine || !alone.alone || options->alone)
		return fine;
	session_result_clear(ret);
	if (options->max_seconds > 0)
		alone.max_seconds = MAX(options->max_seconds - seconds, SECONDS_LEAST);
	return run(&alone, ret, &alone.alone, error);
}

void session_result_clear(struct session_result *result)
{
	record_exploration_free(result->exploration);
	if (result->findings)
		g_ptr_array_unref(result->findings);
	g_free(result->lost_reason);
	memset(result, 0, sizeof(*result));
}
