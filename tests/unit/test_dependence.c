#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/dependence.h"

#define ANY OPERATION_ANY

static struct op_id id(int32_t rank, uint32_t call)
{
	return (struct op_id){rank, call, 0};
}

static void add(struct trace *trace, struct event event)
{
	trace_append(trace, &event);
}

static void send(struct trace *trace, struct op_id one, int32_t to, int32_t tag, bool waits)
{
	add(trace, (struct event){.kind = EVENT_SEND,
	                          .op = {.id = one,
	                                 .kind = OPERATION_SEND,
	                                 .peer = to,
	                                 .tag = tag,
	                                 .waits_for_match = waits}});
}

static void receive(struct trace *trace, struct op_id one, int32_t from, int32_t tag)
{
	add(trace,
	    (struct event){.kind = EVENT_RECEIVE,
	                   .op = {.id = one, .kind = OPERATION_RECEIVE, .peer = from, .tag = tag}});
}

static void match(struct trace *trace, struct op_id receiver, struct op_id sender, bool chosen)
{
	add(trace,
	    (struct event){
		    .kind = EVENT_MATCH, .chosen = chosen, .op.id = receiver, .other = sender});
}

static void complete(struct trace *trace, struct op_id one)
{
	add(trace, (struct event){.kind = EVENT_COMPLETE, .op.id = one});
}

/* The message of `source` that a receive could have taken; "3 {0 2}": its call 3, which needs
 * choices 0 and 2. Also reads the trace backwards and again. */
static char *alternative(const struct trace *trace, struct op_id receiver, int32_t source)
{
	static const char *const names[] = {"none", "blocked", "never"};
	struct dependence *dependence = dependence_new();
	GString *text = g_string_new(NULL);
	struct choice_set *needs = NULL;
	enum alternative_state state;
	struct op_id found;

	dependence_read(dependence, trace);
	dependence_rewind(dependence, trace_count(trace) / 2);
	assert_int_equal(dependence_common(dependence, trace), trace_count(trace) / 2);
	dependence_read(dependence, trace);
	state = dependence_alternative(dependence, receiver, 0, source, &found, &needs);
	if (state != ALTERNATIVE_POSSIBLE) {
		g_string_append(text, names[state]);
	} else {
		g_string_append_printf(text, "%u {", found.call);
		for (guint i = 0; i < dependence_choices(dependence); i++)
			if (choice_set_has(needs, i))
				g_string_append_printf(
					text, text->str[text->len - 1] == '{' ? "%u" : " %u", i);
		g_string_append_c(text, '}');
	}
	choice_set_unref(needs);
	dependence_free(dependence);
	return g_string_free(text, false);
}

static void assert_alternative(const struct trace *trace, struct op_id receiver, int32_t source,
                               const char *expected)
{
	char *text = alternative(trace, receiver, source);

	assert_string_equal(text, expected);
	g_free(text);
}

/* Choice 0: rank 0's receive takes rank 1's message. */
static void begin(struct trace *trace)
{
	trace_init(trace);
	receive(trace, id(0, 3), ANY, 5);
	send(trace, id(1, 3), 0, 5, true);
	match(trace, id(0, 3), id(1, 3), true);
}

/* Choice 0: rank 1's matched probe takes rank 0's message. Rank 0 goes on only when rank 1 receives
 * the message, which depends on choice 1 as well. */
static void test_matched_probe(void **state)
{
	struct trace trace;

	(void)state;
	trace_init(&trace);
	add(&trace,
	    (struct event){
		    .kind = EVENT_RECEIVE,
		    .op = {.id = id(1, 3), .kind = OPERATION_MPROBE, .peer = ANY, .tag = 5}});
	send(&trace, id(0, 3), 1, 5, true);
	match(&trace, id(1, 3), id(0, 3), true);
	complete(&trace, id(1, 3));
	receive(&trace, id(1, 4), ANY, 6);
	send(&trace, id(2, 3), 1, 6, false);
	match(&trace, id(1, 4), id(2, 3), true);
	complete(&trace, id(1, 4));
	add(&trace, (struct event){.kind = EVENT_FETCH, .op.id = id(1, 5), .other = id(0, 3)});
	complete(&trace, id(0, 3));
	receive(&trace, id(3, 3), ANY, 7);
	send(&trace, id(2, 4), 3, 7, false);
	match(&trace, id(3, 3), id(2, 4), true);
	send(&trace, id(0, 4), 3, 7, false);
	assert_alternative(&trace, id(3, 3), 0, "4 {0 1}");
	trace_release(&trace);
}

