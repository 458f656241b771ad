/* Opens the file of a store: checks that it is one, its version, and that it is undamaged. */
#include <errno.h>
#include <sys/stat.h>

#include "reader_rows.h"
#include "schema.h"

/* Whether the tables match their description exactly. Otherwise views or triggers in their place
 * could make the reader run foreign SQL. */
static bool check_schema(struct store_reader *reader, GError **error)
{
	sqlite3_stmt *here = rows_prepare(reader, STORE_TABLES, error), *there = NULL;
	g_autofree char *tables = tables_create();
	sqlite3 *model = NULL;
	bool same = false;

	if (here && sqlite3_open(":memory:", &model) == SQLITE_OK
	    && sqlite3_exec(model, tables, NULL, NULL, NULL) == SQLITE_OK
	    && sqlite3_prepare_v2(model, STORE_TABLES, -1, &there, NULL) == SQLITE_OK) {
		int code = rows_step(reader, here, error);

		if (code == 1 && sqlite3_step(there) == SQLITE_ROW) {
			same = g_strcmp0((const char *)sqlite3_column_text(here, 0),
			                 (const char *)sqlite3_column_text(there, 0))
			       == 0;
			if (!same)
				rows_damaged(reader, "its tables are not those of matchpoint",
				             error);
		}
	}
	sqlite3_finalize(here);
	sqlite3_finalize(there);
	sqlite3_close(model);
	return same;
}

static bool pragma(struct store_reader *reader, const char *text, gint64 *ret, GError **error)
{
	sqlite3_stmt *row = rows_prepare(reader, text, error);
	int code = row ? rows_step(reader, row, error) : -1;

	if (code == 1)
		*ret = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return code == 1;
}

static bool check_header(struct store_reader *reader, GError **error)
{
	g_autofree char *problem = NULL;
	gint64 application, version;

	if (!pragma(reader, "PRAGMA application_id", &application, error)
	    || !pragma(reader, "PRAGMA user_version", &version, error))
		return false;
	if (application == 0 && version == 0) {
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING,
		            "%s: this store has no exploration", reader->file);
		return false;
	}
	if (application != STORE_APPLICATION) {
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_DAMAGED,
		            "%s: this is a database, but not a matchpoint store", reader->file);
		return false;
	}
	problem = schema_version_problem(reader->file, version);
	if (problem)
		g_set_error_literal(error, STORE_READER_ERROR, STORE_READER_ERROR_VERSION, problem);
	return !problem;
}

/* Makes one plain file of what a killed writer left. If that is impossible (disk full, read-only
 * directory), the store is read as it is. */
static bool recover(struct store_reader *reader, GError **error)
{
	g_autoptr(GError) problem = NULL;
	gint64 ignored;
	int code;

	if (pragma(reader, "PRAGMA journal_mode = DELETE", &ignored, &problem))
		return true;
	code = sqlite3_errcode(reader->database) & 0xff;
	if (code == SQLITE_FULL || code == SQLITE_READONLY || code == SQLITE_IOERR)
		return true;
	g_propagate_error(error, g_steal_pointer(&problem));
	return false;
}

static bool open_database(struct store_reader *reader, GError **error)
{
	struct stat status;

	if (stat(reader->file, &status) != 0 && errno != ENOENT && errno != ENOTDIR)
		return rows_unreadable(reader, errno, NULL, error);
	if (!g_file_test(reader->file, G_FILE_TEST_IS_REGULAR)) {
		g_set_error(error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING,
		            "%s: there is no store; name its directory, the one given to explore "
		            "with --store",
		            reader->file);
		return false;
	}
	/* SQLite falls back to read-only if the file cannot be written */
	if (sqlite3_open_v2(reader->file, &reader->database,
	                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
	    != SQLITE_OK)
		return rows_fail(reader, error);
	sqlite3_db_config(reader->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(reader->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return sqlite3_exec(reader->database,
	                    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON", NULL,
	                    NULL, NULL)
	               == SQLITE_OK
	       && recover(reader, error);
}

bool reader_open_file(struct store_reader *reader, GError **error)
{
	return open_database(reader, error) && check_header(reader, error)
	       && check_schema(reader, error);
}
