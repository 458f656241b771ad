#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "reports/report.h"
#include "scheduler/store/store.h"

/* An interleaving of one rank with calls at these lines of a.c. The caller frees it. */
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

static char *drawn_as(const struct report *format, struct record_execution *execution)
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
	exploration->ranks = 2;
	assert_true(store_add(store, execution, NULL, NULL));
	assert_true(store_put_exploration(store, exploration, NULL));
	store_close(store);
	reader = store_reader_open(directory, NULL);
	assert_non_null(reader);
	assert_true(report_write(format, reader, NULL, out, NULL));
	assert_true(g_file_get_contents(out, &text, NULL, NULL));
	g_unlink(file);
	g_unlink(out);
	g_rmdir(directory);
	record_exploration_free(exploration);
	return text;
}

static char *drawn(struct record_execution *execution)
{
	return drawn_as(&report_mermaid, execution);
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
	assert_non_null(strstr(text, "Note over r0: 100 earlier calls are left out\n"));
	assert_non_null(strstr(text, "MPI_Barrier a.c:101\n"));
	assert_null(strstr(text, "loop"));
	assert_null(strstr(whole, "left out"));
	assert_non_null(strstr(whole, "    loop 100 times\n"));
}

static void a_graph_has_what_repeats_once(void **state)
{
	g_autoptr(RecordExecution) execution = calls_at(50000, four_and_one);
	g_autofree char *text = drawn_as(&report_dot, execution);
	static const char seven[] = "[label=\"MPI_Barrier\\na.c:7\", shape=box, style=filled, "
				    "fillcolor=gray90];\n";
	static const char nine[] = "[label=\"MPI_Barrier\\na.c:9\", shape=box, style=filled, "
				   "fillcolor=gray90];\n";
	static const char line[] = "[weight=8, arrowhead=none, color=gray];\n";
	g_autofree char *expected = g_strconcat(
		" }\n  subgraph cluster_1 {\n  label=\"10000 times\";\n  style=dashed;\n"
		"  subgraph cluster_2 {\n  label=\"4 times\";\n  style=dashed;\n  m1 ",
		seven, "  }\n  m5 ", nine, "  }\n  r0 -> m1 ", line, "  m1 -> m5 ", line, "}\n",
		NULL);

	(void)state;
	assert_true(g_str_has_suffix(text, expected));
}

static uint32_t all_differ(uint32_t call)
{
	return call;
}

static void a_graph_leaves_out_what_is_too_much(void **state)
{
	g_autoptr(RecordExecution) execution = calls_at(600, all_differ);
	g_autofree char *text = drawn_as(&report_dot, execution);

	(void)state;
	assert_non_null(strstr(text, "\\n100 earlier calls are left out"));
	assert_non_null(strstr(text, "  r0 -> m101 ["));
	assert_null(strstr(text, "m100 "));
	assert_null(strstr(text, "subgraph"));
}

static void add_call(struct record_execution *execution, int32_t rank, uint32_t number, bool sends)
{
	const struct record_call call = {.rank = rank,
	                                 .call = number,
	                                 .completed = number,
	                                 .kind = sends ? RECORD_CALL_SEND : RECORD_CALL_RECEIVE,
	                                 .peer = 1 - rank,
	                                 .function = sends ? "MPI_Send" : "MPI_Recv",
	                                 .place = {.file = "a.c", .line = sends ? 7 : 9}};
	const struct record_match match = {
		.rank = rank, .call = number, .source = 1 - rank, .send_call = number};

	g_array_append_val(execution->calls, call);
	if (!sends)
		g_array_append_val(execution->matches, match);
}

static guint times_in(const char *text, const char *word)
{
	guint count = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		count++;
	}
	return count;
}

/* Rank 0 sends and gets an answer, a hundred times. */
static void a_graph_has_the_messages_of_a_loop_once(void **state)
{
	g_autoptr(RecordExecution) execution = record_execution_new();
	g_autofree char *text = NULL;

	(void)state;
	execution->id = 1;
	execution->path = g_strdup("mp1:n2");
	for (int32_t rank = 0; rank < 2; rank++)
		for (uint32_t i = 1; i <= 200; i++)
			add_call(execution, rank, i, (i + (uint32_t)rank) % 2 == 1);
	text = drawn_as(&report_dot, execution);
	assert_int_equal(times_in(text, " times\""), 1);
	assert_in_range(times_in(text, "MPI_Send"), 2, 4);
	assert_in_range(times_in(text, "color=blue"), 2, 4);
	assert_int_equal(times_in(text, "constraint=false"), 0);
}

