#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/state_probe.h"
#include "explorer/state_watch.h"

#define SENDERS 7
#define RECEIVER 0

/* What the receiver of a model keeps of the messages it has taken. */
enum keeps { KEEPS_SET, KEEPS_SET_AND_LAST, KEEPS_ORDER, KEEPS_NOTHING_COMPARABLE };

/* A receiver takes the messages of all senders, in the order of `taken`. */
struct model {
	enum keeps keeps;
	guint taken[SENDERS];
	guint count;
};

static bool has_taken(const struct model *model, guint source)
{
	for (guint i = 0; i < model->count; i++)
		if (model->taken[i] == source)
			return true;
	return false;
}

static void free_open(GArray *open)
{
	for (guint i = 0; i < open->len; i++)
		g_array_unref(g_array_index(open, struct open_choice, i).alternatives);
	g_array_unref(open);
}

static struct known_state state_of(const struct model *model)
{
	struct known_state state = {.ranks = 1,
	                            .nameless = model->keeps == KEEPS_NOTHING_COMPARABLE};

	state_hash_add(&state.name, model->count);
	for (guint source = 1; source <= SENDERS; source++)
		state_hash_add(&state.name, has_taken(model, source));
	if (model->keeps == KEEPS_SET_AND_LAST && model->count > 0)
		state_hash_add(&state.name, model->taken[model->count - 1]);
	for (guint i = 0; model->keeps == KEEPS_ORDER && i < model->count; i++)
		state_hash_add(&state.name, model->taken[i]);
	return state;
}

static GArray *open_of(const struct model *model)
{
	GArray *open = g_array_new(false, false, sizeof(struct open_choice));
	struct open_choice choice = {
		.point = point_call(RECEIVER, model->count + 1, 0),
		.alternatives = g_array_new(false, false, sizeof(struct taken))};

	for (guint source = 1; source <= SENDERS; source++) {
		struct taken taken = taken_message((struct op_id){(gint32)source, 1, 0});

		if (!has_taken(model, source))
			g_array_append_val(choice.alternatives, taken);
	}
	g_array_append_val(open, choice);
	return open;
}

static void take(struct model *model, const struct choice *choice)
{
	assert_int_equal(choice->point.call, model->count + 1);
	assert_false(has_taken(model, (guint)choice->taken.send.rank));
	model->taken[model->count++] = (guint)choice->taken.send.rank;
}

/* One world of the probe. */
static void run(struct state_probe *probe, enum keeps keeps, const GArray *plan)
{
	struct model model = {.keeps = keeps};
	enum explorer_step step = EXPLORER_TAKE;

	for (guint i = 0; i < plan->len; i++)
		take(&model, &g_array_index(plan, struct choice, i));
	while (step == EXPLORER_TAKE) {
		struct known_state state = state_of(&model);
		GArray *open = model.count == SENDERS ? NULL : open_of(&model);
		struct choice choice;

		if (!open)
			open = g_array_new(false, false, sizeof(struct open_choice));
		step = state_probe_rest(probe, &state, open, &choice);
		free_open(open);
		if (step == EXPLORER_TAKE)
			take(&model, &choice);
	}
	assert_int_equal(step, EXPLORER_DROP);
}

/* `above`: choices of the base. */
static struct state_probe *probed(enum keeps keeps, guint above, guint depth, guint patience)
{
	g_autoptr(GArray) base = g_array_new(false, false, sizeof(struct choice));
	struct state_probe *probe;
	GArray *plan;

	for (guint i = 0; i < above; i++) {
		struct choice choice = {point_call(RECEIVER, i + 1, 0),
		                        taken_message((struct op_id){(gint32)i + 2, 1, 0})};

		g_array_append_val(base, choice);
	}
	probe = state_probe_new(base, depth, patience);
	while ((plan = state_probe_next(probe))) {
		assert_true(plan->len >= above);
		run(probe, keeps, plan);
		g_array_unref(plan);
	}
	return probe;
}

static struct state_probe_result result_of(enum keeps keeps, guint above, guint depth,
                                           guint patience)
{
	struct state_probe *probe = probed(keeps, above, depth, patience);
	struct state_probe_result result = state_probe_result(probe);

	state_probe_free(probe);
	return result;
}

