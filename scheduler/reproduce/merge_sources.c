/* The stores to merge: whether they belong together, and their common description. */
#include <glib/gstdio.h>
#include <string.h>

#include "merge_internal.h"
#include "scheduler/session/varying_lines.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/schema.h"

G_DEFINE_QUARK(matchpoint_merge_error, merge_error)

static bool refuse_source(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool refuse_source(GError **error, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error_literal(error, MERGE_ERROR, 0, text);
	return false;
}

/* --- one store ------------------------------------------------------------------------------ */

static void source_free(gpointer pointer)
{
	struct merge_source *source = pointer;

	store_reader_close(source->reader);
	g_clear_pointer(&source->identity, g_ptr_array_unref);
	g_clear_pointer(&source->texts, g_ptr_array_unref);
	g_clear_pointer(&source->left_out, g_variant_unref);
	g_clear_pointer(&source->varying, g_variant_unref);
	g_clear_pointer(&source->erratic, g_variant_unref);
	g_clear_pointer(&source->ids, g_hash_table_destroy);
	g_array_unref(source->differ);
	g_array_unref(source->stacks);
	position_free(source->common);
	g_free(source->split);
	g_free(source->files);
	record_execution_free(source->well);
	g_free(source->name);
	g_free(source);
}

static void read_common(struct merge_source *source, GVariant *common)
{
	GVariantDict dict;
	g_autofree char *path = NULL;
	GVariantIter *texts;
	GVariant *text;

	g_variant_dict_init(&dict, common);
	g_variant_dict_lookup(&dict, "split", "s", &source->split);
	g_variant_dict_lookup(&dict, "struck", "b", &source->struck);
	g_variant_dict_lookup(&dict, "again", "b", &source->again);
	g_variant_dict_lookup(&dict, "files", "s", &source->files);
	g_variant_dict_lookup(&dict, "wrote", "b", &source->wrote);
	source->left_out = g_variant_dict_lookup_value(&dict, "left-out",
	                                               G_VARIANT_TYPE(OUTCOMES_LEFT_OUT));
	source->varying = g_variant_dict_lookup_value(&dict, "varying",
	                                              G_VARIANT_TYPE(VARYING_LINES_EVERYWHERE));
	source->erratic = g_variant_dict_lookup_value(&dict, "erratic",
	                                              G_VARIANT_TYPE(VARYING_LINES_SUSPECT));
	if (g_variant_dict_lookup(&dict, "path", "s", &path))
		source->common = position_parse(path, NULL);
	if (source->common && g_variant_dict_lookup(&dict, "texts", "aay", &texts)) {
		source->texts = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
		while ((text = g_variant_iter_next_value(texts))) {
			g_ptr_array_add(source->texts, g_variant_get_data_as_bytes(text));
			g_variant_unref(text);
		}
		g_variant_iter_free(texts);
	}
	g_variant_dict_clear(&dict);
}

static bool has_outcomes(const struct store_reader *reader)
{
	const GPtrArray *findings = store_reader_findings(reader);

	for (guint i = 0; i < findings->len; i++)
		if (((const struct record_finding *)findings->pdata[i])->outcomes->len > 0)
			return true;
	return false;
}

static bool source_open(struct merge_source *source, GError **error)
{
	const struct record_exploration *e;
	g_autoptr(GVariant) common = NULL;
	g_autoptr(GError) problem = NULL;

	source->reader = store_reader_open(source->store, error);
	if (!source->reader)
		return false;
	source->exploration = e = store_reader_exploration(source->reader);
	source->identity = store_reader_identity(source->reader, error);
	common = store_reader_common(source->reader, &problem);
	if (!source->identity || problem) {
		if (problem)
			g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	if (common)
		read_common(source, common);
	g_array_set_size(source->stacks, store_reader_stacks(source->reader) + 1);
	if (has_outcomes(source->reader))
		source->ids = g_hash_table_new(NULL, NULL);
	source->name = e->shard > 0 ? g_strdup_printf("shard %u/%u", e->shard, e->shards)
	                            : g_strdup(source->store);
	if (e->shard == 0 && e->shards > 0)
		return refuse_source(
			error,
			"%s was itself merged from shards: name the stores that it was "
			"merged from",
			source->store);
	if (g_strcmp0(e->command, "explore") != 0)
		return refuse_source(error,
		                     "%s holds what '%s' did: only explorations can be merged",
		                     source->store, e->command ? e->command : "?");
	return true;
}

/* --- whether stores belong together --------------------------------------------------------- */

/* Whether stores may differ in this: neither the tree nor its reports depend on it. Walks with
 * other seeds take other paths through the same tree. */
static bool may_differ(const char *name, const char *here, const char *there)
{
	if (g_str_equal(name, "--random"))
		return !g_str_equal(here, "none") && g_strcmp0(there, "none") != 0;
	return g_str_equal(name, "the directory") || g_str_equal(name, "--shard");
}

static bool sources_differ(const struct merge_source *one, const struct merge_source *other,
                           const char *name, const char *here, const char *there, GError **error)
{
	return refuse_source(
		error,
		"%s and %s are not of the same exploration: %s is '%s' in the first, and "
		"'%s' in the second",
		one->store, other->store, name, here ? here : "", there ? there : "");
}

static bool is_identical(const struct merge_source *one, const struct merge_source *other,
                         GError **error)
{
	for (guint i = 0; i + 1 < one->identity->len; i += 2) {
		const char *name = one->identity->pdata[i], *here = one->identity->pdata[i + 1];
		const char *there = store_identity_value(other->identity, name);

		if (!may_differ(name, here, there) && g_strcmp0(here, there) != 0)
			return sources_differ(one, other, name, here, there, error);
	}
	return true;
}

static bool belong_together(const struct merge_source *one, const struct merge_source *other,
                            GError **error)
{
	const struct record_exploration *e = one->exploration, *f = other->exploration;

	if (!is_identical(one, other, error) || !is_identical(other, one, error))
		return false;
	if (e->ranks != f->ranks || e->bufferings != f->bufferings)
		return refuse_source(error, "%s and %s are not of the same exploration", one->store,
		                     other->store);
	if (e->shards == 0 && f->shards == 0)
		return true;
	if (e->shards == 0 || f->shards == 0)
		return refuse_source(
			error,
			"%s holds a shard, and %s a whole exploration: it is contained in it",
			e->shards == 0 ? other->store : one->store,
			e->shards == 0 ? one->store : other->store);
	if (e->shards != f->shards)
		return refuse_source(error,
		                     "%s is one of %u shards, and %s one of %u: they are parts of "
		                     "different divisions",
		                     one->store, e->shards, other->store, f->shards);
	if (e->shard == f->shard)
		return refuse_source(error, "%s and %s both hold shard %u/%u", one->store,
		                     other->store, e->shard, e->shards);
	return true;
}

static gint compare_shards(gconstpointer one, gconstpointer other)
{
	const struct merge_source *a = *(struct merge_source *const *)one;
	const struct merge_source *b = *(struct merge_source *const *)other;

	return a->exploration->shard < b->exploration->shard
	               ? -1
	               : a->exploration->shard > b->exploration->shard;
}

static char *file_of(const char *store)
{
	return g_file_test(store, G_FILE_TEST_IS_DIR) ? g_build_filename(store, STORE_FILE, NULL)
	                                              : g_strdup(store);
}

bool merge_same_store(const char *one, const char *other)
{
	g_autofree char *here = file_of(one), *there = file_of(other);
	GStatBuf a, b;

	return g_stat(here, &a) == 0 && g_stat(there, &b) == 0 && a.st_dev == b.st_dev
	       && a.st_ino == b.st_ino;
}

/* Whether this store occurs for the first time. An open store is locked, so the second time it
 * would look as if another process wrote it. */
static bool is_new(char *const *stores, guint index, GError **error)
{
	for (guint i = 0; i < index; i++)
		if (merge_same_store(stores[i], stores[index]))
			return refuse_source(error, "%s is named twice", stores[index]);
	return true;
}

GPtrArray *merge_sources_open(char *const *stores, GError **error)
{
	g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(source_free);

	for (guint i = 0; stores[i]; i++) {
		struct merge_source *source;

		if (!is_new(stores, i, error))
			return NULL;
		source = g_new0(struct merge_source, 1);
		source->store = stores[i];
		source->stacks = g_array_new(false, true, sizeof(guint32));
		source->differ = g_array_new(false, false, sizeof(guint32));
		g_ptr_array_add(sources, source);
		if (!source_open(source, error))
			return NULL;
		for (guint j = 0; j < i; j++)
			if (!belong_together(sources->pdata[j], source, error))
				return NULL;
	}
	g_ptr_array_sort(sources, compare_shards);
	return g_steal_pointer(&sources);
}

/* --- common description --------------------------------------------------------------------- */

#define MISSING_TOLD 20 /* a list of thousands would not be read */

/* "shard 2/3 is missing", "shards 2, 5 of 8 are missing" */
static void report_missing(const struct merge *merge, GPtrArray *reasons)
{
	const struct merge_source *first = merge->sources->pdata[0];
	guint shards = first->exploration->shards, at = 0, missing = shards - merge->sources->len;
	GString *text;
	guint told = 0;

	if (shards == 0 || missing == 0)
		return;
	text = g_string_new(missing == 1 ? "shard " : "shards ");
	for (guint shard = 1; shard <= shards && told < MISSING_TOLD; shard++) {
		const struct merge_source *source = at < merge->sources->len
		                                            ? merge->sources->pdata[at]
		                                            : NULL;

		if (source && source->exploration->shard == shard)
			at++;
		else
			g_string_append_printf(text, "%s%u", told++ ? ", " : "", shard);
	}
	if (told < missing)
		g_string_append_printf(text, " and %u more", missing - told);
	g_string_append_printf(text, missing == 1 ? "/%u is missing" : " of %u are missing",
	                       shards);
	g_ptr_array_add(reasons, g_string_free(text, false));
}

/* The reason for different divisions: the program, or the event that killed its ranks. */
static char *split_words(const struct merge_source *one, const struct merge_source *other)
{
	const struct merge_source *struck = one->struck ? one : other;

	if (!one->struck && !other->struck)
		return g_strdup_printf("%s and %s split the tree differently: the program does not "
		                       "behave the same way each time",
		                       one->name, other->name);
	return g_strdup_printf("%s and %s split the tree differently: while %s did, something "
	                       "outside killed ranks, so the program need not be the cause; "
	                       "explore %s anew, without --resume",
	                       one->name, other->name,
	                       one->struck && other->struck ? "they" : struck->name,
	                       one->struck && other->struck ? "both" : "it");
}

/* Parts of differently divided trees do not cover the tree. */
static void report_split(const struct merge *merge, GPtrArray *reasons)
{
	const struct merge_source *first = NULL;

	for (guint i = 0; i < merge->sources->len; i++) {
		const struct merge_source *source = merge->sources->pdata[i];

		if (!source->split)
			continue;
		if (first && !g_str_equal(first->split, source->split)) {
			g_ptr_array_add(reasons, split_words(first, source));
			return;
		}
		first = source;
	}
}

/* A store that did not come to its end. */
static void add_unfinished(struct merge *merge)
{
	for (guint i = 0; i < merge->sources->len; i++) {
		const struct merge_source *source = merge->sources->pdata[i];
		const struct record_exploration *e = source->exploration;

		g_autofree char *reasons = limits_print(e->limits, LIMIT_NOT_EXPLORED);

		if (!e->complete && !reasons)
			limits_add(merge->exploration->limits, LIMIT_STOPPED,
			           g_strdup_printf("%s: it did not come to its end", source->name));
	}
}

static bool has_limit(const struct record_exploration *exploration,
                      const struct record_limit *limit)
{
	for (guint i = 0; i < exploration->limits->len; i++) {
		const struct record_limit *other = exploration->limits->pdata[i];

		if (other->limit == limit->limit && g_str_equal(other->text, limit->text))
			return true;
	}
	return false;
}

/* Adds the limits of one store. A limit that not all stores have names those that have it. */
static void add_limits(struct merge *merge, const struct merge_source *source)
{
	const GPtrArray *limits = source->exploration->limits;

	for (guint i = 0; i < limits->len; i++) {
		const struct record_limit *limit = limits->pdata[i];
		bool all = true;

		for (guint j = 0; j < merge->sources->len; j++) {
			const struct merge_source *other = merge->sources->pdata[j];

			all &= has_limit(other->exploration, limit);
		}
		limits_add(merge->exploration->limits, limit->limit,
		           all ? g_strdup(limit->text)
		               : g_strdup_printf("%s: %s", source->name, limit->text));
	}
}

void merge_limits(struct merge *merge)
{
	struct record_exploration *e = merge->exploration;
	g_autoptr(GPtrArray) reasons = g_ptr_array_new();

	report_missing(merge, reasons);
	report_split(merge, reasons);
	for (guint i = 0; i < reasons->len; i++)
		limits_add(e->limits, LIMIT_SHARDS, reasons->pdata[i]);
	add_unfinished(merge);
	for (guint i = 0; i < merge->sources->len; i++)
		add_limits(merge, merge->sources->pdata[i]);
	e->incomplete_reason = limits_print(e->limits, LIMIT_NOT_EXPLORED);
	e->complete = !e->incomplete_reason;
}

void merge_note(struct merge *merge, char *text)
{
	GPtrArray *notes = merge->exploration->notes;

	for (guint i = 0; i < notes->len; i++) {
		if (g_str_equal(notes->pdata[i], text)) {
			g_free(text);
			return;
		}
	}
	g_ptr_array_add(notes, text);
}

/* The number of stores with this note. */
static guint count_note(const struct merge *merge, const char *text)
{
	guint count = 0;

	for (guint i = 0; i < merge->sources->len; i++) {
		const struct merge_source *source = merge->sources->pdata[i];
		const GPtrArray *notes = source->exploration->notes;
		bool found = false;

		for (guint j = 0; j < notes->len; j++)
			found |= g_str_equal(notes->pdata[j], text);
		count += found;
	}
	return count;
}

/* Adds all notes. A note that not all stores have names those that have it. */
static void unite_notes(struct merge *merge)
{
	for (guint i = 0; i < merge->sources->len; i++) {
		const struct merge_source *source = merge->sources->pdata[i];
		const GPtrArray *notes = source->exploration->notes;

		for (guint j = 0; j < notes->len; j++) {
			const char *note = notes->pdata[j];

			if (count_note(merge, note) == merge->sources->len)
				merge_note(merge, g_strdup(note));
			else
				merge_note(merge, g_strdup_printf("%s: %s", source->name, note));
		}
	}
}

void merge_describe(struct merge *merge)
{
	struct record_exploration *e = merge->exploration;
	const struct merge_source *source = merge->sources->pdata[0];
	const struct record_exploration *first = source->exploration;

	g_strfreev(e->program);
	e->program = g_strdupv(first->program);
	e->directory = g_strdup(first->directory);
	e->ranks = first->ranks;
	e->nodes = first->nodes;
	e->bufferings = first->bufferings;
	e->collectives = first->collectives;
	e->version = g_strdup(first->version);
	e->mpi = g_strdup(first->mpi);
	e->machine = g_strdup(first->machine);
	e->standard_input = g_strdup(first->standard_input);
	e->launcher = g_strdup(first->launcher);
	e->shards = first->shards;
	e->random = first->random;
	e->seed = first->seed;
	e->backtrack = first->backtrack;
	for (guint i = 0; i < merge->sources->len; i++) {
		const struct record_exploration *f;

		source = merge->sources->pdata[i];
		f = source->exploration;
		e->wasted += f->wasted;
		e->runs += f->runs;
		/* For how many interleavings those of all sources stand is not known. */
		e->states = MAX(e->states, f->states);
		e->merged = MAX(e->merged, f->merged);
		e->threads |= f->threads;
		e->seconds += f->seconds;
		if (g_strcmp0(f->backtrack, "rerun") == 0)
			e->backtrack = f->backtrack;
		if (!e->backtrack_reason)
			e->backtrack_reason = g_strdup(f->backtrack_reason);
		if (!e->mpi)
			e->mpi = g_strdup(f->mpi);
		if (g_strcmp0(e->machine, f->machine) != 0)
			g_clear_pointer(&e->machine, g_free); /* several machines */
		if (f->mpi && g_strcmp0(e->mpi, f->mpi) != 0)
			merge_note(merge, g_strdup_printf("%s was explored with another MPI "
			                                  "library: %s",
			                                  source->name, f->mpi));
	}
	unite_notes(merge);
}
