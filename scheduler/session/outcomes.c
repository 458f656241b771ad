#include "outcomes.h"

#include <stdio.h>
#include <string.h>

#define LINE_SHOWN 160 /* bytes */
#define ABSENT 1       /* the hash of a missing file */

struct outcome {
	struct record_execution *first;
	GArray *choices;
	GPtrArray *lines; /* by text: GArray of guint64, a hash for each line */
	guint stands_for;
};

struct outcomes {
	GPtrArray *all;
	GHashTable *by_digest; /* char * to index + 1 */
	GPtrArray *reference;  /* texts */
	GHashTable *left_out;  /* set of "text line" */
	GArray *from;          /* by text: guint, the line from which all are left out */
	struct outcome_difference varying;
};

void outcome_difference_clear(struct outcome_difference *difference)
{
	g_free(difference->here);
	g_free(difference->instead);
	memset(difference, 0, sizeof(*difference));
}

static void outcome_free(gpointer pointer)
{
	struct outcome *outcome = pointer;

	record_execution_free(outcome->first);
	g_array_unref(outcome->choices);
	g_ptr_array_unref(outcome->lines);
	g_free(outcome);
}

struct outcomes *outcomes_new(void)
{
	struct outcomes *outcomes = g_new0(struct outcomes, 1);

	outcomes->all = g_ptr_array_new_with_free_func(outcome_free);
	outcomes->by_digest = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	outcomes->left_out = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	outcomes->from = g_array_new(false, false, sizeof(guint));
	return outcomes;
}

void outcomes_free(struct outcomes *outcomes)
{
	if (!outcomes)
		return;
	g_ptr_array_unref(outcomes->all);
	g_hash_table_destroy(outcomes->by_digest);
	g_hash_table_destroy(outcomes->left_out);
	g_array_unref(outcomes->from);
	if (outcomes->reference)
		g_ptr_array_unref(outcomes->reference);
	outcome_difference_clear(&outcomes->varying);
	g_free(outcomes);
}

/* --- lines --- */

/* Returns the next line with its newline; false at the end. */
static bool next_line(const char **at, const char *end, const char **ret_line, gsize *ret_size)
{
	const char *newline;

	if (*at >= end)
		return false;
	newline = memchr(*at, '\n', (gsize)(end - *at));
	*ret_line = *at;
	*at = newline ? newline + 1 : end;
	*ret_size = (gsize)(*at - *ret_line);
	return true;
}

static guint64 hash_line(const char *line, gsize size)
{
	guint64 hash = 0xcbf29ce484222325u;

	for (gsize i = 0; i < size; i++) {
		hash = (hash ^ (guint8)line[i]) * 0x100000001b3u;
		hash ^= hash >> 31;
	}
	return hash;
}

static GArray *hash_lines(GBytes *text)
{
	GArray *lines = g_array_new(false, false, sizeof(guint64));
	guint64 hash = ABSENT;
	const char *at, *end, *line;
	gsize size;

	if (!text) {
		g_array_append_val(lines, hash);
		return lines;
	}
	at = g_bytes_get_data(text, &size);
	end = at + size;
	while (next_line(&at, end, &line, &size)) {
		hash = hash_line(line, size);
		g_array_append_val(lines, hash);
	}
	return lines;
}

GPtrArray *outcomes_hash_lines(const GPtrArray *texts)
{
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (guint i = 0; i < texts->len; i++)
		g_ptr_array_add(all, hash_lines(texts->pdata[i]));
	return all;
}

/* A line, shortened and printable; NULL: no such line. */
char *outcomes_show_line(GBytes *text, guint number)
{
	const char *at, *end, *line;
	g_autofree char *raw = NULL;
	gsize size;
	char *shown;

	if (!text)
		return number == 0 ? g_strdup("(no such file)") : NULL;
	at = g_bytes_get_data(text, &size);
	end = at + size;
	for (guint i = 0; next_line(&at, end, &line, &size); i++) {
		if (i != number)
			continue;
		if (line[size - 1] == '\n')
			size--;
		raw = g_strndup(line, MIN(size, LINE_SHOWN));
		shown = g_utf8_make_valid(raw, -1);
		for (char *byte = shown; *byte; byte++)
			if ((guchar)*byte < ' ' || *byte == 0x7f)
				*byte = *byte == '\t' ? ' ' : '?';
		return shown;
	}
	return NULL;
}

static char *line_name(guint text, guint line)
{
	return g_strdup_printf("%u %u", text, line);
}

static guint limit_of(const struct outcomes *outcomes, guint text)
{
	return text < outcomes->from->len ? g_array_index(outcomes->from, guint, text) : G_MAXUINT;
}

static bool is_compared(const struct outcomes *outcomes, guint text, guint line)
{
	g_autofree char *name = NULL;

	if (line >= limit_of(outcomes, text))
		return false;
	if (g_hash_table_size(outcomes->left_out) == 0)
		return true;
	name = line_name(text, line);
	return !g_hash_table_contains(outcomes->left_out, name);
}

/* --- outcomes --- */

static char *digest_of(const struct outcomes *outcomes, const GPtrArray *lines)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	char *digest;

	for (guint text = 0; text < lines->len; text++) {
		const GArray *own = lines->pdata[text];

		for (guint line = 0; line < own->len; line++) {
			guint64 hash = is_compared(outcomes, text, line)
			                       ? g_array_index(own, guint64, line)
			                       : 0;

			if (line < limit_of(outcomes, text))
				g_checksum_update(sum, (const guchar *)&hash, sizeof(hash));
		}
		g_checksum_update(sum, (const guchar *)"end", 3);
	}
	digest = g_strdup(g_checksum_get_string(sum));
	g_checksum_free(sum);
	return digest;
}

