#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/explorer.h"
#include "explorer/frontier.h"
#include "explorer/lock.h"

/* A world written by hand: its trace, and what is open. */
struct world {
	struct trace trace;
	GArray *open;
};

static struct op_id id(int32_t rank, uint32_t call)
{
	return (struct op_id){rank, call, 0};
}

static void world_init(struct world *world)
{
	trace_init(&world->trace);
	world->open = g_array_new(false, false, sizeof(struct open_choice));
}

static void nothing_open(struct world *world)
{
	for (guint i = 0; i < world->open->len; i++)
		g_array_free(g_array_index(world->open, struct open_choice, i).alternatives, true);
	g_array_set_size(world->open, 0);
}

static void world_release(struct world *world)
{
	trace_release(&world->trace);
	nothing_open(world);
	g_array_free(world->open, true);
}

static void send(struct world *world, struct op_id one, int32_t to)
{
	struct event event = {.kind = EVENT_SEND,
	                      .op = {.id = one, .kind = OPERATION_SEND, .peer = to}};

	trace_append(&world->trace, &event);
}

static void receive(struct world *world, struct op_id one)
{
	struct event event = {.kind = EVENT_RECEIVE,
	                      .op = {.id = one,
	                             .kind = OPERATION_RECEIVE,
	                             .peer = OPERATION_ANY,
	                             .tag = OPERATION_ANY}};

	trace_append(&world->trace, &event);
}

/* The match is made by choice, and the rank learns of it. */
static void take(struct world *world, struct op_id receiver, struct op_id sender)
{
	struct event match = {
		.kind = EVENT_MATCH, .chosen = true, .op.id = receiver, .other = sender};
	struct event complete = {.kind = EVENT_COMPLETE, .op.id = receiver};

	trace_append(&world->trace, &match);
	trace_append(&world->trace, &complete);
}

static void open_for(struct world *world, struct op_id receiver, guint count,
                     const struct op_id *sends)
{
	struct open_choice choice = {
		.point = point_call(receiver.rank, receiver.call, receiver.sub),
		.alternatives = g_array_new(false, false, sizeof(struct taken))};

	for (guint i = 0; i < count; i++) {
		struct taken taken = taken_message(sends[i]);

		g_array_append_val(choice.alternatives, taken);
	}
	g_array_append_val(world->open, choice);
}

/* "0.3=1.3 ...", or "none". */
static char *print_choices(const GArray *choices)
{
	GString *text = g_string_new(NULL);

	if (!choices)
		return g_string_free(g_string_append(text, "none"), false);
	for (guint i = 0; i < choices->len; i++) {
		const struct choice *choice = &g_array_index(choices, struct choice, i);

		g_string_append_printf(text, "%s%d.%u=%d.%u", i > 0 ? " " : "", choice->point.rank,
		                       choice->point.call, choice->taken.send.rank,
		                       choice->taken.send.call);
	}
	return g_string_free(text, false);
}

static void assert_next(struct explorer *explorer, const char *expected)
{
	GArray *plan = explorer_next(explorer);
	char *text = print_choices(plan);

	assert_string_equal(text, expected);
	g_free(text);
	if (plan)
		g_array_free(plan, true);
}

static void assert_takes(struct explorer *explorer, struct world *world, struct op_id receiver,
                         struct op_id sender)
{
	struct choice choice;

	assert_int_equal(explorer_rest(explorer, &world->trace, world->open, &choice),
	                 EXPLORER_TAKE);
	assert_true(op_id_equal(point_operation(&choice.point, 3), receiver));
	assert_true(op_id_equal(choice.taken.send, sender));
	nothing_open(world);
	take(world, receiver, sender);
}

static void assert_answers(struct explorer *explorer, struct world *world, enum explorer_step step)
{
	struct choice choice;

	assert_int_equal(explorer_rest(explorer, &world->trace, world->open, &choice), step);
}

static struct explorer *explorer_with(int ranks, int deviations)
{
	struct explorer_options options = {.ranks = ranks, .deviations = deviations};

	return explorer_new(&options);
}

static void assert_statistics(const struct explorer *explorer, uint64_t outcomes, uint64_t wasted,
                              uint64_t waiting, uint64_t pruned)
{
	struct explorer_statistics statistics;

	explorer_statistics(explorer, &statistics);
	assert_int_equal(statistics.outcomes, outcomes);
	assert_int_equal(statistics.wasted, wasted);
	assert_int_equal(statistics.waiting, waiting);
	assert_int_equal(statistics.pruned, pruned);
}

