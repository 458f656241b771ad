/* Executes the plans of an explorer with fake ranks. */
#include "brute_force.h"
#include "exploration.h"
#include "explorer/choice.h"
#include "explorer/frontier.h"
#include "explorer/partition.h"
#include "explorer/pool.h"
#include "play.h"

static bool made(const GArray *choices, const struct choice *choice)
{
	for (guint i = 0; i < choices->len; i++) {
		const struct choice *one = &g_array_index(choices, struct choice, i);

		if (choice_equal(one, choice))
			return true;
	}
	return false;
}

static bool contains(const GArray *all, const GArray *some)
{
	for (guint i = 0; i < some->len; i++)
		if (!made(all, &g_array_index(some, struct choice, i)))
			return false;
	return true;
}

/* Makes the choices of the plan as the rules allow: in their order or from any place in it, and at
 * one rest all that move no rank. Where ranks have threads the order matters, so the plan's order
 * is kept (scheduler/execution/execution.c). Returns false if some choice could not be made. */
static bool follow(struct play *play, const GArray *plan)
{
	bool moved = true;

	play_run(play);
	while (moved) {
		bool in_order = play->options.program->threads || plan->len == 0;
		guint first = in_order ? 0
		                       : (guint)g_rand_int_range(play->options.random, 0,
		                                                 (gint32)plan->len);

		moved = false;
		for (guint i = 0;
		     i < plan->len && world_at_rest(play->world) && !(moved && in_order); i++) {
			const struct choice *choice = &g_array_index(plan, struct choice,
			                                             (first + i) % plan->len);

			if (!made(play_choices(play), choice))
				moved = play_choose(play, choice) || moved;
		}
		play_run(play);
	}
	for (guint i = 0; i < plan->len; i++)
		if (!g_array_index(plan, struct choice, i).taken.promised
		    && !made(play_choices(play), &g_array_index(plan, struct choice, i)))
			return false;
	return true;
}

struct runner {
	const struct random_program *program;
	const struct exploration_options *options;
	struct explorer *explorer;
	guint some;
	GRand *random;
	GPtrArray *snapshots; /* of struct play */
	struct communicators *comms;
	GPtrArray *parts; /* of struct explorer */
	struct exploration *result;
};

/* The open points without those that the plan has promised something. */
static GArray *open_points(const struct runner *runner, struct play *play, const GArray *plan)
{
	GArray *open = play_open(play);

	for (guint i = open->len; i-- > 0;) {
		struct open_choice *one = &g_array_index(open, struct open_choice, i);

		if (!choices_find(plan, &one->point))
			continue;
		open_choice_clear(one);
		g_array_remove_index(open, i);
	}

	for (guint i = 0; runner->options->bounds_of && i < open->len; i++) {
		struct open_choice *one = &g_array_index(open, struct open_choice, i);

		one->bounds = runner->options->bounds_of[play_instruction(play, &one->point)];
	}
	return open;
}

/* The world that has made the most choices of the plan already. */
static struct play *begin(struct runner *runner, const GArray *plan)
{
	const struct play_options fresh = {runner->program, runner->options->buffering,
	                                   runner->some,    runner->random,
	                                   runner->comms,   false};
	const struct play *best = NULL;

	for (guint i = 0; i < runner->snapshots->len; i++) {
		const struct play *play = g_ptr_array_index(runner->snapshots, i);

		if (contains(plan, play_choices(play))
		    && (!best || play_choices(play)->len > play_choices(best)->len))
			best = play;
	}
	return best ? play_copy(best) : play_new(&fresh);
}

static void forget_snapshots(struct runner *runner)
{
	for (guint i = runner->snapshots->len; i > 0; i--) {
		const struct play *play = g_ptr_array_index(runner->snapshots, i - 1);

		if (!explorer_needs(runner->explorer, play_choices(play)))
			g_ptr_array_remove_index_fast(runner->snapshots, i - 1);
	}
}

