/* Tests of state search. A rank keeps only the sum of those received values that nothing later
 * depends on, like a program that adds them up. So different interleavings lead to equal states.
 * The search must find every outcome up to what the ranks remember. The outcomes of brute force are
 * reduced in the same way for the comparison. */
#include "states.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "brute_force.h"
#include "exploration.h"
#include "explorer/state_search.h"
#include "play.h"
#include "scheduler/world/world_fingerprint.h"

#define SOME 2u /* requests that are reported together at most */

struct found {
	GHashTable *outcomes; /* GBytes, as the ranks remember it, and whether accesses conflict */
	/* the same outcome: GArray of guint, the ends in the graph of states that it has come to */
	GHashTable *ends;
	guint runs, merged, lost;
	enum graph_answer answer;
	GArray *counts; /* of interleavings, as state_graph_count returns them */
	struct state_statistics statistics;
};

/* --- forgotten details ------------------------------------------------------------------------ */

/* Reduces an outcome of brute force. A rank's sum replaces the sources of its receives and the
 * values that it read from windows, unless it asks about them. The number of earlier lock holders
 * goes. Whether accesses conflict is added. */
static GBytes *remembered(const struct random_program *program, GBytes *outcome, bool conflicts)
{
	gsize size;
	const guint8 *whole = g_bytes_get_data(outcome, &size);
	GByteArray *kept = g_byte_array_new();
	guint8 *states;
	guint sums[PROGRAM_MAX_RANKS] = {0};

	g_byte_array_append(kept, whole, (guint)size);
	states = kept->data + program->ranks;
	for (int i = 0; i < program->count; i++) {
		const struct instruction *one = &program->instructions[i];

		if ((one->kind == INSTRUCTION_SEND || one->kind == INSTRUCTION_LOCK)
		    && states[i] >= MATCHED && states[i] < EARLY)
			states[i] = MATCHED;
		if (states[i] < MATCHED || states[i] >= EARLY || !may_be_forgotten(program, i))
			continue;
		if (one->kind == INSTRUCTION_RECEIVE || one->kind == INSTRUCTION_GET
		    || one->kind == INSTRUCTION_FETCH)
			sums[one->rank] += states[i];
		states[i] = MATCHED;
	}
	g_byte_array_append(kept, (const guint8 *)sums, sizeof(sums));
	g_byte_array_append(kept, &(guint8){conflicts}, 1);
	return g_byte_array_free_to_bytes(kept);
}

/* The interleavings that come to each outcome, as far as ranks remember it. `conflicting`: the
 * outcomes in which accesses conflict. */
static GHashTable *count_all(const struct random_program *program, GHashTable *outcomes,
                             GHashTable *conflicting)
{
	GHashTable *all = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                        (GDestroyNotify)g_bytes_unref, NULL);
	GHashTableIter iter;
	gpointer outcome;

	g_hash_table_iter_init(&iter, outcomes);
	while (g_hash_table_iter_next(&iter, &outcome, NULL)) {
		GBytes *kept = remembered(program, outcome,
		                          g_hash_table_contains(conflicting, outcome));
		guint count = GPOINTER_TO_UINT(g_hash_table_lookup(all, kept));

		g_hash_table_replace(all, kept, GUINT_TO_POINTER(count + 1));
	}
	return all;
}

/* --- the state of a model --------------------------------------------------------------------- */

static guint32 age_of(const struct fake_rank *rank, guint32 call)
{
	return call > 0 && call <= rank->calls ? rank->calls - call + 1 : call;
}

/* Adds what the ranks would have in memory: the outcome as they remember it, and their progress. */
static void add_ranks(struct state_hash *hash, const struct play *play)
{
	const struct random_program *program = play->options.program;
	g_autoptr(GBytes) outcome = play_outcome(play);
	g_autoptr(GBytes) kept = remembered(program, outcome, false);
	gsize size;
	const void *bytes = g_bytes_get_data(kept, &size);

	state_hash_add_bytes(hash, bytes, size);
	for (int rank = 0; rank < program->ranks; rank++) {
		const struct fake_rank *own = &play->ranks[rank];

		state_hash_add(hash, own->stage);
		state_hash_add(hash, (guint64)own->lines[0].place << 8 | own->lines[0].waits);
		state_hash_add_bytes(hash, own->lines[0].asked, own->lines[0].asked_count);
		for (int i = 0; i < program->first[rank + 1] - program->first[rank]; i++)
			state_hash_add(hash, (guint64)age_of(own, own->ops[i].call) << 1
			                             | (guint64)own->ops[i].bound);
		for (int i = 0; i < program->ranks; i++)
			state_hash_add(hash, age_of(own, own->exposed[i]));
		state_hash_add(hash, (guint64)own->windows << 2 | (guint64)own->fetched << 1
		                             | own->awaited);
	}
	state_hash_add_bytes(hash, play->memory.last, sizeof(play->memory.last));
	state_hash_add_bytes(hash, play->memory.sum, sizeof(play->memory.sum));
	state_hash_add_bytes(hash, play->memory.counter, sizeof(play->memory.counter));
}