static void test_nothing_to_choose(void **state)
{
	struct explorer *explorer = explorer_with(2, -1);
	struct world world;

	(void)state;
	world_init(&world);
	assert_next(explorer, "");
	assert_answers(explorer, &world, EXPLORER_DONE);
	assert_next(explorer, "none");
	assert_statistics(explorer, 1, 0, 0, 0);
	world_release(&world);
	explorer_free(explorer);
}

/* Ranks 1 and 2 have sent; rank 0 receives one of the messages, then the other. */
static void begin_two_senders(struct world *world)
{
	world_init(world);
	receive(world, id(0, 3));
	send(world, id(1, 3), 0);
	send(world, id(2, 3), 0);
}

static void test_two_senders(void **state)
{
	struct explorer *explorer = explorer_with(3, -1);
	struct op_id both[] = {id(1, 3), id(2, 3)};
	struct world world;
	GArray *node = g_array_new(false, false, sizeof(struct choice));
	struct choice first = {point_call(0, 3, 0), taken_message(id(1, 3))};
	struct choice second = {point_call(0, 3, 0), taken_message(id(2, 3))};

	(void)state;
	assert_next(explorer, "");
	begin_two_senders(&world);
	open_for(&world, id(0, 3), 2, both);
	assert_takes(explorer, &world, id(0, 3), id(1, 3));
	receive(&world, id(0, 4));
	open_for(&world, id(0, 4), 1, &both[1]);
	assert_takes(explorer, &world, id(0, 4), id(2, 3));
	assert_answers(explorer, &world, EXPLORER_DONE);
	assert_statistics(explorer, 1, 0, 1, 0);
	world_release(&world);
	assert_true(explorer_needs(explorer, node));
	g_array_append_val(node, second);
	assert_true(explorer_needs(explorer, node));
	g_array_index(node, struct choice, 0) = first;
	assert_false(explorer_needs(explorer, node));
	g_array_free(node, true);

	assert_next(explorer, "0.3=2.3");
	begin_two_senders(&world);
	take(&world, id(0, 3), id(2, 3));
	receive(&world, id(0, 4));
	open_for(&world, id(0, 4), 1, both);
	assert_takes(explorer, &world, id(0, 4), id(1, 3));
	assert_answers(explorer, &world, EXPLORER_DONE);
	assert_next(explorer, "none");
	assert_statistics(explorer, 2, 0, 0, 0);
	world_release(&world);
	explorer_free(explorer);
}

/* Rank 2 sends to rank 0 after it has heard from rank 1, which does not depend on rank 0. So the
 * message comes later for rank 0's first receive. Runs up to that message. */
static void run_later_message(struct explorer *explorer, struct world *world)
{
	struct op_id to_0 = id(1, 3), to_2 = id(1, 4);

	world_init(world);
	receive(world, id(0, 3));
	send(world, to_0, 0);
	send(world, to_2, 2);
	receive(world, id(2, 3));
	open_for(world, id(0, 3), 1, &to_0);
	open_for(world, id(2, 3), 1, &to_2);
	assert_next(explorer, "");
	assert_takes(explorer, world, id(0, 3), to_0);
	open_for(world, id(2, 3), 1, &to_2);
	assert_takes(explorer, world, id(2, 3), to_2);
}

static void test_later_message(void **state)
{
	struct explorer *explorer = explorer_with(3, -1);
	struct world world;

	(void)state;
	run_later_message(explorer, &world);
	send(&world, id(2, 4), 0);
	assert_answers(explorer, &world, EXPLORER_DONE);
	assert_next(explorer, "2.3=1.4 0.3=2.4");
	assert_next(explorer, "none");
	world_release(&world);
	explorer_free(explorer);
}

/* The same, but rank 1 sends to rank 2 only after rank 0 has answered it. */
static void test_later_but_dependent(void **state)
{
	struct explorer *explorer = explorer_with(3, -1);
	struct op_id to_0 = id(1, 3), answer = id(0, 4), to_2 = id(1, 5);
	struct world world;

	(void)state;
	world_init(&world);
	receive(&world, id(0, 3));
	send(&world, to_0, 0);
	receive(&world, id(1, 4));
	receive(&world, id(2, 3));
	open_for(&world, id(0, 3), 1, &to_0);
	assert_next(explorer, "");
	assert_takes(explorer, &world, id(0, 3), to_0);
	send(&world, answer, 1);
	open_for(&world, id(1, 4), 1, &answer);
	assert_takes(explorer, &world, id(1, 4), answer);
	send(&world, to_2, 2);
	open_for(&world, id(2, 3), 1, &to_2);
	assert_takes(explorer, &world, id(2, 3), to_2);
	send(&world, id(2, 4), 0);
	assert_answers(explorer, &world, EXPLORER_DONE);
	assert_next(explorer, "none");
	world_release(&world);
	explorer_free(explorer);
}