/* Merges outcomes that became equal after lines were left out. */
static void gather_equal(struct outcomes *outcomes)
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

static void bytes_unref(gpointer bytes)
{
	if (bytes)
		g_bytes_unref(bytes);
}

static void keep_reference(struct outcomes *outcomes, const GPtrArray *texts)
{
	guint none = G_MAXUINT;

	outcomes->reference = g_ptr_array_new_with_free_func(bytes_unref);
	for (guint i = 0; i < texts->len; i++)
		g_ptr_array_add(outcomes->reference,
		                texts->pdata[i] ? g_bytes_ref(texts->pdata[i]) : NULL);
	while (outcomes->from->len < texts->len)
		g_array_append_val(outcomes->from, none);
}

guint outcomes_add(struct outcomes *outcomes, const GPtrArray *texts,
                   const struct record_execution *execution, const GArray *choices)
{
	GPtrArray *lines = outcomes_hash_lines(texts);
	char *digest = digest_of(outcomes, lines);
	guint known = GPOINTER_TO_UINT(g_hash_table_lookup(outcomes->by_digest, digest));
	struct outcome *outcome;

	if (known || outcomes->all->len >= OUTCOMES_KEPT) {
		g_ptr_array_unref(lines);
		g_free(digest);
		return known ? known - 1 : OUTCOMES_NONE;
	}
	if (!outcomes->reference)
		keep_reference(outcomes, texts);
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

/* --- lines left out ----- */

GVariant *outcomes_left_out(const struct outcomes *outcomes)
{
	GVariantBuilder lines;
	GHashTableIter iter;
	gpointer name;

	g_variant_builder_init(&lines, G_VARIANT_TYPE("a(uu)"));
	g_hash_table_iter_init(&iter, outcomes->left_out);
	while (g_hash_table_iter_next(&iter, &name, NULL)) {
		guint text = 0, line = 0;

		sscanf(name, "%u %u", &text, &line);
		g_variant_builder_add(&lines, "(uu)", text, line);
	}
	return g_variant_ref_sink(
		g_variant_new("(a(uu)@au)", &lines,
	                      g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, outcomes->from->data,
	                                                outcomes->from->len, sizeof(guint))));
}

void outcomes_leave_out(struct outcomes *outcomes, GVariant *left_out)
{
	GVariantIter *lines, *froms;
	guint text, line, none = G_MAXUINT;

	g_variant_get(left_out, OUTCOMES_LEFT_OUT, &lines, &froms);
	while (g_variant_iter_next(lines, "(uu)", &text, &line))
		g_hash_table_add(outcomes->left_out, line_name(text, line));
	for (text = 0; g_variant_iter_next(froms, "u", &line); text++) {
		guint *from;

		if (text == outcomes->from->len)
			g_array_append_val(outcomes->from, none);
		from = &g_array_index(outcomes->from, guint, text);
		*from = MIN(*from, line);
	}
	g_variant_iter_free(lines);
	g_variant_iter_free(froms);
	gather_equal(outcomes);
}

/* --- comparing --- */

/* Finds the next compared line, from `*at` on, at which two texts differ. A line that only one text
 * has is a difference. false: there is none. */
static bool next_difference(const struct outcomes *outcomes, guint text, const GArray *one,
                            const GArray *other, guint *at)
{
	for (; *at < MAX(one->len, other->len); (*at)++) {
		if (!is_compared(outcomes, text, *at))
			continue;
		if (*at >= one->len || *at >= other->len
		    || g_array_index(one, guint64, *at) != g_array_index(other, guint64, *at))
			return true;
	}
	return false;
}

static void note_varying(struct outcomes *outcomes, guint text, guint line, GBytes *seen)
{
	if (outcomes->varying.line)
		return;
	outcomes->varying.text = text;
	outcomes->varying.line = line + 1;
	outcomes->varying.here = outcomes_show_line(seen, line);
}

bool outcomes_check(struct outcomes *outcomes, guint index, const GPtrArray *texts)
{
	const struct outcome *outcome = outcomes->all->pdata[index];
	g_autoptr(GPtrArray) again = outcomes_hash_lines(texts);
	bool same = true;

	for (guint text = 0; text < again->len; text++) {
		const GArray *before = outcome->lines->pdata[text], *after = again->pdata[text];
		guint line = 0;

		for (; next_difference(outcomes, text, before, after, &line); line++) {
			note_varying(outcomes, text, line, texts->pdata[text]);
			same = false;
			if (before->len == after->len)
				g_hash_table_add(outcomes->left_out, line_name(text, line));
			else
				g_array_index(outcomes->from, guint, text) = line;
		}
	}
	if (!same)
		gather_equal(outcomes);
	return same;
}

bool outcomes_difference(const struct outcomes *outcomes, const GPtrArray *texts,
                         struct outcome_difference *ret_difference)
{
	const struct outcome *reference = outcomes->all->pdata[0];
	g_autoptr(GPtrArray) lines = outcomes_hash_lines(texts);

	for (guint text = 0; text < lines->len; text++) {
		guint line = 0;

		if (!next_difference(outcomes, text, lines->pdata[text],
		                     reference->lines->pdata[text], &line))
			continue;
		ret_difference->text = text;
		ret_difference->line = line + 1;
		ret_difference->here = outcomes_show_line(texts->pdata[text], line);
		ret_difference->instead = outcomes_show_line(outcomes->reference->pdata[text],
		                                             line);
		return true;
	}
	return false;
}

const struct outcome_difference *outcomes_varying(const struct outcomes *outcomes)
{
	return outcomes->varying.line ? &outcomes->varying : NULL;
}