static void test_completions(void **state)
{
	struct trace trace;

	(void)state;
	begin(&trace);
	assert_alternative(&trace, id(0, 3), 2, "none");
	send(&trace, id(2, 3), 0, 6, false);
	assert_alternative(&trace, id(0, 3), 2, "none");
	send(&trace, id(2, 4), 0, 5, false);
	assert_alternative(&trace, id(0, 3), 2, "4 {}");
	trace_release(&trace);

	/* A sender depends on the match of a send that waits for it, and not on that of other
	 * sends. */
	begin(&trace);
	complete(&trace, id(1, 3));
	send(&trace, id(1, 4), 2, 5, false);
	receive(&trace, id(2, 3), 1, 5);
	match(&trace, id(2, 3), id(1, 4), false);
	send(&trace, id(2, 4), 0, 5, false);
	assert_alternative(&trace, id(0, 3), 2, "4 {}");
	complete(&trace, id(2, 3));
	send(&trace, id(2, 5), 3, 5, false);
	receive(&trace, id(3, 3), 2, 5);
	match(&trace, id(3, 3), id(2, 5), false);
	complete(&trace, id(3, 3));
	assert_alternative(&trace, id(0, 3), 3, "never");
	send(&trace, id(3, 4), 0, 5, false);
	assert_alternative(&trace, id(0, 3), 3, "never");
	trace_release(&trace);
}

/* A message is held up by an earlier receive that it fits, until that one takes another (choice
 * 1). */
static void test_earlier_receive(void **state)
{
	struct trace trace;

	(void)state;
	trace_init(&trace);
	receive(&trace, id(0, 2), ANY, 7);
	receive(&trace, id(0, 3), ANY, ANY);
	send(&trace, id(1, 3), 0, 5, false);
	match(&trace, id(0, 3), id(1, 3), true);
	send(&trace, id(2, 3), 0, 7, false);
	assert_alternative(&trace, id(0, 3), 2, "blocked");
	send(&trace, id(3, 3), 0, 7, false);
	match(&trace, id(0, 2), id(3, 3), true);
	assert_alternative(&trace, id(0, 3), 2, "3 {1}");
	trace_release(&trace);
}

/* A withdrawn receive does not hold up the message either, and there was no choice. */
static void test_cancel(void **state)
{
	struct trace trace;

	(void)state;
	trace_init(&trace);
	receive(&trace, id(0, 2), ANY, 7);
	receive(&trace, id(0, 3), ANY, ANY);
	send(&trace, id(1, 3), 0, 5, false);
	match(&trace, id(0, 3), id(1, 3), true);
	send(&trace, id(2, 3), 0, 7, false);
	add(&trace, (struct event){.kind = EVENT_CANCEL, .op.id = id(0, 2)});
	complete(&trace, id(0, 2));
	assert_alternative(&trace, id(0, 3), 2, "3 {}");
	trace_release(&trace);
}

/* An earlier message of that source is gone by choice 1. */
static void test_earlier_message(void **state)
{
	struct trace trace;

	(void)state;
	trace_init(&trace);
	receive(&trace, id(0, 2), ANY, 7);
	receive(&trace, id(0, 3), ANY, ANY);
	send(&trace, id(1, 3), 0, 5, false);
	match(&trace, id(0, 3), id(1, 3), true);
	send(&trace, id(2, 3), 0, 7, false);
	send(&trace, id(2, 4), 0, 6, false);
	match(&trace, id(0, 2), id(2, 3), true);
	assert_alternative(&trace, id(0, 3), 2, "4 {1}");
	trace_release(&trace);
}

static void arrive(struct trace *trace, int32_t rank, uint32_t call, int32_t root)
{
	add(trace, (struct event){.kind = EVENT_ARRIVE,
	                          .op.id = id(rank, call),
	                          .collective = 9,
	                          .root = root,
	                          .position = rank});
}