static void describe_state(const struct play *play, struct known_state *ret, guint32 *calls)
{
	const char *why;

	*ret = (struct known_state){.calls = calls, .ranks = play->options.program->ranks};
	why = world_fingerprint(play->world, &ret->name);
	assert_true(!why || play->options.program->windows);
	add_ranks(&ret->name, play);
	for (int rank = 0; rank < ret->ranks; rank++)
		calls[rank] = world_calls(play->world, rank);
	ret->nameless = why != NULL;
}

static struct state_hash name_of_end(const struct play *play)
{
	struct state_hash name;

	world_fingerprint_end(play->world, &name);
	add_ranks(&name, play);
	return name;
}

/* --- the search ------------------------------------------------------------------------------- */

static bool follow(struct play *play, GArray *plan)
{
	while (plan->len > 0) {
		guint i = 0;

		play_run(play);
		while (i < plan->len && !play_choose(play, &g_array_index(plan, struct choice, i)))
			i++;
		if (i == plan->len)
			return false;
		g_array_remove_index(plan, i);
	}
	return true;
}

/* Takes ownership of `outcome`. */
static void add_outcome(struct found *found, GBytes *outcome, guint end)
{
	GArray *ends = g_hash_table_lookup(found->ends, outcome);
	bool known = false;

	if (!ends) {
		ends = g_array_new(false, false, sizeof(guint));
		g_hash_table_insert(found->ends, g_bytes_ref(outcome), ends);
	}
	for (guint i = 0; i < ends->len; i++)
		known |= g_array_index(ends, guint, i) == end;
	if (!known)
		g_array_append_val(ends, end);
	g_hash_table_add(found->outcomes, outcome);
}

static void run(struct state_search *search, struct play *play, struct found *found)
{
	enum explorer_step step;
	struct choice choice;

	do {
		guint32 calls[PROGRAM_MAX_RANKS];
		struct known_state known;
		GArray *open;

		play_run(play);
		open = play_open(play);
		if (open->len > 0)
			describe_state(play, &known, calls);
		step = state_search_rest(search, open->len > 0 ? &known : NULL, open, &choice);
		open_choices_free(open);
		if (step == EXPLORER_TAKE)
			assert_true(play_choose(play, &choice));
	} while (step == EXPLORER_TAKE);
	if (step == EXPLORER_DONE) {
		g_autoptr(GBytes) outcome = play_outcome(play);
		bool conflicts = play->options.program->conflicts && play_conflicts(play);
		struct state_hash end = name_of_end(play);

		state_search_end(search, &end);
		add_outcome(found, remembered(play->options.program, outcome, conflicts),
		            state_search_ended(search));
	}
}

/* Gives up after `most` runs (0: never): without fingerprints the number of runs is not bounded. */
static void explore_states(const struct random_program *program, enum program_buffering buffering,
                           guint some, bool verify, guint most, struct found *ret)
{
	struct state_search *search = state_search_new(verify);
	struct play_options options = {program,
	                               buffering,
	                               some,
	                               g_rand_new_with_seed((guint32)program->seed),
	                               communicators_new(program->ranks),
	                               false};
	GArray *plan;

	*ret = (struct found){0};
	ret->outcomes = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                      (GDestroyNotify)g_bytes_unref, NULL);
	ret->ends = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                  (GDestroyNotify)g_bytes_unref,
	                                  (GDestroyNotify)g_array_unref);
	while ((most == 0 || ret->runs < most) && (plan = state_search_next(search))) {
		struct play *play = play_new(&options);

		ret->runs++;
		if (follow(play, plan)) {
			run(search, play, ret);
		} else {
			ret->lost++;
			state_search_lost(search);
		}
		play_free(play);
		g_array_unref(plan);
	}
	state_search_statistics(search, &ret->statistics);
	ret->answer = state_search_count(search, &ret->counts);
	communicators_free(options.comms);
	g_rand_free(options.random);
	state_search_free(search);
}

/* --- against brute force ---------------------------------------------------------------------- */

struct totals {
	guint programs, outcomes, whole, merged, runs, verified, states, nameless, given_up;
	guint counted;
};

static void found_clear(struct found *found)
{
	if (found->counts)
		g_array_unref(found->counts);
	g_hash_table_destroy(found->ends);
	g_hash_table_destroy(found->outcomes);
}