static void orders_that_are_kept_never_repeat(void **state)
{
	struct state_probe_result result = result_of(KEEPS_ORDER, 0, 3, 100);

	(void)state;
	assert_int_equal(result.worlds, 8);
	assert_int_equal(result.named, 1 + 2 + 4 + 8);
	assert_int_equal(result.reached, 8);
	assert_int_equal(result.repeated, 0);
}

static void patience_ends_it(void **state)
{
	struct state_probe_result result = result_of(KEEPS_ORDER, 0, 4, 6);

	(void)state;
	assert_int_equal(result.worlds, 6);
}

static void branches_that_part_early_are_compared_first(void **state)
{
	struct state_probe_result result = result_of(KEEPS_SET_AND_LAST, 0, 4, 2);

	(void)state;
	/* 1, 2, 3 and 2, 1, 3: the second world repeats, so it goes on. */
	assert_true(result.worlds > 2);
	assert_true(result.repeated > 0);
}

static void states_are_compared_below_the_base(void **state)
{
	struct state_probe_result result = result_of(KEEPS_SET, 2, 4, 6);

	(void)state;
	assert_true(result.repeated > 0);
	/* At the end no choices are left to compare. */
	assert_int_equal(result_of(KEEPS_SET, SENDERS - 1, 4, 6).repeated, 0);
}

/* A world that is begun again comes to its own state, which is no other. */
static void a_world_begun_again_repeats_nothing(void **state)
{
	g_autoptr(GArray) base = g_array_new(false, false, sizeof(struct choice));
	struct state_probe *probe = state_probe_new(base, 3, 100);
	g_autoptr(GArray) plan = state_probe_next(probe);
	struct model model = {.keeps = KEEPS_SET};
	struct known_state at = state_of(&model);
	GArray *open = open_of(&model);
	struct choice choice;

	(void)state;
	assert_int_equal(state_probe_rest(probe, &at, open, &choice), EXPLORER_TAKE);
	take(&model, &choice);
	free_open(open);
	at = state_of(&model);
	open = open_of(&model);
	assert_int_equal(state_probe_rest(probe, &at, open, &choice), EXPLORER_TAKE);
	state_probe_again(probe);
	assert_int_equal(state_probe_rest(probe, &at, open, &choice), EXPLORER_TAKE);
	assert_int_equal(state_probe_result(probe).repeated, 0);
	assert_int_equal(state_probe_result(probe).named, 2);
	free_open(open);
	state_probe_free(probe);
}

static void states_without_a_fingerprint_equal_no_other(void **state)
{
	struct state_probe_result result = result_of(KEEPS_NOTHING_COMPARABLE, 0, 3, 100);

	(void)state;
	assert_int_equal(result.named, 0);
	assert_int_equal(result.nameless, 1 + 2 + 4 + 8);
	assert_int_equal(result.repeated, 0);
}

/* --- when to look ----------------------------------------------------------------------------- */

static void looks_are_few(void **state)
{
	struct state_watch *watch = state_watch_new(128, 200, 4);
	guint looks = 0;

	(void)state;
	for (guint64 explored = 1; explored <= 10000; explored++)
		looks += state_watch_is_due(watch, explored, 1e6);
	assert_int_equal(looks, 4); /* 128, 512, 2048, 8192 */
	state_watch_free(watch);
}

static void there_is_no_look_if_little_is_left(void **state)
{
	struct state_watch *watch = state_watch_new(128, 200, 4);

	(void)state;
	assert_false(state_watch_is_due(watch, 1000, 199));
	assert_true(state_watch_is_due(watch, 1001, 200));
	assert_false(state_watch_is_due(watch, 1002, -1)); /* unknown, but not due */
	assert_true(state_watch_is_due(watch, 10000, -1));
	state_watch_free(watch);
}

