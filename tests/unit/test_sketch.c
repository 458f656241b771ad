#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/reproduce/sketch.h"

static void call(struct record_execution *execution, int32_t rank, uint32_t number, uint8_t kind,
                 const char *function, int32_t peer, uint64_t bytes)
{
	struct record_call record = {.rank = rank,
	                             .call = number,
	                             .kind = kind,
	                             .operations = kind != RECORD_CALL_OTHER,
	                             .function = g_intern_string(function),
	                             .communicator = kind != RECORD_CALL_OTHER,
	                             .peer = peer,
	                             .peer_given = peer,
	                             .tag = kind == RECORD_CALL_COLLECTIVE ? -1 : 7,
	                             .bytes = bytes};

	g_array_append_val(execution->calls, record);
}

static void match(struct record_execution *execution, int32_t rank, uint32_t number, int32_t source,
                  uint32_t send)
{
	struct record_match record = {rank, number, 0, source, send, 0, 7};

	g_array_append_val(execution->matches, record);
}

static struct record_execution *execution_new(guint ranks)
{
	struct record_execution *execution = record_execution_new();

	for (guint i = 0; i < ranks; i++)
		g_ptr_array_add(execution->outputs, g_bytes_new_static("", 0));
	return execution;
}

/* Rank 0 receives from any source, then from `second`; ranks 1 and 2 send. */
static struct record_execution *two_senders(int32_t first, int32_t second, bool all)
{
	struct record_execution *execution = execution_new(3);

