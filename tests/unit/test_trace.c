#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/trace.h"

static struct event sent(int32_t rank, uint32_t call)
{
	return (struct event){.kind = EVENT_SEND,
	                      .op = {.id = {rank, call, 0}, .kind = OPERATION_SEND}};
}

static void test_grows_and_copies(void **state)
{
	struct trace trace, copy;

	(void)state;
	trace_init(&trace);
	trace_init(&copy);
	trace_copy(&copy, &trace);
	assert_int_equal(trace_count(&copy), 0);
	for (uint32_t i = 0; i < 1000; i++) {
		struct event event = sent(0, i);

		trace_append(&trace, &event);
	}
	trace_copy(&copy, &trace);
	trace_copy(&copy, &copy);
	trace_release(&trace);
	assert_int_equal(trace_count(&trace), 0);
	assert_int_equal(trace_count(&copy), 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(trace_at(&copy, i)->op.id.call, i);
	trace_append(&copy, trace_at(&copy, 0));
	assert_int_equal(trace_count(&copy), 1001);
	trace_release(&copy);
}

static void test_equal(void **state)
{
	struct event a = sent(0, 3);
	struct event b = a;

	(void)state;
	b.root = 7; /* without meaning here */
	assert_true(event_equal(&a, &b));
	b.op.tag = 1;
	assert_false(event_equal(&a, &b));
	a.kind = b.kind = EVENT_COMPLETE;
	assert_true(event_equal(&a, &b));
	b.op.id.sub = 1;
	assert_false(event_equal(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows_and_copies),
		cmocka_unit_test(test_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
