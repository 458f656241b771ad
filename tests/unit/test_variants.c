#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "reports/words.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/store.h"

struct fixture {
	char *directory;
	struct store *store;
	struct record_exploration *exploration;
	GPtrArray *findings;
};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	fixture->store = store_create(fixture->directory, NULL);
	fixture->exploration = record_exploration_new();
	fixture->exploration->ranks = 4;
	g_strfreev(fixture->exploration->program);
	fixture->exploration->program = g_strsplit("./farm", "|", -1);
	fixture->findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	*state = fixture;
	return fixture->store ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	g_autofree char *file = g_build_filename(fixture->directory, "matchpoint.db", NULL);

	store_close(fixture->store);
	g_unlink(file);
	g_rmdir(fixture->directory);
	record_exploration_free(fixture->exploration);
	g_ptr_array_unref(fixture->findings);
	g_free(fixture->directory);
	g_free(fixture);
	return 0;
}

/* Adds a finding, with an interleaving of its own that shows it. */
static struct record_finding *add_finding(struct fixture *fixture, enum finding_kind kind)
{
	struct record_finding *finding = record_finding_new(kind);

	g_ptr_array_add(fixture->findings, finding);
	finding->id = fixture->findings->len;
	finding->count = 1;
	finding->bufferings = finding->id % 2 ? RECORD_ZERO : RECORD_INFINITE;
	finding->path = g_strdup_printf("mp1:n4:0.3=%u", finding->id);
	finding->replayed = finding->reproduced = true;
	return finding;
}

static struct record_rank *add_rank(struct record_finding *finding, int32_t number, uint32_t line,
                                    int32_t source)
{
	struct record_rank *rank = record_rank_new(number);

	rank->call = 4;
	rank->function = "MPI_Recv";
	rank->arguments = g_strdup_printf("source=%d", source);
	rank->place = (struct place){.file = "farm.c", .line = line};
	g_ptr_array_add(finding->ranks, rank);
	return rank;
}

static void ends(struct record_rank *rank, enum record_end end, const char *ended)
{
	rank->end = end;
	rank->ended = g_strdup(ended);
}

static struct store_reader *read_back(struct fixture *fixture)
{
	struct store_reader *reader;
	g_autoptr(GError) error = NULL;

	fixture->exploration->bufferings = RECORD_ZERO | RECORD_INFINITE;
	fixture->exploration->complete = true;
	for (guint i = 0; i < fixture->findings->len; i++) {
		struct record_finding *finding = fixture->findings->pdata[i];
		g_autoptr(RecordExecution) e = record_execution_new();

		e->id = finding->id;
		e->buffering = finding->bufferings;
		e->path = g_strdup(finding->path);
		e->status = finding->kind;
		g_array_append_val(e->findings, finding->id);
		assert_true(store_add(fixture->store, e, NULL, NULL));
	}
	assert_true(store_add(fixture->store, NULL, fixture->findings, NULL));
	fixture->exploration->interleavings = fixture->findings->len;
	assert_true(store_put_exploration(fixture->store, fixture->exploration, NULL));
	store_close(g_steal_pointer(&fixture->store));
	reader = store_reader_open(fixture->directory, &error);
	if (!reader)
		fail_msg("%s", error->message);
	return reader;
}

static const struct record_finding *mistake(const struct store_reader *reader, guint index)
{
	return store_reader_mistakes(reader)->pdata[index];
}

