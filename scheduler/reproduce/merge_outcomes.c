/* Compares the outcomes of merged stores.
 *
 * Each session has compared outcomes of its own interleavings, and knows which lines vary by
 * themselves. Between sessions more lines may vary: they ran at different times, and perhaps on
 * different machines. Therefore their outputs of one common interleaving are compared first. Lines
 * that differ there do not depend on the choices. */
#include <string.h>

#include "merge_internal.h"
#include "scheduler/session/outcome_finding.h"
#include "scheduler/session/stored_run.h"

static bool is_compared(const struct merge *merge)
{
	const struct merge_source *first = merge->sources->pdata[0];
	const char *compared = store_identity_value(first->identity, "--compare");

	return compared && g_str_has_prefix(compared, "output");
}

/* Whether all stores have the output of the same interleaving. */
static bool has_reference(const struct merge *merge)
{
	const struct merge_source *first = merge->sources->pdata[0];

	for (guint i = 0; i < merge->sources->len; i++) {
		const struct merge_source *source = merge->sources->pdata[i];

		if (!source->common || !source->texts || source->texts->len != merge->ranks
		    || !position_equal(source->common, first->common))
			return false;
	}
	return true;
}

static bool all_again(const struct merge *merge)
{
	for (guint i = 0; i < merge->sources->len; i++)
		if (!((const struct merge_source *)merge->sources->pdata[i])->again)
			return false;
	return true;
}

static void note_varying(struct merge *merge, const struct outcomes *references)
{
	const struct outcome_difference *varying = outcomes_varying(references);
	g_autofree char *place = NULL;

	if (!varying)
		return;
	place = outcome_finding_place(merge->ranks, NULL, varying);
	limits_add(merge->exploration->limits, LIMIT_LINES_VARY,
	           g_strdup_printf("lines that differ between the stores in the same interleaving "
	                           "were not compared: %s (\"%s\")",
	                           place, varying->here ? varying->here : ""));
}

/* Leaves out the lines in which that interleaving's output differs between stores. */
static void compare_references(struct merge *merge)
{
	struct outcomes *references = outcomes_new();
	g_autoptr(RecordExecution) record = record_execution_new();
	g_autoptr(GArray) choices = g_array_new(false, false, sizeof(struct choice));
	g_autoptr(GVariant) left_out = NULL;

	for (guint i = 0; i < merge->sources->len; i++) {
		const struct merge_source *source = merge->sources->pdata[i];

		if (i == 0)
			outcomes_add(references, source->texts, record, choices);
		else
			outcomes_check(references, 0, source->texts);
	}
	left_out = outcomes_left_out(references);
	outcomes_leave_out(merge->outcomes, left_out);
	note_varying(merge, references);
	outcomes_free(references);
}

/* Whether files are compared, which are not in the stores. */
static bool has_files(const struct merge *merge)
{
	const struct merge_source *first = merge->sources->pdata[0];
	const char *compared = store_identity_value(first->identity, "--compare");
	bool wrote = !g_str_equal(compared, "output files") && strlen(compared) > strlen("output ");

	for (guint i = 0; i < merge->sources->len; i++)
		wrote |= ((const struct merge_source *)merge->sources->pdata[i])->wrote;
	return merge->sources->len > 1 && wrote;
}

void merge_outcomes_begin(struct merge *merge)
{
	merge->ranks = (guint)merge->exploration->ranks;
	if (!is_compared(merge))
		return;
	merge->outcomes = outcomes_new();
	for (guint i = 0; i < merge->sources->len; i++) {
		const struct merge_source *source = merge->sources->pdata[i];

		if (source->left_out)
			outcomes_leave_out(merge->outcomes, source->left_out);
	}
	merge->certain = has_reference(merge) && all_again(merge);
	if (has_reference(merge))
		compare_references(merge);
	if (merge->certain && !has_files(merge))
		merge->varying = merge_varying_new(merge);
}