static void a_tree_that_swells_is_looked_at_again(void **state)
{
	struct state_watch *watch = state_watch_new(128, 200, 4);
	struct state_probe *probe = probed(KEEPS_ORDER, 0, 3, 100);

	(void)state;
	assert_true(state_watch_is_due(watch, 128, 300));
	assert_false(state_watch_judge(watch, probe, 7));
	assert_false(state_watch_is_due(watch, 300, 2000));
	assert_false(state_watch_is_due(watch, 200, 3000));
	assert_true(state_watch_is_due(watch, 300, 3000));
	state_probe_free(probe);
	state_watch_free(watch);
}

static void judge(enum keeps keeps, guint below, bool pays)
{
	struct state_watch *watch = state_watch_new(128, 200, 4);
	struct state_probe *probe = probed(keeps, 0, 4, 6);

	assert_int_equal(state_watch_judge(watch, probe, below), pays);
	state_probe_free(probe);
	state_watch_free(watch);
}

static void states_pay_if_enough_choices_are_below(void **state)
{
	(void)state;
	judge(KEEPS_SET, 7, true);
	judge(KEEPS_SET_AND_LAST, 7, true);
	judge(KEEPS_SET_AND_LAST, 2, false);
	judge(KEEPS_ORDER, 1000, false);
	judge(KEEPS_NOTHING_COMPARABLE, 1000, false);
}

static void looks_begin_at_different_depths(void **state)
{
	static const guint bases[] = {0, 8, 4, 12, 2};
	struct state_watch *watch = state_watch_new(128, 200, 4);
	struct state_probe *probe = probed(KEEPS_ORDER, 0, 3, 100);

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(bases); i++) {
		assert_int_equal(state_watch_base(watch, 16), bases[i]);
		state_watch_judge(watch, probe, 7);
	}
	state_probe_free(probe);
	state_watch_free(watch);
}

static void without_fingerprints_the_tree_is_kept(void **state)
{
	struct state_watch *watch = state_watch_new(128, 200, 4);
	struct state_probe *probe = probed(KEEPS_NOTHING_COMPARABLE, 0, 3, 100);

	(void)state;
	state_watch_judge(watch, probe, 7);
	assert_false(state_watch_is_over(watch));
	state_watch_judge(watch, probe, 7);
	assert_true(state_watch_is_over(watch));
	assert_false(state_watch_is_due(watch, 100000, 1e9));
	state_probe_free(probe);
	state_watch_free(watch);
}

static bool is_over_after(struct point point, struct taken taken)
{
	struct state_watch *watch = state_watch_new(128, 200, 4);
	GArray *open = g_array_new(false, false, sizeof(struct open_choice));
	struct open_choice choice = {.point = point,
	                             .alternatives = g_array_new(false, false, sizeof(taken))};
	bool over;

	g_array_append_val(choice.alternatives, taken);
	g_array_append_val(open, choice);
	state_watch_see(watch, open);
	over = state_watch_is_over(watch);
	free_open(open);
	state_watch_free(watch);
	return over;
}

static void the_tree_is_kept_where_states_have_no_number(void **state)
{
	const struct point call = point_call(0, 1, 0);

	(void)state;
	assert_false(is_over_after(call, taken_message((struct op_id){1, 1, 0})));
	assert_false(is_over_after(call, taken_plain(TAKEN_NO)));
	assert_true(is_over_after(call, taken_plain(TAKEN_EARLY)));
	assert_true(is_over_after(call, taken_plain(TAKEN_LATE)));
	assert_true(is_over_after((struct point){.kind = POINT_TURN}, taken_thread(1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_that_are_kept_never_repeat),
		cmocka_unit_test(patience_ends_it),
		cmocka_unit_test(branches_that_part_early_are_compared_first),
		cmocka_unit_test(states_are_compared_below_the_base),
		cmocka_unit_test(a_world_begun_again_repeats_nothing),
		cmocka_unit_test(states_without_a_fingerprint_equal_no_other),
		cmocka_unit_test(looks_are_few),
		cmocka_unit_test(there_is_no_look_if_little_is_left),
		cmocka_unit_test(a_tree_that_swells_is_looked_at_again),
		cmocka_unit_test(states_pay_if_enough_choices_are_below),
		cmocka_unit_test(looks_begin_at_different_depths),
		cmocka_unit_test(without_fingerprints_the_tree_is_kept),
		cmocka_unit_test(the_tree_is_kept_where_states_have_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
