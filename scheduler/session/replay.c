#include "replay.h"

#include "findings.h"
#include "scheduler/store/store.h"
#include "session_context.h"

#define WELL_SECONDS 5 /* so long a replay may take for what goes well to be replayed, too */

struct replay {
	struct session *session;
	GPtrArray *logs; /* struct call_log, by finding: what its interleaving called */
	guint done;      /* findings that have been replayed, or were tried: the first ones */
	gint64 time;     /* what that took, in microseconds */
	guint32 well;    /* bufferings under which the calls of an interleaving that ended well
	                    have been kept */
};

struct replay *replay_new(struct session *session)
{
	struct replay *replay = g_new0(struct replay, 1);

	replay->session = session;
	replay->logs = g_ptr_array_new_with_free_func((GDestroyNotify)call_log_free);
	return replay;
}

void replay_free(struct replay *replay)
{
	g_ptr_array_unref(replay->logs);
	g_free(replay);
}

void replay_add_log(struct replay *replay, struct call_log *log)
{
	g_ptr_array_add(replay->logs, log);
}

void replay_add_well_kept(struct replay *replay, guint32 buffering)
{
	replay->well |= buffering;
}

bool replay_has_well_kept(const struct replay *replay, guint32 buffering)
{
	return (replay->well & buffering) != 0;
}

/* The replay of a finding ended otherwise, or made other calls: a finding of its own. */
static void report_difference(struct replay *replay, const struct execution *execution,
                              const struct record_finding *finding, const char *difference)
{
	const struct record_execution *record = interleaving_verdict(execution)->record;
	struct record_finding *other = record_finding_new(FINDING_NOT_REPRODUCIBLE);
	g_autoptr(GArray) choices = world_told_choices(execution_world(execution));

	if (!record || execution_result(execution)->cut_short)
		return record_finding_free(other);
	other->path = g_strdup(finding->path);
	other->message = difference
	                         ? g_strdup(difference)
	                         : g_strdup_printf("%s #%u ended otherwise when its path was "
	                                           "followed again, though by the same calls",
	                                           finding_kind_name(finding->kind), finding->id);
	other->replayed = other->reproduced = true;
	other = findings_add(session_findings(replay->session), other, record, choices);
	if (other->count == 1)
		replay_add_log(replay, call_log_take(execution_world(execution)));
}

/* Whether the interleaving just carried out has shown this finding. */
static bool shows_finding(const struct execution *execution, const struct record_finding *finding)
{
	const GPtrArray *shown = interleaving_verdict(execution)->findings;
	g_autofree char *key = record_finding_key(finding);

	for (guint i = 0; i < shown->len; i++) {
		g_autofree char *again = record_finding_key(shown->pdata[i]);

		if (g_str_equal(key, again))
			return true;
	}
	return false;
}

/* Those that the same interleaving has shown are seen again together. What does not show is only
 * believed without unwinding. */
static void mark_replayed(const struct replay *replay, const struct execution *execution, guint id,
                          bool unwinds)
{
	const struct findings *findings = session_findings(replay->session);
	const GPtrArray *all = findings_all(findings);

	for (guint i = id - 1; i < all->len; i++) {
		struct record_finding *other = all->pdata[i];

		if (!findings_same_course(findings, id, other->id))
			continue;
		other->reproduced = shows_finding(execution, other);
		other->replayed = other->reproduced || !unwinds;
	}
}

/* The replay is over, but not gone yet. Its calls are those of the first time, unless they differ.
 */
static void compare_replay(struct replay *replay, const struct execution *execution,
                           const struct record_finding *finding, bool unwinds)
{
	const struct call_log *log = replay->logs->pdata[finding->id - 1];
	struct session *session = replay->session;
	g_autofree char *difference = NULL;

	if (execution_result(execution)->cut_short || session_has_failed(session))
		return;
	if (log)
		difference = call_log_difference(log, execution_world(execution));
	mark_replayed(replay, execution, finding->id, unwinds);
	if (finding->reproduced && !difference)
		session_keep_stacks(session, execution,
		                    findings_execution(session_findings(session), finding->id));
	if (!finding->reproduced && !unwinds)
		report_difference(replay, execution, finding, difference);
}

