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
#define VERSION 20
#define DIGEST "d22551f95d1ffbf4f39e23761a3c5bc4f87a271c2a479ba0921be1b64e05ae13"

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
