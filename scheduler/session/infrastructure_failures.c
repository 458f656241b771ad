#include "infrastructure_failures.h"

#include "scheduler/host/host.h"

struct infrastructure_failures {
	struct host *host;
	guint64 wasted;
	guint64 lost; /* plans of the search that the program did not follow */
	char *lost_reason;
	bool lost_unseen;   /* the cause may be one-sided communication */
	bool lost_threads;  /* the cause may be several threads of a rank */
	guint64 struck;     /* executions ended from outside, and begun again */
	char *struck_first; /* what ended first; NULL: nothing did */
	struct memory_pressure memory_before;
	bool memory_ran_out;   /* by the time an execution was ended from outside */
	guint64 starved;       /* interleavings that memory exhaustion ended twice */
	guint64 cut;           /* interleavings whose output may be cut short */
	guint64 cut_first;     /* the number of the first of them */
	GPtrArray *unreplayed; /* char *: a note on each finding that could not be replayed */
};

struct infrastructure_failures *infrastructure_failures_new(struct host *host)
{
	struct infrastructure_failures *failures = g_new0(struct infrastructure_failures, 1);

	failures->host = host;
	failures->unreplayed = g_ptr_array_new_with_free_func(g_free);
	failures->memory_before = host->operations->memory_pressure(host);
	return failures;
}

void infrastructure_failures_free(struct infrastructure_failures *failures)
{
	g_free(failures->lost_reason);
	g_free(failures->struck_first);
	g_ptr_array_unref(failures->unreplayed);
	g_free(failures);
}

void infrastructure_failures_add_struck(struct infrastructure_failures *failures, const char *what)
{
	failures->struck++;
	failures->memory_ran_out |= infrastructure_failures_memory_ran_out(failures);
	if (!failures->struck_first)
		failures->struck_first = g_strdup(what);
}

void infrastructure_failures_add_unreplayed(struct infrastructure_failures *failures,
                                            const char *finding, const char *what)
{
	g_ptr_array_add(failures->unreplayed,
	                g_strdup_printf("the replay of %s was ended from outside (%s) each time: "
	                                "whether it shows again is not known",
	                                finding, what));
}

bool infrastructure_failures_memory_ran_out(const struct infrastructure_failures *failures)
{
	struct memory_pressure now = failures->host->operations->memory_pressure(failures->host);

	return memory_pressure_grew(&failures->memory_before, &now);
}

void infrastructure_failures_add_wasted(struct infrastructure_failures *failures)
{
	failures->wasted++;
}

void infrastructure_failures_add(struct infrastructure_failures *failures,
                                 const struct execution *execution, bool starved)
{
	const struct run_result *result = execution_result(execution);

	failures->starved += starved;
	failures->wasted += discard_effect(result->discard) == DISCARD_WASTED;
	if (result->discard != DISCARD_LOST)
		return;
	failures->lost++;
	failures->lost_unseen |= world_has_windows(execution_world(execution));
	failures->lost_threads |= world_has_threads(execution_world(execution));
	g_free(failures->lost_reason);
	failures->lost_reason = g_strdup(result->lost);
}

void infrastructure_failures_add_shared(struct infrastructure_failures *failures, bool starved)
{
	failures->starved += starved;
}

void infrastructure_failures_add_cut(struct infrastructure_failures *failures, guint64 interleaving)
{
	if (failures->cut++ == 0)
		failures->cut_first = interleaving;
}

bool infrastructure_failures_have_starved(const struct infrastructure_failures *failures)
{
	return failures->starved > 0;
}

void infrastructure_failures_limit_wasted(struct infrastructure_failures *failures, guint64 most)
{
	failures->wasted = MIN(failures->wasted, most);
}

guint64 infrastructure_failures_wasted(const struct infrastructure_failures *failures)
{
	return failures->wasted;
}

const char *infrastructure_failures_lost_reason(const struct infrastructure_failures *failures)
{
	return failures->lost > 0 ? failures->lost_reason : NULL;
}

/* --- words ----------------------------------------------------------------------------------- */