static void add_call_of(struct record_execution *e, int32_t rank, uint32_t call,
                        enum record_call_kind kind, int32_t peer, uint32_t completed)
{
	struct record_call record = {.rank = rank,
	                             .call = call,
	                             .kind = (uint8_t)kind,
	                             .operations = 1,
	                             .function = "MPI_Call",
	                             .peer = peer,
	                             .tag = (int32_t)call,
	                             .completed = completed};

	if (kind == RECORD_CALL_COLLECTIVE)
		record.collective = call;
	g_array_append_val(e->calls, record);
}

static void add_match(struct record_execution *e, int32_t rank, uint32_t call, int32_t source,
                      uint32_t send_call)
{
	struct record_match match = {.rank = rank,
	                             .call = call,
	                             .source = source,
	                             .send_call = send_call,
	                             .tag = (int32_t)send_call};

	g_array_append_val(e->matches, match);
}

/* Rank 0 posts a receive, sends, and waits; rank 1 answers. Then both Sendrecv with each other. */
static struct record_execution *exchange(void)
{
	struct record_execution *e = record_execution_new();

	e->id = 1;
	e->buffering = RECORD_ZERO;
	e->path = g_strdup("mp1:n2:zero:");
	for (int32_t rank = 0; rank < 2; rank++) {
		add_call_of(e, rank, 1, RECORD_CALL_COLLECTIVE, -1, 1);
		if (rank == 0)
			add_call_of(e, 0, 2, RECORD_CALL_RECEIVE, 1, 4);
		else
			add_call_of(e, 1, 2, RECORD_CALL_RECEIVE, 0, 2);
		add_call_of(e, rank, 3, RECORD_CALL_SEND, 1 - rank, 3);
		add_call_of(e, rank, 4, RECORD_CALL_OTHER, -1, 4);
		add_call_of(e, rank, 5, RECORD_CALL_SEND, 1 - rank, 5);
		add_call_of(e, rank, 6, RECORD_CALL_SEND, 1 - rank, 0);
	}
	add_match(e, 0, 2, 1, 3);
	add_match(e, 1, 2, 0, 3);
	add_match(e, 0, 5, 1, 5);
	add_match(e, 1, 5, 0, 5);
	return e;
}

static void a_message_is_drawn_where_it_is_received(void **state)
{
	g_autoptr(RecordExecution) e = exchange();
	g_autofree char *text = NULL;

	(void)state;
	text = drawn_as(&report_mermaid, e);
	assert_string_equal(text, "sequenceDiagram\n"
	                          "    participant r0 as rank 0\n"
	                          "    participant r1 as rank 1\n"
	                          "    Note over r0,r1: MPI_Call #63;\n"
	                          "    r0->>r1: tag 3, MPI_Call #63;\n"
	                          "    r1->>r0: tag 3, MPI_Call #63;\n"
	                          "    r1->>r0: tag 5, MPI_Call #63;\n"
	                          "    r0-xr1: tag 6, MPI_Call #63;, not received\n"
	                          "    r0->>r1: tag 5, MPI_Call #63;\n"
	                          "    r1-xr0: tag 6, MPI_Call #63;, not received\n");
}

static void a_long_interleaving_is_drawn_from_its_end(void **state)
{
	g_autoptr(RecordExecution) e = exchange();
	g_autofree char *text = NULL;

	(void)state;
	g_array_set_size(e->calls, 0);
	g_array_set_size(e->matches, 0);
	for (uint32_t call = 1; call <= 1000; call++) {
		add_call_of(e, 0, call, RECORD_CALL_COLLECTIVE, -1, call);
		g_array_index(e->calls, struct record_call, call - 1).place = (struct place){
			.file = "a.c", .line = call};
	}
	text = drawn_as(&report_mermaid, e);
	assert_non_null(strstr(text, "Note over r0: 800 earlier calls are left out\n"));
	assert_true(strlen(text) < 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_repeats_is_drawn_once),
		cmocka_unit_test(what_is_left_out_is_counted_in_calls),
		cmocka_unit_test(a_graph_has_what_repeats_once),
		cmocka_unit_test(a_graph_leaves_out_what_is_too_much),
		cmocka_unit_test(a_graph_has_the_messages_of_a_loop_once),
		cmocka_unit_test(a_message_is_drawn_where_it_is_received),
		cmocka_unit_test(a_long_interleaving_is_drawn_from_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
