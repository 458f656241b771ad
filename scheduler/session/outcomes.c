#include <string.h>

#include "outcome_text.h"
#include "outcomes_internal.h"

#define UNITS_MOST (32u << 20) /* of all outcomes together; further outcomes are not compared */

void outcome_difference_clear(struct outcome_difference *difference)
{
	g_free(difference->here);
	g_free(difference->instead);
	memset(difference, 0, sizeof(*difference));
}

void outcome_free(gpointer pointer)
{
	struct outcome *outcome = pointer;

	record_execution_free(outcome->first);
	g_array_unref(outcome->choices);
	g_ptr_array_unref(outcome->lines);
	g_free(outcome);
}

static void skipped_free(gpointer pointer)
{
	struct skipped *skipped = pointer;

	g_hash_table_destroy(skipped->units);
	g_free(skipped);
}

struct outcomes *outcomes_new(void)
{
	struct outcomes *outcomes = g_new0(struct outcomes, 1);

	outcomes->all = g_ptr_array_new_with_free_func(outcome_free);
	outcomes->by_digest = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	outcomes->skipped = g_ptr_array_new_with_free_func(skipped_free);
	outcomes->files_from = G_MAXUINT;
	return outcomes;
}

void outcomes_files_from(struct outcomes *outcomes, guint text)
{
	outcomes->files_from = text;
}

void outcomes_free(struct outcomes *outcomes)
{
	if (!outcomes)
		return;
	g_ptr_array_unref(outcomes->all);
	g_hash_table_destroy(outcomes->by_digest);
	g_ptr_array_unref(outcomes->skipped);
	if (outcomes->reference)
		g_ptr_array_unref(outcomes->reference);
	outcome_difference_clear(&outcomes->varying);
	g_free(outcomes);
}

/* --- texts --- */

static bool is_binary(const struct outcomes *outcomes, guint text, GBytes *contents)
{
	return text >= outcomes->files_from && outcome_text_is_binary(contents);
}

static GPtrArray *hash_texts(const struct outcomes *outcomes, const GPtrArray *texts)
{
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (guint i = 0; i < texts->len; i++)
		g_ptr_array_add(all, outcome_text_units(texts->pdata[i],
		                                        is_binary(outcomes, i, texts->pdata[i])));
	return all;
}

static char *show_unit(const struct outcomes *outcomes, guint text, GBytes *contents, guint unit)
{
	return outcome_text_show(contents, is_binary(outcomes, text, contents), unit);
}

/* --- what is left out ----- */

struct skipped *outcomes_skipped_of(struct outcomes *outcomes, guint text)
{
	while (outcomes->skipped->len <= text) {
		struct skipped *skipped = g_new0(struct skipped, 1);

		skipped->units = g_hash_table_new(NULL, NULL);
		skipped->from = G_MAXUINT;
		g_ptr_array_add(outcomes->skipped, skipped);
	}
	return outcomes->skipped->pdata[text];
}

/* NULL: the whole text is compared. */
static const struct skipped *skipped_look(const struct outcomes *outcomes, guint text)
{
	return text < outcomes->skipped->len ? outcomes->skipped->pdata[text] : NULL;
}

void skipped_add(struct skipped *skipped, guint unit)
{
	g_hash_table_add(skipped->units, GUINT_TO_POINTER(unit + 1));
}

static bool is_skipped(const struct skipped *skipped, guint unit)
{
	return skipped
	       && (unit >= skipped->from
	           || g_hash_table_contains(skipped->units, GUINT_TO_POINTER(unit + 1)));
}

/* --- outcomes --- */

static void add_units(GChecksum *sum, const GArray *units, const struct skipped *skipped)
{
	guint count = skipped ? MIN(units->len, skipped->from) : units->len;
	const guint64 none = 0, *hashes = (const void *)units->data;

	if (!skipped || g_hash_table_size(skipped->units) == 0) {
		g_checksum_update(sum, (const guchar *)hashes, (gssize)(count * sizeof(none)));
		return;
	}
	for (guint i = 0; i < count; i++)
		g_checksum_update(sum,
		                  (const guchar *)(is_skipped(skipped, i) ? &none : &hashes[i]),
		                  sizeof(none));
}

