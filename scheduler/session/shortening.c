#include "shortening.h"

#include "explorer/ddmin.h"
#include "findings.h"
#include "scheduler/store/finding_kind.h"
#include "session_context.h"

#define TRIES_MOST 100  /* for one finding */
#define SHARE_MOST 0.2  /* of --max-time, for all findings */
#define SECONDS_MOST 10 /* for all findings, if time is not bounded */

struct shortening {
	struct session *session;
	gint64 spent; /* microseconds, on all findings */
};

/* One finding's path. */
struct search {
	struct shortening *shortening;
	struct record_finding *finding;
	enum buffering buffering;
	const GArray *named; /* struct choice, of its path */
	char *key;
	GHashTable
		*results; /* GBytes, the kept indices, to struct result: nothing is tried twice */
	guint tries;
	gint64 until;
};

struct result {
	bool shows;
	GArray *well; /* struct choice: what it made; NULL: it did not end well */
};

static void result_free(void *data)
{
	struct result *result = data;

	if (result->well)
		g_array_unref(result->well);
	g_free(result);
}

struct shortening *shortening_new(struct session *session)
{
	struct shortening *shortening = g_new0(struct shortening, 1);

	shortening->session = session;
	return shortening;
}

void shortening_free(struct shortening *shortening)
{
	g_free(shortening);
}

/* The moment when work on the next finding has to end. */
static gint64 end_of_share(const struct shortening *shortening)
{
	double bound = session_options(shortening->session)->max_seconds;
	double most = bound > 0 ? SHARE_MOST * bound : SECONDS_MOST;
	gint64 share = ((gint64)(most * G_USEC_PER_SEC) - shortening->spent) / 2;
	gint64 left = bound > 0
	                      ? (gint64)(session_seconds_left(shortening->session) * G_USEC_PER_SEC)
	                      : share;

	return session_now(shortening->session) + MAX(MIN(share, left), 0);
}

static struct result *try_choices(const struct search *search, const GArray *choices)
{
	struct session *session = search->shortening->session;
	struct execution *execution = session_try(
		session, session_position(session, choices, search->buffering));
	const struct verdict *verdict = interleaving_verdict(execution);
	struct result *result = g_new0(struct result, 1);

	if (verdict->record && session_is_whole(execution) && !verdict->starved
	    && discard_followed_plan(execution_result(execution)->discard)) {
		result->shows = verdict_finding(verdict, search->key) != NULL;
		if (verdict->ended_well && verdict->findings->len == 0)
			result->well = world_told_choices(execution_world(execution));
	}
	session_drop(execution);
	return result;
}

/* NULL: not known, and there is no time to try it. */
static const struct result *result_of(struct search *search, const GArray *kept)
{
	struct session *session = search->shortening->session;
	g_autoptr(GBytes) key = g_bytes_new(kept->data, kept->len * sizeof(guint));
	struct result *result = g_hash_table_lookup(search->results, key);
	g_autoptr(GArray) choices = NULL;

	if (result || search->tries >= TRIES_MOST || session_now(session) >= search->until
	    || !session_may_make_sure(session))
		return result;
	search->tries++;
	choices = choices_at(search->named, kept);
	result = try_choices(search, choices);
	g_hash_table_insert(search->results, g_steal_pointer(&key), result);
	return result;
}

static bool shows(const GArray *kept, gpointer user)
{
	const struct result *result = result_of(user, kept);

	return result && result->shows;
}

/* The last of the needed choices without which the program ends well is the one to blame: so far
 * both interleavings make the same choices. */
static void blame(struct search *search, const GArray *needed)
{
	for (guint i = needed->len; i-- > 0;) {
		const struct choice *choice = &g_array_index(search->named, struct choice,
		                                             g_array_index(needed, guint, i));
		g_autoptr(GArray) others = g_array_copy((GArray *)needed);
		const struct result *result;
		const struct choice *other;

		g_array_remove_index(others, i);
		result = result_of(search, others);
		other = result && result->well ? choices_find(result->well, &choice->point) : NULL;
		if (!other)
			continue;
		findings_blame_on(session_findings(search->shortening->session),
		                  search->finding->id, choice, &other->taken);
		return;
	}
}

static void leave_out(struct search *search)
{
	g_autoptr(GArray) needed = ddmin(search->named->len, shows, search);
	g_autoptr(GArray) choices = choices_at(search->named, needed);
	char *path = needed->len < search->named->len
	                     ? path_with_choices(search->finding->path, choices)
	                     : NULL;

	blame(search, needed);
	if (!path)
		return;
	g_free(search->finding->path);
	search->finding->path = path;
}

void shortening_finding(struct shortening *shortening, struct record_finding *finding,
                        enum buffering buffering)
{
	struct path *path = path_parse(finding->path, NULL);
	gint64 begun = session_now(shortening->session);
	struct search search = {.shortening = shortening,
	                        .finding = finding,
	                        .buffering = buffering,
	                        .until = end_of_share(shortening)};

	if (path && path->choices->len > 1) {
		search.named = path->choices;
		search.key = record_finding_key(finding);
		search.results = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
		                                       (GDestroyNotify)g_bytes_unref, result_free);
		leave_out(&search);
		g_hash_table_unref(search.results);
		g_free(search.key);
	}
	path_free(path);
	shortening->spent += session_now(shortening->session) - begun;
}