/* Decides by chance whether to stop the world. */
static bool is_cut(struct runner *runner)
{
	if (!runner->options->apart || g_rand_int_range(runner->random, 0, 8) > 0)
		return false;
	explorer_cut(runner->explorer);
	runner->result->cut++;
	runner->result->runs--;
	return true;
}

/* By chance, splits off part of the waiting plans while the world runs. */
static void split_running(struct runner *runner)
{
	struct explorer *other;

	if (!runner->options->apart || g_rand_int_range(runner->random, 0, 8) > 0)
		return;
	other = explorer_split(runner->explorer, (guint)g_rand_int_range(runner->random, 1, 4), 1);
	if (!other)
		return;
	runner->result->split++;
	g_ptr_array_add(runner->parts, other);
}

/* By chance, takes an alternative other than the first. */
static void turn(struct runner *runner, const struct open_choice *open, struct choice *choice)
{
	guint nth = (guint)g_rand_int_range(runner->random, 0, (gint32)open->alternatives->len);
	struct taken taken = g_array_index(open->alternatives, struct taken, nth);

	/* the way to the first outcome may be given */
	if (runner->options->toward && g_hash_table_size(runner->result->outcomes) == 0)
		return;
	if (nth == 0 || !explorer_turn(runner->explorer, taken))
		return;
	choice->taken = taken;
	runner->result->turned++;
}

static GArray *without_promises(const GArray *plan)
{
	GArray *rest = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < plan->len; i++)
		if (!g_array_index(plan, struct choice, i).taken.promised)
			g_array_append_vals(rest, &g_array_index(plan, struct choice, i), 1);
	return rest;
}

/* Continues a world that has given up a promise. Its outcome is off the tree. */
static void run_off_tree(struct runner *runner, struct play *play, const GArray *plan)
{
	g_autoptr(GArray) rest = without_promises(plan);
	enum explorer_step step = EXPLORER_TAKE;
	struct choice choice;

	while (step == EXPLORER_TAKE && !is_cut(runner)) {
		GArray *open = open_points(runner, play, rest);

		step = explorer_rest(runner->explorer, world_trace(play->world), open, &choice);
		if (step == EXPLORER_TAKE) {
			g_assert_true(play_choose(play, &choice));
			play_run(play);
		}
		open_choices_free(open);
	}
	if (step == EXPLORER_DONE)
		g_hash_table_add(runner->result->off_tree, play_outcome(play));
}

/* As an execution asks its strategy (scheduler/execution/execution.c). */
static enum explorer_step ask(struct runner *runner, struct play *play, GArray *open,
                              struct choice *ret_choice)
{
	const struct trace *trace = world_trace(play->world);
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct open_choice));

	if (open->len > 0 && world_goes_round_for_ever(play->world))
		return explorer_rest(runner->explorer, trace, nothing, ret_choice);
	if (open->len > 0 && world_has_returned(play->world)
	    && explorer_may_leave(runner->explorer)) {
		runner->result->returned++;
		return explorer_returned(runner->explorer, trace);
	}
	return explorer_rest(runner->explorer, trace, open, ret_choice);
}

