#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scheduler/world/known_sends.h"

enum { RANKS = 3 };

static const struct op_id told = {0, 1, 0}, carrier = {0, 2, 0}, received = {1, 1, 0};

static void issue(struct trace *trace, struct op_id id, enum event_kind kind)
{
	trace_append(trace,
	             &(struct event){.kind = kind,
	                             .op = {.id = id,
	                                    .kind = kind == EVENT_SEND ? OPERATION_SEND
	                                                               : OPERATION_RECEIVE}});
}

/* Whether rank 1 knows of the message `told`, and rank 2, after the first `events` of: it is sent,
 * another one is sent, its receive begins, and is complete. */
static void check_known(size_t events, bool later_first, bool expected)
{
	g_autoptr(GArray) sends = g_array_new(false, false, sizeof(struct op_id));
	struct trace trace;

	g_array_append_val(sends, told);
	trace_init(&trace);
	issue(&trace, later_first ? carrier : told, EVENT_SEND);
	issue(&trace, later_first ? told : carrier, EVENT_SEND);
	issue(&trace, received, EVENT_RECEIVE);
	trace_append(&trace,
	             &(struct event){.kind = EVENT_MATCH, .op.id = received, .other = carrier});
	trace_append(&trace,
	             &(struct event){.kind = EVENT_COMPLETE, .op.id = received, .other = received});
	trace_cut(&trace, events);
	assert_int_equal(known_sends_any(&trace, RANKS, sends, 1), expected);
	assert_false(known_sends_any(&trace, RANKS, sends, 2));
	assert_int_equal(known_sends_any(&trace, RANKS, sends, 0), events > later_first);
	trace_release(&trace);
}

static void test_a_later_message_tells_of_it(void **state)
{
	(void)state;
	check_known(1, false, false);
	check_known(4, false, false);
	check_known(5, false, true);
}

static void test_an_earlier_message_does_not(void **state)
{
	(void)state;
	check_known(5, true, false);
}

static void test_nothing_is_known_of_no_send(void **state)
{
	g_autoptr(GArray) sends = g_array_new(false, false, sizeof(struct op_id));
	struct trace trace;

	(void)state;
	trace_init(&trace);
	issue(&trace, told, EVENT_SEND);
	assert_false(known_sends_any(&trace, RANKS, sends, 0));
	trace_release(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_later_message_tells_of_it),
		cmocka_unit_test(test_an_earlier_message_does_not),
		cmocka_unit_test(test_nothing_is_known_of_no_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
