/* How many interleavings the executions of a store stand for (schema.h: weights). */
#include "reader_rows.h"
#include "schema.h"

/* --- what the store says ---------------------------------------------------------------------- */

static void take_weights(struct store_reader *reader, GVariant *told)
{
	struct record_exploration *e = reader->exploration;
	g_autoptr(GVariant) weights = NULL;
	guint64 executions, all, weight;
	guint32 how, execution;
	GVariantIter iter;

	g_variant_get(told, "(utt@a(ut))", &how, &executions, &all, &weights);
	/* An exploration that went on after it was written has ended before it wrote it again. */
	if (executions != store_reader_count(reader) || how > RECORD_COUNTS_UNKNOWN)
		return;
	e->counts = (enum record_counts)how;
	if (how != RECORD_COUNTS_STATES && how != RECORD_COUNTS_SOME)
		return;
	e->interleavings = MIN(all, RECORD_BEYOND);
	reader->weights = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_variant_iter_init(&iter, weights);
	while (g_variant_iter_next(&iter, "(ut)", &execution, &weight)) {
		weight = MIN(weight, RECORD_BEYOND);
		g_hash_table_insert(reader->weights, GUINT_TO_POINTER(execution),
		                    g_memdup2(&weight, sizeof(weight)));
	}
}

bool rows_weights(struct store_reader *reader, GError **error)
{
	struct record_exploration *e = reader->exploration;
	g_autoptr(GError) problem = NULL;
	g_autoptr(GVariant) common = store_reader_common(reader, &problem), told = NULL;

	e->interleavings = store_reader_count(reader);
	e->counts = e->states > 0 ? RECORD_COUNTS_UNKNOWN : RECORD_COUNTS_EXECUTIONS;
	if (problem) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	told = common ? g_variant_lookup_value(common, STORE_WEIGHTS,
	                                       G_VARIANT_TYPE(STORE_WEIGHTS_TYPE))
	              : NULL;
	if (told && e->states > 0)
		take_weights(reader, told);
	return true;
}

/* --- numbers ---------------------------------------------------------------------------------- */

struct sum {
	const struct store_reader *reader;
	uint64_t executions, weights;
};

static uint64_t weight_of(const struct store_reader *reader, gint64 execution)
{
	const guint64 *weight = reader->weights ? g_hash_table_lookup(
					reader->weights, GSIZE_TO_POINTER((gsize)execution))
	                                        : NULL;

	return weight ? *weight : 1;
}

static void sum_add(struct sum *sum, gint64 execution)
{
	sum->executions++;
	sum->weights = MIN(sum->weights + weight_of(sum->reader, execution), RECORD_BEYOND);
}

/* If choices are left, executions may have shown what is not in the numbers. */
static uint64_t sum_end(const struct sum *sum)
{
	return sum->reader->exploration->counts == RECORD_COUNTS_SOME
	               ? MAX(sum->weights, sum->executions)
	               : sum->weights;
}

uint64_t rows_interleavings(const struct store_reader *reader, GHashTable *executions)
{
	struct sum sum = {.reader = reader};
	GHashTableIter iter;
	gpointer execution;

	g_hash_table_iter_init(&iter, executions);
	while (g_hash_table_iter_next(&iter, &execution, NULL))
		sum_add(&sum, (gint64)GPOINTER_TO_SIZE(execution));
	return sum_end(&sum);
}

/* Of the ids that the statement returns. Takes ownership of it; NULL: 0. */
static struct sum sum_rows(const struct store_reader *reader, sqlite3_stmt *row)
{
	struct sum sum = {.reader = reader};

	while (row && sqlite3_step(row) == SQLITE_ROW)
		sum_add(&sum, sqlite3_column_int64(row, 0));
	sqlite3_finalize(row);
	return sum;
}

static struct sum sum_kind(const struct store_reader *reader, enum finding_kind kind)
{
	sqlite3_stmt *row = rows_prepare(
		reader,
		"SELECT DISTINCT execution FROM shows JOIN finding"
		" ON finding.id = shows.finding WHERE kind = ? OR ?1 IS NULL",
		NULL);

	if (row && kind != FINDING_NONE)
		sqlite3_bind_text(row, 1, finding_kind_name(kind), -1, SQLITE_STATIC);
	return sum_rows(reader, row);
}

uint64_t store_reader_count_kind(const struct store_reader *reader, enum finding_kind kind)
{
	struct sum sum = sum_kind(reader, kind);

	return sum_end(&sum);
}

uint64_t store_reader_executions_with_findings(const struct store_reader *reader)
{
	return sum_kind(reader, FINDING_NONE).executions;
}

uint64_t store_reader_count_buffering(const struct store_reader *reader, uint32_t buffering)
{
	sqlite3_stmt *row = rows_prepare(reader, "SELECT id FROM execution WHERE buffering = ?",
	                                 NULL);
	struct sum sum;

	if (row)
		sqlite3_bind_int64(row, 1, buffering);
	sum = sum_rows(reader, row);
	return sum_end(&sum);
}

uint64_t store_reader_count(const struct store_reader *reader)
{
	sqlite3_stmt *row = rows_prepare(reader, "SELECT count(*) FROM execution", NULL);
	uint64_t count = 0;

	if (row && sqlite3_step(row) == SQLITE_ROW)
		count = (uint64_t)sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return count;
}