static char *digest_of(const struct outcomes *outcomes, const GPtrArray *lines)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	char *digest;

	for (guint text = 0; text < lines->len; text++) {
		add_units(sum, lines->pdata[text], skipped_look(outcomes, text));
		g_checksum_update(sum, (const guchar *)"end", 3);
	}
	digest = g_strdup(g_checksum_get_string(sum));
	g_checksum_free(sum);
	return digest;
}

/* Merges outcomes that became equal after lines were left out. */
void outcomes_gather(struct outcomes *outcomes)
{
	g_hash_table_remove_all(outcomes->by_digest);
	for (guint i = 0; i < outcomes->all->len; i++) {
		struct outcome *outcome = outcomes->all->pdata[i];
		char *digest = digest_of(outcomes, outcome->lines);
		guint known = GPOINTER_TO_UINT(g_hash_table_lookup(outcomes->by_digest, digest));

		outcome->stands_for = known ? known - 1 : i;
		if (known)
			g_free(digest);
		else
			g_hash_table_insert(outcomes->by_digest, digest, GUINT_TO_POINTER(i + 1));
	}
}

struct record_execution *outcomes_remember(const struct record_execution *execution)
{
	struct record_execution *copy = record_execution_new();

	copy->id = execution->id;
	copy->buffering = execution->buffering;
	copy->path = g_strdup(execution->path);
	for (guint i = 0; i < execution->choices->len; i++)
		g_ptr_array_add(copy->choices, record_choice_copy(execution->choices->pdata[i]));
	return copy;
}

void outcomes_bytes_unref(gpointer bytes)
{
	if (bytes)
		g_bytes_unref(bytes);
}

static void keep_reference(struct outcomes *outcomes, const GPtrArray *texts)
{
	outcomes->reference = g_ptr_array_new_with_free_func(outcomes_bytes_unref);
	for (guint i = 0; i < texts->len; i++)
		g_ptr_array_add(outcomes->reference,
		                texts->pdata[i] ? g_bytes_ref(texts->pdata[i]) : NULL);
}

static bool same_units(const GArray *one, const GArray *other)
{
	return one->len == other->len
	       && (one->len == 0 || !memcmp(one->data, other->data, one->len * sizeof(guint64)));
}

/* Texts that are as in the reference are kept once. */
static void share_units(struct outcomes *outcomes, GPtrArray *lines)
{
	const struct outcome *reference = outcomes->all->len > 0 ? outcomes->all->pdata[0] : NULL;

	for (guint text = 0; text < lines->len; text++) {
		GArray *own = lines->pdata[text];

		if (reference && same_units(own, reference->lines->pdata[text])) {
			lines->pdata[text] = g_array_ref(reference->lines->pdata[text]);
			g_array_unref(own);
		} else {
			outcomes->units += own->len;
		}
	}
}

guint outcomes_add(struct outcomes *outcomes, const GPtrArray *texts,
                   const struct record_execution *execution, const GArray *choices)
{
	GPtrArray *lines = hash_texts(outcomes, texts);
	char *digest = digest_of(outcomes, lines);
	guint known = GPOINTER_TO_UINT(g_hash_table_lookup(outcomes->by_digest, digest));
	struct outcome *outcome;

	if (known || outcomes->all->len >= OUTCOMES_KEPT || outcomes->units > UNITS_MOST) {
		g_ptr_array_unref(lines);
		g_free(digest);
		return known ? known - 1 : OUTCOMES_NONE;
	}
	if (!outcomes->reference)
		keep_reference(outcomes, texts);
	share_units(outcomes, lines);
	outcome = g_new0(struct outcome, 1);
	outcome->first = outcomes_remember(execution);
	outcome->choices = g_array_copy((GArray *)choices);
	outcome->lines = lines;
	outcome->stands_for = outcomes->all->len;
	g_ptr_array_add(outcomes->all, outcome);
	g_hash_table_insert(outcomes->by_digest, digest, GUINT_TO_POINTER(outcomes->all->len));
	return outcome->stands_for;
}