static void replay_once(struct replay *replay, const struct record_finding *finding, bool unwinds)
{
	struct session *session = replay->session;
	enum buffering buffering;
	const GArray *choices = findings_choices(session_findings(session), finding->id,
	                                         &buffering);
	struct execution *execution = session_follow(session, choices, buffering, unwinds,
	                                             CALLS_FORGOTTEN);

	compare_replay(replay, execution, finding, unwinds);
	session_drop(execution);
}

/* Unwinding goes by what the program says of itself: it must not be taken for a fault of the
 * program's. What shows with it is right; what does not is tried without. */
static void replay_finding(struct replay *replay, const struct record_finding *finding)
{
	replay_once(replay, finding, true);
	if (!finding->reproduced && session_may_make_sure(replay->session))
		replay_once(replay, finding, false);
}

/* What goes well under this buffering, once more: for its stacks. */
static void replay_good(const struct replay *replay, enum buffering buffering)
{
	struct session *session = replay->session;
	guint32 number;
	const GArray *choices = findings_good(session_findings(session), buffering, &number);
	struct execution *execution;

	if (!choices)
		return;
	execution = session_follow(session, choices, buffering, true, CALLS_FORGOTTEN);
	if (interleaving_verdict(execution)->ended_well && !execution_result(execution)->lost)
		session_keep_stacks(session, execution, number);
	session_drop(execution);
}

/* What findings are compared with, under each buffering: for its stacks, too. */
static void replay_all_good(const struct replay *replay)
{
	const GPtrArray *all = findings_all(session_findings(replay->session));
	guint32 bufferings = 0;

	for (guint i = 0; i < all->len; i++)
		bufferings |= ((const struct record_finding *)all->pdata[i])->bufferings;
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		if (bufferings & replay->well & 1u << i && session_may_make_sure(replay->session))
			replay_good(replay, (enum buffering)i);
}

static bool is_replay(const struct session_options *options)
{
	return options->conduct || (options->path && options->path->choices->len > 0);
}

/* Those that its own replay adds come next in turn. */
static void write_replayed(const struct replay *replay, guint from)
{
	struct store *store = session_store(replay->session);
	const GPtrArray *all = findings_all(session_findings(replay->session));
	g_autoptr(GPtrArray) changed = g_ptr_array_new();
	g_autoptr(GError) error = NULL;

	for (guint i = from; i < all->len; i++)
		g_ptr_array_add(changed, all->pdata[i]);
	if (store && !store_add(store, NULL, changed, &error))
		session_fail(replay->session, "%s", error->message);
}

void replay_findings(struct replay *replay)
{
	struct session *session = replay->session;
	const GPtrArray *all = findings_all(session_findings(session));
	bool seen_again = is_replay(session_options(session)); /* by what it is itself */
	guint first = replay->done;

	while (replay->done < all->len && session_may_make_sure(session)) {
		struct record_finding *finding = all->pdata[replay->done];
		gint64 begun = session_now(session);

		if (!finding->reproduced) {
			if (seen_again || finding->kind == FINDING_NOT_REPRODUCIBLE)
				finding->replayed = finding->reproduced = true;
			else
				replay_finding(replay, finding);
		}
		replay->done++;
		replay->time += session_now(session) - begun;
	}
	if (replay->done > first && !session_has_failed(session))
		write_replayed(replay, first);
}

void replay_well(struct replay *replay)
{
	const struct session *session = replay->session;

	if (session_store(session) && !is_replay(session_options(session)) && replay->done > 0
	    && replay->time < (gint64)replay->done * WELL_SECONDS * G_USEC_PER_SEC)
		replay_all_good(replay);
}