/* The world of test_later_message is ended from outside and begun again along its choices. Its
 * events are in another order, and what the later message needs is still found. */
static void test_begun_again_in_another_order(void **state)
{
	struct explorer *explorer = explorer_with(3, -1);
	struct op_id to_0 = id(1, 3), to_2 = id(1, 4);
	struct world world;

	(void)state;
	run_later_message(explorer, &world);
	world_release(&world);

	explorer_again(explorer);
	world_init(&world);
	send(&world, to_0, 0);
	send(&world, to_2, 2);
	receive(&world, id(2, 3));
	take(&world, id(2, 3), to_2); /* earlier than before */
	receive(&world, id(0, 3));
	take(&world, id(0, 3), to_0);
	send(&world, id(2, 4), 0);
	assert_answers(explorer, &world, EXPLORER_DONE);
	assert_next(explorer, "2.3=1.4 0.3=2.4");
	assert_next(explorer, "none");
	assert_statistics(explorer, 1, 0, 0, 0);
	world_release(&world);
	explorer_free(explorer);
}

enum { DATA = 1, ASK, WORK };

static void send_of(struct world *world, uint8_t thread, struct op_id one, int32_t to, int32_t tag)
{
	struct event event = {.kind = EVENT_SEND,
	                      .thread = thread,
	                      .op = {.id = one, .kind = OPERATION_SEND, .peer = to, .tag = tag}};

	trace_append(&world->trace, &event);
}

static void receive_of(struct world *world, uint8_t thread, struct op_id one, int32_t tag)
{
	struct event event = {
		.kind = EVENT_RECEIVE,
		.thread = thread,
		.op = {.id = one, .kind = OPERATION_RECEIVE, .peer = OPERATION_ANY, .tag = tag}};

	trace_append(&world->trace, &event);
}

static void match_of(struct world *world, uint8_t thread, struct op_id receiver,
                     struct op_id sender, bool chosen)
{
	struct event match = {
		.kind = EVENT_MATCH, .chosen = chosen, .op.id = receiver, .other = sender};
	struct event complete = {.kind = EVENT_COMPLETE, .thread = thread, .op.id = receiver};

	trace_append(&world->trace, &match);
	trace_append(&world->trace, &complete);
}

/* Both threads of rank 0 receive, and rank 1 has sent to each. */
static void begin_threads(struct world *world)
{
	struct op_id data = id(1, 3);

	world_init(world);
	receive_of(world, 0, id(0, 3), DATA);
	receive_of(world, 1, id(0, 4), ASK);
	send_of(world, 0, data, 0, DATA);
	send_of(world, 0, id(1, 4), 0, ASK);
	receive_of(world, 0, id(2, 3), WORK);
	open_for(world, id(0, 3), 1, &data);
}

static void take_of(struct explorer *explorer, struct world *world, uint8_t thread,
                    struct op_id receiver, struct op_id sender)
{
	struct choice choice;

	assert_int_equal(explorer_rest(explorer, &world->trace, world->open, &choice),
	                 EXPLORER_TAKE);
	assert_true(op_id_equal(point_operation(&choice.point, 3), receiver));
	assert_true(op_id_equal(choice.taken.send, sender));
	nothing_open(world);
	match_of(world, thread, receiver, sender, true);
}

/* The second thread passes on its message, and rank 2 answers the first thread. By thread, the
 * answer may come without what the first thread received before. */
static void run_to_promise(struct explorer *explorer)
{
	struct op_id ask = id(1, 4), answer = id(2, 4);
	struct world world;

	begin_threads(&world);
	assert_next(explorer, "");
	take_of(explorer, &world, 0, id(0, 3), id(1, 3));
	open_for(&world, id(0, 4), 1, &ask);
	take_of(explorer, &world, 1, id(0, 4), ask);
	send_of(&world, 1, id(0, 5), 2, WORK);
	match_of(&world, 0, id(2, 3), id(0, 5), false);
	send_of(&world, 0, answer, 0, DATA);
	receive_of(&world, 0, id(0, 6), DATA);
	open_for(&world, id(0, 6), 1, &answer);
	take_of(explorer, &world, 0, id(0, 6), answer);
	assert_answers(explorer, &world, EXPLORER_DONE);
	assert_next(explorer, "0.3=2.0");
	world_release(&world);
}

