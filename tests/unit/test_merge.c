/* Merges of stores: sums, new judgements, and refusals. */
#include <glib/gstdio.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/reproduce/merge.h"
#include "scheduler/session/outcomes.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/schema.h"
#include "scheduler/store/store.h"

#define SHARDS 3

struct fixture {
	char *directory, *into;
	char *stores[SHARDS + 1];
};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	fixture->into = g_build_filename(fixture->directory, "merged", NULL);
	for (int i = 0; i < SHARDS; i++)
		fixture->stores[i] = g_strdup_printf("%s/%d", fixture->directory, i + 1);
	*state = fixture;
	return fixture->directory ? 0 : -1;
}

static void remove_store(const char *directory)
{
	g_autofree char *file = g_build_filename(directory, STORE_FILE, NULL);

	g_unlink(file);
	g_rmdir(directory);
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < SHARDS && fixture->stores[i]; i++) {
		remove_store(fixture->stores[i]);
		g_free(fixture->stores[i]);
	}
	remove_store(fixture->into);
	g_rmdir(fixture->directory);
	g_free(fixture->directory);
	g_free(fixture->into);
	g_free(fixture);
	return 0;
}

/* The contents of one session's store. */
struct given {
	guint shard, shards; /* 0: whole */
	const char *program; /* NULL: "./solver" */
	const char *paths;   /* one letter for each interleaving; upper case: it deadlocks */
	const char *output;  /* of rank 0; %c is the path's letter */
	const char *shared;  /* output of the common interleaving; NULL: not known */
	const char *split;   /* NULL: not known */
	const char *stopped; /* NULL: complete */
	const char *note;
	bool struck; /* ranks were killed while it divided the tree */
	guint states;
	bool threads; /* of a rank call MPI */
};

static void add_interleaving(struct store *store, const struct given *given, char letter, guint id,
                             struct record_finding *deadlock)
{
	g_autoptr(RecordExecution) e = record_execution_new();
	g_autoptr(GString) output = g_string_new(given->output);
	g_autoptr(GPtrArray) findings = g_ptr_array_new();
	char text[] = {letter, '\0'};
	int32_t status = 0;

	g_string_replace(output, "%c", text, 0);
	e->id = id;
	e->buffering = RECORD_ZERO;
	e->path = g_strdup_printf("mp1:n2:zero:0.%d=1", letter);
	e->status = g_ascii_isupper(letter) ? FINDING_DEADLOCK : FINDING_NONE;
	for (int rank = 0; rank < 2; rank++) {
		g_array_append_val(e->exits, status);
		g_ptr_array_add(e->outputs, rank == 0 ? g_bytes_new(output->str, output->len)
		                                      : g_bytes_new("", 0));
		g_ptr_array_add(e->errors, g_bytes_new("", 0));
	}
	if (g_ascii_isupper(letter)) {
		struct record_rank *rank = record_rank_new(0);

		rank->function = "MPI_Recv";
		g_ptr_array_add(e->ranks, rank);
		g_array_append_val(e->findings, deadlock->id);
		deadlock->count++;
		if (!deadlock->path)
			deadlock->path = g_strdup(e->path);
		g_ptr_array_add(findings, deadlock);
	}
	assert_true(store_add(store, e, findings, NULL));
}

static GPtrArray *identity_of(const struct given *given)
{
	GPtrArray *identity = g_ptr_array_new_with_free_func(g_free);
	const char *pairs[][2] = {{"the command", given->program ? given->program : "./solver"},
	                          {"the directory", given->note ? given->note : "/here"},
	                          {"--compare", "output"}};

	for (guint i = 0; i < G_N_ELEMENTS(pairs); i++)
		for (guint j = 0; j < 2; j++)
			g_ptr_array_add(identity, g_strdup(pairs[i][j]));
	g_ptr_array_add(identity, g_strdup("--shard"));
	g_ptr_array_add(identity, given->shards
	                                  ? g_strdup_printf("%u/%u", given->shard, given->shards)
	                                  : g_strdup("none"));
	return identity;
}