void merge_outcomes_take(struct merge *merge, const struct record_execution *record,
                         const GArray *choices)
{
	GPtrArray *texts;
	guint index;

	if (merge->outcomes && !merge->current->well) {
		merge->current->well = record_execution_new();
		merge->current->well->id = record->id;
		merge->current->well->buffering = record->buffering;
		merge->current->well->path = g_strdup(record->path);
	}
	if (!merge->outcomes || record->outputs->len != merge->ranks) /* no text: damaged */
		return;
	texts = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	for (guint i = 0; i < record->outputs->len; i++)
		g_ptr_array_add(texts, g_bytes_ref(record->outputs->pdata[i]));
	if (merge->varying)
		merge_varying_take(merge->varying, merge, record, texts);
	index = outcomes_add(merge->outcomes, texts, record, choices);
	g_array_append_val(merge->outcome_of, index);
	g_array_append_val(merge->outcome_of, record->id);
	merge->beyond += index == OUTCOMES_NONE;
	if (index == merge->texts->len)
		g_ptr_array_add(merge->texts, texts);
	else
		g_ptr_array_unref(texts);
}

/* Adds the finding, shown by these interleavings (guint32). */
static bool add_finding(struct merge *merge, struct record_finding *finding,
                        const struct record_execution *first, const GArray *choices,
                        const GArray *shown, GError **error)
{
	finding = findings_add(merge->findings, finding, first, choices);
	findings_show(merge->findings, finding->id, shown);
	return store_show(merge->store, finding->id, (const guint32 *)(const void *)shown->data,
	                  shown->len, error);
}

static bool report_difference(struct merge *merge, GError **error)
{
	guint count = outcomes_count(merge->outcomes), second = 0;
	g_autofree guint *numbers = g_new0(guint, count + 1);
	struct record_finding *finding = record_finding_new(FINDING_OUTCOME_DIFFERS);
	g_autoptr(GArray) shown = NULL;

	for (guint i = 0; i < count; i++) {
		struct outcome_difference difference = {0};

		if (outcomes_stands_for(merge->outcomes, i) != i
		    || (i > 0
		        && !outcomes_difference(merge->outcomes, merge->texts->pdata[i],
		                                &difference)))
			continue;
		if (i > 0 && second == 0)
			second = i;
		outcome_finding_add(finding, merge->outcomes, i,
		                    i > 0 ? outcome_finding_place(merge->ranks, NULL, &difference)
		                          : NULL,
		                    i > 0 ? &difference : NULL);
		numbers[i] = finding->outcomes->len;
		outcome_difference_clear(&difference);
	}
	shown = outcome_finding_count(finding, merge->outcomes, merge->outcome_of, numbers, NULL,
	                              NULL);
	outcome_finding_finish(finding);
	return add_finding(merge, finding, outcomes_first(merge->outcomes, second),
	                   outcomes_choices(merge->outcomes, second), shown, error);
}

static bool report_varying(struct merge *merge, GError **error)
{
	g_autoptr(GArray) shown = NULL, none = NULL;
	g_autoptr(RecordExecution) record = NULL;
	struct record_finding *finding = merge_varying_finding(merge->varying, merge, &shown);
	struct path *path;
	bool good;

	if (!finding)
		return true;
	record = record_execution_new();
	none = g_array_new(false, false, sizeof(struct choice));
	path = path_parse(finding->path, NULL);
	record->buffering = finding->bufferings;
	good = add_finding(merge, finding, record, path ? path->choices : none, shown, error);
	path_free(path);
	return good;
}

/* --- the finding of each store, if outcomes cannot be compared ----------------------------- */

static void copy_outcomes(const struct merge_source *source, const struct record_finding *finding,
                          struct record_finding *copy)
{
	for (guint i = 0; i < finding->outcomes->len; i++) {
		const struct record_outcome *one = finding->outcomes->pdata[i];
		gpointer id = g_hash_table_lookup(source->ids, GUINT_TO_POINTER(one->execution));
		struct record_outcome *outcome;

		if (!id)
			continue;
		outcome = g_new0(struct record_outcome, 1);
		outcome->number = copy->outcomes->len + 1;
		outcome->count = one->count;
		outcome->execution = GPOINTER_TO_UINT(id);
		outcome->path = g_strdup(one->path);
		outcome->place = g_strdup(one->place);
		outcome->line = g_strdup(one->line);
		outcome->instead = g_strdup(one->instead);
		g_ptr_array_add(copy->outcomes, outcome);
	}
}

