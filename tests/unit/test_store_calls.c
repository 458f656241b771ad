#include <glib/gstdio.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scheduler/store/reader.h"
#include "scheduler/store/schema.h"
#include "scheduler/store/store.h"

static int set_up(void **state)
{
	*state = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	g_autofree char *file = g_build_filename(*state, STORE_FILE, NULL);

	g_unlink(file);
	g_rmdir(*state);
	g_free(*state);
	return 0;
}

#define MANY 1003

/* Calls at several places on several communicators, and as many matches. */
static struct record_execution *many_calls(uint32_t id)
{
	struct record_execution *e = record_execution_new();

	e->id = id;
	e->buffering = RECORD_ZERO;
	e->status = FINDING_NONE;
	e->path = g_strdup("mp1:n3:zero:");
	for (uint32_t i = 1; i <= MANY; i++) {
		struct record_call call = {
			.rank = 1,
			.call = i,
			.kind = RECORD_CALL_RECEIVE,
			.function = i % 2 ? "MPI_Recv" : "MPI_Irecv",
			.place = {.file = i / 8 % 2 ? "one.c" : "two.c", .line = 1 + i / 100},
			.communicator = 1 + i % 3,
			.communicator_name = i % 3 ? "some" : "others",
			.communicator_group = i % 3 ? "0,1" : NULL,
			.peer = -1,
			.tag = (int32_t)i,
			.asked = i % 5 ? NULL : "3,4"};
		struct record_match match = {.rank = 1, .call = i, .source = 2, .send_call = i};

		g_array_append_val(e->calls, call);
		g_array_append_val(e->matches, match);
	}
	return e;
}

static void check_many_calls(const struct record_execution *read,
                             const struct record_execution *written)
{
	assert_int_equal(read->calls->len, MANY);
	assert_int_equal(read->matches->len, MANY);
	for (guint i = 0; i < MANY; i++) {
		const struct record_call *one = &g_array_index(read->calls, struct record_call, i);
		const struct record_call *other = &g_array_index(written->calls, struct record_call,
		                                                 i);
		const struct record_match *match = &g_array_index(read->matches,
		                                                  struct record_match, i);

		assert_int_equal(one->call, i + 1);
		assert_string_equal(one->function, other->function);
		assert_true(place_equal(&one->place, &other->place));
		assert_string_equal(one->communicator_name, other->communicator_name);
		assert_int_equal(g_strcmp0(one->communicator_group, other->communicator_group), 0);
		assert_int_equal(one->tag, other->tag);
		assert_int_equal(g_strcmp0(one->asked, other->asked), 0);
		assert_int_equal(match->send_call, i + 1);
	}
}

static struct store *create(const char *directory)
{
	struct store *store = store_create(directory, NULL);
	g_autoptr(RecordExploration) e = record_exploration_new();

	g_strfreev(e->program);
	e->program = g_strsplit("./solver", " ", -1);
	e->ranks = 3;
	assert_non_null(store);
	assert_true(store_put_exploration(store, e, NULL));
	return store;
}

static struct record_execution *few_calls(uint32_t id, uint32_t of_rank_0, uint32_t of_rank_2,
                                          uint32_t matches)
{
	struct record_execution *e = record_execution_new();

	e->id = id;
	e->buffering = RECORD_ZERO;
	e->status = FINDING_NONE;
	e->path = g_strdup("mp1:n3:zero:");
	for (uint32_t i = 0; i < of_rank_0 + of_rank_2; i++) {
		bool second = i >= of_rank_0;
		struct record_call call = {.rank = second ? 2 : 0,
		                           .call = second ? i - of_rank_0 + 1 : i + 1,
		                           .function = "MPI_Barrier",
		                           .place = {.file = "solver.c", .line = 1 + i},
		                           .tag = (int32_t)(1000 * id + i)};

		g_array_append_val(e->calls, call);
	}
	/* in another order than their receives */
	for (uint32_t i = 0; i < matches; i++) {
		struct record_match match = {.call = 1 + i * 7 % matches,
		                             .tag = (int32_t)(1000 * id + i)};

		g_array_append_val(e->matches, match);
	}
	return e;
}

static void add(struct store *store, const struct record_execution *e)
{
	assert_true(store_add(store, e, NULL, NULL));
}

