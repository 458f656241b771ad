#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/random_search.h"

#define RANKS 10

/* Points of ranks 0, 1, ..., each open for messages of so many sources. */
static GArray *points(guint count, guint alternatives)
{
	GArray *open = g_array_new(false, true, sizeof(struct open_choice));

	for (guint i = 0; i < count; i++) {
		struct open_choice one = {.point = point_call((int32_t)i, 2, 0)};

		one.alternatives = g_array_new(false, false, sizeof(struct taken));
		for (guint k = 0; k < alternatives; k++) {
			struct taken message = taken_message((struct op_id){(int32_t)k, 5, 0});

			g_array_append_val(one.alternatives, message);
		}
		g_array_append_val(open, one);
	}
	return open;
}

static void points_free(GArray *open)
{
	for (guint i = 0; i < open->len; i++)
		g_array_unref(g_array_index(open, struct open_choice, i).alternatives);
	g_array_unref(open);
}

static struct open_choice *point_at(GArray *open, guint index)
{
	return &g_array_index(open, struct open_choice, index);
}

/* Walks once among these points. Returns what was drawn, each as 10 x point + alternative, and
 * whether the end was known. */
static GArray *walk(struct random_search *search, guint count, guint alternatives, bool *ret_known)
{
	GArray *drawn = g_array_new(false, false, sizeof(guint));
	GArray *open = points(count, alternatives);
	struct choice choice;
	struct trace trace;
	enum explorer_step step;

	trace_init(&trace);
	while ((step = random_search_rest(search, &trace, open, &choice)) == EXPLORER_TAKE) {
		struct event event = {.kind = EVENT_MATCH,
		                      .chosen = true,
		                      .op.id = point_operation(&choice.point, RANKS),
		                      .other = choice.taken.send};
		guint number = (guint)(10 * choice.point.rank + choice.taken.send.rank), i = 0;

		g_array_append_val(drawn, number);
		trace_append(&trace, &event);
		while (!point_equal(&point_at(open, i)->point, &choice.point))
			i++;
		g_array_unref(point_at(open, i)->alternatives);
		g_array_remove_index(open, i);
	}
	assert_true(step == EXPLORER_DONE || step == EXPLORER_KNOWN);
	*ret_known = step == EXPLORER_KNOWN;
	trace_release(&trace);
	points_free(open);
	return drawn;
}

/* A user who has kept a seed wants the same walks from every version. */
static void test_a_seed_always_gives_the_same_walks(void **state)
{
	static const guint expected[][3] = {{0, 11, 22}, {12, 22, 0}, {22, 2, 11}};
	struct random_search *search = random_search_new(RANKS, 42, 1, 0);
	bool known;

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
		g_autoptr(GArray) drawn = NULL;

		assert_true(random_search_next(search));
		drawn = walk(search, 3, 3, &known);
		assert_int_equal(drawn->len, 3);
		assert_memory_equal(drawn->data, expected[i], sizeof(expected[i]));
	}
	random_search_free(search);
}

/* Two points with two alternatives each have four outcomes, in any order; then no more. */
static void test_ends_when_nothing_is_new(void **state)
{
	struct random_search *search = random_search_new(RANKS, 1, 1, 0);
	struct random_statistics statistics;
	guint new = 0, runs = 0;
	bool known;

	(void)state;
	while (random_search_next(search)) {
		g_array_unref(walk(search, 2, 2, &known));
		new += !known;
		runs++;
	}
	random_search_statistics(search, &statistics);
	assert_int_equal(new, 4);
	assert_int_equal(statistics.outcomes, 4);
	assert_int_equal(statistics.runs, runs);
	assert_int_equal(statistics.fruitless, RANDOM_FRUITLESS);
	random_search_free(search);
}

static void test_ends_at_once_when_there_is_nothing_to_draw(void **state)
{
	struct random_search *search = random_search_new(RANKS, 1, 1, 0);
	bool known;

	(void)state;
	assert_true(random_search_next(search));
	g_array_unref(walk(search, 1, 1, &known));
	assert_false(known);
	assert_false(random_search_next(search));
	random_search_free(search);
}