static void run_plan(struct runner *runner, const GArray *plan)
{
	struct play *play = begin(runner, plan);
	guint64 steps_before = play->steps;
	enum explorer_step step = EXPLORER_TAKE;
	bool followed = follow(play, plan);
	struct choice choice;

	if (!followed) {
		explorer_lost(runner->explorer);
		runner->result->lost++;
	}
	while (followed && step == EXPLORER_TAKE && !is_cut(runner)) {
		GArray *open = open_points(runner, play, plan);

		split_running(runner);
		step = ask(runner, play, open, &choice);
		if (step == EXPLORER_TAKE && runner->options->pooled)
			turn(runner, &g_array_index(open, struct open_choice, 0), &choice);
		if (step == EXPLORER_TAKE) {
			if (runner->options->snapshots && g_rand_boolean(runner->random))
				g_ptr_array_add(runner->snapshots, play_copy(play));
			g_assert_true(play_choose(play, &choice));
			if (choices_promise(plan))
				followed = follow(play, plan);
			else
				play_run(play);
		}
		open_choices_free(open);
	}
	if (step == EXPLORER_GIVE_UP) {
		run_off_tree(runner, play, plan);
	} else if (step == EXPLORER_DONE) {
		GBytes *outcome = play_outcome(play);

		if (g_hash_table_size(runner->result->outcomes) == 0)
			runner->result->first = choices_copy(play_choices(play));
		if (g_hash_table_contains(runner->result->outcomes, outcome))
			runner->result->repeated += !outcome_lacks_lock(play->options.program,
			                                                outcome);
		if (play->options.program->conflicts && play_conflicts(play))
			g_hash_table_add(runner->result->conflicting, g_bytes_ref(outcome));
		g_hash_table_insert(runner->result->outcomes, outcome,
		                    g_array_copy((GArray *)play_choices(play)));
	} else if (followed && (step == EXPLORER_DROP || step == EXPLORER_STUCK)) {
		runner->result->dropped++;
		if (step == EXPLORER_STUCK)
			explorer_lost(runner->explorer);
	}
	runner->result->steps += play->steps - steps_before;
	play_free(play);
	forget_snapshots(runner);
}

static guint64 add_statistics(struct runner *runner)
{
	struct explorer_statistics statistics;

	explorer_statistics(runner->explorer, &statistics);
	runner->result->pruned += statistics.pruned;
	runner->result->vouched += statistics.vouched;
	runner->result->events += statistics.events;
	runner->result->strayed = MAX(runner->result->strayed, explorer_strayed(runner->explorer));
	return statistics.waiting;
}

/* Saves and loads the search, or splits it. */
static void take_apart(struct runner *runner, const struct explorer_options *search)
{
	struct explorer *other;
	GVariant *frontier;

	switch (g_rand_int_range(runner->random, 0, 4)) {
	case 0:
		frontier = explorer_save(runner->explorer);
		other = explorer_load(search, frontier);
		g_assert_nonnull(other);
		g_variant_unref(frontier);
		add_statistics(runner);
		g_ptr_array_remove(runner->parts, runner->explorer);
		break;
	case 1:
		if (g_rand_boolean(runner->random)) /* goes back */
			g_variant_unref(explorer_save(runner->explorer));
		other = explorer_split(runner->explorer,
		                       (guint)g_rand_int_range(runner->random, 1, 4),
		                       (guint)g_rand_int_range(runner->random, 1, 3));
		runner->result->parts += other != NULL;
		break;
	default: return;
	}
	if (other)
		g_ptr_array_add(runner->parts, other);
}

static GHashTable *new_outcomes(void)
{
	return g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref,
	                             (GDestroyNotify)g_array_unref);
}

static void run_next(struct runner *runner)
{
	GArray *plan = explorer_next(runner->explorer);

	runner->result->runs++;
	run_plan(runner, plan);
	g_array_free(plan, true);
}

/* The part that this shard explores. The outcomes of the stem belong to the first shard. */
static void divide(struct runner *runner, const struct explorer_options *search)
{
	struct exploration *result = runner->result;
	guint shard = runner->options->shard, tree;
	const struct exploration_options *given = runner->options;
	struct exploration_options options = *given;
	struct partition *partition = partition_new(search, runner->options->shards);
	struct explorer_statistics statistics;
	struct exploration unseen = {.outcomes = new_outcomes(),
	                             .off_tree = g_hash_table_ref(result->off_tree),
	                             .conflicting = g_hash_table_ref(result->conflicting)};
	g_autoptr(GArray) own = NULL;

	options.apart = false;
	runner->options = &options;
	runner->result = shard == 1 ? result : &unseen;
	partition_add_tree(partition);
	while ((runner->explorer = partition_next(partition, &tree))) {
		g_assert_cmpuint(tree, ==, 0);
		run_next(runner);
		result->stem++;
	}
	own = partition_parts(partition, shard);
	for (guint i = 0; i < own->len; i++)
		g_ptr_array_add(
			runner->parts,
			explorer_load(search,
		                      g_array_index(own, struct partition_part, i).frontier));
	partition_statistics(partition, &statistics);
	result->pruned += shard == 1 ? statistics.pruned : 0;
	result->division = partition_digest(partition);
	partition_free(partition);
	exploration_release(&unseen);
	runner->result = result;
	runner->options = given;
}