guint outcomes_count(const struct outcomes *outcomes)
{
	return outcomes->all->len;
}

guint outcomes_stands_for(const struct outcomes *outcomes, guint index)
{
	return ((const struct outcome *)outcomes->all->pdata[index])->stands_for;
}

bool outcomes_differ(const struct outcomes *outcomes)
{
	for (guint i = 1; i < outcomes->all->len; i++) {
		if (outcomes_stands_for(outcomes, i) != 0)
			return true;
	}
	return false;
}

const struct record_execution *outcomes_first(const struct outcomes *outcomes, guint index)
{
	return ((const struct outcome *)outcomes->all->pdata[index])->first;
}

const GArray *outcomes_choices(const struct outcomes *outcomes, guint index)
{
	return ((const struct outcome *)outcomes->all->pdata[index])->choices;
}

const GPtrArray *outcomes_reference(const struct outcomes *outcomes)
{
	return outcomes->reference;
}

void outcomes_add_text(struct outcomes *outcomes, GBytes *contents)
{
	g_autoptr(GArray) units = NULL;
	guint text;

	if (!outcomes->reference)
		return;
	text = outcomes->reference->len;
	g_ptr_array_add(outcomes->reference, contents ? g_bytes_ref(contents) : NULL);
	units = outcome_text_units(contents, is_binary(outcomes, text, contents));
	outcomes->units += units->len;
	for (guint i = 0; i < outcomes->all->len; i++) {
		const struct outcome *outcome = outcomes->all->pdata[i];

		g_ptr_array_add(outcome->lines, g_array_ref(units));
	}
	outcomes_gather(outcomes);
}

void outcomes_leave_text(struct outcomes *outcomes, guint text)
{
	outcomes_skipped_of(outcomes, text)->from = 0;
	outcomes_gather(outcomes);
}

/* --- comparing --- */

/* Finds the next compared unit, from `*at` on, at which two texts differ. A unit that only one text
 * has is a difference. false: there is none. */
static bool next_difference(const struct outcomes *outcomes, guint text, const GArray *one,
                            const GArray *other, guint *at)
{
	const struct skipped *skipped = skipped_look(outcomes, text);
	guint end = MAX(one->len, other->len);

	if (same_units(one, other))
		return false;
	for (; *at < end; (*at)++) {
		if (skipped && *at >= skipped->from)
			return false;
		if (*at < one->len && *at < other->len
		    && g_array_index(one, guint64, *at) == g_array_index(other, guint64, *at))
			continue;
		if (!is_skipped(skipped, *at))
			return true;
	}
	return false;
}

/* Where a unit of a text is. `contents`: the text, or the other one if it has no such unit. */
static void set_place(const struct outcomes *outcomes, struct outcome_difference *difference,
                      guint text, guint unit, GBytes *contents)
{
	difference->text = text;
	difference->line = unit + 1;
	difference->is_block = is_binary(outcomes, text, contents);
}

static void note_varying(struct outcomes *outcomes, guint text, guint unit, GBytes *seen)
{
	if (outcomes->varying.line)
		return;
	set_place(outcomes, &outcomes->varying, text, unit, seen);
	outcomes->varying.here = show_unit(outcomes, text, seen, unit);
}

/* A file that is there in one run only, and with other lengths all that follows, cannot be
 * compared. */
static bool is_shifted(const GArray *before, const GArray *after)
{
	return before->len != after->len
	       || outcome_text_is_absent(before) != outcome_text_is_absent(after);
}

