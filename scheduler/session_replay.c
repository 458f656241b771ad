/* Every finding is seen a second time, along its path, before it is reported: as soon as it is
 * found, since there may be no time later. On the way its ranks tell their call stacks. */
#include "session_internal.h"

#define WELL_SECONDS 5 /* so long a replay may take for what goes well to be replayed, too */

/* The replay of a finding ended otherwise, or made other calls: a finding of its own. */
static void report_difference(struct session *session, const struct record_finding *finding,
                              const char *difference)
{
	struct execution *execution = session->current;
	struct record_finding *other = record_finding_new("not-reproducible");
	g_autoptr(GArray) choices = world_told_choices(execution->world);

	if (!execution->record || execution->cut_short)
		return record_finding_free(other);
	other->path = g_strdup(finding->path);
	other->message = difference ? g_strdup(difference)
	                            : g_strdup_printf("%s #%u ended otherwise when its path was "
	                                              "followed again, though by the same calls",
	                                              finding->kind, finding->id);
	other->replayed = other->reproduced = TRUE;
	other = findings_add(session->findings, other, execution->record, choices);
	if (other->count == 1)
		g_ptr_array_add(session->logs, call_log_take(execution->world));
}

/* Whether the interleaving just carried out has shown this finding. */
static gboolean shows(const struct session *session, const struct record_finding *finding)
{
	const GPtrArray *shown = session->current->findings;
	g_autofree char *key = record_finding_key(finding);

	for (guint i = 0; i < shown->len; i++) {
		g_autofree char *again = record_finding_key(shown->pdata[i]);

		if (g_str_equal(key, again))
			return TRUE;
	}
	return FALSE;
}

/* Those that the same interleaving has shown are seen again together. What does not show is only
 * believed without unwinding. */
static void confirm(struct session *session, guint id)
{
	const GPtrArray *all = findings_all(session->findings);

	for (guint i = id - 1; i < all->len; i++) {
		struct record_finding *other = all->pdata[i];

		if (!findings_same_course(session->findings, id, other->id))
			continue;
		other->reproduced = shows(session, other);
		other->replayed = other->reproduced || !session->replaying;
	}
}

/* The replay is over, but not gone yet. Its calls are those of the first time, unless they differ.
 */
static void look(struct session *session, void *data)
{
	struct record_finding *finding = data;
	const struct call_log *log = session->logs->pdata[finding->id - 1];
	g_autofree char *difference = NULL;

	if (session->current->cut_short || session->error)
		return;
	if (log)
		difference = call_log_difference(log, session->current->world);
	confirm(session, finding->id);
	if (finding->reproduced && !difference)
		session_keep_stacks(session, findings_execution(session->findings, finding->id));
	if (!finding->reproduced && !session->replaying)
		report_difference(session, finding, difference);
}

/* Unwinding goes by what the program says of itself: it must not be taken for a fault of the
 * program's. What shows with it is right; what does not is tried without. */
static void replay(struct session *session, struct record_finding *finding)
{
	enum buffering buffering;
	const GArray *choices = findings_choices(session->findings, finding->id, &buffering);

	session->replaying = TRUE;
	session_follow(session, choices, buffering, look, finding);
	session->replaying = FALSE;
	if (!finding->reproduced && !session->error && !session->hurry)
		session_follow(session, choices, buffering, look, finding);
}

/* It has gone well once more. */
static void look_at_well(struct session *session, void *data)
{
	const guint32 *execution = data;

	if (session->current->ended_well && !session->current->lost)
		session_keep_stacks(session, *execution);
}

/* What findings are compared with, under each buffering: for its stacks, too. */
static void replay_well(struct session *session)
{
	const GPtrArray *all = findings_all(session->findings);
	guint32 bufferings = 0, execution;

	for (guint i = 0; i < all->len; i++)
		bufferings |= ((const struct record_finding *)all->pdata[i])->bufferings;
	session->replaying = TRUE;
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		enum buffering buffering = (enum buffering)i;
		const GArray *choices = findings_good(session->findings, buffering, &execution);

		if (bufferings & session->well_kept & 1u << i && choices && !session->error
		    && !session->hurry)
			session_follow(session, choices, buffering, look_at_well, &execution);
	}
	session->replaying = FALSE;
}

static gboolean is_replay(const struct session_options *options)
{
	return options->conduct || (options->path && options->path->choices->len > 0);
}

/* Those that its own replay adds come next in turn. */
static void write_replayed(struct session *session, guint from)
{
	const GPtrArray *all = findings_all(session->findings);
	g_autoptr(GPtrArray) changed = g_ptr_array_new();
	g_autoptr(GError) error = NULL;

	for (guint i = from; i < all->len; i++)
		g_ptr_array_add(changed, all->pdata[i]);
	if (session->store && !store_add(session->store, NULL, changed, &error))
		session_fail(session, "%s", error->message);
}

void session_replay_findings(struct session *session)
{
	const GPtrArray *all = findings_all(session->findings);
	gboolean seen_again = is_replay(session->options); /* by what the session is itself */
	guint first = session->replays;

	while (session->replays < all->len && !session->error && !session->hurry) {
		struct record_finding *finding = all->pdata[session->replays];
		gint64 begun = g_get_monotonic_time();

		if (!finding->reproduced) {
			if (seen_again || g_str_equal(finding->kind, "not-reproducible"))
				finding->replayed = finding->reproduced = TRUE;
			else
				replay(session, finding);
		}
		session->replays++;
		session->replay_time += g_get_monotonic_time() - begun;
	}
	if (session->replays > first && !session->error)
		write_replayed(session, first);
}

void session_replay_well(struct session *session)
{
	if (session->store && !is_replay(session->options) && session->replays > 0
	    && session->replay_time < (gint64)session->replays * WELL_SECONDS * G_USEC_PER_SEC)
		replay_well(session);
}