char *infrastructure_failures_lost_words(const struct infrastructure_failures *failures,
                                         const char *hurried)
{
	const char *cause = hurried ? hurried
	                            : "the program does not behave the same way each time";

	if (failures->lost == 0)
		return NULL;
	if (failures->lost_threads)
		cause = "the order of a rank's threads is not controlled, and not all "
			"communication between them is seen";
	if (failures->lost_unseen)
		cause = "one-sided communication orders the ranks in ways that are not seen";
	return g_strdup_printf("%" G_GUINT64_FORMAT
	                       " planned interleavings could not be followed, the first "
	                       "because %s: %s",
	                       failures->lost, failures->lost_reason, cause);
}

char *infrastructure_failures_starved_words(const struct infrastructure_failures *failures)
{
	if (failures->starved == 0)
		return NULL;
	return g_strdup_printf("memory ran out in %" G_GUINT64_FORMAT " interleaving%s",
	                       failures->starved, failures->starved == 1 ? "" : "s");
}

#define MEMORY_RAN_OUT                                                                   \
	"; meanwhile the kernel has killed processes because memory ran out: use fewer " \
	"ranks, fewer worlds at once (-j) or fewer snapshots (--max-memory)"

static char *cut_words(const struct infrastructure_failures *failures)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "the output of interleaving %" G_GUINT64_FORMAT, failures->cut_first);
	if (failures->cut > 1)
		g_string_append_printf(text, " (and %" G_GUINT64_FORMAT " more)",
		                       failures->cut - 1);
	g_string_append(text, " may be cut short: something ended a rank before it had written "
	                      "everything, and the interleaving could not be run again");
	return g_string_free(g_steal_pointer(&text), false);
}

void infrastructure_failures_limits(const struct infrastructure_failures *failures,
                                    GPtrArray *limits)
{
	if (failures->cut > 0)
		limits_add(limits, LIMIT_OUTPUT_CUT, cut_words(failures));
}

void infrastructure_failures_note(const struct infrastructure_failures *failures, GPtrArray *notes)
{
	for (guint i = 0; i < failures->unreplayed->len; i++)
		g_ptr_array_add(notes, g_strdup(failures->unreplayed->pdata[i]));
	if (failures->struck == 0)
		return;
	g_ptr_array_add(notes,
	                g_strdup_printf("%" G_GUINT64_FORMAT
	                                " interleaving%s ended from outside (the first: "
	                                "%s), and explored again%s",
	                                failures->struck, failures->struck == 1 ? " was" : "s were",
	                                failures->struck_first,
	                                failures->memory_ran_out ? MEMORY_RAN_OUT : ""));
}

/* --- save and restore ------------------------------------------------------------------------- */

void infrastructure_failures_save(const struct infrastructure_failures *failures,
                                  GVariantDict *state)
{
	g_variant_dict_insert(state, "wasted", "t", failures->wasted);
	g_variant_dict_insert(state, "lost", "t", failures->lost);
	g_variant_dict_insert(state, "starved", "t", failures->starved);
	g_variant_dict_insert(state, "cut", "t", failures->cut);
	g_variant_dict_insert(state, "cut-first", "t", failures->cut_first);
	if (failures->lost_reason)
		g_variant_dict_insert(state, "lost-reason", "s", failures->lost_reason);
	g_variant_dict_insert(state, "lost-unseen", "b", failures->lost_unseen);
	g_variant_dict_insert(state, "lost-threads", "b", failures->lost_threads);
}

void infrastructure_failures_restore(struct infrastructure_failures *failures, GVariantDict *state)
{
	gboolean unseen = false, threads = false; /* GVariant writes a gboolean */

	g_variant_dict_lookup(state, "wasted", "t", &failures->wasted);
	g_variant_dict_lookup(state, "lost", "t", &failures->lost);
	g_variant_dict_lookup(state, "starved", "t", &failures->starved);
	g_variant_dict_lookup(state, "cut", "t", &failures->cut);
	g_variant_dict_lookup(state, "cut-first", "t", &failures->cut_first);
	g_variant_dict_lookup(state, "lost-reason", "s", &failures->lost_reason);
	if (g_variant_dict_lookup(state, "lost-unseen", "b", &unseen))
		failures->lost_unseen = unseen;
	if (g_variant_dict_lookup(state, "lost-threads", "b", &threads))
		failures->lost_threads = threads;
}