/* Visits any waiting plan next, in one order after the other. */
static void explore_pool(struct runner *runner)
{
	struct pool *pool = pool_new((uint32_t)runner->options->seed);
	enum pool_order order = POOL_DEPTH;
	struct explorer_statistics statistics;

	while (runner->parts->len > 0)
		pool_add(pool, g_ptr_array_steal_index(runner->parts, 0), POOL_ORDERS);
	while ((runner->explorer = pool_take(pool, order))) {
		run_next(runner);
		add_statistics(runner);
		explorer_statistics_take(runner->explorer, &statistics);
		pool_add(pool, runner->explorer, order);
		while (runner->parts->len > 0) /* split off meanwhile */
			pool_add(pool, g_ptr_array_steal_index(runner->parts, 0), POOL_ORDERS);
		runner->result->parts = MAX(runner->result->parts, pool_parts(pool)->len);
		order = (enum pool_order)g_rand_int_range(runner->random, 0, POOL_ORDERS);
	}
	pool_free(pool);
}

static void part_free(void *explorer)
{
	explorer_free(explorer);
}

void explore(const struct random_program *program, const struct exploration_options *options,
             struct exploration *ret)
{
	struct runner runner = {.program = program,
	                        .options = options,
	                        .some = options->some ? options->some : TAKEN_WINDOW,
	                        .result = ret};
	struct explorer_options search = {
		program->ranks, options->deviations, options->bounds, options->bound_count,
		runner.some,    options->from,       options->toward, options->toward_trace};
	g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(part_free);

	*ret = (struct exploration){
		.outcomes = new_outcomes(),
		.off_tree = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                          (GDestroyNotify)g_bytes_unref, NULL),
		.conflicting = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                             (GDestroyNotify)g_bytes_unref, NULL)};
	runner.random = g_rand_new_with_seed((guint32)options->seed);
	runner.snapshots = g_ptr_array_new_with_free_func(play_free);
	runner.comms = communicators_new(program->ranks);
	runner.parts = parts;
	if (options->shards > 0)
		divide(&runner, &search);
	else
		g_ptr_array_add(parts, explorer_new(&search));
	if (options->pooled)
		explore_pool(&runner);
	while (parts->len > 0) {
		runner.explorer =
			parts->pdata[g_rand_int_range(runner.random, 0, (gint32)parts->len)];
		if (explorer_is_done(runner.explorer)) {
			g_assert_cmpuint(add_statistics(&runner), ==, 0);
			g_ptr_array_remove(parts, runner.explorer);
			continue;
		}
		run_next(&runner);
		if (options->apart)
			take_apart(&runner, &search);
	}
	g_ptr_array_free(runner.snapshots, true);
	communicators_free(runner.comms);
	g_rand_free(runner.random);
}

void exploration_release(struct exploration *exploration)
{
	g_clear_pointer(&exploration->outcomes, g_hash_table_destroy);
	g_clear_pointer(&exploration->conflicting, g_hash_table_destroy);
	g_clear_pointer(&exploration->off_tree, g_hash_table_destroy);
	g_clear_pointer(&exploration->division, g_free);
	g_clear_pointer(&exploration->first, g_array_unref);
}

struct random_program *explore_drawn(guint64 seed, int size,
                                     const struct exploration_options *options,
                                     struct exploration *ret)
{
	enum { RUNS_MOST = 1000 };

	for (;; size--) {
		struct random_program *program = random_program_new(seed, size);

		explore(program, options, ret);
		if (ret->runs <= RUNS_MOST || size == 1)
			return program;
		exploration_release(ret);
		random_program_free(program);
	}
}