/* After a resume the contents of the reference's files are only known by their hashes. */
static void learn_reference(struct outcomes *outcomes, const GPtrArray *texts,
                            const GPtrArray *lines)
{
	const struct outcome *reference = outcomes->all->pdata[0];

	for (guint text = 0; text < texts->len; text++)
		if (!outcomes->reference->pdata[text] && texts->pdata[text]
		    && same_units(lines->pdata[text], reference->lines->pdata[text]))
			outcomes->reference->pdata[text] = g_bytes_ref(texts->pdata[text]);
}

/* Two runs differ in this unit: leaves it out, and all from it on if their numbers differ. */
static void leave_out(struct outcomes *outcomes, guint text, guint unit, const GArray *before,
                      const GArray *after)
{
	struct skipped *skipped = outcomes_skipped_of(outcomes, text);

	if (is_shifted(before, after))
		skipped->from = unit;
	else
		skipped_add(skipped, unit);
}

bool outcomes_check(struct outcomes *outcomes, guint index, const GPtrArray *texts)
{
	const struct outcome *outcome = outcomes->all->pdata[index];
	g_autoptr(GPtrArray) again = hash_texts(outcomes, texts);
	bool same = true;

	if (index == 0)
		learn_reference(outcomes, texts, again);
	for (guint text = 0; text < again->len; text++) {
		const GArray *before = outcome->lines->pdata[text], *after = again->pdata[text];
		guint unit = 0;

		for (; next_difference(outcomes, text, before, after, &unit); unit++) {
			note_varying(outcomes, text, unit, texts->pdata[text]);
			same = false;
			leave_out(outcomes, text, unit, before, after);
		}
	}
	if (!same)
		outcomes_gather(outcomes);
	return same;
}

bool outcomes_difference(const struct outcomes *outcomes, const GPtrArray *texts,
                         struct outcome_difference *ret_difference)
{
	const struct outcome *reference = outcomes->all->pdata[0];
	g_autoptr(GPtrArray) lines = hash_texts(outcomes, texts);

	for (guint text = 0; text < MIN(lines->len, reference->lines->len); text++) {
		GBytes *here = texts->pdata[text], *instead = outcomes->reference->pdata[text];
		guint unit = 0;

		if (!next_difference(outcomes, text, lines->pdata[text],
		                     reference->lines->pdata[text], &unit))
			continue;
		ret_difference->here = show_unit(outcomes, text, here, unit);
		if (instead || outcome_text_is_absent(reference->lines->pdata[text]))
			ret_difference->instead = show_unit(outcomes, text, instead, unit);
		set_place(outcomes, ret_difference, text, unit,
		          ret_difference->here ? here : instead);
		return true;
	}
	return false;
}

const struct outcome_difference *outcomes_varying(const struct outcomes *outcomes)
{
	return outcomes->varying.line ? &outcomes->varying : NULL;
}

/* --- texts from elsewhere --- */

static bool has_texts(const struct outcomes *outcomes, const struct outcome *outcome,
                      const GPtrArray *hashes)
{
	for (guint text = 0; text < hashes->len; text++) {
		guint line = 0;

		if (next_difference(outcomes, text, hashes->pdata[text],
		                    outcome->lines->pdata[text], &line))
			return false;
	}
	return true;
}

bool outcomes_show(const struct outcomes *outcomes, const GPtrArray *texts)
{
	g_autoptr(GPtrArray) hashes = hash_texts(outcomes, texts);

	for (guint i = 0; i < outcomes->all->len; i++)
		if (has_texts(outcomes, outcomes->all->pdata[i], hashes))
			return true;
	return false;
}

void outcomes_leave_out_differences(struct outcomes *outcomes, const GPtrArray *one,
                                    const GPtrArray *other)
{
	g_autoptr(GPtrArray) before = hash_texts(outcomes, one),
			     after = hash_texts(outcomes, other);

	for (guint text = 0; text < after->len; text++) {
		guint unit = 0;

		for (; next_difference(outcomes, text, before->pdata[text], after->pdata[text],
		                       &unit);
		     unit++)
			leave_out(outcomes, text, unit, before->pdata[text], after->pdata[text]);
	}
	outcomes_gather(outcomes);
}