static void check_few_calls(struct store_reader *reader, const struct record_execution *written)
{
	g_autoptr(RecordExecution) read = store_reader_execution(reader, written->id, NULL);

	assert_non_null(read);
	assert_int_equal(read->calls->len, written->calls->len);
	assert_int_equal(read->matches->len, written->matches->len);
	for (guint i = 0; i < read->calls->len; i++) {
		const struct record_call *one = &g_array_index(read->calls, struct record_call, i);
		const struct record_call *other = &g_array_index(written->calls, struct record_call,
		                                                 i);

		assert_int_equal(one->rank, other->rank);
		assert_int_equal(one->call, other->call);
		assert_int_equal(one->tag, other->tag);
		assert_true(place_equal(&one->place, &other->place));
	}
	for (guint i = 0; i < read->matches->len; i++) {
		const struct record_match *one = &g_array_index(read->matches, struct record_match,
		                                                i);
		const struct record_match *other = &g_array_index(written->matches,
		                                                  struct record_match, i);

		assert_int_equal(one->call, other->call);
		assert_int_equal(one->tag, other->tag);
	}
}

/* Several rows are written at once. What a failed transaction lost is written again. */
static void many_calls_are_read_back(void **state)
{
	struct store *store = create(*state);
	g_autoptr(RecordExecution) first = few_calls(1, 0, 0, 0), again = many_calls(1);
	g_autoptr(RecordExecution) second = many_calls(2), third = many_calls(3);
	g_autoptr(StoreReader) reader = NULL;

	add(store, first);
	assert_false(store_add(store, again, NULL, NULL)); /* the id exists already */
	add(store, second);
	assert_false(store_add(store, again, NULL, NULL));
	add(store, third);
	store_close(store);
	reader = store_reader_open(*state, NULL);
	assert_non_null(reader);
	check_few_calls(reader, first);
	for (uint32_t id = 2; id <= 3; id++) {
		g_autoptr(RecordExecution) read = store_reader_execution(reader, id, NULL);

		assert_non_null(read);
		check_many_calls(read, second);
	}
}

/* Interleavings in any order, with calls, matches, both or none. */
static void each_interleaving_has_its_own_calls(void **state)
{
	struct store *store = create(*state);
	struct record_execution *e[] = {few_calls(1, 0, 0, 3), few_calls(2, 17, 5, 16),
	                                few_calls(3, 0, 40, 0), few_calls(4, 0, 0, 0),
	                                few_calls(5, 1, 0, 33)};
	g_autoptr(RecordExecution) well = NULL;
	g_autoptr(StoreReader) reader = NULL;

	add(store, e[2]);
	add(store, e[0]);
	assert_false(store_add(store, e[2], NULL, NULL));
	store_hold(store);
	add(store, e[1]);
	add(store, e[3]);
	assert_true(store_release(store, NULL));
	store_close(store);
	store = store_continue(*state, NULL);
	assert_non_null(store);
	add(store, e[4]);
	store_close(store);
	reader = store_reader_open(*state, NULL);
	assert_non_null(reader);
	for (size_t i = 0; i < G_N_ELEMENTS(e); i++) {
		check_few_calls(reader, e[i]);
		record_execution_free(e[i]);
	}
	well = store_reader_well(reader, RECORD_ZERO, NULL);
	assert_non_null(well);
	assert_int_equal(well->id, 2);
}

static void later_interleavings_follow_the_remaining_ones(void **state)
{
	struct store *store = create(*state);
	g_autoptr(RecordExecution) one = few_calls(1, 20, 3, 4), two = few_calls(2, 5, 5, 5);
	g_autoptr(RecordExecution) other = few_calls(2, 2, 50, 9), three = few_calls(3, 1, 1, 1);
	g_autoptr(StoreReader) reader = NULL;

	add(store, one);
	add(store, two);
	store_close(store);
	store = store_continue(*state, NULL);
	assert_true(store_forget_findings(store, 1, NULL));
	add(store, other);
	add(store, three);
	store_close(store);
	reader = store_reader_open(*state, NULL);
	assert_non_null(reader);
	check_few_calls(reader, one);
	check_few_calls(reader, other);
	check_few_calls(reader, three);
}

/* An interleaving in which rank 0 makes a call for each of `indices`, and another one besides. */
static struct record_execution *picking_calls(uint32_t id, const char *const *indices)
{
	struct record_execution *e = few_calls(id, 1, 0, 0);

	for (guint i = 0; indices[i]; i++) {
		struct record_call call = {.rank = 0,
		                           .call = i + 2,
		                           .function = "MPI_Waitsome",
		                           .place = {.file = "solver.c", .line = 1},
		                           .indices = g_str_equal(indices[i], "?") ? NULL
		                                                                   : indices[i]};

		g_array_append_val(e->calls, call);
	}
	return e;
}

static void check_indices(struct store_reader *reader, uint32_t id, const char *const *indices)
{
	g_autoptr(RecordExecution) read = store_reader_execution(reader, id, NULL);

	assert_non_null(read);
	assert_null(g_array_index(read->calls, struct record_call, 0).indices);
	for (guint i = 0; indices[i]; i++) {
		const char *one = g_array_index(read->calls, struct record_call, i + 1).indices;

		assert_string_equal(one ? one : "?", indices[i]);
	}
}