	call(execution, 0, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
	call(execution, 0, 2, RECORD_CALL_RECEIVE, "MPI_Recv", -1, 40);
	call(execution, 0, 3, RECORD_CALL_RECEIVE, "MPI_Recv", second, 40);
	for (int32_t rank = 1; rank < 3; rank++) {
		call(execution, rank, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
		call(execution, rank, 2, RECORD_CALL_SEND, "MPI_Send", 0, 40);
	}
	match(execution, 0, 2, first, 2);
	if (all)
		match(execution, 0, 3, 3 - first, 2);
	return execution;
}

static struct record_finding *deadlock_at(int32_t rank, uint32_t number)
{
	struct record_finding *finding = record_finding_new(FINDING_DEADLOCK);
	struct record_rank *line = record_rank_new(rank);

	line->call = number;
	line->function = "MPI_Recv";
	g_ptr_array_add(finding->ranks, line);
	return finding;
}

static void check_lines(struct sketch *sketch, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch->steps->pdata[i];

		if (!step->dropped)
			assert_non_null(
				strstr(lines[step->line - 1], mpi_call_name(step->function)));
	}
}

static void prints_the_calls_of_each_rank(void **state)
{
	struct record_execution *bad = two_senders(1, 1, false);
	struct record_finding *finding = deadlock_at(0, 3);
	struct sketch *sketch = sketch_new(finding, bad, NULL, NULL);
	char *text = sketch_print(sketch, "one\ntwo */");

	(void)state;
	assert_true(g_str_has_prefix(text, "/* one\n * two * / */\n#include <mpi.h>\n"));
	assert_non_null(strstr(text, "MPI_Recv(data, 40, MPI_BYTE, MPI_ANY_SOURCE, 7, "));
	assert_non_null(strstr(text, "MPI_Recv(data, 40, MPI_BYTE, 1, 7, MPI_COMM_WORLD, "));
	assert_non_null(strstr(text, "} else if (rank == 2) {\n\t\tMPI_Send(data, 40, "));
	assert_int_equal(((struct sketch_step *)sketch->steps->pdata[sketch->stands])
	                         ->events[SKETCH_BAD]
	                         .call,
	                 3);
	check_lines(sketch, text);
	g_free(text);
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(bad);
}

static void leaves_out_a_rank_with_its_partners(void **state)
{
	struct record_execution *bad = two_senders(1, 1, false);
	struct record_finding *finding = deadlock_at(0, 3);
	struct sketch *sketch = sketch_new(finding, bad, NULL, NULL);
	g_autofree bool *all = sketch_state(sketch);
	char *text;

	(void)state;
	sketch_drop_rank(sketch, 1); /* so is the receive that took its message, and its wait */
	assert_int_equal(sketch_ranks(sketch), 2);
	assert_int_equal(sketch_rank(sketch, 2), 1);
	text = sketch_print(sketch, "");
	assert_null(strstr(text, "MPI_Recv"));
	assert_non_null(strstr(text, "(rank == 1) {\n\t\tMPI_Send("));
	check_lines(sketch, text);
	g_free(text);
	sketch_restore(sketch, all);
	assert_int_equal(sketch_ranks(sketch), 3);
	text = sketch_print(sketch, "");
	assert_non_null(strstr(text, "MPI_Recv"));
	g_free(text);
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(bad);
}

static void follows_the_source_of_a_wildcard(void **state)
{
	struct record_execution *bad = two_senders(1, 1, false), *good = two_senders(2, 2, false);
	struct record_finding *finding = deadlock_at(0, 3);
	struct sketch *sketch = sketch_new(finding, bad, good, NULL);
	char *text = sketch_print(sketch, "");

	(void)state;
	assert_non_null(strstr(text, "MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);"));
	assert_non_null(strstr(text, "status.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE"));
	g_free(text);
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(good);
	record_execution_free(bad);
}

static void asserts_the_good_message(void **state)
{
	struct record_execution *bad = two_senders(1, -1, true);
	struct record_finding *finding = record_finding_new(FINDING_CRASH);
	struct record_message right = {.source = 2, .call = 2};
	struct sketch *sketch;
	g_autoptr(GError) error = NULL;
	char *text;

	(void)state;
	assert_null(sketch_new(finding, bad, NULL, &error)); /* there is no choice to blame */
	assert_non_null(error);
	finding->blame = record_choice_new();
	finding->blame->rank = 0;
	finding->blame->call = 2;
	g_array_append_val(finding->blame->alternatives, right);
	sketch = sketch_new(finding, bad, NULL, NULL);
	text = sketch_print(sketch, "");
	assert_non_null(strstr(text, "#include <assert.h>"));
	assert_non_null(strstr(text, "\t\tassert(data[0] == 2);\n"));
	assert_non_null(strstr(text, "(rank == 2) {\n\t\tdata[0] = 2;\n\t\tMPI_Send("));
	check_lines(sketch, text);
	g_free(text);
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(bad);
}

static void continues_where_a_rank_stopped(void **state)
{
	struct record_execution *bad = execution_new(2), *good = execution_new(2);
	struct record_finding *finding = deadlock_at(0, 1);
	struct sketch *sketch;
	char *text;

	(void)state;
	for (int32_t rank = 0; rank < 2; rank++) {
		call(bad, rank, 1, RECORD_CALL_SEND, "MPI_Send", 1 - rank, 4);
		call(good, rank, 1, RECORD_CALL_SEND, "MPI_Send", 1 - rank, 4);
		call(good, rank, 2, RECORD_CALL_RECEIVE, "MPI_Recv", 1 - rank, 4);
		match(good, rank, 2, 1 - rank, 1);
	}
	sketch = sketch_new(finding, bad, good, NULL);
	assert_int_equal(sketch->steps->len, 4);
	text = sketch_print(sketch, "");
	check_lines(sketch, text);
	assert_non_null(strstr(
		text, "MPI_Send(data, 4, MPI_BYTE, 1, 7, MPI_COMM_WORLD); /* "
		      "waits for ever */\n\t\tMPI_Recv(data, 4, MPI_BYTE, 1, 7, MPI_COMM_WORLD, "));
	g_free(text);
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(good);
	record_execution_free(bad);
}

static void uses_a_buffer_for_each_pending_request(void **state)
{
	struct record_execution *bad = execution_new(2);
	struct record_finding *finding = deadlock_at(0, 3);
	struct sketch *sketch;
	char *text;

	(void)state;
	call(bad, 0, 1, RECORD_CALL_RECEIVE, "MPI_Irecv", 1, 4);
	call(bad, 0, 2, RECORD_CALL_RECEIVE, "MPI_Irecv", 1, 4);
	g_array_index(bad->calls, struct record_call, 0).completed = 3;
	call(bad, 0, 3, RECORD_CALL_OTHER, "MPI_Waitall", -1, 0);
	sketch = sketch_new(finding, bad, NULL, NULL);
	text = sketch_print(sketch, "");
	assert_non_null(strstr(text, "MPI_Irecv(buffer[1], 4, MPI_BYTE, 1, 7, MPI_COMM_WORLD, "
	                             "&request[1]);"));
	assert_non_null(strstr(text, "\t\tMPI_Waitall(2, request, MPI_STATUSES_IGNORE); /* "
	                             "waits for ever */\n"));
	g_free(text);
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(bad);
}

/* Rank 0 asks which of its two requests is complete; only after the first it continues. */
static struct record_execution *first_answer(uint32_t reported, bool goes_on)
{
	struct record_execution *execution = execution_new(2);
	uint32_t other = 5 - reported;
	struct record_call *calls;