static void deadlocks_at_the_same_lines_are_one(void **state)
{
	struct fixture *fixture = *state;
	struct record_finding *first = add_finding(fixture, FINDING_DEADLOCK);
	struct record_finding *second = add_finding(fixture, FINDING_DEADLOCK);
	g_autoptr(StoreReader) reader = NULL;
	g_autofree char *share = NULL;
	g_auto(GStrv) lines = NULL;

	add_rank(first, 0, 39, 2);
	add_rank(first, 2, 50, 0)->bystander = true;
	add_rank(second, 0, 39, 1);
	add_rank(second, 1, 50, 0);
	add_rank(second, 2, 50, 0)->bystander = true;
	reader = read_back(fixture);
	assert_int_equal(store_reader_findings(reader)->len, 2);
	assert_int_equal(store_reader_mistakes(reader)->len, 1);
	assert_int_equal(mistake(reader, 0)->variants->len, 1);
	assert_int_equal(mistake(reader, 0)->together, 2);
	assert_int_equal(store_reader_finding(reader, 2)->variant_of, 1);
	share = words_share(mistake(reader, 0), store_reader_exploration(reader));
	assert_string_equal(share, "2 of 2 interleavings, any buffering, 2 variants");
	lines = words_variants(mistake(reader, 0));
	assert_string_equal(lines[0], "#2, 1 interleaving: rank 0 in MPI_Recv(source=1) at "
	                              "farm.c:39, path mp1:n4:0.3=2");
	assert_null(lines[1]);
}

static void other_lines_kinds_and_endings_are_distinct(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(StoreReader) reader = NULL;

	add_rank(add_finding(fixture, FINDING_DEADLOCK), 0, 39, 2);
	add_rank(add_finding(fixture, FINDING_DEADLOCK), 0, 40, 2);
	add_rank(add_finding(fixture, FINDING_LIVELOCK), 0, 39, 2);
	ends(add_rank(add_finding(fixture, FINDING_EXIT), 0, 39, 2), RECORD_END_EXIT,
	     "exited with status 3");
	ends(add_rank(add_finding(fixture, FINDING_EXIT), 1, 39, 2), RECORD_END_EXIT,
	     "exited with status 4");
	reader = read_back(fixture);
	assert_int_equal(store_reader_mistakes(reader)->len, 5);
}

/* Where other ranks were when a rank failed is irrelevant. */
static void a_failure_has_the_key_of_its_own_line(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(StoreReader) reader = NULL;

	for (int32_t rank = 0; rank < 2; rank++) {
		struct record_finding *finding = add_finding(fixture, FINDING_CRASH);

		ends(add_rank(finding, rank, 39, 2), RECORD_END_SIGNAL, "killed by SIGSEGV");
		add_rank(finding, 3, 50 + (uint32_t)rank, 2)->bystander = true;
	}
	reader = read_back(fixture);
	assert_int_equal(store_reader_mistakes(reader)->len, 1);
}

/* Threads that make calls they must not: which thread is first, and after which calls of the other
 * thread, is chance. */
static void threads_have_the_key_of_their_line(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(StoreReader) reader = NULL;

	for (int32_t i = 0; i < 2; i++) {
		struct record_finding *finding = add_finding(fixture, FINDING_THREAD_LEVEL);

		for (int32_t rank = i; rank < 2; rank++) {
			struct record_rank *told = add_rank(finding, rank, 39, 2);

			told->function = rank == 0 ? "MPI_Init_thread" : "MPI_Recv";
			ends(told, RECORD_END_THREAD, "called MPI in a thread");
		}
	}
	reader = read_back(fixture);
	assert_int_equal(store_reader_mistakes(reader)->len, 1);
}

/* Without lines nothing is known; nor about a finding that did not show again. */
static void uncertain_findings_stand_alone(void **state)
{
	struct fixture *fixture = *state;
	g_autoptr(StoreReader) reader = NULL;

	for (int32_t i = 0; i < 2; i++)
		add_rank(add_finding(fixture, FINDING_DEADLOCK), i, 39, 2)->place = (struct place){
			.function = "work", .offset = 47};
	for (int32_t i = 0; i < 2; i++) {
		struct record_finding *finding = add_finding(fixture, FINDING_DEADLOCK);

		add_rank(finding, i, 41, 2);
		finding->reproduced = i == 0;
	}
	reader = read_back(fixture);
	assert_int_equal(store_reader_mistakes(reader)->len, 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(deadlocks_at_the_same_lines_are_one),
		TEST(other_lines_kinds_and_endings_are_distinct),
		TEST(a_failure_has_the_key_of_its_own_line),
		TEST(threads_have_the_key_of_their_line),
		TEST(uncertain_findings_stand_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