static const char *const some_indices[] = {"", "0", "1,5,4000000", RECORD_UNDEFINED, "?", "", NULL};
static const char *const other_indices[] = {"7", "?", NULL};
static const char *const new_indices[] = {"", NULL};
static const char *const no_indices[] = {"?", "?", NULL};

/* They are kept while other data of the same row is written, and beyond the end of a session. */
static void indices_are_read_back(void **state)
{
	struct store *store = create(*state);
	g_autoptr(RecordExecution) one = picking_calls(1, some_indices);
	g_autoptr(RecordExecution) two = picking_calls(2, other_indices);
	g_autoptr(RecordExecution) three = picking_calls(3, no_indices);
	g_autoptr(RecordExecution) four = picking_calls(4, new_indices);
	g_autoptr(GVariant) common = g_variant_ref_sink(g_variant_new_parsed("{'wrote': <true>}"));
	g_autoptr(GVariant) kept = NULL;
	g_autoptr(StoreReader) reader = NULL;

	store_hold(store);
	add(store, one);
	assert_true(store_add_later(store, two, NULL));
	assert_true(store_put_common(store, common, NULL));
	assert_true(store_release(store, NULL));
	store_close(store);
	store = store_continue(*state, NULL);
	add(store, three);
	assert_true(store_replace_calls(store, 2, one->calls, NULL));
	store_hold(store);
	assert_true(store_add_later(store, four, NULL));
	store_close(store);
	reader = store_reader_open(*state, NULL);
	check_indices(reader, 1, some_indices);
	check_indices(reader, 2, some_indices);
	check_indices(reader, 3, no_indices);
	check_indices(reader, 4, new_indices);
	kept = store_reader_common(reader, NULL);
	assert_true(g_variant_lookup(kept, "wrote", "b", NULL));
}

/* Those of interleavings that are deleted are not those of later ones with the same number. */
static void indices_are_forgotten_with_their_interleavings(void **state)
{
	struct store *store = create(*state);
	g_autoptr(RecordExecution) one = picking_calls(1, some_indices);
	g_autoptr(RecordExecution) two = picking_calls(2, other_indices);
	g_autoptr(RecordExecution) again = picking_calls(2, no_indices);
	g_autoptr(StoreReader) reader = NULL;

	add(store, one);
	add(store, two);
	store_close(store);
	store = store_continue(*state, NULL);
	assert_true(store_forget_findings(store, 1, NULL));
	add(store, again);
	store_close(store);
	reader = store_reader_open(*state, NULL);
	check_indices(reader, 1, some_indices);
	check_indices(reader, 2, no_indices);
}

/* Numbers that make no sense leave calls without indices, or with others. */
static void damaged_indices_are_left_out(void **state)
{
	static const char *const told[] = {"(1, [0, 3, 9, 1])", "(1, [0, 3])",
	                                   "(1, [0])",          "(1, [9, 9, 1, 1])",
	                                   "(1, [])",           "(1, [0, 3, 4294967294, 1])"};

	for (guint i = 0; i < G_N_ELEMENTS(told); i++) {
		struct store *store = create(*state);
		g_autoptr(RecordExecution) one = picking_calls(1, no_indices);
		g_autofree char *text = g_strdup_printf("{'indices': <@a(uau) [%s]>}", told[i]);
		g_autoptr(GVariant) common = g_variant_ref_sink(
			g_variant_parse(G_VARIANT_TYPE("a{sv}"), text, NULL, NULL, NULL));
		g_autoptr(RecordExecution) read = NULL;
		g_autoptr(StoreReader) reader = NULL;

		add(store, one);
		assert_true(store_put_common(store, common, NULL));
		store_close(store);
		reader = store_reader_open(*state, NULL);
		read = store_reader_execution(reader, 1, NULL);
		assert_non_null(read);
		assert_string_equal(g_array_index(read->calls, struct record_call, 2).indices, "");
	}
}

static int keep_number(void *ret, int columns, char **values, char **names)
{
	(void)columns;
	(void)names;
	*(int *)ret = atoi(values[0]);
	return 0;
}

/* The number that the statement returns, if any. */
static int sql(const char *directory, const char *text)
{
	g_autofree char *file = g_build_filename(directory, STORE_FILE, NULL);
	sqlite3 *database;
	int number = -1;

	assert_int_equal(sqlite3_open(file, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, text, keep_number, &number, NULL), SQLITE_OK);
	sqlite3_close(database);
	return number;
}

static void replace(struct store *store, struct record_execution *old,
                    const struct record_execution *with)
{
	assert_true(store_replace_calls(store, old->id, with->calls, NULL));
	g_array_set_size(old->calls, 0);
	g_array_append_vals(old->calls, with->calls->data, with->calls->len);
}

