/* What a later session needs to go on with an exploration. */
#include <inttypes.h>

#include "../explorer/frontier.h"
#include "store_internal.h"
#include "store_schema.h"

/* Of the session's own: see session_past.c. */
#define STATE_TYPE "a{sv}"

void store_part_free(struct store_part *part)
{
	if (part->frontier)
		g_variant_unref(part->frontier);
	g_free(part);
}

bool store_identify(struct store *store, const GPtrArray *identity, GError **error)
{
	sqlite3_stmt *row;
	bool good = true;

	if (!store_begin(store, error))
		return false;
	row = store_prepare(store, "INSERT INTO identity VALUES (?,?)", error);
	for (guint i = 0; row && good && i + 1 < identity->len; i += 2) {
		sqlite3_bind_text(row, 1, identity->pdata[i], -1, SQLITE_STATIC);
		sqlite3_bind_text(row, 2, identity->pdata[i + 1], -1, SQLITE_STATIC);
		good = sqlite3_step(row) == SQLITE_DONE || store_fail(store, error);
		sqlite3_reset(row);
	}
	sqlite3_finalize(row);
	return store_finish(store, row && good, error);
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
			            "--resume: this is not what was explored into %s: %s was '%s', "
			            "and is '%s'",
			            store_file(store), name, then ? then : "", now);
			good = false;
		}
		sqlite3_reset(row);
	}
	sqlite3_finalize(row);
	return good;
}

static bool put_part(struct store *store, sqlite3_stmt *row, gint64 position, gint64 buffering,
                     GVariant *frontier, GError **error)
{
	bool good;

	sqlite3_bind_int64(row, 1, position);
	sqlite3_bind_int64(row, 2, buffering);
	if (frontier)
		sqlite3_bind_blob64(row, 3, g_variant_get_data(frontier),
		                    g_variant_get_size(frontier), SQLITE_STATIC);
	good = sqlite3_step(row) == SQLITE_DONE || store_fail(store, error);
	sqlite3_reset(row);
	sqlite3_clear_bindings(row);
	return good;
}

bool store_put_search(struct store *store, GVariant *state, const GPtrArray *parts, GError **error)
{
	sqlite3_stmt *row;
	bool good;

	if (!store_begin(store, error))
		return false;
	row = store_prepare(store, "INSERT INTO search VALUES (?,?,?)", error);
	good = row && store_run(store, "DELETE FROM search", error)
	       && put_part(store, row, 0, 0, state, error);
	for (guint i = 0; good && i < parts->len; i++) {
		const struct store_part *part = parts->pdata[i];

		good = put_part(store, row, (gint64)i + 1, part->buffering, part->frontier, error);
	}
	sqlite3_finalize(row);
	return store_finish(store, good, error);
}

/* The value in the third column, or NULL. */
static GVariant *get_value(sqlite3_stmt *row, const char *type)
{
	g_autoptr(GBytes) bytes = NULL;

	if (sqlite3_column_type(row, 2) != SQLITE_BLOB)
		return NULL;
	bytes = g_bytes_new(sqlite3_column_blob(row, 2), (gsize)sqlite3_column_bytes(row, 2));
	return g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type), bytes, FALSE));
}

bool store_get_search(struct store *store, GVariant **ret_state, GPtrArray **ret_parts,
                      GError **error)
{
	sqlite3_stmt *row = store_prepare(
		store, "SELECT position, buffering, frontier FROM search ORDER BY position", error);
	int code = row ? SQLITE_ROW : SQLITE_ERROR;

	*ret_state = NULL;
	*ret_parts = g_ptr_array_new_with_free_func((GDestroyNotify)store_part_free);
	while (code == SQLITE_ROW && (code = sqlite3_step(row)) == SQLITE_ROW) {
		struct store_part *part;

		if (sqlite3_column_int64(row, 0) == 0) {
			*ret_state = get_value(row, STATE_TYPE);
			continue;
		}
		part = g_new0(struct store_part, 1);
		part->buffering = (uint32_t)sqlite3_column_int(row, 1);
		part->frontier = get_value(row, FRONTIER_TYPE);
		g_ptr_array_add(*ret_parts, part);
	}
	sqlite3_finalize(row);
	return code == SQLITE_DONE || (row && store_fail(store, error));
}

bool store_put_common(struct store *store, GVariant *common, GError **error)
{
	sqlite3_stmt *row;
	bool good = false;

	if (!store_begin(store, error))
		return false;
	row = store_prepare(store, "REPLACE INTO common VALUES (1,?)", error);
	if (row) {
		sqlite3_bind_blob64(row, 1, g_variant_get_data(common), g_variant_get_size(common),
		                    SQLITE_STATIC);
		good = sqlite3_step(row) == SQLITE_DONE || store_fail(store, error);
	}
	sqlite3_finalize(row);
	return store_finish(store, good, error);
}

bool store_get_common(struct store *store, GVariant **ret_common, GError **error)
{
	sqlite3_stmt *row = store_prepare(store, "SELECT 0, 0, value FROM common", error);
	int code = row ? sqlite3_step(row) : SQLITE_ERROR;

	*ret_common = code == SQLITE_ROW ? get_value(row, STORE_COMMON_TYPE) : NULL;
	sqlite3_finalize(row);
	return code == SQLITE_DONE || code == SQLITE_ROW || (row && store_fail(store, error));
}

bool store_forget_findings(struct store *store, uint64_t last, GError **error)
{
	static const char *const tables[] = {"roll_call",   "process", "choice", "stands",
	                                     "alternative", "match",   "call"};
	g_autoptr(GString)
		text = g_string_new("DELETE FROM finding; DELETE FROM outcome; DELETE FROM shows;"
	                            "DELETE FROM roll_call WHERE execution = 0;"
	                            "DELETE FROM choice WHERE execution = 0;"
	                            "DELETE FROM alternative WHERE execution = 0;");

	for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
		g_string_append_printf(text, "DELETE FROM %s WHERE execution > %" PRIu64 ";",
		                       tables[i], last);
	g_string_append_printf(text, "DELETE FROM execution WHERE id > %" PRIu64 ";", last);
	if (!store_begin(store, error))
		return false;
	return store_finish(store, store_run(store, text->str, error), error);
}

void store_drop(struct store *store)
{
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
			g_variant_new_from_bytes(G_VARIANT_TYPE_BYTESTRING, texts->pdata[i], TRUE));
	g_variant_dict_insert(common, "path", "s", path);
	g_variant_dict_insert_value(common, "texts", g_variant_builder_end(&builder));
}
