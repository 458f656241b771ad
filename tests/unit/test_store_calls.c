#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "reports/store_reader.h"
#include "scheduler/store.h"
#include "scheduler/store_schema.h"

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
	e->status = "ok";
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

/* They are written many at once; what a failed transaction takes back is written again. */
static void many_calls_come_back_as_they_were(void **state)
{
	const char *directory = *state;
	struct store *store = store_create(directory, NULL);
	g_autoptr(RecordExploration) e = record_exploration_new();
	g_autoptr(RecordExecution) first = many_calls(1), again = many_calls(2);
	g_autoptr(RecordExecution) second = many_calls(2);
	g_autoptr(StoreReader) reader = NULL;

	g_strfreev(e->program);
	e->program = g_strsplit("./solver", " ", -1);
	e->ranks = 3;
	assert_true(store_put_exploration(store, e, NULL));
	g_array_index(again->calls, struct record_call, MANY - 1).call = 1; /* there is one */
	assert_false(store_add(store, again, NULL, NULL));
	assert_true(store_add(store, first, NULL, NULL));
	assert_false(store_add(store, again, NULL, NULL));
	assert_true(store_add(store, second, NULL, NULL));
	store_close(store);
	reader = store_reader_open(directory, NULL);
	assert_non_null(reader);
	for (uint32_t id = 1; id <= 2; id++) {
		g_autoptr(RecordExecution) read = store_reader_execution(reader, id, NULL);

		assert_non_null(read);
		check_many_calls(read, second);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(many_calls_come_back_as_they_were, set_up,
	                                        tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
