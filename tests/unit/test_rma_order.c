#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/world/rma_order.h"

enum { RANKS = 2 };

static const struct op_id sent = {0, 3, 0}, seen = {1, 3, 0}, taken = {1, 4, 0};

static void issue(struct rma_order *order, struct op_id id, enum operation_kind kind)
{
	rma_order_read(order,
	               &(struct event){.kind = kind == OPERATION_SEND ? EVENT_SEND : EVENT_RECEIVE,
	                               .op = {.id = id, .kind = kind}});
}

static void match(struct rma_order *order, struct op_id receive)
{
	rma_order_read(order,
	               &(struct event){.kind = EVENT_MATCH, .op.id = receive, .other = sent});
}

static void complete(struct rma_order *order, struct op_id id)
{
	rma_order_read(order, &(struct event){.kind = EVENT_COMPLETE, .op.id = id, .other = id});
}

/* It does not matter how early the send is complete, or whether a rank has probed the message
 * before. */
static void test_a_receive_learns_what_the_sender_knew(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		struct rma_order *order = rma_order_new(RANKS);
		guint32 time = rma_order_tick(order, 0);
		bool early = way & 1, probed = way & 2;

		issue(order, sent, OPERATION_SEND);
		if (probed) {
			issue(order, seen, OPERATION_PROBE);
			match(order, seen);
		}
		if (early)
			complete(order, sent);
		issue(order, taken, OPERATION_RECEIVE);
		match(order, taken);
		assert_false(rma_order_knows(order, 1, 0, time));
		complete(order, taken);
		assert_true(rma_order_knows(order, 1, 0, time));
		rma_order_free(order);
	}
}

/* A send that waits for its receive learns what had been done before the receive was posted. A
 * probe of the message does not count. */
static void test_a_send_learns_only_from_its_receive(void **state)
{
	(void)state;
	for (int probed = 0; probed < 2; probed++) {
		struct rma_order *order = rma_order_new(RANKS);
		guint32 time = rma_order_tick(order, 1);

		issue(order, sent, OPERATION_SEND);
		issue(order, seen, probed ? OPERATION_PROBE : OPERATION_RECEIVE);
		match(order, seen);
		complete(order, sent);
		assert_int_equal(rma_order_knows(order, 0, 1, time), !probed);
		rma_order_free(order);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_receive_learns_what_the_sender_knew),
		cmocka_unit_test(test_a_send_learns_only_from_its_receive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