static GVariant *common_of(const struct given *given)
{
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	g_variant_dict_insert(&dict, "again", "b", given->shared != NULL);
	if (given->split)
		g_variant_dict_insert(&dict, "split", "s", given->split);
	g_variant_dict_insert(&dict, "struck", "b", given->struck);
	if (given->shared) {
		g_autoptr(GPtrArray)
			texts = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);

		g_ptr_array_add(texts, g_bytes_new(given->shared, strlen(given->shared)));
		g_ptr_array_add(texts, g_bytes_new("", 0));
		store_common_texts(&dict, "mp1:n2:zero:", texts, 2);
	}
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

static void write_store(const char *directory, const struct given *given)
{
	struct store *store = store_create(directory, NULL);
	g_autoptr(RecordExploration) e = record_exploration_new();
	g_autoptr(RecordFinding) deadlock = record_finding_new(FINDING_DEADLOCK);
	g_autoptr(GPtrArray) identity = identity_of(given);
	g_autoptr(GVariant) common = common_of(given);

	assert_non_null(store);
	g_strfreev(e->program);
	e->program = g_strsplit("./solver", " ", -1);
	e->ranks = 2;
	e->bufferings = RECORD_ZERO;
	e->shard = given->shard;
	e->shards = given->shards;
	e->states = given->states;
	e->threads = given->threads;
	e->complete = !given->stopped;
	e->incomplete_reason = g_strdup(given->stopped);
	if (given->stopped)
		limits_add(e->limits, LIMIT_STOPPED, g_strdup(given->stopped));
	limits_add(e->limits, LIMIT_WINDOW_MEMORY, NULL);
	e->wasted = 1;
	e->seconds = 0.5;
	g_ptr_array_add(e->notes, g_strdup("all say this"));
	if (given->note)
		g_ptr_array_add(e->notes, g_strdup(given->note));
	deadlock->id = 1;
	deadlock->bufferings = RECORD_ZERO;
	deadlock->message = g_strdup("nobody can go on");
	deadlock->reproduced = true;
	g_ptr_array_add(deadlock->ranks, record_rank_new(0));
	assert_true(store_put_exploration(store, e, NULL));
	assert_true(store_identify(store, identity, NULL));
	for (guint i = 0; given->paths[i]; i++)
		add_interleaving(store, given, given->paths[i], i + 1, deadlock);
	assert_true(store_put_common(store, common, NULL));
	store_close(store);
}

static struct store_reader *merge(struct fixture *fixture, const struct given *given, int count)
{
	g_autoptr(GError) error = NULL;
	struct store_reader *reader;

	for (int i = 0; i < count; i++)
		write_store(fixture->stores[i], &given[i]);
	g_clear_pointer(&fixture->stores[count], g_free);
	if (!merge_stores(fixture->stores, fixture->into, &error))
		fail_msg("%s", error->message);
	reader = store_reader_open(fixture->into, &error);
	if (!reader)
		fail_msg("%s", error->message);
	return reader;
}

static void assert_refused(struct fixture *fixture, const struct given *one,
                           const struct given *other, const char *words)
{
	g_autoptr(GError) error = NULL;
	char *stores[] = {fixture->stores[0], fixture->stores[1], NULL};

	write_store(stores[0], one);
	write_store(stores[1], other);
	assert_false(merge_stores(stores, fixture->into, &error));
	if (!strstr(error->message, words))
		fail_msg("%s", error->message);
}

static const struct record_finding *finding_of(const struct store_reader *reader,
                                               enum finding_kind kind)
{
	const GPtrArray *findings = store_reader_findings(reader);

	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *finding = findings->pdata[i];

		if (finding->kind == kind)
			return finding;
	}
	return NULL;
}

static bool has_note(const struct store_reader *reader, const char *words)
{
	const GPtrArray *notes = store_reader_exploration(reader)->notes;

	for (guint i = 0; i < notes->len; i++)
		if (strstr(notes->pdata[i], words))
			return true;
	return false;
}

