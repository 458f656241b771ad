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

/* `times` pieces of `length` bytes from `start` on, `stride` bytes apart. */
static void use(struct fixture *fixture, int rank, bool writes, struct wire_part part)
{
	struct wire_access access = {.kind = WIRE_ACCESS_FILE,
	                             .flags = writes ? WIRE_ACCESS_WRITES : WIRE_ACCESS_READS,
	                             .window = 7 + (guint64)rank,
	                             .displacement = 3,
	                             .target = WIRE_ANY,
	                             .part_count = 1,
	                             .parts = &part};
	const struct wire_accesses accesses = {.count = 1, .list = &access};

	rma_log_add(fixture->log, rank, trace_count(&fixture->trace), &accesses, no_target, NULL);
}

static struct wire_part bytes(gint64 start, guint64 length, guint64 times, gint64 stride)
{
	return (struct wire_part){
		.start = start, .length = length, .times = times, .stride = stride, .count = 1};
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
	return file_order_find(fixture->log, &fixture->trace, RANKS).pointer;
}

static bool conflicts(const struct fixture *fixture)
{
	return file_order_find(fixture->log, &fixture->trace, RANKS).accesses;
}

static void test_same_bytes(void **state)
{
	struct fixture *fixture = *state;

	use(fixture, 0, true, bytes(0, 8, 1, 0));
	use(fixture, 1, true, bytes(8, 8, 1, 0));
	use(fixture, 0, false, bytes(16, 4, 1, 0));
	use(fixture, 1, false, bytes(16, 4, 1, 0));
	assert_false(conflicts(fixture));
	use(fixture, 1, false, bytes(7, 4, 1, 0));
	assert_true(conflicts(fixture));
	assert_false(is_open(fixture));
}

/* Of rows and columns, by brute force. */
static void test_strides(void **state)
{
	guint64 seed = 1;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct fixture fixture = {.log = rma_log_new()};
		struct wire_part parts[2];
		guint8 used[2][300] = {{0}};
		bool both = false;

		trace_init(&fixture.trace);
		for (int k = 0; k < 2; k++) {
			guint draw[4];

			for (int d = 0; d < 4; d++) {
				seed = seed * G_GUINT64_CONSTANT(6364136223846793005)
				       + 1442695040888963407u;
				draw[d] = (guint)(seed >> 40);
			}
			parts[k] = bytes(draw[0] % 40, 1 + draw[1] % 4, 1 + draw[2] % 6,
			                 4 + draw[3] % 9);
			for (guint64 t = 0; t < parts[k].times; t++)
				for (guint64 b = 0; b < parts[k].length; b++)
					used[k][parts[k].start + (gint64)t * parts[k].stride
					        + (gint64)b] = 1;
			use(&fixture, k, k == 0, parts[k]);
		}
		for (int b = 0; b < 300; b++)
			both |= used[0][b] && used[1][b];
		assert_int_equal(conflicts(&fixture), both);
		rma_log_free(fixture.log);
		trace_release(&fixture.trace);
	}
}

static void test_a_message_orders_bytes(void **state)
{
	struct fixture *fixture = *state;

	use(fixture, 0, true, bytes(0, 8, 1, 0));
	pass_a_message(fixture);
	use(fixture, 1, true, bytes(0, 8, 1, 0));
	assert_false(conflicts(fixture));
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
		cmocka_unit_test_setup_teardown(test_same_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_strides, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_message_orders_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_message_orders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_message_too_early, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
