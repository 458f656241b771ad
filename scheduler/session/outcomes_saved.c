/* Outcomes as values: for merges of stores, and for a session that is resumed. */
#include <string.h>

#include "outcome_text.h"
#include "outcomes_internal.h"

#define TEXTS_MOST 65536u     /* a store may be damaged */
#define SAVED_MOST (1u << 20) /* units; more are not saved */

/* --- what is left out ----- */

static GVariant *left_out_of(const struct outcomes *outcomes, guint texts)
{
	g_autoptr(GArray) froms = g_array_new(false, false, sizeof(guint));
	GVariantBuilder lines;
	GHashTableIter iter;
	gpointer unit;

	g_variant_builder_init(&lines, G_VARIANT_TYPE("a(uu)"));
	for (guint text = 0; text < texts; text++) {
		const struct skipped *left_out = outcomes->skipped->pdata[text];

		g_array_append_val(froms, left_out->from);
		g_hash_table_iter_init(&iter, left_out->units);
		while (g_hash_table_iter_next(&iter, &unit, NULL))
			g_variant_builder_add(&lines, "(uu)", text, GPOINTER_TO_UINT(unit) - 1);
	}
	return g_variant_ref_sink(
		g_variant_new("(a(uu)@au)", &lines,
	                      g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, froms->data,
	                                                froms->len, sizeof(guint))));
}

GVariant *outcomes_left_out(const struct outcomes *outcomes)
{
	return left_out_of(outcomes, MIN(outcomes->skipped->len, outcomes->files_from));
}

void outcomes_leave_out(struct outcomes *outcomes, GVariant *left_out)
{
	GVariantIter *lines, *froms;
	guint text, line;

	g_variant_get(left_out, OUTCOMES_LEFT_OUT, &lines, &froms);
	while (g_variant_iter_next(lines, "(uu)", &text, &line))
		if (text < TEXTS_MOST && line < G_MAXUINT)
			skipped_add(outcomes_skipped_of(outcomes, text), line);
	for (text = 0; text < TEXTS_MOST && g_variant_iter_next(froms, "u", &line); text++) {
		struct skipped *own = outcomes_skipped_of(outcomes, text);

		own->from = MIN(own->from, line);
	}
	g_variant_iter_free(lines);
	g_variant_iter_free(froms);
	outcomes_gather(outcomes);
}

/* --- for a session that is resumed ----- */

#define UNITS_TYPE "a(uat)" /* a text, its units */

/* The texts that are not shared with the reference. */
static GVariant *texts_of(const struct outcome *outcome, const struct outcome *reference)
{
	GVariantBuilder texts;

	g_variant_builder_init(&texts, G_VARIANT_TYPE(UNITS_TYPE));
	for (guint i = 0; i < outcome->lines->len; i++) {
		const GArray *units = outcome->lines->pdata[i];

		if (outcome == reference || units != reference->lines->pdata[i])
			g_variant_builder_add(&texts, "(u@at)", i,
			                      g_variant_new_fixed_array(G_VARIANT_TYPE_UINT64,
			                                                units->data, units->len,
			                                                sizeof(guint64)));
	}
	return g_variant_builder_end(&texts);
}

GVariant *outcomes_save(const struct outcomes *outcomes)
{
	guint texts = outcomes->reference ? outcomes->reference->len : 0;
	GVariantBuilder all;

	if (outcomes->units > SAVED_MOST)
		return NULL;
	g_variant_builder_init(&all, G_VARIANT_TYPE("a(u" UNITS_TYPE ")"));
	for (guint i = 0; i < outcomes->all->len; i++) {
		const struct outcome *outcome = outcomes->all->pdata[i];

		g_variant_builder_add(&all, "(u@" UNITS_TYPE ")", outcome->first->id,
		                      texts_of(outcome, outcomes->all->pdata[0]));
	}
	return g_variant_new("(u@a(u" UNITS_TYPE ")@" OUTCOMES_LEFT_OUT ")", texts,
	                     g_variant_builder_end(&all),
	                     left_out_of(outcomes, outcomes->skipped->len));
}

static GArray *units_of(GVariant *saved)
{
	GArray *units = g_array_new(false, false, sizeof(guint64));
	gsize count;
	const guint64 *hashes = g_variant_get_fixed_array(saved, &count, sizeof(guint64));

	g_array_append_vals(units, hashes, (guint)count);
	return units;
}

static void add_saved(struct outcomes *outcomes, guint32 id, GVariantIter *saved, guint texts)
{
	struct outcome *outcome = g_new0(struct outcome, 1);
	const struct outcome *reference = outcomes->all->len > 0 ? outcomes->all->pdata[0] : NULL;
	GVariant *hashes;
	guint text;

	outcome->first = record_execution_new();
	outcome->first->id = id;
	outcome->choices = g_array_new(false, false, sizeof(struct choice));
	outcome->lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (text = 0; text < texts; text++)
		g_ptr_array_add(outcome->lines,
		                reference ? g_array_ref(reference->lines->pdata[text])
		                          : g_array_new(false, false, sizeof(guint64)));
	while (g_variant_iter_next(saved, "(u@at)", &text, &hashes)) {
		if (text < texts) {
			g_array_unref(outcome->lines->pdata[text]);
			outcome->lines->pdata[text] = units_of(hashes);
			outcomes->units += ((GArray *)outcome->lines->pdata[text])->len;
		}
		g_variant_unref(hashes);
	}
	g_ptr_array_add(outcomes->all, outcome);
}

void outcomes_restore(struct outcomes *outcomes, GVariant *saved)
{
	g_autoptr(GVariant) left_out = NULL;
	GVariantIter *all, *own;
	guint texts;
	guint32 id;

	g_variant_get(saved, "(ua(u" UNITS_TYPE ")@" OUTCOMES_LEFT_OUT ")", &texts, &all,
	              &left_out);
	texts = MIN(texts, TEXTS_MOST);
	while (g_variant_iter_next(all, "(u" UNITS_TYPE ")", &id, &own)) {
		add_saved(outcomes, id, own, texts);
		g_variant_iter_free(own);
	}
	g_variant_iter_free(all);
	outcomes->reference = g_ptr_array_new_with_free_func(outcomes_bytes_unref);
	g_ptr_array_set_size(outcomes->reference, (gint)texts);
	outcomes_leave_out(outcomes, left_out);
}

void outcomes_recall(struct outcomes *outcomes, const struct record_execution *execution,
                     const GArray *choices)
{
	for (guint i = 0; i < outcomes->all->len; i++) {
		struct outcome *outcome = outcomes->all->pdata[i];

		if (outcome->first->id != execution->id || outcome->first->path)
			continue;
		record_execution_free(outcome->first);
		outcome->first = outcomes_remember(execution);
		g_array_append_vals(outcome->choices, choices->data, choices->len);
		for (guint text = 0;
		     i == 0 && text < MIN(execution->outputs->len, outcomes->reference->len);
		     text++)
			outcomes->reference->pdata[text] = g_bytes_ref(
				execution->outputs->pdata[text]);
		return;
	}
}

bool outcomes_are_recalled(const struct outcomes *outcomes)
{
	for (guint i = 0; i < outcomes->all->len; i++)
		if (!((const struct outcome *)outcomes->all->pdata[i])->first->path)
			return false;
	return true;
}