static void print_missing(const struct random_program *program, GHashTable *all,
                          GHashTable *conflicting, GHashTable *found)
{
	GHashTableIter iter;
	gpointer outcome;

	g_hash_table_iter_init(&iter, all);
	while (g_hash_table_iter_next(&iter, &outcome, NULL)) {
		bool conflicts = g_hash_table_contains(conflicting, outcome);
		g_autoptr(GBytes) kept = remembered(program, outcome, conflicts);
		g_autofree char *text = NULL;

		if (g_hash_table_contains(found, kept))
			continue;
		text = outcome_describe(program, outcome);
		print_message("missing%s: %s\n", conflicts ? " with a conflict" : "", text);
	}
}

static guint64 count_of(const struct found *found, GBytes *outcome)
{
	const GArray *ends = g_hash_table_lookup(found->ends, outcome);
	guint64 sum = 0;

	for (guint i = 0; ends && i < ends->len; i++)
		sum = state_graph_sum(
			sum, g_array_index(found->counts, guint64, g_array_index(ends, guint, i)));
	return sum;
}

/* Whether an outcome tells interleavings apart: it contains no choices of sends and collectives. */
static bool tells_apart(const struct random_program *program, enum program_buffering buffering)
{
	return buffering != PROGRAM_PER_SEND && program->collectives != PROGRAM_PER_CALL;
}

static guint64 interleavings_of_tree(const struct random_program *program,
                                     enum program_buffering buffering, guint some)
{
	struct exploration_options options = {
		.buffering = buffering, .deviations = -1, .some = some, .seed = program->seed};
	struct exploration found;
	guint64 all;

	explore(program, &options, &found);
	all = g_hash_table_size(found.outcomes) + found.repeated;
	exploration_release(&found);
	return all;
}

/* The graph of states has as many interleavings as the tree, and for each outcome. */
static void compare_counts(const struct random_program *program, enum program_buffering buffering,
                           GHashTable *expected, const struct found *found)
{
	guint64 tree = interleavings_of_tree(program, buffering, SOME), all = 0, wrong = 0;
	GHashTableIter iter;
	gpointer outcome, count;

	for (guint i = 0; i < found->counts->len; i++)
		all += g_array_index(found->counts, guint64, i);
	g_hash_table_iter_init(&iter, expected);
	while (tells_apart(program, buffering) && g_hash_table_iter_next(&iter, &outcome, &count))
		wrong += count_of(found, outcome) != GPOINTER_TO_UINT(count);
	if (all != tree || wrong > 0) {
		print_message("seed %" G_GUINT64_FORMAT ", buffering %d: %" G_GUINT64_FORMAT
		              " interleavings counted as %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
		              " outcomes wrong\n",
		              program->seed, (int)buffering, tree, all, wrong);
		random_program_print_c(program, stderr);
	}
	assert_int_equal(all, tree);
	assert_int_equal(wrong, 0);
}

static void compare(const struct random_program *program, enum program_buffering buffering,
                    struct totals *totals)
{
	enum { MOST = 20000, RUNS_MOST = 2000 };
	const guint most_runs = program->windows ? RUNS_MOST : 0;
	GHashTable *whole = brute_force(program, buffering, STEPS_FIRST, SOME, MOST);
	GHashTable *conflicting = whole ? brute_force_conflicts(program, buffering, 4 * MOST)
	                                : NULL;
	GHashTable *expected;
	struct found found;
	bool verify = program->seed % 4 == 0;

	if (!whole || !conflicting) {
		g_clear_pointer(&whole, g_hash_table_unref);
		return;
	}
	expected = count_all(program, whole, conflicting);
	explore_states(program, buffering, SOME, verify, most_runs, &found);
	/* Runs with larger subsets left out have more outcomes, which are reported. */
	totals->given_up += most_runs > 0 && found.runs == most_runs;
	if (!found.statistics.sets_left && (most_runs == 0 || found.runs < most_runs)
	    && !outcomes_equal(expected, found.outcomes)) {
		print_message("seed %" G_GUINT64_FORMAT ", buffering %d: %u of %u\n", program->seed,
		              (int)buffering, g_hash_table_size(found.outcomes),
		              g_hash_table_size(expected));
		random_program_print_c(program, stderr);
		print_missing(program, whole, conflicting, found.outcomes);
		fail();
	}
	if (found.lost || found.statistics.differed)
		print_message("seed %" G_GUINT64_FORMAT
		              ", buffering %d: %u lost, %" G_GUINT64_FORMAT " differ\n",
		              program->seed, (int)buffering, found.lost,
		              (guint64)found.statistics.differed);
	assert_int_equal(found.lost, 0);
	assert_int_equal(found.statistics.differed, 0);
	assert_true(found.statistics.nameless == 0 || program->windows);
	/* Some choices of sends and collectives, and locks, make counting impossible. */
	assert_true(found.answer == GRAPH_COUNTED || !tells_apart(program, buffering)
	            || program->windows || found.runs == most_runs);
	if (!found.statistics.sets_left && found.answer == GRAPH_COUNTED) {
		compare_counts(program, buffering, expected, &found);
		totals->counted++;
	}
	totals->programs++;
	totals->states += (guint)found.statistics.states;
	totals->nameless += (guint)found.statistics.nameless;
	totals->outcomes += g_hash_table_size(expected);
	totals->whole += g_hash_table_size(whole);
	totals->merged += (guint)found.statistics.merged;
	totals->verified += (guint)found.statistics.verified;
	totals->runs += found.runs;
	found_clear(&found);
	g_hash_table_destroy(expected);
	g_hash_table_destroy(whole);
	g_hash_table_unref(conflicting);
}