static const char *limit_in(const struct store_reader *reader, enum limit limit)
{
	const GPtrArray *limits = store_reader_exploration(reader)->limits;

	for (guint i = 0; i < limits->len; i++) {
		const struct record_limit *one = limits->pdata[i];

		if (one->limit == limit)
			return one->text;
	}
	return "";
}

static bool has_limit(const struct store_reader *reader, const char *words)
{
	g_autofree char *text = limits_print(store_reader_exploration(reader)->limits,
	                                     LIMIT_NOT_CHECKED);

	return strstr(text, words) != NULL;
}

static void test_shards(void **state)
{
	static const struct given given[] = {
		{2, 3, NULL, "dE", "same\n", "same\n", "s", NULL, "/there", false, 0, false},
		{1, 3, NULL, "abC", "same\n", "same\n", "s", NULL, NULL, false, 0, false},
		{3, 3, NULL, "", "same\n", "same\n", "s", NULL, NULL, false, 0, false},
	};
	g_autoptr(StoreReader) reader = merge(*state, given, 3);
	const struct record_exploration *e = store_reader_exploration(reader);
	const struct record_finding *deadlock = finding_of(reader, FINDING_DEADLOCK);
	g_autoptr(RecordExecution) fourth = store_reader_execution(reader, 4, NULL);

	assert_true(e->complete);
	assert_int_equal(e->interleavings, 5);
	assert_int_equal(e->wasted, 3);
	assert_true(e->seconds > 1.49 && e->seconds < 1.51);
	assert_int_equal(e->shard, 0);
	assert_int_equal(e->shards, 3);
	assert_int_equal(store_reader_findings(reader)->len, 1);
	assert_int_equal(deadlock->count, 2);
	assert_true(deadlock->reproduced);
	assert_string_equal(deadlock->path, "mp1:n2:zero:0.67=1");
	assert_string_equal(fourth->path, "mp1:n2:zero:0.100=1"); /* in the order of shards */
	assert_int_equal(e->notes->len, 2);
	assert_true(has_note(reader, "all say this"));
	/* all have this limit, so that none is named */
	assert_true(g_str_has_prefix(limit_in(reader, LIMIT_WINDOW_MEMORY), "loads and stores"));
	assert_true(has_note(reader, "shard 2/3: /there"));
}

static void test_incomplete(void **state)
{
	static const struct given given[] = {
		{1, 4, NULL, "ab", "same\n", "same\n", "s", NULL, NULL, false, 0, false},
		{3, 4, NULL, "cd", "same\n", "same\n", "t", "stopped by --max-time 10", NULL, false,
	         0, false},
	};
	g_autoptr(StoreReader) reader = merge(*state, given, 2);
	const struct record_exploration *e = store_reader_exploration(reader);

	assert_false(e->complete);
	assert_string_equal(e->incomplete_reason,
	                    "shards 2, 4 of 4 are missing; shard 1/4 and shard 3/4 split the tree "
	                    "differently: the program does not behave the same way each time; "
	                    "shard 3/4: stopped by --max-time 10");
}

/* The program is not blamed if ranks were killed from outside. */
static void test_split_while_ranks_were_killed(void **state)
{
	static const struct given given[] = {
		{1, 2, NULL, "ab", "same\n", "same\n", "s", NULL, NULL, false, 0, false},
		{2, 2, NULL, "cd", "same\n", "same\n", "t", NULL, NULL, true, 0, false},
	};
	g_autoptr(StoreReader) reader = merge(*state, given, 2);
	const struct record_exploration *e = store_reader_exploration(reader);

	assert_false(e->complete);
	assert_string_equal(e->incomplete_reason,
	                    "shard 1/2 and shard 2/2 split the tree differently: while shard 2/2 "
	                    "did, something outside killed ranks, so the program need not be the "
	                    "cause; explore it anew, without --resume");
}

/* Shards with the same division are complete, even if ranks were killed. */
static void test_same_split_while_ranks_were_killed(void **state)
{
	static const struct given given[] = {
		{1, 2, NULL, "ab", "same\n", "same\n", "s", NULL, NULL, false, 0, false},
		{2, 2, NULL, "cd", "same\n", "same\n", "s", NULL, NULL, true, 0, false},
	};
	g_autoptr(StoreReader) reader = merge(*state, given, 2);

	assert_true(store_reader_exploration(reader)->complete);
}

