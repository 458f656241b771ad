/* room: world. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

#include "explorer/explorer.h"
#include "scheduler/world/matcher.h"

#define ANY OPERATION_ANY

static struct op_id id(int32_t rank, uint32_t call)
{
	return (struct op_id){rank, call, 0};
}

static void post(struct matcher *matcher, enum operation_kind kind, int32_t rank, uint32_t call,
                 int32_t peer, int32_t tag)
{
	struct operation op = {
		.id = id(rank, call), .kind = kind, .comm = 1, .peer = peer, .tag = tag};

	matcher_post(matcher, &op);
}

static void send(struct matcher *matcher, int32_t rank, uint32_t call, int32_t to, int32_t tag)
{
	post(matcher, OPERATION_SEND, rank, call, to, tag);
}

static void receive(struct matcher *matcher, int32_t rank, uint32_t call, int32_t from, int32_t tag)
{
	post(matcher, OPERATION_RECEIVE, rank, call, from, tag);
}

/* Settles, and returns what was matched: "0.3<-1.3 ...". */
static char *settled(struct matcher *matcher)
{
	GArray *matches = g_array_new(false, false, sizeof(struct match));
	GString *text = g_string_new(NULL);

	matcher_settle(matcher, matches);
	for (guint i = 0; i < matches->len; i++) {
		const struct match *match = &g_array_index(matches, struct match, i);

		g_string_append_printf(text, "%s%d.%u<-%d.%u", i > 0 ? " " : "",
		                       match->receive.rank, match->receive.call, match->send.rank,
		                       match->send.call);
	}
	g_array_free(matches, true);
	return g_string_free(text, false);
}

static void assert_settles(struct matcher *matcher, const char *expected)
{
	char *text = settled(matcher);

	assert_string_equal(text, expected);
	g_free(text);
}

/* What is open: "0.3{1.3 2.4} ...". */
static void assert_open(struct matcher *matcher, const char *expected)
{
	GArray *open = matcher_open_choices(matcher);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *choice = &g_array_index(open, struct open_choice, i);

		g_string_append_printf(text, "%s%d.%u{", i > 0 ? " " : "", choice->point.rank,
		                       choice->point.call);
		for (guint k = 0; k < choice->alternatives->len; k++) {
			struct op_id one =
				g_array_index(choice->alternatives, struct taken, k).send;

			g_string_append_printf(text, "%s%d.%u", k > 0 ? " " : "", one.rank,
			                       one.call);
		}
		g_string_append_c(text, '}');
	}
	assert_string_equal(text->str, expected);
	g_string_free(text, true);
	open_choices_free(open);
}

static void take(struct matcher *matcher, struct op_id receiver, struct op_id sender)
{
	assert_true(matcher_allows(matcher, receiver, &sender));
	matcher_match(matcher, receiver, sender);
}

static void test_named(void **state)
{
	struct matcher *matcher = matcher_new(3);

	(void)state;
	receive(matcher, 0, 3, 1, 5);
	assert_settles(matcher, "");
	send(matcher, 1, 3, 0, 4);
	send(matcher, 2, 3, 0, 5);
	assert_settles(matcher, "");
	send(matcher, 1, 4, 0, 5);
	assert_settles(matcher, "0.3<-1.4");
	receive(matcher, 0, 4, 1, ANY);
	receive(matcher, 0, 5, 2, ANY);
	assert_settles(matcher, "0.4<-1.3 0.5<-2.3");
	matcher_free(matcher);
}

/* Rule 1: a message waits behind an earlier one of its source that fits too. */
static void test_messages_in_order(void **state)
{
	struct matcher *matcher = matcher_new(3);

	(void)state;
	send(matcher, 1, 3, 0, 7);
	send(matcher, 1, 4, 0, 8);
	send(matcher, 1, 5, 0, 7);
	send(matcher, 2, 3, 0, 8);
	receive(matcher, 0, 3, ANY, ANY);
	assert_settles(matcher, "");
	assert_open(matcher, "0.3{1.3 2.3}");
	take(matcher, id(0, 3), id(1, 3));
	receive(matcher, 0, 4, ANY, 8);
	assert_settles(matcher, "");
	assert_open(matcher, "0.4{1.4 2.3}");
	take(matcher, id(0, 4), (struct op_id){1, 0, 0});
	receive(matcher, 0, 5, 1, ANY);
	assert_settles(matcher, "0.5<-1.5");
	matcher_free(matcher);
}

