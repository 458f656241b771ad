#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "reports/words.h"
#include "scheduler/session/state_counts.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/store.h"

#define LARGE G_GUINT64_CONSTANT(600000000000000000)

static GArray *ways_of(guint64 one, guint64 other)
{
	guint64 ways[] = {0, 0, one, other}; /* number 0 is none, 1 the first state */
	GArray *array = g_array_new(false, false, sizeof(guint64));

	return g_array_append_vals(array, ways, G_N_ELEMENTS(ways));
}

/* Execution 1 is of the tree under zero buffering. Those under infinite buffering come to end 2, 3,
 * and 2 again. */
static struct state_counts *example(void)
{
	static const guint ends[] = {2, 3, 2};
	struct state_counts *counts = state_counts_new();

	state_counts_add(counts, BUFFERING_ZERO);
	for (guint32 i = 0; i < G_N_ELEMENTS(ends); i++) {
		state_counts_add(counts, BUFFERING_INFINITE);
		state_counts_end(counts, BUFFERING_INFINITE, ends[i], i + 2);
	}
	return counts;
}

static void weigh(struct state_counts *counts, enum record_counts how, guint64 one, guint64 other)
{
	g_autoptr(GArray) ways = ways_of(one, other);

	state_counts_weigh(counts, BUFFERING_INFINITE, how, ways);
}

static void executions_of_the_tree_stand_for_themselves(void **state)
{
	struct state_counts *counts = example();

	(void)state;
	assert_int_equal(state_counts_how(counts), RECORD_COUNTS_EXECUTIONS);
	assert_int_equal(state_counts_all(counts), 4);
	assert_int_equal(state_counts_of(counts, 4), 1);
	state_counts_free(counts);
}

static void the_first_at_an_end_stands_for_all(void **state)
{
	struct state_counts *counts = example();

	(void)state;
	weigh(counts, RECORD_COUNTS_STATES, 20, 100);
	assert_int_equal(state_counts_how(counts), RECORD_COUNTS_STATES);
	assert_int_equal(state_counts_all(counts), 121);
	assert_int_equal(state_counts_of(counts, 1), 1);
	assert_int_equal(state_counts_of(counts, 2), 20);
	assert_int_equal(state_counts_of(counts, 3), 100);
	assert_int_equal(state_counts_of(counts, 4), 0);
	state_counts_free(counts);
}

static void one_unknown_number_makes_all_unknown(void **state)
{
	struct state_counts *counts = example();

	(void)state;
	weigh(counts, RECORD_COUNTS_STATES, 20, 100);
	state_counts_weigh(counts, BUFFERING_ZERO, RECORD_COUNTS_UNKNOWN, NULL);
	assert_int_equal(state_counts_how(counts), RECORD_COUNTS_UNKNOWN);
	assert_int_equal(state_counts_all(counts), 4);
	assert_int_equal(state_counts_of(counts, 3), 1);
	state_counts_free(counts);
}

static void with_choices_left_there_are_no_fewer_than_executions(void **state)
{
	struct state_counts *counts = example();

	(void)state;
	weigh(counts, RECORD_COUNTS_SOME, 0, 1);
	assert_int_equal(state_counts_all(counts), 4);
	state_counts_free(counts);
}

static void a_session_that_goes_on_knows_the_ends(void **state)
{
	struct state_counts *before = example(), *after = state_counts_new();
	GVariantDict saved;

	(void)state;
	g_variant_dict_init(&saved, NULL);
	state_counts_save(before, &saved);
	state_counts_restore(after, &saved);
	g_variant_dict_clear(&saved);
	for (guint i = 0; i < 4; i++)
		state_counts_add(after, i == 0 ? BUFFERING_ZERO : BUFFERING_INFINITE);
	weigh(after, RECORD_COUNTS_STATES, 20, 100);
	assert_int_equal(state_counts_of(after, 2), 20);
	assert_int_equal(state_counts_of(after, 3), 100);
	state_counts_free(before);
	state_counts_free(after);
}

/* --- what reports show ------------------------------------------------------------------------ */

static void put_execution(struct store *store, uint32_t id, uint32_t finding)
{
	g_autoptr(RecordExecution) e = record_execution_new();

	e->id = id;
	e->buffering = id == 1 ? RECORD_ZERO : RECORD_INFINITE;
	e->path = g_strdup("mp1:n4:");
	e->status = finding ? FINDING_DEADLOCK : FINDING_NONE;
	if (finding)
		g_array_append_val(e->findings, finding);
	assert_true(store_add(store, e, NULL, NULL));
}