/* Each shard has one outcome, but they differ. */
static void test_outcomes(void **state)
{
	static const struct given given[] = {
		{1, 2, NULL, "ab", "on node one\nleft\n", "on node one\nleft\n", "s", NULL, NULL,
	         false, 0, false},
		{2, 2, NULL, "c", "on node two\nright\n", "on node two\nleft\n", "s", NULL, NULL,
	         false, 0, false},
	};
	g_autoptr(StoreReader) reader = merge(*state, given, 2);
	const struct record_finding *finding = finding_of(reader, FINDING_OUTCOME_DIFFERS);
	const struct record_outcome *first, *second;

	assert_non_null(finding);
	assert_int_equal(finding->count, 1);
	assert_int_equal(finding->outcomes->len, 2);
	assert_string_equal(finding->path, "mp1:n2:zero:0.99=1");
	first = finding->outcomes->pdata[0];
	second = finding->outcomes->pdata[1];
	assert_int_equal(first->count, 2);
	assert_int_equal(second->count, 1);
	assert_int_equal(second->execution, 3);
	assert_string_equal(second->place, "rank 0's output, line 2");
	assert_string_equal(second->line, "right");
	assert_string_equal(second->instead, "left");
	assert_true(has_limit(reader, "rank 0's output, line 1 (\"on node two\")"));
}

/* Lines that differ between machines are no finding. */
static void test_other_machine(void **state)
{
	static const struct given given[] = {
		{1, 2, NULL, "ab", "on node one\n", "on node one\n", "s", NULL, NULL, false, 0,
	         false},
		{2, 2, NULL, "c", "on node two\n", "on node two\n", "s", NULL, NULL, false, 0,
	         false},
	};
	g_autoptr(StoreReader) reader = merge(*state, given, 2);

	assert_true(store_reader_exploration(reader)->complete);
	assert_int_equal(store_reader_findings(reader)->len, 0);
	assert_true(has_limit(reader, "were not compared: rank 0's output, line 1"));
}

/* If it is not known what varies by itself, there is a note instead of a finding. */
static void test_unknown_variation(void **state)
{
	static const struct given given[] = {
		{1, 2, NULL, "ab", "left\n", "left\n", "s", NULL, NULL, false, 0, false},
		{2, 2, NULL, "c", "right\n", NULL, "s", NULL, NULL, false, 0, false},
	};
	g_autoptr(StoreReader) reader = merge(*state, given, 2);

	assert_int_equal(store_reader_findings(reader)->len, 0);
	assert_true(has_limit(reader, "differ in their output between stores"));
}

/* Explorations that are not shards may have common interleavings. */
static void test_overlapping_explorations(void **state)
{
	static const struct given given[] = {
		{0, 0, NULL, "abC", "same\n", "same\n", NULL, "stopped", NULL, false, 0, false},
		{0, 0, NULL, "bCD", "same\n", "same\n", NULL, "stopped", NULL, false, 0, false},
	};
	g_autoptr(StoreReader) reader = merge(*state, given, 2);
	const struct record_exploration *e = store_reader_exploration(reader);

	assert_int_equal(e->interleavings, 4);
	assert_int_equal(finding_of(reader, FINDING_DEADLOCK)->count, 2);
	assert_int_equal(e->shards, 0);
	assert_false(e->complete);
}

/* A promise leads to an interleaving that is in another shard's part. */
static void test_shards_overlap_with_threads(void **state)
{
	struct given given[] = {
		{1, 2, NULL, "abC", "same\n", "same\n", "s", NULL, NULL, false, 0, true},
		{2, 2, NULL, "Cad", "same\n", "same\n", "s", NULL, NULL, false, 0, true},
	};
	g_autoptr(StoreReader) reader = merge(*state, given, 2);
	const struct record_exploration *e = store_reader_exploration(reader);

	assert_int_equal(e->interleavings, 4);
	assert_int_equal(e->wasted, 1 + 1 + 2);
	assert_int_equal(finding_of(reader, FINDING_DEADLOCK)->count, 1);
	assert_true(e->complete);
}