/* Rule 2: a receive waits behind an earlier one that fits the message too, named or not. */
static void test_receives_in_order(void **state)
{
	struct matcher *matcher = matcher_new(3);
	struct op_id message = {1, 0, 0};

	(void)state;
	receive(matcher, 0, 3, ANY, 5);
	receive(matcher, 0, 4, 1, ANY);
	receive(matcher, 0, 5, 1, 6);
	send(matcher, 1, 3, 0, 5);
	send(matcher, 1, 4, 0, 6);
	assert_settles(matcher, "");
	assert_false(matcher_allows(matcher, id(0, 4), &message));
	assert_open(matcher, "0.3{1.3}");
	send(matcher, 2, 3, 0, 5);
	assert_settles(matcher, "");
	assert_open(matcher, "0.3{1.3 2.3}");
	take(matcher, id(0, 3), id(2, 3));
	assert_settles(matcher, "0.4<-1.3 0.5<-1.4");
	assert_open(matcher, "");
	matcher_free(matcher);
}

static void test_communicators(void **state)
{
	struct matcher *matcher = matcher_new(2);
	struct operation other = {
		.id = id(0, 3), .kind = OPERATION_RECEIVE, .comm = 2, .peer = ANY, .tag = ANY};

	(void)state;
	matcher_post(matcher, &other);
	receive(matcher, 0, 4, 1, 5);
	send(matcher, 1, 3, 0, 5);
	assert_settles(matcher, "0.4<-1.3");
	matcher_free(matcher);
}

/* A probe leaves its message in the queue and blocks no receive, but waits behind earlier
 * receives. */
static void test_probe(void **state)
{
	struct matcher *matcher = matcher_new(3);

	(void)state;
	receive(matcher, 0, 3, ANY, 5);
	post(matcher, OPERATION_PROBE, 0, 4, 1, ANY);
	send(matcher, 1, 3, 0, 5);
	assert_settles(matcher, "");
	assert_open(matcher, "0.3{1.3}");
	send(matcher, 2, 3, 0, 5);
	take(matcher, id(0, 3), id(2, 3));
	assert_settles(matcher, "0.4<-1.3");
	post(matcher, OPERATION_PROBE, 0, 5, ANY, 5);
	assert_settles(matcher, "");
	assert_open(matcher, "0.5{1.3}");
	take(matcher, id(0, 5), id(1, 3));
	receive(matcher, 0, 6, 1, 5);
	assert_settles(matcher, "0.6<-1.3");
	post(matcher, OPERATION_MPROBE, 0, 7, 1, 5);
	send(matcher, 1, 4, 0, 5);
	assert_settles(matcher, "0.7<-1.4");
	receive(matcher, 0, 8, 1, 5);
	assert_settles(matcher, "");
	matcher_free(matcher);
}

static void test_withdraw(void **state)
{
	struct matcher *matcher = matcher_new(2);

	(void)state;
	receive(matcher, 0, 3, ANY, ANY);
	receive(matcher, 0, 4, 1, ANY);
	send(matcher, 1, 3, 0, 5);
	assert_settles(matcher, "");
	assert_true(matcher_withdraw(matcher, id(0, 3)));
	assert_settles(matcher, "0.4<-1.3");
	assert_false(matcher_withdraw(matcher, id(0, 4)));
	send(matcher, 1, 4, 0, 6);
	send(matcher, 1, 5, 0, 7);
	assert_true(matcher_withdraw(matcher, id(1, 4)));
	receive(matcher, 0, 5, 1, ANY);
	assert_settles(matcher, "0.5<-1.5");
	matcher_free(matcher);
}