/* The answer does not come: the second thread passes on nothing when the first has not received. */
static void run_without_answer(struct explorer *explorer, bool decided, struct world *world)
{
	struct op_id ask = id(1, 4);

	begin_threads(world);
	nothing_open(world);
	if (decided) {
		match_of(world, 1, id(0, 4), ask, true);
	} else {
		open_for(world, id(0, 4), 1, &ask);
		take_of(explorer, world, 1, id(0, 4), ask);
	}
	assert_answers(explorer, world, EXPLORER_GIVE_UP);
	assert_statistics(explorer, 1, 1, 0, 0);
}

static void run_on_without(struct explorer *explorer, struct world *world)
{
	struct op_id data = id(1, 3);

	open_for(world, id(0, 3), 1, &data);
	take_of(explorer, world, 0, id(0, 3), data);
	assert_false(explorer_turn(explorer, taken_message(data)));
	receive_of(world, 0, id(0, 5), DATA);
	assert_answers(explorer, world, EXPLORER_DONE);
	world_release(world);
}

static void test_promise_is_given_up(void **state)
{
	struct explorer *explorer = explorer_with(3, -1);
	struct world world;

	(void)state;
	run_to_promise(explorer);
	run_without_answer(explorer, false, &world);
	run_on_without(explorer, &world);
	assert_next(explorer, "none");
	assert_statistics(explorer, 1, 1, 0, 0);
	explorer_free(explorer);
}

/* The world that has given up the promise is stopped, or ended from outside: another gets there
 * again. */
static void test_promise_is_given_up_again(void **state)
{
	struct explorer *explorer = explorer_with(3, -1);
	struct world world;

	(void)state;
	run_to_promise(explorer);
	run_without_answer(explorer, false, &world);
	world_release(&world);
	explorer_again(explorer);
	assert_statistics(explorer, 1, 0, 0, 0);
	run_without_answer(explorer, true, &world);
	world_release(&world);
	explorer_cut(explorer);
	assert_next(explorer, "0.3=2.0 0.4=1.4");
	assert_statistics(explorer, 1, 0, 0, 0);
	run_without_answer(explorer, true, &world);
	run_on_without(explorer, &world);
	assert_next(explorer, "none");
	assert_statistics(explorer, 1, 1, 0, 0);
	explorer_free(explorer);
}

static void test_wasted(void **state)
{
	struct explorer *explorer = explorer_with(3, -1);
	struct op_id both[] = {id(1, 3), id(2, 3)};
	struct world world;

	(void)state;
	begin_two_senders(&world);
	open_for(&world, id(0, 3), 2, both);
	assert_next(explorer, "");
	assert_takes(explorer, &world, id(0, 3), id(1, 3));
	assert_answers(explorer, &world, EXPLORER_DONE);
	assert_next(explorer, "0.3=2.3");
	assert_answers(explorer, &world, EXPLORER_DROP); /* it took the other message */
	assert_statistics(explorer, 1, 1, 0, 0);
	explorer_lost(explorer);
	assert_statistics(explorer, 1, 2, 0, 0);
	assert_next(explorer, "none");
	world_release(&world);
	explorer_free(explorer);
}

static void test_deviations(void **state)
{
	struct explorer *explorer = explorer_with(3, 0);
	struct op_id both[] = {id(1, 3), id(2, 3)};
	struct world world;

	(void)state;
	begin_two_senders(&world);
	open_for(&world, id(0, 3), 2, both);
	assert_next(explorer, "");
	assert_takes(explorer, &world, id(0, 3), id(1, 3));
	assert_answers(explorer, &world, EXPLORER_DONE);
	assert_next(explorer, "none");
	assert_statistics(explorer, 1, 0, 0, 1);
	world_release(&world);
	explorer_free(explorer);
}

enum { TASKS = 1000, CHATTER = 50 };

