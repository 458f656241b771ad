#include "mishaps.h"

#include "scheduler/host/host.h"

struct mishaps {
	struct host *host;
	guint64 wasted;
	guint64 lost; /* plans of the search that the program did not follow */
	char *lost_reason;
	bool lost_unseen;   /* one-sided communication could be the cause */
	bool lost_threads;  /* several threads of a rank could be */
	guint64 struck;     /* executions that something outside has ended, begun again */
	char *struck_first; /* what was struck; NULL: nothing was */
	struct memory_pressure memory_before;
	bool memory_ran_out;   /* when one was struck */
	guint64 starved;       /* interleavings that ended for that, twice */
	guint64 cut;           /* those whose output may be cut short */
	guint64 cut_first;     /* the number of the first */
	GPtrArray *unreplayed; /* char *: a note on each finding that could not be */
};

struct mishaps *mishaps_new(struct host *host)
{
	struct mishaps *mishaps = g_new0(struct mishaps, 1);

	mishaps->host = host;
	mishaps->unreplayed = g_ptr_array_new_with_free_func(g_free);
	mishaps->memory_before = host->operations->memory_pressure(host);
	return mishaps;
}

void mishaps_free(struct mishaps *mishaps)
{
	g_free(mishaps->lost_reason);
	g_free(mishaps->struck_first);
	g_ptr_array_unref(mishaps->unreplayed);
	g_free(mishaps);
}

void mishaps_add_struck(struct mishaps *mishaps, const char *what)
{
	mishaps->struck++;
	mishaps->memory_ran_out |= mishaps_memory_ran_out(mishaps);
	if (!mishaps->struck_first)
		mishaps->struck_first = g_strdup(what);
}

void mishaps_add_unreplayed(struct mishaps *mishaps, const char *finding, const char *what)
{
	g_ptr_array_add(mishaps->unreplayed,
	                g_strdup_printf("the replay of %s was ended from outside (%s) each time: "
	                                "whether it shows again is not known",
	                                finding, what));
}

bool mishaps_memory_ran_out(const struct mishaps *mishaps)
{
	struct memory_pressure now = mishaps->host->operations->memory_pressure(mishaps->host);

	return memory_pressure_grew(&mishaps->memory_before, &now);
}

void mishaps_add_wasted(struct mishaps *mishaps)
{
	mishaps->wasted++;
}

void mishaps_add(struct mishaps *mishaps, const struct execution *execution, bool starved)
{
	const struct run_result *result = execution_result(execution);

	mishaps->starved += starved;
	if (result->wasted)
		mishaps->wasted++;
	if (!result->lost)
		return;
	mishaps->lost++;
	mishaps->lost_unseen |= world_has_windows(execution_world(execution));
	mishaps->lost_threads |= world_has_threads(execution_world(execution));
	g_free(mishaps->lost_reason);
	mishaps->lost_reason = g_strdup(result->lost);
}

void mishaps_add_shared(struct mishaps *mishaps, bool starved)
{
	mishaps->starved += starved;
}

void mishaps_add_cut(struct mishaps *mishaps, guint64 interleaving)
{
	if (mishaps->cut++ == 0)
		mishaps->cut_first = interleaving;
}

bool mishaps_have_starved(const struct mishaps *mishaps)
{
	return mishaps->starved > 0;
}

guint64 mishaps_wasted(const struct mishaps *mishaps)
{
	return mishaps->wasted;
}

const char *mishaps_lost_reason(const struct mishaps *mishaps)
{
	return mishaps->lost > 0 ? mishaps->lost_reason : NULL;
}

/* --- in words -------------------------------------------------------------------------------- */

