/* Stores what a later session needs to resume an exploration. */
#include <inttypes.h>

#include "explorer/frontier.h"
#include "row.h"
#include "schema.h"
#include "store_internal.h"

/* The session's state: see session_past.c. */
#define STATE_TYPE "a{sv}"

void store_part_free(struct store_part *part)
{
	if (part->frontier)
		g_variant_unref(part->frontier);
	g_free(part);
}

bool store_identify(struct store *store, const GPtrArray *identity, GError **error)
{
	bool good = true;

	if (!store_begin(store, error))
		return false;
	for (guint i = 0; good && i + 1 < identity->len; i += 2) {
		struct identity_row row = {identity->pdata[i], identity->pdata[i + 1]};

		good = store_put(store, TABLE_IDENTITY, NULL, &row, error);
	}
	return store_finish(store, good, error);
}

bool store_identical(struct store *store, const GPtrArray *identity, GError **error)
{
	sqlite3_stmt *row = store_prepare(store, "SELECT value FROM identity WHERE name = ?",
	                                  error);
	bool good = row != NULL;

	for (guint i = 0; good && i + 1 < identity->len; i += 2) {
		const char *name = identity->pdata[i], *now = identity->pdata[i + 1];
		const char *then = NULL;
		int code;

		sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
		code = sqlite3_step(row);
		if (code == SQLITE_ROW)
			then = (const char *)sqlite3_column_text(row, 0);
		good = code == SQLITE_DONE || code == SQLITE_ROW || store_fail(store, error);
		if (good && g_strcmp0(then, now) != 0) {
			g_set_error(error, STORE_ERROR, STORE_ERROR_OTHER,
			            "--resume: the exploration in %s is a different one: %s was "
			            "'%s', and is now '%s'",
			            store_file(store), name, then ? then : "", now);
			good = false;
		}
		sqlite3_reset(row);
	}
	sqlite3_finalize(row);
	return good;
}

static bool put_part(struct store *store, gint64 position, uint32_t buffering, GVariant *frontier,
                     GError **error)
{
	g_autoptr(GBytes) bytes = frontier ? g_variant_get_data_as_bytes(frontier) : NULL;
	struct search_row row = {buffering, bytes};

	return store_put(store, TABLE_SEARCH, STORE_KEYS(position), &row, error);
}

bool store_put_search(struct store *store, GVariant *state, const GPtrArray *parts, GError **error)
{
	bool good;

	if (!store_begin(store, error))
		return false;
	good = store_run(store, "DELETE FROM search", error) && put_part(store, 0, 0, state, error);
	for (guint i = 0; good && i < parts->len; i++) {
		const struct store_part *part = parts->pdata[i];

		good = put_part(store, (gint64)i + 1, part->buffering, part->frontier, error);
	}
	return store_finish(store, good, error);
}

static GVariant *value_of(GBytes *bytes, const char *type)
{
	if (!bytes)
		return NULL;
	return g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type), bytes, false));
}

static struct store_part *part_of(const struct search_row *told)
{
	struct store_part *part = g_new0(struct store_part, 1);

	part->buffering = told->buffering;
	part->frontier = value_of(told->frontier, FRONTIER_TYPE);
	return part;
}

bool store_get_search(struct store *store, GVariant **ret_state, GPtrArray **ret_parts,
                      GError **error)
{
	g_autofree char *text = table_select(TABLE_SEARCH, "", "ORDER BY position");
	struct search_row told;
	struct row row = {.table = table_of(TABLE_SEARCH),
	                  .statement = store_prepare(store, text, error),
	                  .record = &told};
	int code = row.statement ? SQLITE_ROW : SQLITE_ERROR;

	*ret_state = NULL;
	*ret_parts = g_ptr_array_new_with_free_func((GDestroyNotify)store_part_free);
	while (code == SQLITE_ROW && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
		row_read(&row);
		if (row.keys[0] == 0)
			*ret_state = value_of(told.frontier, STATE_TYPE);
		else
			g_ptr_array_add(*ret_parts, part_of(&told));
		row_clear(&row);
	}
	sqlite3_finalize(row.statement);
	return code == SQLITE_DONE || (row.statement && store_fail(store, error));
}

bool store_put_common(struct store *store, GVariant *common, GError **error)
{
	g_autoptr(GVariant) all = NULL;
	g_autoptr(GBytes) bytes = NULL;
	GVariantDict dict;
	bool good;

	if (!store_begin(store, error)) /* adds the postponed interleaving */
		return false;
	g_variant_dict_init(&dict, common);
	store_insert_common(store, &dict);
	all = g_variant_ref_sink(g_variant_dict_end(&dict));
	bytes = g_variant_get_data_as_bytes(all);
	good = store_put(store, TABLE_COMMON, STORE_KEYS(1), &(struct bytes_row){bytes}, error);
	good = store_finish(store, good, error);
	store->common_changed &= !good;
	return good;
}

bool store_get_common(struct store *store, GVariant **ret_common, GError **error)
{
	g_autofree char *text = table_select(TABLE_COMMON, "", "");
	struct bytes_row told = {NULL};
	struct row row = {.table = table_of(TABLE_COMMON),
	                  .statement = store_prepare(store, text, error),
	                  .record = &told};
	int code = row.statement ? sqlite3_step(row.statement) : SQLITE_ERROR;

	if (code == SQLITE_ROW)
		row_read(&row);
	*ret_common = value_of(told.value, STORE_COMMON_TYPE);
	row_clear(&row);
	sqlite3_finalize(row.statement);
	return code == SQLITE_DONE || code == SQLITE_ROW
	       || (row.statement && store_fail(store, error));
}

bool store_forget_findings(struct store *store, uint64_t last, GError **error)
{
	static const char *const tables[] = {"roll_call",   "process", "choice", "stands",
	                                     "alternative", "match",   "call"};
	g_autoptr(GString) text = g_string_new(
		"DELETE FROM finding; DELETE FROM given; DELETE FROM outcome; DELETE FROM shows;"
		"DELETE FROM roll_call WHERE execution = 0;"
		"DELETE FROM choice WHERE execution = 0;"
		"DELETE FROM alternative WHERE execution = 0;");

	for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
		g_string_append_printf(text, "DELETE FROM %s WHERE execution > %" PRIu64 ";",
		                       tables[i], last);
	store_forget_indices(store, last);
	g_string_append_printf(text, "DELETE FROM execution WHERE id > %" PRIu64 ";", last);
	if (!store_begin(store, error))
		return false;
	return store_finish(store, store_run(store, text->str, error), error);
}

void store_drop(struct store *store)
{
	if (store)
		g_clear_pointer(&store->later, record_execution_free);
	if (store)
		store->common_changed = false;
	if (store && !sqlite3_get_autocommit(store->database))
		sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
	store_close(store);
}

void store_common_texts(GVariantDict *common, const char *path, const GPtrArray *texts, guint ranks)
{
	GVariantBuilder builder;

	g_variant_builder_init(&builder, G_VARIANT_TYPE("aay"));
	for (guint i = 0; i < ranks; i++)
		g_variant_builder_add_value(
			&builder,
			g_variant_new_from_bytes(G_VARIANT_TYPE_BYTESTRING, texts->pdata[i], true));
	g_variant_dict_insert(common, "path", "s", path);
	g_variant_dict_insert_value(common, "texts", g_variant_builder_end(&builder));
}
