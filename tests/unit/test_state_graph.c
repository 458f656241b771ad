/* Interleavings counted in graphs of states that are built by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/state_graph.h"

static const guint32 none[1] = {0};

/* Receive `call` of rank 0, counted back, takes a message of `source`. */
static struct choice choice_of(guint32 call, int32_t source)
{
	return (struct choice){point_call(0, call, 0), taken_message((struct op_id){source, 7, 0})};
}

static guint add_state(struct state_graph *graph, const struct choice *choices, guint count)
{
	g_autoptr(GArray) all = g_array_new(false, false, sizeof(struct choice));

	g_array_append_vals(all, choices, count);
	return state_graph_add(graph, all);
}

static void connect(struct state_graph *graph, guint from, struct choice choice, guint to)
{
	state_graph_connect(graph, from, &choice, to, none, 1);
}

static enum graph_answer count_at(struct state_graph *graph, guint end, guint64 *ret)
{
	GArray *ends = NULL;
	enum graph_answer answer = state_graph_count(graph, &ends);

	*ret = ends ? g_array_index(ends, guint64, end) : 0;
	if (ends)
		g_array_unref(ends);
	return answer;
}

static void nothing_to_choose_is_one_interleaving(void **state)
{
	struct state_graph *graph = state_graph_new();
	guint end = state_graph_add_end(graph);
	guint64 count;

	(void)state;
	assert_int_equal(count_at(graph, end, &count), GRAPH_COUNTED);
	assert_int_equal(count, 1);
	state_graph_free(graph);
}

/* Two receives at once, each from one source: both orders are one interleaving. If another source
 * comes to the first when the second is done, there are two. */
static struct state_graph *diamond(bool late, guint *ret_end)
{
	struct state_graph *graph = state_graph_new();
	const struct choice first = choice_of(2, 1), second = choice_of(1, 2),
			    other = choice_of(2, 3);
	guint root = add_state(graph, (struct choice[]){first, second}, 2);
	guint one = add_state(graph, &second, 1);
	guint two = add_state(graph, (struct choice[]){first, other}, late ? 2 : 1);
	guint end = state_graph_add_end(graph);

	connect(graph, root, first, one);
	connect(graph, root, second, two);
	connect(graph, one, second, end);
	connect(graph, two, first, end);
	if (late)
		connect(graph, two, other, end);
	*ret_end = end;
	return graph;
}

static void orders_of_the_same_choices_are_one(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		guint end;
		guint64 count;
		struct state_graph *graph = diamond(late, &end);

		assert_int_equal(count_at(graph, end, &count), GRAPH_COUNTED);
		assert_int_equal(count, late ? 2 : 1);
		state_graph_free(graph);
	}
}

static void a_saved_graph_counts_the_same(void **state)
{
	guint end;
	guint64 count;
	struct state_graph *graph = diamond(true, &end), *loaded;
	GVariant *saved = g_variant_ref_sink(state_graph_save(graph));

	(void)state;
	loaded = state_graph_load(saved);
	assert_non_null(loaded);
	assert_int_equal(count_at(loaded, end, &count), GRAPH_COUNTED);
	assert_int_equal(count, 2);
	g_variant_unref(saved);
	state_graph_free(loaded);
	state_graph_free(graph);
}

static void what_is_left_makes_it_at_least(void **state)
{
	const struct choice choices[] = {choice_of(1, 1), choice_of(1, 2)};
	struct state_graph *graph = state_graph_new();
	guint root = add_state(graph, choices, 2), end = state_graph_add_end(graph);
	guint64 count;

	(void)state;
	connect(graph, root, choices[0], end);
	assert_int_equal(state_graph_after(graph, root, &choices[0]), end);
	assert_int_equal(state_graph_after(graph, root, &choices[1]), 0);
	assert_int_equal(count_at(graph, end, &count), GRAPH_COUNTED_SOME);
	assert_int_equal(count, 1);
	state_graph_free(graph);
}

static void a_circle_has_no_number(void **state)
{
	const struct choice choices[] = {choice_of(1, 1), choice_of(1, 2)};
	struct state_graph *graph = state_graph_new();
	guint root = add_state(graph, choices, 2), end = state_graph_add_end(graph);
	guint64 count;

	(void)state;
	connect(graph, root, choices[0], root);
	connect(graph, root, choices[1], end);
	assert_int_equal(count_at(graph, end, &count), GRAPH_UNBOUNDED);
	state_graph_free(graph);
}

static void what_is_blurred_is_not_counted(void **state)
{
	guint end;
	guint64 count;
	struct state_graph *graph = diamond(false, &end);

	(void)state;
	state_graph_blur(graph);
	assert_int_equal(count_at(graph, end, &count), GRAPH_UNKNOWN);
	state_graph_free(graph);
}

/* 10 messages one after the other, each of one of 64 sources: 2^60 are too many to tell. */
static void numbers_are_exact_up_to_a_bound(void **state)
{
	enum { SOURCES = 64, LEVELS = 10 };
	struct choice choices[SOURCES];
	guint64 expected = 1;

	(void)state;
	for (int i = 0; i < SOURCES; i++)
		choices[i] = choice_of(1, i + 1);
	for (guint levels = 1; levels <= LEVELS; levels++) {
		struct state_graph *graph = state_graph_new();
		guint64 count;
		guint end;

		expected *= SOURCES;
		for (guint i = 0; i < levels; i++)
			add_state(graph, choices, SOURCES);
		end = state_graph_add_end(graph);
		for (guint i = 1; i <= levels; i++)
			for (int j = 0; j < SOURCES; j++)
				connect(graph, i, choices[j], i + 1);
		assert_int_equal(count_at(graph, end, &count), GRAPH_COUNTED);
		assert_int_equal(count, MIN(expected, STATE_GRAPH_BEYOND));
		state_graph_free(graph);
	}
	assert_int_equal(state_graph_sum(STATE_GRAPH_BEYOND, STATE_GRAPH_BEYOND),
	                 STATE_GRAPH_BEYOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_to_choose_is_one_interleaving),
		cmocka_unit_test(orders_of_the_same_choices_are_one),
		cmocka_unit_test(a_saved_graph_counts_the_same),
		cmocka_unit_test(what_is_left_makes_it_at_least),
		cmocka_unit_test(a_circle_has_no_number),
		cmocka_unit_test(what_is_blurred_is_not_counted),
		cmocka_unit_test(numbers_are_exact_up_to_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