void test_states(void **programs)
{
	struct totals totals = {0};

	for (guint64 seed = 1; seed <= (guint64)(*(int *)*programs / 2); seed++) {
		struct random_program *program = random_program_new(seed, seed % 3 ? 0 : 5);

		program->collectives = (enum program_collectives)(seed % 3);
		compare(program, PROGRAM_ZERO, &totals);
		compare(program, PROGRAM_INFINITE, &totals);
		if (seed % 5 == 0)
			compare(program, PROGRAM_PER_SEND, &totals);
		random_program_free(program);
	}
	print_message("%u explored: %u outcomes of %u that differ in the past, %u runs, %u merged, "
	              "%u steps verified\n",
	              totals.programs, totals.outcomes, totals.whole, totals.runs, totals.merged,
	              totals.verified);
	print_message("%u counted: as many interleavings as in the tree\n", totals.counted);
	assert_true(totals.counted > totals.programs / 2);
	assert_true(totals.merged > totals.programs / 10);
	assert_true(totals.verified > 0);
	assert_true(totals.outcomes < totals.whole);
}

void test_states_of_windows(void **programs)
{
	struct totals totals = {0};

	for (guint64 seed = 1; seed <= (guint64)(*(int *)*programs / 2); seed++) {
		struct random_program *program = random_program_windows(seed);

		/* States with operations under way have no fingerprint: in most of them nothing is
		 * under way for long. */
		for (int i = 0; seed % 4 > 0 && i < program->count; i++)
			program->instructions[i].flushed = true;
		program->collectives = (enum program_collectives)(seed % 3);
		compare(program, PROGRAM_ZERO, &totals);
		compare(program, PROGRAM_INFINITE, &totals);
		random_program_free(program);
	}
	print_message("%u with windows: %u outcomes of %u that differ in the past, %u runs, %u "
	              "states, %u without a name, %u merged, %u steps verified\n",
	              totals.programs, totals.outcomes, totals.whole, totals.runs, totals.states,
	              totals.nameless, totals.merged, totals.verified);
	assert_true(totals.merged > totals.programs / 10);
	assert_true(totals.verified > 0);
	assert_true(totals.nameless < totals.states / 2);
	assert_true(totals.given_up < totals.programs / 8);
}

static guint only_end(const struct found *found)
{
	GHashTableIter iter;
	gpointer ends;

	g_hash_table_iter_init(&iter, found->ends);
	assert_true(g_hash_table_iter_next(&iter, NULL, &ends));
	assert_int_equal(((GArray *)ends)->len, 1);
	return g_array_index((GArray *)ends, guint, 0);
}

static guint64 factorial(int number)
{
	return number <= 1 ? 1 : (guint64)number * factorial(number - 1);
}

/* N-1 senders and one receiver that forgets the order: its states are the subsets of the
 * senders. */
void test_states_figures(void **state)
{
	(void)state;
	for (int ranks = 4; ranks <= 9; ranks++) {
		for (int buffering = PROGRAM_ZERO; buffering <= PROGRAM_INFINITE; buffering++) {
			struct random_program *program = random_program_senders(ranks);
			struct found found;

			explore_states(program, (enum program_buffering)buffering, 1, ranks == 5, 0,
			               &found);
			assert_int_equal(found.statistics.states, 1u << (ranks - 1));
			assert_int_equal(found.statistics.ends, 1);
			assert_int_equal(g_hash_table_size(found.outcomes), 1);
			assert_int_equal(found.statistics.differed, 0);
			assert_int_equal(found.answer, GRAPH_COUNTED);
			assert_int_equal(g_array_index(found.counts, guint64, only_end(&found)),
			                 factorial(ranks - 1));
			found_clear(&found);
			random_program_free(program);
		}
	}
}