	call(execution, 0, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
	call(execution, 0, 2, RECORD_CALL_RECEIVE, "MPI_Irecv", 1, 4);
	call(execution, 0, 3, RECORD_CALL_RECEIVE, "MPI_Irecv", 1, 4);
	call(execution, 0, 4, RECORD_CALL_OTHER, "MPI_Waitany", -1, 0);
	call(execution, 0, 5, RECORD_CALL_OTHER, "MPI_Wait", -1, 0);
	calls = (struct record_call *)(void *)execution->calls->data;
	calls[3].asked = "2,3";
	calls[reported - 1].completed = 4;
	calls[other - 1].completed = 5;
	if (goes_on)
		call(execution, 0, 6, RECORD_CALL_SEND, "MPI_Send", 1, 4);
	call(execution, 0, goes_on ? 7 : 6, RECORD_CALL_COLLECTIVE, "MPI_Finalize", -1, 0);
	call(execution, 1, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
	call(execution, 1, 2, RECORD_CALL_RECEIVE, "MPI_Recv", 0, 4);
	if (goes_on) {
		match(execution, 1, 2, 0, 6);
		call(execution, 1, 3, RECORD_CALL_COLLECTIVE, "MPI_Finalize", -1, 0);
	}
	return execution;
}

static void branches_on_an_answer(void **state)
{
	struct record_execution *bad = first_answer(3, false), *good = first_answer(2, true);
	struct record_finding *finding = deadlock_at(1, 2);
	struct sketch *sketch = sketch_new(finding, bad, good, NULL);
	g_autofree bool *all = sketch_state(sketch), *none = NULL;
	char *text = sketch_print(sketch, "");

	(void)state;
	assert_non_null(strstr(text, "MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);\n"
	                             "\t\tif (index == 1) { /* goes wrong */\n"
	                             "\t\t\tMPI_Wait(&request[0], MPI_STATUS_IGNORE);\n"
	                             "\t\t} else { /* goes well */\n"
	                             "\t\t\tMPI_Wait(&request[1], MPI_STATUS_IGNORE);\n"
	                             "\t\t\tMPI_Send("));
	check_lines(sketch, text);
	g_free(text);
	assert_true(sketch_is_whole(sketch));
	/* Without the question there is nothing to branch on. */
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch->steps->pdata[i];

		step->dropped |= step->kind == SKETCH_ASK;
	}
	assert_false(sketch_is_whole(sketch));
	sketch_restore(sketch, all);
	assert_true(sketch_is_whole(sketch));
	none = g_new0(bool, sketch->units);
	sketch_keep(sketch, none);
	assert_false(sketch_is_whole(sketch)); /* the step where the finding shows is missing */
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(good);
	record_execution_free(bad);
}

/* Rank 0 cancels its receive; only if that succeeds, rank 1 gets no message. */
static struct record_execution *cancelled(bool in_time)
{
	struct record_execution *execution = execution_new(2);
	struct record_call *calls;

