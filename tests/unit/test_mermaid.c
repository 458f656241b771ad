#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "reports/report.h"
#include "scheduler/store.h"

/* An interleaving of one rank that calls at these lines of a.c; the caller's. */
static struct record_execution *calls_at(uint32_t count, uint32_t (*line)(uint32_t call))
{
	struct record_execution *execution = record_execution_new();

	execution->id = 1;
	execution->path = g_strdup("mp1:n1");
	for (uint32_t i = 1; i <= count; i++) {
		const struct record_call call = {.rank = 0,
		                                 .call = i,
		                                 .completed = i,
		                                 .kind = RECORD_CALL_COLLECTIVE,
		                                 .peer = -1,
		                                 .collective = i,
		                                 .function = "MPI_Barrier",
		                                 .place = {.file = "a.c", .line = line(i)}};

		g_array_append_val(execution->calls, call);
	}
	return execution;
}

static char *drawn(struct record_execution *execution)
{
	g_autofree char *directory = g_dir_make_tmp("matchpoint-test-XXXXXX", NULL);
	g_autofree char *file = g_build_filename(directory, "matchpoint.db", NULL);
	g_autofree char *out = g_build_filename(directory, "out", NULL);
	struct record_exploration *exploration = record_exploration_new();
	struct store *store = store_create(directory, NULL);
	g_autoptr(StoreReader) reader = NULL;
	char *text;

	g_strfreev(exploration->program);
	exploration->program = g_strsplit("./solver", "|", -1);
	exploration->ranks = 1;
	assert_true(store_add(store, execution, NULL, NULL));
	assert_true(store_put_exploration(store, exploration, NULL));
	store_close(store);
	reader = store_reader_open(directory, NULL);
	assert_non_null(reader);
	assert_true(report_write(report_find("mermaid"), reader, NULL, out, NULL));
	assert_true(g_file_get_contents(out, &text, NULL, NULL));
	g_unlink(file);
	g_unlink(out);
	g_rmdir(directory);
	record_exploration_free(exploration);
	return text;
}

static uint32_t four_and_one(uint32_t call)
{
	return call % 5 == 0 ? 9 : 7;
}

static void what_repeats_is_drawn_once(void **state)
{
	g_autoptr(RecordExecution) execution = calls_at(50000, four_and_one);
	g_autofree char *text = drawn(execution);

	(void)state;
	assert_string_equal(text, "sequenceDiagram\n"
	                          "    participant r0 as rank 0\n"
	                          "    loop 10000 times\n"
	                          "    loop 4 times\n"
	                          "    Note over r0: MPI_Barrier a.c:7\n"
	                          "    end\n"
	                          "    Note over r0: MPI_Barrier a.c:9\n"
	                          "    end\n");
}

static uint32_t first_alike(uint32_t call)
{
	return call <= 100 ? 1 : call;
}

static void what_is_left_out_is_counted_in_calls(void **state)
{
	g_autoptr(RecordExecution) execution = calls_at(300, first_alike);
	g_autoptr(RecordExecution) shorter = calls_at(250, first_alike);
	g_autofree char *text = drawn(execution), *whole = drawn(shorter);

	(void)state;
	assert_non_null(strstr(text, "Note over r0: 100 calls before these are left out\n"));
	assert_non_null(strstr(text, "MPI_Barrier a.c:101\n"));
	assert_null(strstr(text, "loop"));
	assert_null(strstr(whole, "left out"));
	assert_non_null(strstr(whole, "    loop 100 times\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_repeats_is_drawn_once),
		cmocka_unit_test(what_is_left_out_is_counted_in_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
