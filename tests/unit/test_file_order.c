/* room: scheduler/world. Moves of a shared file pointer by two ranks, with an order or without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/world/file_order.h"

enum { RANKS = 2 };

struct fixture {
	struct rma_log *log;
	struct trace trace;
};

static int set_up(void **state)
{
	struct fixture *fixture = g_new0(struct fixture, 1);

	fixture->log = rma_log_new();
	trace_init(&fixture->trace);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	rma_log_free(fixture->log);
	trace_release(&fixture->trace);
	g_free(fixture);
	return 0;
}

static int no_target(void *user, guint64 window, int rank, int target)
{
	(void)user;
	(void)window;
	(void)rank;
	return target;
}

static void move(struct fixture *fixture, int rank, guint64 file)
{
	struct wire_access access = {
		.kind = WIRE_ACCESS_POINTER, .window = file, .target = WIRE_ANY};
	const struct wire_accesses accesses = {.count = 1, .list = &access};

	rma_log_add(fixture->log, rank, trace_count(&fixture->trace), &accesses, no_target, NULL);
}

/* Rank 1 receives what rank 0 sends. */
static void pass_a_message(struct fixture *fixture)
{
	const struct op_id sent = {0, 3, 0}, taken = {1, 3, 0};

	trace_append(&fixture->trace, &(struct event){.kind = EVENT_SEND,
	                                              .op = {.id = sent, .kind = OPERATION_SEND}});
	trace_append(&fixture->trace,
	             &(struct event){.kind = EVENT_RECEIVE,
	                             .op = {.id = taken, .kind = OPERATION_RECEIVE}});
	trace_append(&fixture->trace,
	             &(struct event){.kind = EVENT_MATCH, .op.id = taken, .other = sent});
	trace_append(&fixture->trace,
	             &(struct event){.kind = EVENT_COMPLETE, .op.id = taken, .other = taken});
}

static bool is_open(const struct fixture *fixture)
{
	return file_order_is_open(fixture->log, &fixture->trace, RANKS);
}

static void test_no_order(void **state)
{
	struct fixture *fixture = *state;

	assert_false(is_open(fixture));
	move(fixture, 0, 7);
	move(fixture, 0, 7);
	move(fixture, 1, 8); /* another file */
	assert_false(is_open(fixture));
	move(fixture, 1, 7);
	assert_true(is_open(fixture));
}

static void test_a_message_orders(void **state)
{
	struct fixture *fixture = *state;

	move(fixture, 0, 7);
	pass_a_message(fixture);
	move(fixture, 1, 7);
	assert_false(is_open(fixture));
	move(fixture, 0, 7); /* rank 0 has learnt nothing of rank 1 */
	assert_true(is_open(fixture));
}

/* The message was sent before. */
static void test_a_message_too_early(void **state)
{
	struct fixture *fixture = *state;

	pass_a_message(fixture);
	move(fixture, 0, 7);
	move(fixture, 1, 7);
	assert_true(is_open(fixture));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_no_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_message_orders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_message_too_early, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
