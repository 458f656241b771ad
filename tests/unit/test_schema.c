/* room: store. The format of stores: it has a number, and changes with it alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <glib.h>
#include <sqlite3.h>

#include "scheduler/store/schema.h"
#include "scheduler/store/tables.h"

/* Of the current tables. After a change of them, schema.h says what else to do. */
#define VERSION 23
#define DIGEST "97abea20c22eadd826909c0347a8402babdce33b26943baecffa1f06fa759863"

static void tables_change_with_the_version(void **state)
{
	g_autofree char *digest = NULL, *tables = tables_create();
	sqlite3 *database = NULL;
	sqlite3_stmt *row = NULL;

	(void)state;
	assert_int_equal(sqlite3_open("", &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, tables, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database, STORE_TABLES, -1, &row, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256,
	                                       (const char *)sqlite3_column_text(row, 0), -1);
	sqlite3_finalize(row);
	sqlite3_close(database);
	assert_int_equal(STORE_VERSION, VERSION);
	assert_string_equal(digest, DIGEST);
}

static void the_error_of_a_refused_format_is_complete(void **state)
{
	g_autofree char *older = schema_version_problem("/a/b/matchpoint.db", STORE_OLDEST - 1),
			*newer = schema_version_problem("/a/b/matchpoint.db", STORE_VERSION + 1);

	(void)state;
	assert_string_equal(older,
	                    "/a/b/matchpoint.db: this store has format 22, made by a version of "
	                    "matchpoint before 0.3; this version reads formats from 23 on: explore "
	                    "again, or delete /a/b");
	assert_string_equal(newer,
	                    "/a/b/matchpoint.db: this store has format 24, made by a later version "
	                    "of matchpoint; this version reads formats up to 23: use that version, "
	                    "or explore into another directory");
}

static void formats_from_the_oldest_to_the_newest_are_read(void **state)
{
	(void)state;
	for (int64_t version = STORE_OLDEST; version <= STORE_VERSION; version++)
		assert_null(schema_version_problem("matchpoint.db", version));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_change_with_the_version),
		cmocka_unit_test(the_error_of_a_refused_format_is_complete),
		cmocka_unit_test(formats_from_the_oldest_to_the_newest_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