static bool report_own(struct merge *merge, const struct merge_source *source,
                       const struct record_finding *finding, GError **error)
{
	struct record_finding *copy = stored_run_finding(finding);
	g_autoptr(RecordExecution) record = record_execution_new();
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct choice));
	struct path *path = path_parse(finding->path, NULL);
	bool good;

	g_free(copy->message);
	copy->message = g_strdup_printf("%s: %s", source->name,
	                                finding->message ? finding->message : "");
	copy_outcomes(source, finding, copy);
	record->buffering = finding->bufferings;
	good = add_finding(merge, copy, record, path ? path->choices : none, source->differ, error);
	path_free(path);
	return good;
}

static bool report_each(struct merge *merge, bool *ret_reported, GError **error)
{
	for (guint i = 0; i < merge->sources->len; i++) {
		const struct merge_source *source = merge->sources->pdata[i];
		const GPtrArray *findings = store_reader_findings(source->reader);

		for (guint j = 0; j < findings->len; j++) {
			const struct record_finding *finding = findings->pdata[j];

			if (!finding_kind_info(finding->kind)->compares)
				continue;
			*ret_reported = true;
			if (!report_own(merge, source, finding, error))
				return false;
		}
	}
	return true;
}

/* Reports a shard whose first interleaving left other file contents than the interleaving that all
 * shards ran, on the same machine. */
static bool report_files(struct merge *merge, GError **error)
{
	for (guint i = 0; i < merge->sources->len; i++) {
		const struct merge_source *source = merge->sources->pdata[i];
		struct record_finding *finding;
		g_autoptr(GArray) shown = g_array_new(false, false, sizeof(guint32));
		g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct choice));
		struct path *path;
		bool good;

		if (!source->files || !source->well || source->differ->len > 0)
			continue;
		finding = record_finding_new(FINDING_OUTCOME_DIFFERS);
		finding->path = g_strdup(source->well->path);
		finding->message = g_strdup_printf("%s %s", source->name, source->files);
		finding->replayed = finding->reproduced = source->again;
		g_array_append_val(shown, source->well->id);
		path = path_parse(finding->path, NULL);
		good = add_finding(merge, finding, source->well, path ? path->choices : none, shown,
		                   error);
		path_free(path);
		if (!good)
			return false;
	}
	return true;
}

static void add_beyond(struct merge *merge)
{
	if (merge->beyond > 0)
		limits_add(merge->exploration->limits, LIMIT_OUTCOMES_MANY,
		           g_strdup_printf("only %d outcomes are compared: %" G_GUINT64_FORMAT
		                           " interleavings had others",
		                           OUTCOMES_KEPT, merge->beyond));
}

bool merge_outcomes_judge(struct merge *merge, GError **error)
{
	bool reported = false;

	if (!merge->outcomes)
		return true;
	add_beyond(merge);
	if (merge->certain && !has_files(merge))
		return (!outcomes_differ(merge->outcomes) || report_difference(merge, error))
		       && report_varying(merge, error);
	if (!report_each(merge, &reported, error))
		return false;
	if (!reported && outcomes_differ(merge->outcomes) && merge->certain)
		return report_difference(merge, error);
	if (!reported && outcomes_differ(merge->outcomes))
		limits_add(
			merge->exploration->limits, LIMIT_OUTCOMES_TIME,
			g_strdup("interleavings that end well differ in their output between "
		                 "stores: it is not known whether the choices cause it, since not "
		                 "all stores have the output of the same interleaving, run again"));
	if (has_files(merge) && merge->exploration->shards == 0)
		limits_add(
			merge->exploration->limits, LIMIT_FILES_APART,
			g_strdup("files were compared only within each store, not between stores"));
	return report_files(merge, error);
}

GVariant *merge_outcomes_common(const struct merge *merge)
{
	const struct merge_source *first = merge->sources->pdata[0];
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	g_variant_dict_insert(&dict, "again", "b", merge->certain);
	if (merge->outcomes) {
		g_autoptr(GVariant) left_out = outcomes_left_out(merge->outcomes);

		g_variant_dict_insert_value(&dict, "left-out", left_out);
	}
	if (first->common && first->texts) {
		g_autofree char *path = position_print(first->common);

		store_common_texts(&dict, path, first->texts, first->texts->len);
	}
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}
