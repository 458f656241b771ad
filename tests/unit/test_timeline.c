#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "reports/timeline.h"

static struct record_call *add(struct record_execution *e, int32_t rank, uint32_t call,
                               uint32_t completed)
{
	struct record_call record = {.rank = rank,
	                             .call = call,
	                             .kind = RECORD_CALL_OTHER,
	                             .peer = -1,
	                             .completed = completed,
	                             .communicator_group = "0,1,2"};

	g_array_append_val(e->calls, record);
	return &g_array_index(e->calls, struct record_call, e->calls->len - 1);
}

static void add_match(struct record_execution *e, int32_t rank, uint32_t call, int32_t source,
                      uint32_t send_call)
{
	const struct record_match match = {
		.rank = rank, .call = call, .source = source, .send_call = send_call};

	g_array_append_val(e->matches, match);
}

static void add_collective(struct record_execution *e, int32_t rank, uint32_t call,
                           enum record_wait waits, int32_t root)
{
	struct record_call *record = add(e, rank, call, call);

	record->kind = RECORD_CALL_COLLECTIVE;
	record->collective = 1;
	record->waits = (uint8_t)waits;
	record->peer = root;
}

/* Holds for every timeline, except where calls overlap. */
static void check_order(const struct timeline *t, const struct record_execution *e)
{
	for (guint i = 0; i < e->calls->len; i++) {
		const struct record_call *call = &g_array_index(e->calls, struct record_call, i);

		assert_true(t->enter[i] > 0);
		assert_true(t->leave[i] > t->enter[i]);
		assert_true(t->end >= t->leave[i]);
		if (call->call > 1)
			assert_true(t->enter[i] > t->leave[i - 1]);
		if (t->overlapping == 0 && t->returns[i])
			assert_true(t->done[i] <= t->leave[i]);
	}
}

static void calls_are_found_by_rank_and_number(void **state)
{
	g_autoptr(RecordExecution) e = record_execution_new();

	(void)state;
	assert_int_equal(timeline_call(e->calls, 0, 1), -1);
	add(e, 0, 1, 0);
	add(e, 0, 2, 0);
	add(e, 2, 1, 0);
	assert_int_equal(timeline_call(e->calls, 0, 1), 0);
	assert_int_equal(timeline_call(e->calls, 0, 2), 1);
	assert_int_equal(timeline_call(e->calls, 2, 1), 2);
	assert_int_equal(timeline_call(e->calls, 0, 3), -1);
	assert_int_equal(timeline_call(e->calls, 1, 1), -1);
	assert_int_equal(timeline_call(e->calls, 3, 1), -1);
}

static void ranks_are_shown_in_their_group(void **state)
{
	(void)state;
	assert_int_equal(timeline_rank_in("2,0,1", 2, 1), 2);
	assert_int_equal(timeline_rank_in("2,0,1", 2, 2), 0);
	assert_int_equal(timeline_rank_in("2,0", 2, 1), -1);
	assert_int_equal(timeline_rank_in("0,2|1,3", 2, 3), 1);
	assert_int_equal(timeline_rank_in("0,2|1,3", 1, 2), 1);
	assert_int_equal(timeline_rank_in("0,2|1,3", 0, 2), -1);
	assert_int_equal(timeline_rank_in("10,1", 0, 1), 1);
	/* from a store written by another program */
	assert_int_equal(timeline_rank_in("", 0, 0), -1);
	assert_int_equal(timeline_rank_in("x", 0, 0), -1);
	assert_int_equal(timeline_rank_in("1,,0|", 0, 0), -1);
	assert_int_equal(timeline_rank_in("|||", 0, 0), -1);
}

static void a_receive_ends_after_its_send_has_begun(void **state)
{
	g_autoptr(RecordExecution) e = record_execution_new();
	struct timeline *t;

	(void)state;
	add(e, 0, 1, 1);
	for (uint32_t call = 1; call <= 5; call++)
		add(e, 1, call, call);
	add_match(e, 0, 1, 1, 5);
	t = timeline_new(e);
	check_order(t, e);
	assert_int_equal(t->enter[0], 1);
	assert_int_equal(t->leave[0], t->enter[5] + 1);
	timeline_free(t);
}

static void a_send_waits_for_its_receive_only_if_it_must(void **state)
{
	for (int waits = 0; waits < 2; waits++) {
		g_autoptr(RecordExecution) e = record_execution_new();
		struct timeline *t;

		(void)state;
		add(e, 0, 1, 1)->waits = waits ? RECORD_WAIT_MATCH : RECORD_WAIT_NOBODY;
		for (uint32_t call = 1; call <= 5; call++)
			add(e, 1, call, call);
		add_match(e, 1, 5, 0, 1);
		t = timeline_new(e);
		check_order(t, e);
		assert_int_equal(t->leave[0], waits ? t->enter[5] + 1 : 2);
		timeline_free(t);
	}
}

static void a_request_is_complete_where_it_is_learnt(void **state)
{
	g_autoptr(RecordExecution) e = record_execution_new();
	struct timeline *t;

	(void)state;
	add(e, 0, 1, 2);
	add(e, 0, 2, 0);
	add(e, 1, 1, 0);
	add(e, 1, 2, 0);
	add(e, 1, 3, 0);
	add_match(e, 0, 1, 1, 3);
	t = timeline_new(e);
	check_order(t, e);
	assert_int_equal(t->leave[0], 2);
	assert_int_equal(t->done[1], t->enter[4] + 1);
	timeline_free(t);
}