/* Two deadlocks: of executions 1 and 3; of 2 and 4. */
static struct store_reader *stored(const char *directory, const struct state_counts *counts)
{
	struct store *store = store_create(directory, NULL);
	struct record_exploration *exploration = record_exploration_new();
	g_autoptr(GPtrArray)
		findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	g_autoptr(GVariant) common = NULL;
	GVariantDict dict;

	exploration->ranks = 4;
	exploration->states = 7;
	exploration->bufferings = RECORD_ZERO | RECORD_INFINITE;
	exploration->interleavings = state_counts_all(counts);
	exploration->complete = true;
	g_strfreev(exploration->program);
	exploration->program = g_strsplit("./farm", "|", -1);
	for (uint32_t id = 1; id <= 2; id++) {
		struct record_finding *finding = record_finding_new(FINDING_DEADLOCK);

		finding->id = id;
		finding->count = 2;
		finding->bufferings = RECORD_INFINITE;
		finding->path = g_strdup("mp1:n4:");
		g_ptr_array_add(findings, finding);
	}
	for (uint32_t id = 1; id <= 4; id++)
		put_execution(store, id, 2 - id % 2);
	assert_true(store_add(store, NULL, findings, NULL));
	g_variant_dict_init(&dict, NULL);
	state_counts_insert(counts, &dict);
	common = g_variant_ref_sink(g_variant_dict_end(&dict));
	assert_true(store_put_common(store, common, NULL));
	assert_true(store_put_exploration(store, exploration, NULL));
	store_close(store);
	record_exploration_free(exploration);
	return store_reader_open(directory, NULL);
}

static void check_words(const struct state_counts *counts, const char *subject, const char *share,
                        const char *kind)
{
	g_autofree char *directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	g_autofree char *file = g_build_filename(directory, "matchpoint.db", NULL);
	g_autoptr(StoreReader) reader = stored(directory, counts);
	g_autofree char *words = NULL, *told = NULL;
	g_auto(GStrv) kinds = NULL;

	assert_non_null(reader);
	assert_int_equal(store_reader_count(reader), 4);
	assert_int_equal(store_reader_executions_with_findings(reader), 4);
	words = words_subject(store_reader_exploration(reader));
	assert_string_equal(words, subject);
	told = words_share(store_reader_finding(reader, 1), store_reader_exploration(reader));
	assert_string_equal(told, share);
	kinds = words_counts(reader);
	assert_string_equal(kinds[0], kind);
	g_unlink(file);
	g_rmdir(directory);
}

static void reports_show_what_executions_stand_for(void **state)
{
	struct state_counts *counts = example();

	(void)state;
	weigh(counts, RECORD_COUNTS_STATES, 20, 100);
	check_words(counts, "121 interleavings (7 states) of ./farm on 4 ranks",
	            "101 of 121 interleavings, infinite buffering",
	            "2 deadlocks in 121 interleavings");
	state_counts_free(counts);
}

static void reports_show_numbers_that_are_too_large(void **state)
{
	struct state_counts *counts = example();

	(void)state;
	weigh(counts, RECORD_COUNTS_STATES, LARGE, LARGE);
	check_words(counts, "more than 10^18 interleavings (7 states) of ./farm on 4 ranks",
	            "600000000000000001 of more than 10^18 interleavings, infinite buffering",
	            "2 deadlocks in more than 10^18 interleavings");
	state_counts_free(counts);
}

static void reports_show_states_alone_if_nothing_is_known(void **state)
{
	struct state_counts *counts = example();

	(void)state;
	state_counts_weigh(counts, BUFFERING_INFINITE, RECORD_COUNTS_UNKNOWN, NULL);
	check_words(counts, "7 states of ./farm on 4 ranks",
	            "2 of 4 interleavings, infinite buffering", "2 deadlocks in 4 interleavings");
	state_counts_free(counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(executions_of_the_tree_stand_for_themselves),
		cmocka_unit_test(the_first_at_an_end_stands_for_all),
		cmocka_unit_test(one_unknown_number_makes_all_unknown),
		cmocka_unit_test(with_choices_left_there_are_no_fewer_than_executions),
		cmocka_unit_test(a_session_that_goes_on_knows_the_ends),
		cmocka_unit_test(reports_show_what_executions_stand_for),
		cmocka_unit_test(reports_show_numbers_that_are_too_large),
		cmocka_unit_test(reports_show_states_alone_if_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