static void test_a_stopped_walk_is_repeated(void **state)
{
	struct random_search *one = random_search_new(RANKS, 7, 1, 0),
			     *other = random_search_new(RANKS, 7, 1, 0);
	GArray *open = points(3, 3);
	struct trace trace;
	struct choice choice;
	bool known;

	(void)state;
	trace_init(&trace);
	assert_true(random_search_next(one));
	assert_int_equal(random_search_rest(one, &trace, open, &choice), EXPLORER_TAKE);
	for (int i = 0; i < 5; i++) {
		g_autoptr(GArray) left = NULL, right = NULL;

		assert_true(random_search_next(one) && random_search_next(other));
		left = walk(one, 3, 3, &known);
		right = walk(other, 3, 3, &known);
		assert_memory_equal(left->data, right->data, left->len * sizeof(guint));
	}
	points_free(open);
	trace_release(&trace);
	random_search_free(one);
	random_search_free(other);
}

static void test_is_resumed(void **state)
{
	struct random_search *one = random_search_new(RANKS, 9, 2, 0),
			     *other = random_search_new(RANKS, 9, 2, 0);
	GVariant *saved, *nonsense = g_variant_ref_sink(g_variant_new("(u)", 1));
	bool known, also;

	(void)state;
	for (int i = 0; i < 7; i++) {
		assert_true(random_search_next(one));
		g_array_unref(walk(one, 2, 3, &known));
	}
	assert_true(random_search_next(one)); /* and stopped */
	saved = random_search_save(one);
	assert_false(random_search_restore(other, nonsense));
	assert_true(random_search_restore(other, saved));
	while (random_search_next(one)) {
		g_autoptr(GArray) left = walk(one, 2, 3, &known), right = NULL;

		assert_true(random_search_next(other));
		right = walk(other, 2, 3, &also);
		assert_memory_equal(left->data, right->data, left->len * sizeof(guint));
		assert_int_equal(known, also);
	}
	assert_false(random_search_next(other));
	g_variant_unref(saved);
	g_variant_unref(nonsense);
	random_search_free(one);
	random_search_free(other);
}

/* Without a draw: marked points take the default at once, and early sends are decided in order. */
static void test_what_is_not_drawn(void **state)
{
	struct random_search *search = random_search_new(RANKS, 3, 1, 2);
	GArray *open = points(4, 3);
	struct trace trace;
	struct choice choice;
	guint late = 0;

	(void)state;
	trace_init(&trace);
	point_at(open, 1)->bounds = 1;
	point_at(open, 2)->bounds = 2;
	for (int i = 0; i < 20; i++) {
		assert_true(random_search_next(search));
		random_search_rest(search, &trace, open, &choice);
		assert_int_equal(choice.point.rank, 2);
		assert_int_equal(choice.taken.send.rank, 0);
	}
	point_at(open, 2)->bounds = 0;
	g_array_set_size(point_at(open, 0)->alternatives, 2);
	g_array_index(point_at(open, 0)->alternatives, struct taken, 0) = taken_plain(TAKEN_EARLY);
	g_array_index(point_at(open, 0)->alternatives, struct taken, 1) = taken_plain(TAKEN_LATE);
	for (int i = 0; i < 20; i++) {
		random_search_rest(search, &trace, open, &choice);
		assert_int_equal(choice.point.rank, 0);
		late += choice.taken.kind == TAKEN_LATE;
	}
	assert_true(late > 0 && late < 20);
	points_free(open);
	trace_release(&trace);
	random_search_free(search);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_seed_always_gives_the_same_walks),
		cmocka_unit_test(test_ends_when_nothing_is_new),
		cmocka_unit_test(test_ends_at_once_when_there_is_nothing_to_draw),
		cmocka_unit_test(test_a_stopped_walk_is_repeated),
		cmocka_unit_test(test_is_resumed),
		cmocka_unit_test(test_what_is_not_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
