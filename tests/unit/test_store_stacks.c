#include <glib/gstdio.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reports/words.h"
#include "scheduler/store/schema.h"
#include "scheduler/store/store.h"

struct fixture {
	char *directory, *file;
};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	fixture->file = g_build_filename(fixture->directory, STORE_FILE, NULL);
	*state = fixture;
	return fixture->directory ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	g_unlink(fixture->file);
	g_rmdir(fixture->directory);
	g_free(fixture->directory);
	g_free(fixture->file);
	g_free(fixture);
	return 0;
}

static struct store *create(const struct fixture *fixture)
{
	g_autoptr(RecordExploration) e = record_exploration_new();
	struct store *store = store_create(fixture->directory, NULL);

	g_strfreev(e->program);
	e->program = g_strsplit("./solver", "|", -1);
	e->ranks = 2;
	assert_non_null(store);
	assert_true(store_put_exploration(store, e, NULL));
	return store;
}

static void sql(const char *file, const char *text)
{
	sqlite3 *database;

	assert_int_equal(sqlite3_open(file, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(database);
}

/* Adds `count` interleavings. In each, rank 1 makes two calls, at lines 1 and 2. All show finding
 * 1: ranks 0 and 1 wait in their call 2, or, with `crash`, a signal hits rank 1 at line 3. */
static void fill(struct store *store, uint32_t count, bool crash)
{
	g_autoptr(GPtrArray)
		findings = g_ptr_array_new_with_free_func((GDestroyNotify)record_finding_free);
	struct record_finding *finding = record_finding_new(FINDING_DEADLOCK);

	finding->id = 1;
	for (int32_t number = 0; number < 2; number++) {
		struct record_rank *rank = record_rank_new(number);

		rank->call = 2;
		rank->function = "MPI_Recv";
		rank->place = (struct place){.file = "solver.c", .line = 2};
		if (crash && number == 1) {
			rank->ended = g_strdup("killed by SIGSEGV");
			rank->end = RECORD_END_SIGNAL;
			rank->place.line = 3;
		}
		g_ptr_array_add(finding->ranks, rank);
	}
	g_ptr_array_add(findings, finding);
	for (uint32_t id = 1; id <= count; id++) {
		g_autoptr(RecordExecution) e = record_execution_new();
		struct record_call call = {.rank = 1,
		                           .call = 1,
		                           .function = "MPI_Init",
		                           .place = {.file = "solver.c", .line = 1},
		                           false};
		uint32_t shown = 1;

		e->id = id;
		e->status = FINDING_DEADLOCK;
		e->path = g_strdup("mp1:n2:");
		g_array_append_val(e->findings, shown);
		g_array_append_val(e->calls, call);
		call.call = call.place.line = 2;
		g_array_append_val(e->calls, call);
		assert_true(store_add(store, e, findings, NULL));
	}
}

/* Stack n is f, called at line n; main calls f in the first. */
static GPtrArray *stacks(uint32_t count)
{
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (uint32_t number = 1; number <= count; number++) {
		GArray *frames = g_array_new(false, false, sizeof(struct record_frame));
		struct record_frame frame = {"f", {.file = "solver.c", .line = number}, false};

		g_array_append_val(frames, frame);
		frame = (struct record_frame){NULL, {.function = "solver", .offset = 5}, false};
		if (number == 1)
			g_array_append_val(frames, frame);
		g_ptr_array_add(all, frames);
	}
	return all;
}

static void put_stack(struct store *store, uint32_t execution_id, int32_t rank, uint32_t call,
                      uint32_t stack, uint32_t known)
{
	g_autoptr(GPtrArray) all = stacks(known);
	g_autoptr(GArray) calls = g_array_new(false, false, sizeof(struct record_stack));
	struct record_stack told = {rank, call, stack};

	g_array_append_val(calls, told);
	assert_true(store_put_stacks(store, execution_id, calls, all, NULL));
}

static uint32_t stack_line(const struct store_reader *reader, uint32_t number)
{
	const GArray *frames = store_reader_stack(reader, number);

	return frames ? g_array_index(frames, struct record_frame, 0).place.line : 0;
}

/* Stacks come after their interleaving is stored, and more of them in a later session. */
static void stacks_belong_to_calls(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	g_autoptr(StoreReader) reader = NULL;
	g_autoptr(RecordExecution) first = NULL, second = NULL;
	const struct record_frame *outer;
	const struct record_call *calls;

	fill(store, 2, false);
	put_stack(store, 1, 1, 1, 1, 1);
	put_stack(store, 1, 1, 2, 2, 3);
	store_close(store);
	store = store_continue(fixture->directory, NULL);
	assert_non_null(store);
	put_stack(store, 2, 1, 1, 1, 1);
	put_stack(store, 2, 1, 2, 2, 2);
	store_close(store);
	reader = store_reader_open(fixture->directory, NULL);
	assert_non_null(reader);
	assert_int_equal(store_reader_stacks(reader), 5);
	first = store_reader_execution(reader, 1, NULL);
	calls = (const struct record_call *)(const void *)first->calls->data;
	assert_int_equal(stack_line(reader, calls[0].stack), 1);
	assert_int_equal(stack_line(reader, calls[1].stack), 2);
	outer = &g_array_index(store_reader_stack(reader, calls[0].stack), struct record_frame, 1);
	assert_null(outer->function);
	assert_string_equal(outer->place.function, "solver");
	assert_int_equal(outer->place.offset, 5);
	second = store_reader_execution(reader, 2, NULL);
	calls = (const struct record_call *)(const void *)second->calls->data;
	assert_int_equal(stack_line(reader, calls[0].stack), 1);
	assert_int_equal(stack_line(reader, calls[1].stack), 2);
	assert_int_not_equal(calls[1].stack, 2); /* the number of the earlier session */
	assert_null(store_reader_stack(reader, 0));
	assert_null(store_reader_stack(reader, 6));
}

/* A finding's roll-call has the stacks of the interleaving that showed it first. */
static void a_roll_call_has_the_stacks_of_the_first_to_show_it(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	g_autoptr(StoreReader) reader = NULL;
	const struct record_rank *rank;

	fill(store, 2, false);
	put_stack(store, 1, 0, 2, 2, 2);
	put_stack(store, 2, 0, 2, 1, 2);
	store_close(store);
	reader = store_reader_open(fixture->directory, NULL);
	assert_non_null(reader);
	rank = g_ptr_array_index(store_reader_finding(reader, 1)->ranks, 0);
	assert_int_equal(stack_line(reader, rank->stack), 2);
	rank = g_ptr_array_index(store_reader_finding(reader, 1)->ranks, 1);
	assert_int_equal(rank->stack, 0);
}

/* The stack ends at another place: the program made other calls. */
static void a_stack_with_another_place_is_ignored(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	g_autoptr(StoreReader) reader = NULL;
	g_autoptr(RecordExecution) e = NULL;

	fill(store, 1, false);
	put_stack(store, 1, 1, 1, 2, 2);
	put_stack(store, 1, 1, 2, 1, 2);
	store_close(store);
	reader = store_reader_open(fixture->directory, NULL);
	assert_non_null(reader);
	e = store_reader_execution(reader, 1, NULL);
	for (guint i = 0; i < 2; i++)
		assert_int_equal(g_array_index(e->calls, struct record_call, i).stack, 0);
	for (guint i = 0; i < 2; i++) {
		const struct record_rank *rank = store_reader_finding(reader, 1)->ranks->pdata[i];

		assert_int_equal(rank->stack, 0);
	}
}

static void a_crash_has_a_stack_of_its_own(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	g_autoptr(StoreReader) reader = NULL;
	const struct record_rank *rank;

	fill(store, 1, true);
	put_stack(store, 1, 1, 2, 2, 3);
	put_stack(store, 1, 1, 0, 3, 3);
	store_close(store);
	reader = store_reader_open(fixture->directory, NULL);
	assert_non_null(reader);
	rank = store_reader_finding(reader, 1)->ranks->pdata[1];
	assert_int_equal(stack_line(reader, rank->stack), 3);
}

/* The stack of a module's call at line 1 from an interpreted program. */
static GPtrArray *interpreted(void)
{
	GPtrArray *all = stacks(1);
	struct record_frame frame = {"collect", {.file = "race.py", .line = 5}, true};

	g_array_insert_val((GArray *)all->pdata[0], 1, frame);
	return all;
}

/* A reader for reports gives the place in the program; a reader for explorations must give the
 * place that was found. */
static void a_call_of_an_interpreted_program_has_its_place_there(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	g_autoptr(GPtrArray) all = interpreted();
	g_autoptr(GArray) calls = g_array_new(false, false, sizeof(struct record_stack));
	struct record_stack stack = {1, 1, 1};

	fill(store, 1, false);
	g_array_append_val(calls, stack);
	assert_true(store_put_stacks(store, 1, calls, all, NULL));
	store_close(store);
	for (int tells = 0; tells < 2; tells++) {
		g_autoptr(StoreReader)
			reader = (tells ? store_reader_open_to_tell
		                        : store_reader_open)(fixture->directory, NULL);
		g_autoptr(RecordExecution) e = store_reader_execution(reader, 1, NULL);
		const struct record_call *call = &g_array_index(e->calls, struct record_call, 0);
		const GArray *frames = store_reader_stack(reader, call->stack);

		assert_string_equal(call->place.file, tells ? "race.py" : "solver.c");
		assert_int_equal(call->place.line, tells ? 5 : 1);
		assert_int_equal(frames->len, tells ? 2 : 3);
		call++;
		assert_string_equal(call->place.file, "solver.c");
	}
}

static void stacks_with_gaps_are_damage(void **state)
{
	static const char *const damages[] = {"UPDATE frame SET stack = 9 WHERE stack = 2",
	                                      "DELETE FROM frame WHERE stack = 1 AND depth = 0"};
	struct fixture *fixture = *state;

	for (guint i = 0; i < G_N_ELEMENTS(damages); i++) {
		struct store *store = create(fixture);
		g_autoptr(GError) error = NULL;

		fill(store, 1, false);
		put_stack(store, 1, 1, 1, 1, 3);
		store_close(store);
		sql(fixture->file, damages[i]);
		assert_null(store_reader_open(fixture->directory, &error));
		assert_true(g_error_matches(error, STORE_READER_ERROR, STORE_READER_ERROR_DAMAGED));
	}
}

/* "exchange a.c:1" for each frame; without a line the place has no debugging information. */
static GArray *parse(const char *text)
{
	GArray *frames = g_array_new(false, false, sizeof(struct record_frame));
	g_auto(GStrv) words = g_strsplit_set(text, " :", -1);

	for (char **word = words; *word; word += 3) {
		struct record_frame frame = {
			g_intern_string(word[0]),
			{.file = g_intern_string(word[1]), .line = (uint32_t)atoi(word[2])},
			false};

		if (frame.place.line == 0)
			frame = (struct record_frame){
				NULL, {.function = g_intern_string(word[0]), .offset = 16}, false};
		g_array_append_val(frames, frame);
	}
	return frames;
}

static struct store_reader *reader_of(const struct fixture *fixture, const char *one,
                                      const char *other)
{
	struct store *store = create(fixture);
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	g_autoptr(GArray) calls = g_array_new(false, false, sizeof(struct record_stack));
	struct store_reader *reader;

	g_ptr_array_add(all, parse(one));
	g_ptr_array_add(all, parse(other));
	assert_true(store_put_stacks(store, 1, calls, all, NULL));
	store_close(store);
	reader = store_reader_open(fixture->directory, NULL);
	assert_non_null(reader);
	return reader;
}

static void assert_callers(const struct store_reader *reader, uint32_t stack, const char *wanted)
{
	g_autofree char *text = words_callers(reader, stack);

	if (wanted)
		assert_string_equal(text, wanted);
	else
		assert_null(text);
}

static void callers_are_shown_where_the_place_is_ambiguous(void **state)
{
	g_autoptr(StoreReader) reader = reader_of(
		*state, "exchange a.c:1 main a.c:9",
		"exchange a.c:1 step a.c:2 step a.c:2 libsolver.so a:0 step a.c:3 main a.c:8");

	assert_callers(reader, 1, "called from main (a.c:9)");
	assert_callers(reader, 2,
	               "called from step (a.c:2), step (a.c:2), libsolver.so+0x10, ..., "
	               "main (a.c:8)");
	assert_callers(reader, 0, NULL);
	assert_callers(reader, 3, NULL);
}

static void all_callers_are_shown_when_they_are_few(void **state)
{
	g_autoptr(StoreReader) reader = reader_of(
		*state, "exchange a.c:1", "exchange a.c:1 f a.c:2 g a.c:3 h a.c:4 main a.c:8");

	assert_callers(reader, 2, "called from f (a.c:2), g (a.c:3), h (a.c:4), main (a.c:8)");
	assert_callers(reader, 1, NULL); /* it cannot be unwound */
}

static void callers_are_not_shown_where_the_place_is_unique(void **state)
{
	g_autoptr(StoreReader) reader = reader_of(*state, "exchange a.c:1 main a.c:9",
	                                          "exchange a.c:2 main a.c:9");

	assert_callers(reader, 1, NULL);
	assert_callers(reader, 2, NULL);
}

/* Two sessions may find the same stack. */
static void equal_stacks_are_one(void **state)
{
	g_autoptr(StoreReader) reader = reader_of(*state, "exchange a.c:1 main a.c:9",
	                                          "exchange a.c:1 main a.c:9");

	assert_callers(reader, 1, NULL);
	assert_callers(reader, 2, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(stacks_belong_to_calls),
		TEST(a_roll_call_has_the_stacks_of_the_first_to_show_it),
		TEST(a_stack_with_another_place_is_ignored),
		TEST(a_crash_has_a_stack_of_its_own),
		TEST(a_call_of_an_interpreted_program_has_its_place_there),
		TEST(stacks_with_gaps_are_damage),
		TEST(callers_are_shown_where_the_place_is_ambiguous),
		TEST(all_callers_are_shown_when_they_are_few),
		TEST(callers_are_not_shown_where_the_place_is_unique),
		TEST(equal_stacks_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