/* A worker that was waiting does a task; 50 more messages are exchanged without a choice. */
static void add_task(struct world *world, uint32_t task, struct op_id result)
{
	receive(world, id(0, 10 + task));
	open_for(world, id(0, 10 + task), 1, &result);
	for (uint32_t i = 0; i < CHATTER; i++)
		send(world, id(2, 1 + task * CHATTER + i), 1);
}

/* Each event is read once, in a long world and in one that starts from a copy. */
static void test_reads_events_once(void **state)
{
	struct explorer *explorer = explorer_with(3, -1);
	struct explorer_statistics statistics;
	struct op_id both[] = {id(1, 1), id(2, TASKS * CHATTER + 1)};
	struct trace copy;
	struct world world;
	size_t first;

	(void)state;
	world_init(&world);
	trace_init(&copy);
	assert_next(explorer, "");
	for (uint32_t task = 0; task < TASKS; task++) {
		struct op_id result = id(1, 1 + task);

		send(&world, result, 0);
		add_task(&world, task, result);
		assert_takes(explorer, &world, id(0, 10 + task), result);
	}
	send(&world, id(1, TASKS + 1), 0);
	send(&world, both[1], 0);
	both[0] = id(1, TASKS + 1);
	receive(&world, id(0, 10 + TASKS));
	open_for(&world, id(0, 10 + TASKS), 2, both);
	trace_copy(&copy, &world.trace);
	assert_takes(explorer, &world, id(0, 10 + TASKS), both[0]);
	assert_answers(explorer, &world, EXPLORER_DONE);
	first = trace_count(&world.trace);
	explorer_statistics(explorer, &statistics);
	assert_int_equal(statistics.events, first);

	g_array_free(explorer_next(explorer), true);
	trace_copy(&world.trace, &copy);
	take(&world, id(0, 10 + TASKS), both[1]);
	assert_answers(explorer, &world, EXPLORER_DONE);
	explorer_statistics(explorer, &statistics);
	assert_int_equal(statistics.events, first + 2);
	trace_release(&copy);
	world_release(&world);
	explorer_free(explorer);
}

/* --- words of windows (lock.h) ---------------------------------------------------------------- */

enum { WORD = 3, REMAINING = 1 };

/* The place of a word of a window, at its first grant. */
static struct op_id grant(uint32_t number)
{
	const struct lock_place place = {1, 0, 0, -1, WORD};

	return (struct op_id){lock_number(3, &place), number, 0};
}

static void begin_two_operations(struct world *world)
{
	world_init(world);
	receive(world, grant(1));
	send(world, id(1, 3), grant(1).rank);
	send(world, id(2, 3), grant(1).rank);
}

static void open_for_word(struct world *world, guint count, const struct op_id *sends)
{
	struct open_choice *choice;

	open_for(world, grant(1), count, sends);
	choice = &g_array_index(world->open, struct open_choice, 0);
	choice->point = point_of(grant(1), 3);
	assert_int_equal(choice->point.kind, POINT_LOCK);
	assert_int_equal(choice->point.word, WORD);
}

/* What is left of a search at a word is stored and read again, and can be given to another. */
static void test_frontier_with_words(void **state)
{
	struct explorer_options options = {.ranks = 3, .deviations = -1};
	struct op_id both[] = {id(1, 3), id(2, 3)};

	(void)state;
	for (int splits = 0; splits <= 1; splits++) {
		struct explorer *explorer = explorer_new(&options), *other;
		struct world world;

		assert_next(explorer, "");
		begin_two_operations(&world);
		open_for_word(&world, 2, both);
		assert_takes(explorer, &world, grant(1), both[0]);
		if (splits) {
			other = explorer_split(explorer, REMAINING, REMAINING);
		} else {
			assert_answers(explorer, &world, EXPLORER_DONE);
			g_autoptr(GVariant) frontier = explorer_save(explorer);

			other = explorer_load(&options, frontier);
		}
		assert_non_null(other);
		assert_next(other, "0.1=2.3");
		world_release(&world);
		explorer_free(other);
		explorer_free(explorer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_to_choose),
		cmocka_unit_test(test_two_senders),
		cmocka_unit_test(test_later_message),
		cmocka_unit_test(test_later_but_dependent),
		cmocka_unit_test(test_begun_again_in_another_order),
		cmocka_unit_test(test_promise_is_given_up),
		cmocka_unit_test(test_promise_is_given_up_again),
		cmocka_unit_test(test_wasted),
		cmocka_unit_test(test_deviations),
		cmocka_unit_test(test_reads_events_once),
		cmocka_unit_test(test_frontier_with_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
