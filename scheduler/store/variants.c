#include "variants.h"

#include <string.h>

/* Whether a rank failed by itself. Then the places of the other ranks are irrelevant. */
static bool one_has_failed(const struct record_finding *finding)
{
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = finding->ranks->pdata[i];

		if (!rank->bystander && rank->end > RECORD_END_WELL)
			return true;
	}
	return false;
}

/* "MPI_Recv a.c:7 < b.c:3 < b.c:9"; NULL: file and line are not known. A rank's last call has no
 * meaning for what another of its threads did. */
static char *line_of(const struct store_reader *reader, const struct record_finding *finding,
                     const struct record_rank *rank)
{
	const GArray *frames = store_reader_stack(reader, rank->stack);
	bool tells = rank->function && !finding_kind_info(finding->kind)->any_call;
	GString *text = g_string_new(tells ? rank->function : "");
	g_autofree char *own = place_print(&rank->place);

	if (!rank->place.file) {
		g_string_free(text, true);
		return NULL;
	}
	g_string_append_printf(text, " %s", own);
	for (guint i = 1; frames && i < frames->len; i++) {
		g_autofree char *place = place_print(
			&g_array_index(frames, struct record_frame, i).place);

		g_string_append_printf(text, " < %s", place);
	}
	if (rank->ended)
		g_string_append_printf(text, ": %s", rank->ended);
	return g_string_free(text, false);
}

static gint compare_lines(gconstpointer one, gconstpointer other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* The key of a mistake: the kind, the set of places with their callers, and how ranks ended there.
 * NULL: not all places are known, or the finding has no ranks. Free with g_free. */
static char *mistake_key(const struct store_reader *reader, const struct record_finding *finding)
{
	bool failed = one_has_failed(finding);
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	GString *key;

	if (finding->ranks->len == 0 || record_finding_is_remark(finding))
		return NULL; /* kinds without ranks, or with one finding for all ranks */
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = finding->ranks->pdata[i];
		char *line;

		if (failed ? rank->bystander : rank->ended != NULL)
			continue;
		line = line_of(reader, finding, rank);
		if (!line)
			return NULL;
		g_ptr_array_add(lines, line);
	}
	if (lines->len == 0)
		return NULL;
	g_ptr_array_sort(lines, compare_lines);
	key = g_string_new(finding_kind_name(finding->kind));
	for (guint i = 0; i < lines->len; i++)
		if (i == 0 || strcmp(lines->pdata[i], lines->pdata[i - 1]) != 0)
			g_string_append_printf(key, "\n%s", (char *)lines->pdata[i]);
	return g_string_free(key, false);
}

static bool take_shows(struct store_reader *reader, struct row *row, void *data, GError **error)
{
	(void)reader;
	(void)error;
	g_hash_table_add(data, GSIZE_TO_POINTER((gsize)row->keys[0]));
	return true;
}

/* Adds the ids of the interleavings that show it to the set. */
static bool add_shown(struct store_reader *reader, uint32_t finding, GHashTable *executions,
                      GError **error)
{
	rows_bind(reader, GET_SHOWN, finding, 0, 0);
	return rows_each(reader, GET_SHOWN, take_shows, executions, error);
}

static bool count_together(struct store_reader *reader, struct record_finding *first,
                           GError **error)
{
	g_autoptr(GHashTable) executions = g_hash_table_new(NULL, NULL);

	if (!add_shown(reader, first->id, executions, error))
		return false;
	for (guint i = 0; i < first->variants->len; i++) {
		const struct record_finding *variant = first->variants->pdata[i];

		if (!add_shown(reader, variant->id, executions, error))
			return false;
	}
	first->together = rows_interleavings(reader, executions);
	return true;
}

/* Where an execution stands for several interleavings, so does what it shows. */
static bool count_weighted(struct store_reader *reader, struct record_finding *finding,
                           GError **error)
{
	g_autoptr(GHashTable) executions = g_hash_table_new(NULL, NULL);

	if (!reader->weights || finding_kind_info(finding->kind)->native)
		return true;
	if (!add_shown(reader, finding->id, executions, error))
		return false;
	finding->count = MAX(rows_interleavings(reader, executions), 1);
	return true;
}

static void add_variant(struct record_finding *first, struct record_finding *variant)
{
	if (!first->variants)
		first->variants = g_ptr_array_new();
	g_ptr_array_add(first->variants, variant);
	variant->variant_of = first->id;
}

bool variants_find(struct store_reader *reader, GError **error)
{
	g_autoptr(GHashTable) firsts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < reader->findings->len; i++) {
		struct record_finding *finding = reader->findings->pdata[i], *first;
		char *key;

		if (!count_weighted(reader, finding, error))
			return false;
		/* a finding that did not show again stands alone */
		key = finding->reproduced ? mistake_key(reader, finding) : NULL;
		finding->together = finding->count;
		first = key ? g_hash_table_lookup(firsts, key) : NULL;
		if (first) {
			add_variant(first, finding);
			g_free(key);
			continue;
		}
		g_ptr_array_add(reader->mistakes, finding);
		if (key)
			g_hash_table_insert(firsts, key, finding);
	}
	for (guint i = 0; i < reader->mistakes->len; i++) {
		struct record_finding *first = reader->mistakes->pdata[i];

		if (first->variants && !count_together(reader, first, error))
			return false;
	}
	return true;
}