/* Each store knows for how many interleavings its own executions stand, not which are the same. */
static void test_states_have_no_number_together(void **state)
{
	static const struct given given[] = {
		{.paths = "abC", .output = "same\n", .states = 7},
		{.paths = "bCD", .output = "same\n", .states = 9},
	};
	g_autoptr(StoreReader) reader = merge(*state, given, 2);
	const struct record_exploration *e = store_reader_exploration(reader);

	assert_int_equal(e->states, 9);
	assert_int_equal(e->counts, RECORD_COUNTS_UNKNOWN);
	assert_int_equal(e->interleavings, 4);
}

static void test_refused(void **state)
{
	const struct given first = {.shard = 1, .shards = 2, .paths = "a", .output = ""};
	struct given other = {.shard = 2, .shards = 2, .paths = "b", .output = ""};
	struct fixture *fixture = *state;
	char *same[] = {fixture->stores[0], fixture->stores[0], NULL};
	char *into[] = {fixture->stores[0], NULL};
	g_autoptr(GError) error = NULL;

	other.program = "./other";
	assert_refused(fixture, &first, &other,
	               "the command is './solver' in the first, and "
	               "'./other' in the second");
	other.program = NULL;
	other.shard = 1;
	assert_refused(fixture, &first, &other, "both hold shard 1/2");
	other.shards = 3;
	assert_refused(fixture, &first, &other, "one of 2 shards");
	other.shard = other.shards = 0;
	assert_refused(fixture, &first, &other, "a whole exploration");
	other.shards = 2;
	assert_refused(fixture, &first, &other, "merged from shards");
	assert_false(merge_stores(same, fixture->into, &error));
	assert_non_null(strstr(error->message, "named twice"));
	g_clear_error(&error);
	assert_false(merge_stores(into, fixture->stores[0], &error));
	assert_non_null(strstr(error->message, "name another directory"));
	assert_false(g_file_test(fixture->into, G_FILE_TEST_EXISTS));
}

static void execute(const char *directory, const char *text)
{
	g_autofree char *file = g_build_filename(directory, STORE_FILE, NULL);
	sqlite3 *database = NULL;

	assert_int_equal(sqlite3_open(file, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(database);
}

/* Damaged data: the merge ends, and invents nothing. */
static void test_damaged(void **state)
{
	static const char *const damages[] = {
		"UPDATE common SET value = randomblob(500)",
		"UPDATE common SET value = zeroblob(500)",
		"UPDATE common SET value = 7",
		"UPDATE common SET value = substr(value, 1, 40)",
		"DELETE FROM process WHERE rank = 1",
		"DELETE FROM process",
		"DELETE FROM choice; UPDATE execution SET path = 'mp1'",
		"UPDATE finding SET path = ':::'; DELETE FROM shows",
	};
	static const struct given given[] = {
		{1, 2, NULL, "ab", "left\n", "left\n", "s", NULL, NULL, false, 0, false},
		{2, 2, NULL, "cD", "left\n", "left\n", "s", NULL, NULL, false, 0, false},
	};
	struct fixture *fixture = *state;
	char *stores[] = {fixture->stores[0], fixture->stores[1], NULL};

	for (guint i = 0; i < G_N_ELEMENTS(damages); i++) {
		g_autoptr(StoreReader) reader = NULL;

		write_store(stores[0], &given[0]);
		write_store(stores[1], &given[1]);
		execute(stores[1], damages[i]);
		assert_true(merge_stores(stores, fixture->into, NULL));
		reader = store_reader_open(fixture->into, NULL);
		assert_int_equal(store_reader_findings(reader)->len, 1);
		assert_int_equal(store_reader_count(reader), 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_shards, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_incomplete, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_split_while_ranks_were_killed, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_same_split_while_ranks_were_killed, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_outcomes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_machine, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unknown_variation, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_overlapping_explorations, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_shards_overlap_with_threads, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_states_have_no_number_together, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_damaged, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