static void replaced_calls_are_gone(void **state)
{
	struct store *store = create(*state);
	struct record_execution *e[] = {few_calls(1, 0, 0, 3), few_calls(2, 17, 5, 16),
	                                few_calls(3, 2, 2, 2), few_calls(4, 3, 0, 0)};
	g_autoptr(RecordExecution) some = few_calls(5, 6, 12, 0), more = few_calls(6, 30, 3, 0);
	g_autoptr(StoreReader) reader = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(e); i++)
		add(store, e[i]);
	store_hold(store);
	replace(store, e[0], some);
	replace(store, e[3], more);
	assert_true(store_release(store, NULL));
	replace(store, e[1], some);
	replace(store, e[1], more);
	store_close(store);
	reader = store_reader_open(*state, NULL);
	assert_non_null(reader);
	for (size_t i = 0; i < G_N_ELEMENTS(e); i++) {
		check_few_calls(reader, e[i]);
		record_execution_free(e[i]);
	}
	assert_int_equal(sql(*state, "SELECT count(*) FROM call"), 18 + 33 + 4 + 33);
}

/* Stacks of an interleaving that is not the last, and of only some of its calls. */
static void stacks_added_later_are_those_of_their_calls(void **state)
{
	struct store *store = create(*state);
	g_autoptr(RecordExecution) one = few_calls(1, 9, 0, 0), two = few_calls(2, 4, 30, 2);
	g_autoptr(RecordExecution) three = few_calls(3, 20, 20, 0), read = NULL;
	g_autoptr(GArray) stands = g_array_new(false, false, sizeof(struct record_stack));
	g_autoptr(GPtrArray) stacks = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	g_autoptr(StoreReader) reader = NULL;

	for (guint i = 1; i < two->calls->len; i += 2) {
		const struct record_call *call = &g_array_index(two->calls, struct record_call, i);
		struct record_frame frame = {"work", call->place, false};
		GArray *frames = g_array_new(false, false, sizeof(frame));
		struct record_stack stack = {call->rank, call->call, stacks->len + 1};

		g_array_append_val(frames, frame);
		g_ptr_array_add(stacks, frames);
		g_array_append_val(stands, stack);
	}
	add(store, one);
	add(store, two);
	add(store, three);
	assert_true(store_put_stacks(store, 2, stands, stacks, NULL));
	store_close(store);
	reader = store_reader_open(*state, NULL);
	assert_non_null(reader);
	check_few_calls(reader, one);
	check_few_calls(reader, two);
	check_few_calls(reader, three);
	read = store_reader_execution(reader, 2, NULL);
	for (guint i = 0; i < read->calls->len; i++)
		assert_int_equal(g_array_index(read->calls, struct record_call, i).stack,
		                 i % 2 ? (i + 1) / 2 : 0);
}

static void missing_rows_are_damage(void **state)
{
	static const char *const damages[] = {
		"DELETE FROM call WHERE execution = 2 AND rank = 2 AND call = 7",
		"DELETE FROM call WHERE execution = 2 AND rank = 2 AND call = 4",
		"DELETE FROM call WHERE execution = 2 AND rank = 0 AND call = 1",
		"DELETE FROM match WHERE execution = 2 AND call = 3",
		"UPDATE execution SET first_call = first_call - 1 WHERE id = 2",
		"UPDATE execution SET first_match = first_match + 1 WHERE id = 2",
		"UPDATE execution SET first_call = -9223372036854775808 WHERE id = 2",
		"UPDATE execution SET first_call = 9223372036854775807 WHERE id = 2",
		"UPDATE execution SET calls = 9223372036854775807 WHERE id = 2",
		"UPDATE call SET rank = 2 - rank WHERE execution = 2",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(damages); i++) {
		struct store *store = create(*state);
		g_autoptr(RecordExecution) one = few_calls(1, 4, 4, 4), two = few_calls(2, 7, 7, 9);
		g_autoptr(RecordExecution) three = few_calls(3, 1, 1, 1), read = NULL;
		g_autoptr(StoreReader) reader = NULL;
		g_autoptr(GError) error = NULL;

		add(store, one);
		add(store, two);
		add(store, three);
		store_close(store);
		sql(*state, damages[i]);
		reader = store_reader_open(*state, NULL);
		assert_non_null(reader);
		check_few_calls(reader, one);
		check_few_calls(reader, three);
		read = store_reader_execution(reader, 2, &error);
		assert_null(read);
		assert_true(g_error_matches(error, STORE_READER_ERROR, STORE_READER_ERROR_DAMAGED));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(many_calls_are_read_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_interleaving_has_its_own_calls, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(later_interleavings_follow_the_remaining_ones,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(indices_are_read_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(indices_are_forgotten_with_their_interleavings,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(damaged_indices_are_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(replaced_calls_are_gone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stacks_added_later_are_those_of_their_calls, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(missing_rows_are_damage, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