char *mishaps_lost_words(const struct mishaps *mishaps, const char *hurried)
{
	const char *cause = hurried ? hurried
	                            : "the program does not behave the same way each time";

	if (mishaps->lost == 0)
		return NULL;
	if (mishaps->lost_threads)
		cause = "which of a rank's threads comes first is not chosen, and not all "
			"that they tell each other is seen";
	if (mishaps->lost_unseen)
		cause = "one-sided communication orders the ranks in ways that are not seen";
	return g_strdup_printf("%" G_GUINT64_FORMAT
	                       " planned interleavings could not be followed, the first "
	                       "because %s: %s",
	                       mishaps->lost, mishaps->lost_reason, cause);
}

char *mishaps_starved_words(const struct mishaps *mishaps)
{
	if (mishaps->starved == 0)
		return NULL;
	return g_strdup_printf("memory ran out in %" G_GUINT64_FORMAT " interleaving%s",
	                       mishaps->starved, mishaps->starved == 1 ? "" : "s");
}

#define MEMORY_RAN_OUT                                                                      \
	"; meanwhile the kernel has killed processes because memory ran out: fewer ranks, " \
	"fewer worlds at once (-j) or fewer snapshots (--max-memory) need less"

static char *cut_words(const struct mishaps *mishaps)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "what interleaving %" G_GUINT64_FORMAT, mishaps->cut_first);
	if (mishaps->cut > 1)
		g_string_append_printf(text, " (and %" G_GUINT64_FORMAT " more)", mishaps->cut - 1);
	g_string_append(text, " printed may be cut short: something ended a rank before it had "
	                      "written it out, and it could not be run again for it");
	return g_string_free(g_steal_pointer(&text), false);
}

void mishaps_note(const struct mishaps *mishaps, GPtrArray *notes)
{
	if (mishaps->cut > 0)
		g_ptr_array_add(notes, cut_words(mishaps));
	for (guint i = 0; i < mishaps->unreplayed->len; i++)
		g_ptr_array_add(notes, g_strdup(mishaps->unreplayed->pdata[i]));
	if (mishaps->struck == 0)
		return;
	g_ptr_array_add(notes,
	                g_strdup_printf("%" G_GUINT64_FORMAT
	                                " interleaving%s ended from outside (the first: "
	                                "%s), and explored again%s",
	                                mishaps->struck, mishaps->struck == 1 ? " was" : "s were",
	                                mishaps->struck_first,
	                                mishaps->memory_ran_out ? MEMORY_RAN_OUT : ""));
}

/* --- going on later --------------------------------------------------------------------------- */

void mishaps_save(const struct mishaps *mishaps, GVariantDict *state)
{
	g_variant_dict_insert(state, "wasted", "t", mishaps->wasted);
	g_variant_dict_insert(state, "lost", "t", mishaps->lost);
	g_variant_dict_insert(state, "starved", "t", mishaps->starved);
	g_variant_dict_insert(state, "cut", "t", mishaps->cut);
	g_variant_dict_insert(state, "cut-first", "t", mishaps->cut_first);
	if (mishaps->lost_reason)
		g_variant_dict_insert(state, "lost-reason", "s", mishaps->lost_reason);
	g_variant_dict_insert(state, "lost-unseen", "b", mishaps->lost_unseen);
	g_variant_dict_insert(state, "lost-threads", "b", mishaps->lost_threads);
}

void mishaps_recall(struct mishaps *mishaps, GVariantDict *state)
{
	gboolean unseen = false, threads = false; /* as a GVariant gives it */

	g_variant_dict_lookup(state, "wasted", "t", &mishaps->wasted);
	g_variant_dict_lookup(state, "lost", "t", &mishaps->lost);
	g_variant_dict_lookup(state, "starved", "t", &mishaps->starved);
	g_variant_dict_lookup(state, "cut", "t", &mishaps->cut);
	g_variant_dict_lookup(state, "cut-first", "t", &mishaps->cut_first);
	g_variant_dict_lookup(state, "lost-reason", "s", &mishaps->lost_reason);
	if (g_variant_dict_lookup(state, "lost-unseen", "b", &unseen))
		mishaps->lost_unseen = unseen;
	if (g_variant_dict_lookup(state, "lost-threads", "b", &threads))
		mishaps->lost_threads = threads;
}