static void test_copy_and_leftovers(void **state)
{
	struct matcher *matcher = matcher_new(3);
	GArray *sends = g_array_new(false, false, sizeof(struct operation));
	GArray *receives = g_array_new(false, false, sizeof(struct operation));
	struct matcher *copy;

	(void)state;
	send(matcher, 2, 3, 0, 5);
	receive(matcher, 0, 3, ANY, 5);
	receive(matcher, 0, 4, ANY, 6);
	send(matcher, 1, 3, 0, 5);
	copy = matcher_copy(matcher);
	take(matcher, id(0, 3), id(1, 3));
	assert_open(copy, "0.3{1.3 2.3}");
	take(copy, id(0, 3), id(2, 3));
	matcher_leftovers(copy, sends, receives);
	matcher_free(matcher);
	matcher_free(copy);
	assert_int_equal(sends->len, 1);
	assert_int_equal(receives->len, 1);
	assert_true(op_id_equal(g_array_index(sends, struct operation, 0).id, id(1, 3)));
	assert_true(op_id_equal(g_array_index(receives, struct operation, 0).id, id(0, 4)));
	g_array_free(sends, true);
	g_array_free(receives, true);
}

/* With quadratic costs, the following tests would take more than twice this processor time. They
 * take a twentieth of it, or a third with sanitizers. */
enum { MANY = 100000, SECONDS_MOST = 5 };

static void assert_matched(struct matcher *matcher, guint matched, GArray *matches, clock_t began)
{
	assert_int_equal(matches->len, matched);
	assert_true(clock() - began < (clock_t)SECONDS_MOST * CLOCKS_PER_SEC);
	g_array_free(matches, true);
	matcher_free(matcher);
}

/* Many messages and as many named receives behind one wildcard that takes the last message. */
static void test_linear_behind_wildcard(void **state)
{
	struct matcher *matcher = matcher_new(3);
	GArray *matches = g_array_new(false, false, sizeof(struct match));
	clock_t began = clock();

	(void)state;
	receive(matcher, 0, 1, ANY, ANY);
	for (uint32_t i = 0; i < MANY; i++) {
		send(matcher, 1, 1 + i, 0, 5);
		matcher_settle(matcher, matches);
		receive(matcher, 0, 2 + i, 1, i % 2 ? 5 : ANY);
		matcher_settle(matcher, matches);
	}
	assert_int_equal(matches->len, 0);
	send(matcher, 2, 1, 0, 5);
	take(matcher, id(0, 1), id(2, 1));
	matcher_settle(matcher, matches);
	assert_matched(matcher, MANY, matches, began);
}

/* Receives with different tags, posted before their messages, which come in the other order. */
static void test_linear_tags(void **state)
{
	struct matcher *matcher = matcher_new(2);
	GArray *matches = g_array_new(false, false, sizeof(struct match));
	clock_t began = clock();

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		receive(matcher, 0, 1 + i, 1, (int32_t)i);
		matcher_settle(matcher, matches);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		send(matcher, 1, 1 + i, 0, (int32_t)(MANY - 1 - i));
		matcher_settle(matcher, matches);
	}
	assert_matched(matcher, MANY, matches, began);
}

/* Messages with different tags, then one wildcard receive after the other. */
static void test_linear_wildcards(void **state)
{
	struct matcher *matcher = matcher_new(2);
	GArray *matches = g_array_new(false, false, sizeof(struct match));
	clock_t began = clock();

	(void)state;
	for (uint32_t i = 0; i < MANY; i++)
		send(matcher, 1, 1 + i, 0, (int32_t)i);
	for (uint32_t i = 0; i < MANY; i++) {
		GArray *open;

		receive(matcher, 0, 1 + i, ANY, (int32_t)i);
		matcher_settle(matcher, matches);
		open = matcher_open_choices(matcher);
		assert_int_equal(open->len, 1);
		open_choices_free(open);
		take(matcher, id(0, 1 + i), id(1, 1 + i));
	}
	assert_matched(matcher, 0, matches, began);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_messages_in_order),
		cmocka_unit_test(test_receives_in_order),
		cmocka_unit_test(test_communicators),
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_withdraw),
		cmocka_unit_test(test_copy_and_leftovers),
		cmocka_unit_test(test_linear_behind_wildcard),
		cmocka_unit_test(test_linear_tags),
		cmocka_unit_test(test_linear_wildcards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