	call(execution, 0, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
	call(execution, 0, 2, RECORD_CALL_RECEIVE, "MPI_Irecv", 1, 4);
	call(execution, 0, 3, RECORD_CALL_OTHER, "MPI_Cancel", -1, 0);
	call(execution, 0, 4, RECORD_CALL_OTHER, "MPI_Wait", -1, 0);
	calls = (struct record_call *)(void *)execution->calls->data;
	calls[2].asked = "2";
	calls[1].completed = in_time ? 0 : 4;
	if (!in_time) {
		call(execution, 0, 5, RECORD_CALL_SEND, "MPI_Send", 1, 4);
		match(execution, 0, 2, 1, 2);
		match(execution, 1, 3, 0, 5);
	}
	call(execution, 0, in_time ? 5 : 6, RECORD_CALL_COLLECTIVE, "MPI_Finalize", -1, 0);
	call(execution, 1, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
	call(execution, 1, 2, RECORD_CALL_SEND, "MPI_Bsend", 0, 4);
	call(execution, 1, 3, RECORD_CALL_RECEIVE, "MPI_Recv", 0, 4);
	if (!in_time)
		call(execution, 1, 4, RECORD_CALL_COLLECTIVE, "MPI_Finalize", -1, 0);
	return execution;
}

static void branches_on_a_cancellation(void **state)
{
	struct record_execution *bad = cancelled(true), *good = cancelled(false);
	struct record_finding *finding = deadlock_at(1, 3);
	struct sketch *sketch = sketch_new(finding, bad, good, NULL);
	char *text = sketch_print(sketch, "");

	(void)state;
	assert_non_null(strstr(text, "\tint rank, cancelled;\n"));
	assert_non_null(strstr(text, "MPI_Cancel(&request);\n"
	                             "\t\tMPI_Wait(&request, &status);\n"
	                             "\t\tMPI_Test_cancelled(&status, &cancelled);\n"
	                             "\t\tif (!cancelled) { /* goes well */\n"
	                             "\t\t\tMPI_Send(data, 4, MPI_BYTE, 1, 7, "));
	check_lines(sketch, text);
	g_free(text);
	assert_true(sketch_is_whole(sketch));
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(good);
	record_execution_free(bad);
}

/* Rank 0 holds a lock on rank 1's window until it receives from rank 1, which waits for the
 * lock. */
static void prints_locks_of_windows(void **state)
{
	struct record_execution *bad = execution_new(2);
	struct record_finding *finding = deadlock_at(0, 4);
	struct record_rank *other = record_rank_new(1);
	struct sketch *sketch;
	struct record_call *calls;
	char *text;

	(void)state;
	other->call = 2;
	g_ptr_array_add(finding->ranks, other);
	call(bad, 0, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
	call(bad, 0, 2, RECORD_CALL_OTHER, "MPI_Win_lock", 1, 0);
	call(bad, 0, 3, RECORD_CALL_OTHER, "MPI_Win_unlock", 0, 0); /* it is not held */
	call(bad, 0, 4, RECORD_CALL_RECEIVE, "MPI_Recv", 1, 4);
	call(bad, 1, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
	call(bad, 1, 2, RECORD_CALL_OTHER, "MPI_Win_lock", 1, 0);
	calls = (struct record_call *)(void *)bad->calls->data;
	for (guint i = 0; i < bad->calls->len; i++) {
		if (!g_str_has_prefix(calls[i].function, "MPI_Win_"))
			continue;
		calls[i].communicator = 77;
		calls[i].tag = calls[i].rank == 0; /* shared */
	}
	sketch = sketch_new(finding, bad, NULL, NULL);
	text = sketch_print(sketch, "");
	assert_non_null(strstr(text, "\tMPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, "
	                             "&memory, &window);\n\tif (rank == 0) {\n"
	                             "\t\tMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);\n"
	                             "\t\tMPI_Recv("));
	assert_non_null(strstr(text, "\t\tMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window); /* "
	                             "waits for ever */\n\t}\n\tMPI_Win_free(&window);\n"));
	assert_int_equal(((struct sketch_step *)sketch->steps->pdata[sketch->stands])->rank, 1);
	g_free(text);
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(bad);
}

/* A leak of what the collective call 2 of the only rank makes, as C. */
static char *print_leak(const char *function)
{
	struct record_execution *bad = execution_new(1);
	struct record_finding *finding = record_finding_new(FINDING_LEAK);
	struct record_rank *line = record_rank_new(0);
	struct sketch *sketch;
	char *text;

	line->function = g_intern_string(function);
	line->place = (struct place){.file = "a.c", .line = 5};
	g_ptr_array_add(finding->ranks, line);
	call(bad, 0, 1, RECORD_CALL_COLLECTIVE, "MPI_Init", -1, 0);
	call(bad, 0, 2, RECORD_CALL_COLLECTIVE, function, -1, 0);
	call(bad, 0, 3, RECORD_CALL_COLLECTIVE, "MPI_Finalize", -1, 0);
	g_array_index(bad->calls, struct record_call, 1).place = line->place;
	sketch = sketch_new(finding, bad, NULL, NULL);
	text = sketch_print(sketch, "");
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(bad);
	return text;
}

static void leaves_an_object_of_the_same_kind(void **state)
{
	static const char *const made[][2] = {
		{"MPI_Comm_dup", "MPI_Comm left;"},
		{"MPI_Comm_dup_with_info", "MPI_Comm left;"},
		{"MPI_Comm_create_group", "MPI_Comm left;"},
		{"MPI_Comm_idup", "MPI_Comm left;"},
		{"MPI_Ibarrier", "MPI_Request left;"},
	};

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(made); i++) {
		g_autofree char *text = print_leak(made[i][0]);

		assert_non_null(strstr(text, made[i][1]));
		assert_non_null(strstr(text, made[i][0]));
	}
}

static void writes_collectives(void **state)
{
	static const char *const written[][2] = {
		{"MPI_Ibcast", "MPI_Ibcast(buffer[0], 4, "},
		{"MPI_Scatterv", "MPI_Scatter(data, 4, "},
		{"MPI_Igatherv", "MPI_Igather(buffer[0], 4, "},
		{"MPI_Iallreduce", "MPI_Iallreduce(buffer[0], results[0], 4, "},
		{"MPI_Exscan", "MPI_Barrier(MPI_COMM_WORLD); /* MPI_Exscan"},
		{"MPI_Ineighbor_alltoallw", "MPI_Ibarrier(MPI_COMM_WORLD, &request); /* MPI_Inei"},
		{"MPI_Intercomm_create", "MPI_Barrier(MPI_COMM_WORLD); /* MPI_Intercomm_create"},
		{"MPI_Comm_idup", "MPI_Barrier(MPI_COMM_WORLD); /* MPI_Comm_idup"},
		{"MPI_File_open", "MPI_Barrier(MPI_COMM_WORLD); /* MPI_File_open"},
	};

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(written); i++) {
		struct record_execution *bad = execution_new(1);
		struct record_finding *finding = deadlock_at(0, 3);
		g_autofree char *text = NULL;
		struct sketch *sketch;

		call(bad, 0, 1, RECORD_CALL_COLLECTIVE, "MPI_Init", -1, 0);
		call(bad, 0, 2, RECORD_CALL_COLLECTIVE, written[i][0], -1, 4);
		call(bad, 0, 3, RECORD_CALL_RECEIVE, "MPI_Recv", 0, 4);
		sketch = sketch_new(finding, bad, NULL, NULL);
		text = sketch_print(sketch, "");
		assert_non_null(strstr(text, written[i][1]));
		sketch_free(sketch);
		record_finding_free(finding);
		record_execution_free(bad);
	}
}

/* The same, and rank 1 knows which interleaving it is in: it receives only in one. */
static void sends_the_branch_to_other_ranks(void **state)
{
	struct record_execution *bad = two_senders(1, -1, true), *good = two_senders(2, -1, true);
	struct record_finding *finding = deadlock_at(1, 4);
	struct sketch *sketch;
	char *text;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct record_execution *execution = i == 0 ? bad : good;

		g_array_set_size(execution->calls, 0);
		call(execution, 0, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
		call(execution, 0, 2, RECORD_CALL_RECEIVE, "MPI_Recv", -1, 40);
		call(execution, 0, 3, RECORD_CALL_RECEIVE, "MPI_Recv", -1, 40);
		call(execution, 0, 4, RECORD_CALL_SEND, "MPI_Send", 1, 0);
		call(execution, 0, 5, RECORD_CALL_COLLECTIVE, "MPI_Finalize", -1, 0);
		call(execution, 1, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
		call(execution, 1, 2, RECORD_CALL_SEND, "MPI_Send", 0, 40);
		call(execution, 1, 3, RECORD_CALL_RECEIVE, "MPI_Recv", 0, 0);
		match(execution, 1, 3, 0, 4);
	}
	call(bad, 1, 4, RECORD_CALL_RECEIVE, "MPI_Recv", 2, 40);
	call(good, 1, 4, RECORD_CALL_COLLECTIVE, "MPI_Finalize", -1, 0);
	for (int i = 0; i < 2; i++) {
		struct record_execution *execution = i == 0 ? bad : good;

		call(execution, 2, 1, RECORD_CALL_OTHER, "MPI_Init", -1, 0);
		call(execution, 2, 2, RECORD_CALL_SEND, "MPI_Send", 0, 40);
		call(execution, 2, 3, RECORD_CALL_COLLECTIVE, "MPI_Finalize", -1, 0);
	}
	sketch = sketch_new(finding, bad, good, NULL);
	text = sketch_print(sketch, "");
	assert_false(sketch->one_way);
	assert_non_null(strstr(text, "data[0] = status.MPI_SOURCE == 2;\n"
	                             "\t\tMPI_Send(data, 4, MPI_BYTE, 1, 7, "));
	assert_non_null(strstr(text, "told = data[0];\n\t\tif (told) { /* goes wrong */\n"));
	check_lines(sketch, text);
	g_free(text);
	sketch_free(sketch);
	record_finding_free(finding);
	record_execution_free(good);
	record_execution_free(bad);
}

static void refuses_findings_that_calls_cannot_show(void **state)
{
	struct record_execution *bad = two_senders(1, 1, false);
	struct record_finding *finding = record_finding_new(FINDING_LIVELOCK);
	g_autoptr(GError) error = NULL;

	(void)state;
	assert_null(sketch_new(finding, bad, NULL, &error));
	assert_non_null(strstr(error->message, "livelock"));
	record_finding_free(finding);
	record_execution_free(bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_the_calls_of_each_rank),
		cmocka_unit_test(leaves_out_a_rank_with_its_partners),
		cmocka_unit_test(follows_the_source_of_a_wildcard),
		cmocka_unit_test(asserts_the_good_message),
		cmocka_unit_test(continues_where_a_rank_stopped),
		cmocka_unit_test(uses_a_buffer_for_each_pending_request),
		cmocka_unit_test(branches_on_an_answer),
		cmocka_unit_test(branches_on_a_cancellation),
		cmocka_unit_test(prints_locks_of_windows),
		cmocka_unit_test(leaves_an_object_of_the_same_kind),
		cmocka_unit_test(writes_collectives),
		cmocka_unit_test(sends_the_branch_to_other_ranks),
		cmocka_unit_test(refuses_findings_that_calls_cannot_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
