/* Outcomes in the saved state of a session: how --resume knows what earlier interleavings left in
 * files. */
#include "compared_files.h"
#include "outcome_watch_internal.h"
#include "session_context.h"

#define SAVED_TYPE "(" COMPARED_FILES_SAVED OUTCOMES_SAVED_TYPE "autt)"

void outcome_watch_save(const struct outcome_watch *watch, GVariantDict *dict)
{
	const struct compared_files *files = session_compared_files(watch->session);
	GVariant *outcomes;

	if (!watch->outcomes || !compared_files_any(files))
		return;
	outcomes = outcomes_save(watch->outcomes);
	g_variant_dict_insert(dict, "files-unknown", "b", !outcomes);
	if (outcomes)
		g_variant_dict_insert_value(
			dict, "files",
			g_variant_new("(@" COMPARED_FILES_SAVED "@" OUTCOMES_SAVED_TYPE "@autt)",
		                      compared_files_save(files), outcomes,
		                      g_variant_new_fixed_array(
					      G_VARIANT_TYPE_UINT32, watch->outcome_of->data,
					      watch->outcome_of->len, sizeof(guint32)),
		                      watch->beyond, session_interleavings(watch->session)));
}

static void restore_outcomes(struct outcome_watch *watch, GVariant *saved)
{
	g_autoptr(GVariant) files = NULL, outcomes = NULL, outcome_of = NULL;
	guint known;
	const guint32 *pairs;
	gsize count;

	g_variant_get(saved, "(@" COMPARED_FILES_SAVED "@" OUTCOMES_SAVED_TYPE "@autt)", &files,
	              &outcomes, &outcome_of, &watch->beyond, &watch->restored);
	compared_files_restore(session_compared_files(watch->session), files);
	outcomes_restore(watch->outcomes, outcomes);
	pairs = g_variant_get_fixed_array(outcome_of, &count, sizeof(guint32));
	known = outcomes_count(watch->outcomes);
	for (gsize i = 0; i + 1 < count; i += 2) {
		guint32 index = pairs[i] < known ? pairs[i] : OUTCOMES_NONE;

		g_array_append_val(watch->outcome_of, index);
		g_array_append_val(watch->outcome_of, pairs[i + 1]);
	}
	if (outcomes_differ(watch->outcomes))
		watch->doubt = DOUBT_NEW;
}

bool outcome_watch_restore(struct outcome_watch *watch, GVariantDict *dict, GError **error)
{
	gboolean unknown = false; /* (GVariant) */
	g_autoptr(GVariant)
		saved = g_variant_dict_lookup_value(dict, "files", G_VARIANT_TYPE(SAVED_TYPE));

	g_variant_dict_lookup(dict, "files-unknown", "b", &unknown);
	if (watch->outcomes && saved)
		restore_outcomes(watch, saved);
	if (watch->outcomes && unknown)
		g_set_error(error, SESSION_ERROR, 0,
		            "--resume: the program writes too much into files to keep what earlier "
		            "interleavings left in them; explore again without --resume, with "
		            "--compare output if files need not be compared");
	return !watch->outcomes || !unknown;
}

bool outcome_watch_is_whole(const struct outcome_watch *watch)
{
	guint texts = (guint)session_options(watch->session)->ranks
	              + g_strv_length(
			      (GStrv)compared_files_names(session_compared_files(watch->session)));

	return !watch->outcomes || watch->restored == 0
	       || (outcomes_are_recalled(watch->outcomes)
	           && outcomes_reference(watch->outcomes)->len == texts);
}