static void leave(struct trace *trace, int32_t rank, uint32_t call, enum event_order order)
{
	add(trace,
	    (struct event){
		    .kind = EVENT_LEAVE, .op.id = id(rank, call), .collective = 9, .order = order});
}

static void assert_after_collective(enum event_order order, int32_t root, int32_t rank,
                                    const char *expected)
{
	struct trace trace;

	begin(&trace);
	complete(&trace, id(0, 3));
	arrive(&trace, rank, 8, root);
	arrive(&trace, 0, 4, root);
	arrive(&trace, 1, 4, root);
	leave(&trace, rank, 8, order);
	send(&trace, id(rank, 9), 0, 5, false);
	assert_alternative(&trace, id(0, 3), rank, expected);
	trace_release(&trace);
}

static void test_collectives(void **state)
{
	(void)state;
	assert_after_collective(ORDER_NONE, 0, 2, "9 {}");
	assert_after_collective(ORDER_ALL, -1, 2, "never");
	assert_after_collective(ORDER_ROOT, 0, 2, "never");
	assert_after_collective(ORDER_ROOT, 1, 2, "9 {}");
	assert_after_collective(ORDER_LOWER, -1, 2, "never");
}

static void in_thread(struct trace *trace, enum event_kind kind, struct op_id one)
{
	const struct event event = {.kind = kind, .thread = 1, .op.id = one};

	trace_append(trace, &event);
}

/* Rank 0's first thread takes rank 1's message. Then its other thread learns of its own receive and
 * sends to rank 2, which sends a message that the first thread could have taken. */
static void read_threads(struct dependence *dependence, bool woken)
{
	struct trace trace;

	trace_init(&trace);
	receive(&trace, id(0, 2), ANY, 0);
	add(&trace,
	    (struct event){
		    .kind = EVENT_RECEIVE,
		    .thread = 1,
		    .op = {.id = id(0, 3), .kind = OPERATION_RECEIVE, .peer = ANY, .tag = 1}});
	send(&trace, id(1, 2), 0, 0, false);
	send(&trace, id(1, 3), 0, 1, false);
	match(&trace, id(0, 2), id(1, 2), true);
	complete(&trace, id(0, 2));
	match(&trace, id(0, 3), id(1, 3), true);
	in_thread(&trace, EVENT_COMPLETE, id(0, 3));
	if (woken)
		in_thread(&trace, EVENT_WAKE, id(0, 4));
	add(&trace,
	    (struct event){.kind = EVENT_SEND,
	                   .thread = 1,
	                   .op = {.id = id(0, 4), .kind = OPERATION_SEND, .peer = 2, .tag = 2}});
	receive(&trace, id(2, 2), 0, 2);
	match(&trace, id(2, 2), id(0, 4), false);
	complete(&trace, id(2, 2));
	send(&trace, id(2, 3), 0, 0, false);
	dependence_read(dependence, &trace);
	dependence_rewind(dependence, trace_count(&trace) / 2);
	dependence_read(dependence, &trace);
	trace_release(&trace);
}

/* By rank the message depends on what the first thread took. By thread it depends on it only if the
 * first thread may have woken the other. */
static void test_threads(void **state)
{
	struct dependence *by_rank = dependence_new(), *apart = dependence_of_threads(),
			  *woken = dependence_of_threads();
	struct choice_set *needs = NULL;
	struct op_id found;

	(void)state;
	read_threads(by_rank, false);
	read_threads(apart, false);
	read_threads(woken, true);
	assert_true(dependence_has_threads(by_rank));
	assert_int_equal(dependence_alternative(by_rank, id(0, 2), 0, 2, &found, &needs),
	                 ALTERNATIVE_NEVER);
	assert_int_equal(dependence_may_come(apart, id(0, 2), 2), ALTERNATIVE_POSSIBLE);
	assert_int_equal(dependence_may_come(woken, id(0, 2), 2), ALTERNATIVE_NEVER);
	assert_int_equal(dependence_may_come(apart, id(0, 2), 3), ALTERNATIVE_NONE);
	dependence_free(by_rank);
	dependence_free(apart);
	dependence_free(woken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matched_probe),   cmocka_unit_test(test_completions),
		cmocka_unit_test(test_earlier_receive), cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_earlier_message), cmocka_unit_test(test_collectives),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
