#include "old_store.h"

#include "schema.h"
#include "tables.h"

/* Steps change a copy of the old store, attached as "old", which has been given the tables and
 * columns of today (tables.h) that it lacks, empty. In the end each table of today takes the
 * columns of its name from there. */

/* 14: it was not told whether a finding was replayed, or there was no time for it. */
#define FROM_14 "UPDATE old.finding SET replayed = 1;"

/* 14, and the first of 15: collectives all waited, or none did. */
#define FROM_SYNCHRONOUS                           \
	"UPDATE old.exploration SET collectives =" \
	" CASE WHEN synchronous THEN 'sync' ELSE 'async' END;"

/* 15: another order of the search, so what is left of it means nothing any more. */
#define FROM_15 "DELETE FROM old.search;"

/* 16: how ranks ended, and what calls were given, stood in sentences alone. (What the members of a
 * collective were given is not taken from there; --emit-c alone asks for it.) */
/* clang-format off */
#define SIGNAL(name, number) " WHEN ended LIKE 'killed by " name "%' THEN " number
#define FROM_16 \
	"UPDATE old.exploration SET threads = EXISTS (SELECT 1 FROM old.note" \
	" WHERE value LIKE '%threads of a rank were let into MPI%');" \
	"UPDATE old.roll_call SET ending = CASE" \
	" WHEN ended IS NULL THEN 0" \
	" WHEN ended = 'ended' THEN 1" \
	" WHEN ended LIKE 'exited with status % without MPI_Finalize' THEN 3" \
	" WHEN ended LIKE 'exited with status %' THEN 2" \
	" WHEN ended LIKE 'killed by %' THEN 4" \
	" WHEN ended LIKE 'called MPI_Abort(%' THEN 5" \
	" WHEN ended LIKE 'stopped by an MPI error%' THEN 6" \
	" ELSE 7 END, code = CASE" \
	" WHEN ended LIKE 'exited with status %' THEN CAST(substr(ended, 20) AS INTEGER)" \
	" WHEN ended LIKE 'called MPI_Abort(%' THEN CAST(substr(ended, 18) AS INTEGER)" \
	SIGNAL("SIGHUP", "1") SIGNAL("SIGINT", "2") SIGNAL("SIGQUIT", "3") SIGNAL("SIGILL", "4") \
	SIGNAL("SIGTRAP", "5") SIGNAL("SIGABRT", "6") SIGNAL("SIGBUS", "7") SIGNAL("SIGFPE", "8") \
	SIGNAL("SIGKILL", "9") SIGNAL("SIGUSR1", "10") SIGNAL("SIGSEGV", "11") \
	SIGNAL("SIGUSR2", "12") SIGNAL("SIGPIPE", "13") SIGNAL("SIGALRM", "14") \
	SIGNAL("SIGTERM", "15") SIGNAL("SIGXCPU", "24") SIGNAL("SIGXFSZ", "25") \
	" ELSE 0 END;" \
	"INSERT INTO old.given SELECT finding, position, rank, call," \
	" CAST(substr(does, instr(does, ' ') + 1) AS INTEGER)," \
	" substr(does, instr(does, 'MPI_')), NULL FROM old.roll_call" \
	" WHERE finding > 0 AND does NOT LIKE '% % % %'" \
	" AND (does GLOB 'sends [0-9]* MPI_*' OR does GLOB 'receives [0-9]* MPI_*');"
/* clang-format on */

/* 17: what is left of the search told of choices in another way; of interpreted programs nothing
 * was known. */
#define FROM_17 "DELETE FROM old.search;"

/* 18: it was not told which kind of search it was. */
#define FROM_18 "DELETE FROM old.search;"

/* 19: it was not told whether a replay was ended from outside; where there was time it was. */
#define FROM_19                                                    \
	"UPDATE old.finding SET struck = NOT replayed AND (SELECT" \
	" complete FROM old.exploration);"

static const struct version {
	int64_t version;
	const char *digest;
	const char *steps;
	bool can_resume; /* what is left of the search is still understood */
} versions[] = {
	{14, "2c47bd50ce305f7ca9cc3d180e89b4f688467771b366fc310cedaec0b76352e6",
         FROM_14 FROM_SYNCHRONOUS FROM_15 FROM_16 FROM_17 FROM_18 FROM_19, false},
	{15, "ebab9a6f7df1f9dfcdd422c6c80603febce1ab1e3425539f0ce8558484c29a30",
         FROM_SYNCHRONOUS FROM_15 FROM_16 FROM_17 FROM_18 FROM_19, false},
	{15, "f6678fcab197d1cd8ff9b58d244d6461ce94940a779171092a3d7f01eb7258d0",
         FROM_15 FROM_16 FROM_17 FROM_18 FROM_19, false},
	{16, "f6678fcab197d1cd8ff9b58d244d6461ce94940a779171092a3d7f01eb7258d0",
         FROM_16 FROM_17 FROM_18 FROM_19, false},
	{17, "ad52380970c4ff6a012cafd146a4eea2dac838210060520c121557fd757dd1c4",
         FROM_17 FROM_18 FROM_19, false},
	{18, "f67a22ef50de26485881a2369cc149a6e2427f973f639b69afc4a612b3132304", FROM_18 FROM_19,
         false},
	{19, "f175eb82fa8ec951c42ead7b44406924eb7afb823545ebda13934d631b2f6685", FROM_19, true},
};

