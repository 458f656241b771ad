#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scheduler/store/old_store.h"
#include "scheduler/store/schema.h"
#include "scheduler/store/tables.h"

/* Of the tables of today. Did they change? Then give them a new version here and in
 * schema.h, and
 * what stood here to old_store.c, with the step to the new one. */
#define VERSION 19
#define DIGEST "f175eb82fa8ec951c42ead7b44406924eb7afb823545ebda13934d631b2f6685"

static void tables_change_with_the_version(void **state)
{
	sqlite3 *database = NULL;
	g_autofree char *digest = NULL, *tables = tables_create();

	(void)state;
	assert_int_equal(sqlite3_open("", &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, tables, NULL, NULL, NULL), SQLITE_OK);
	digest = old_store_digest(database);
	sqlite3_close(database);
	assert_int_equal(STORE_VERSION, VERSION);
	assert_string_equal(digest, DIGEST);
}

static void what_has_other_tables_is_refused(void **state)
{
	sqlite3 *from = NULL, *to = NULL;
	g_autofree char *tables = tables_create();

	(void)state;
	assert_int_equal(sqlite3_open("", &from), SQLITE_OK);
	assert_int_equal(sqlite3_open("", &to), SQLITE_OK);
	assert_int_equal(old_store_convert(from, STORE_OLDEST, to), SQLITE_SCHEMA);
	assert_int_equal(sqlite3_exec(from, tables, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(old_store_convert(from, STORE_OLDEST, to), SQLITE_SCHEMA);
	assert_int_equal(old_store_convert(from, STORE_VERSION, to), SQLITE_SCHEMA);
	sqlite3_close(from);
	sqlite3_close(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_change_with_the_version),
		cmocka_unit_test(what_has_other_tables_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