/* Three ranks meet in one collective, rank r as its call r + 1. */
static struct timeline *meet(struct record_execution *e, const enum record_wait *waits,
                             int32_t root)
{
	struct timeline *t;

	for (int32_t rank = 0; rank < 3; rank++) {
		for (uint32_t call = 1; call <= (uint32_t)rank; call++)
			add(e, rank, call, call);
		add_collective(e, rank, (uint32_t)rank + 1, waits[rank], root);
	}
	t = timeline_new(e);
	check_order(t, e);
	return t;
}

static void a_collective_waits_for_the_members_it_must(void **state)
{
	static const enum record_wait all[] = {RECORD_WAIT_ALL, RECORD_WAIT_ALL, RECORD_WAIT_ALL};
	static const enum record_wait first[] = {RECORD_WAIT_ROOT, RECORD_WAIT_NOBODY,
	                                         RECORD_WAIT_ROOT};
	static const enum record_wait scan[] = {RECORD_WAIT_LOWER, RECORD_WAIT_LOWER,
	                                        RECORD_WAIT_LOWER};
	g_autoptr(RecordExecution) barrier = record_execution_new();
	g_autoptr(RecordExecution) bcast = record_execution_new();
	g_autoptr(RecordExecution) prefix = record_execution_new();
	struct timeline *t = meet(barrier, all, -1);

	(void)state;
	/* the calls are 0, 2 and 5; the last one begins at 5 */
	assert_int_equal(t->enter[5], 5);
	assert_int_equal(t->leave[0], 6);
	assert_int_equal(t->leave[2], 6);
	timeline_free(t);
	t = meet(bcast, first, 1); /* its root begins at 3 */
	assert_int_equal(t->leave[0], 4);
	assert_int_equal(t->leave[2], 4);
	assert_int_equal(t->leave[5], 6);
	timeline_free(t);
	t = meet(prefix, scan, -1);
	assert_int_equal(t->leave[0], 2);
	assert_int_equal(t->leave[2], 4);
	timeline_free(t);
}

static void a_rank_that_waits_at_the_end_waits_to_the_end(void **state)
{
	g_autoptr(RecordExecution) e = record_execution_new();
	struct record_rank *rank = record_rank_new(0);
	struct timeline *t;

	(void)state;
	add(e, 0, 1, 0);
	for (uint32_t call = 1; call <= 9; call++)
		add(e, 1, call, call);
	rank->call = 1;
	g_ptr_array_add(e->ranks, rank);
	t = timeline_new(e);
	check_order(t, e);
	assert_false(t->returns[0]);
	assert_true(t->returns[9]);
	assert_int_equal(t->leave[0], t->end);
	assert_true(t->end > t->leave[9]);
	timeline_free(t);
}

/* A thread of rank 0 receives the answer to what another sends in its next call. */
static void calls_of_threads_may_overlap(void **state)
{
	g_autoptr(RecordExecution) e = record_execution_new();
	struct timeline *t;

	(void)state;
	add(e, 0, 1, 1);
	add(e, 0, 2, 2);
	add(e, 0, 3, 3);
	add(e, 1, 1, 1);
	add(e, 1, 2, 2);
	add_match(e, 0, 1, 1, 2);
	add_match(e, 1, 1, 0, 2);
	t = timeline_new(e);
	check_order(t, e);
	assert_int_equal(t->overlapping, 1);
	assert_true(t->done[0] > t->enter[4]);
	assert_true(t->done[0] > t->leave[0]);
	assert_true(t->done[3] > t->enter[1]);
	timeline_free(t);
}

static void nonsense_has_a_timeline(void **state)
{
	g_autoptr(RecordExecution) e = record_execution_new();
	struct timeline *t = timeline_new(e);

	(void)state;
	timeline_free(t);
	for (int32_t rank = 0; rank < 2; rank++) {
		add(e, rank, 1, 2)->waits = RECORD_WAIT_MATCH;
		add(e, rank, 2, 1)->waits = RECORD_WAIT_MATCH;
		add(e, rank, 3, 77);
	}
	for (int32_t rank = 0; rank < 2; rank++) {
		add_match(e, rank, 1, 1 - rank, 2);
		add_match(e, rank, 2, rank, 2); /* its own */
		add_match(e, rank, 9, 1 - rank, 3);
		add_match(e, rank, 3, 5, 3);
	}
	t = timeline_new(e);
	for (guint i = 0; i < e->calls->len; i++) {
		assert_true(t->leave[i] > t->enter[i]);
		assert_true(t->enter[i] > 0);
	}
	timeline_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_found_by_rank_and_number),
		cmocka_unit_test(ranks_are_shown_in_their_group),
		cmocka_unit_test(a_receive_ends_after_its_send_has_begun),
		cmocka_unit_test(a_send_waits_for_its_receive_only_if_it_must),
		cmocka_unit_test(a_request_is_complete_where_it_is_learnt),
		cmocka_unit_test(a_collective_waits_for_the_members_it_must),
		cmocka_unit_test(a_rank_that_waits_at_the_end_waits_to_the_end),
		cmocka_unit_test(calls_of_threads_may_overlap),
		cmocka_unit_test(nonsense_has_a_timeline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