char *old_store_digest(sqlite3 *database)
{
	sqlite3_stmt *row = NULL;
	char *digest = NULL;

	if (sqlite3_prepare_v2(database, STORE_TABLES, -1, &row, NULL) == SQLITE_OK
	    && sqlite3_step(row) == SQLITE_ROW)
		digest = g_compute_checksum_for_string(
			G_CHECKSUM_SHA256, (const char *)sqlite3_column_text(row, 0), -1);
	sqlite3_finalize(row);
	return digest;
}

static const struct version *find(int64_t number, const char *digest)
{
	for (guint i = 0; i < G_N_ELEMENTS(versions); i++) {
		if (versions[i].version == number && g_strcmp0(versions[i].digest, digest) == 0)
			return &versions[i];
	}
	return NULL;
}

bool old_store_can_resume(int64_t version)
{
	for (guint i = 0; i < G_N_ELEMENTS(versions); i++) {
		if (versions[i].version == version)
			return versions[i].can_resume;
	}
	return false;
}

static int run(sqlite3 *database, const char *text)
{
	return sqlite3_exec(database, text, NULL, NULL, NULL);
}

/* All of `from` into the database that is attached to `to` as "old". */
static int copy_pages(sqlite3 *from, sqlite3 *to)
{
	sqlite3_backup *backup = sqlite3_backup_init(to, "old", from, "main");
	int code;

	if (!backup)
		return sqlite3_errcode(to);
	code = sqlite3_backup_step(backup, -1);
	sqlite3_backup_finish(backup);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* The names of the columns that a table has in the old store; none: it has no such table. */
static int old_columns(sqlite3 *to, const struct table *table, GHashTable *ret_columns)
{
	sqlite3_stmt *row = NULL;
	int code = sqlite3_prepare_v2(to, "SELECT name FROM pragma_table_info(?, 'old')", -1, &row,
	                              NULL);

	if (code != SQLITE_OK)
		return code;
	sqlite3_bind_text(row, 1, table->name, -1, SQLITE_STATIC);
	while ((code = sqlite3_step(row)) == SQLITE_ROW)
		g_hash_table_add(ret_columns, g_strdup((const char *)sqlite3_column_text(row, 0)));
	sqlite3_finalize(row);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Adds what the old table lacks. Columns come and go, keys stay. */
static int complete_table(sqlite3 *to, const struct table *table)
{
	g_autoptr(GHashTable)
		columns = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	int code = old_columns(to, table, columns);
	bool is_there = g_hash_table_size(columns) > 0;

	for (int i = 0; i < table->count && code == SQLITE_OK; i++) {
		const char *name = table->columns[i].name;
		g_autofree char *text = g_strdup_printf(
			!is_there && i == 0 ? "CREATE TABLE old.\"%s\" (\"%s\" %s)"
					    : "ALTER TABLE old.\"%s\" ADD COLUMN \"%s\" %s",
			table->name, name, column_type(&table->columns[i]));

		if (!g_hash_table_contains(columns, name))
			code = run(to, text);
	}
	return code;
}

static int complete_tables(sqlite3 *to)
{
	int code = SQLITE_OK;

	for (int id = 0; id < TABLES && code == SQLITE_OK; id++)
		code = complete_table(to, table_of((enum table_id)id));
	return code;
}

static int copy_tables(sqlite3 *to)
{
	int code = SQLITE_OK;

	for (int id = 0; id < TABLES && code == SQLITE_OK; id++) {
		const struct table *table = table_of((enum table_id)id);
		g_autofree char *columns = table_columns(table);
		g_autofree char *text = g_strdup_printf(
			"INSERT INTO main.\"%s\" (%s) SELECT %s FROM old.\"%s\"", table->name,
			columns, columns, table->name);

		code = run(to, text);
	}
	return code;
}

static int convert(sqlite3 *to, const char *steps)
{
	g_autofree char *tables = tables_create();
	g_autofree char *header = g_strdup_printf(
		"PRAGMA main.application_id = %d; PRAGMA main.user_version = %d", STORE_APPLICATION,
		STORE_VERSION);
	int code = run(to, "BEGIN");

	if (code == SQLITE_OK)
		code = complete_tables(to);
	if (code == SQLITE_OK)
		code = run(to, steps);
	if (code == SQLITE_OK)
		code = run(to, tables);
	if (code == SQLITE_OK)
		code = copy_tables(to);
	if (code == SQLITE_OK)
		code = run(to, header);
	return code == SQLITE_OK ? run(to, "COMMIT") : code;
}

int old_store_convert(sqlite3 *from, int64_t version, sqlite3 *to)
{
	g_autofree char *digest = old_store_digest(from);
	const struct version *known = digest ? find(version, digest) : NULL;
	int code;

	if (!digest)
		return sqlite3_errcode(from);
	if (!known)
		return SQLITE_SCHEMA;
	sqlite3_db_config(to, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	code = run(to, "ATTACH '' AS old");
	if (code == SQLITE_OK)
		code = copy_pages(from, to);
	if (code == SQLITE_OK)
		code = convert(to, known->steps);
	if (code != SQLITE_OK) /* a step that finds no column is the file's fault */
		return code == SQLITE_ERROR ? SQLITE_CORRUPT : code;
	return run(to, "DETACH old");
}
