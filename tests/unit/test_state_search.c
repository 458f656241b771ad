#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/state_search.h"

/* One receive of rank 0, its call `call`, open for messages of these sources. */
static GArray *open_for(guint32 call, const int *sources, int count)
{
	GArray *open = g_array_new(false, true, sizeof(struct open_choice));
	struct open_choice one = {.point = point_call(0, call, 0)};

	one.alternatives = g_array_new(false, false, sizeof(struct taken));
	for (int i = 0; i < count; i++) {
		struct taken message = taken_message((struct op_id){sources[i], 2, 0});

		g_array_append_val(one.alternatives, message);
	}
	if (count > 0)
		g_array_append_val(open, one);
	else
		g_array_unref(one.alternatives);
	return open;
}

static void open_free(GArray *open)
{
	for (guint i = 0; i < open->len; i++)
		g_array_unref(g_array_index(open, struct open_choice, i).alternatives);
	g_array_unref(open);
}

struct host {
	struct state_search *search;
	int senders;
	guint runs, ends;
	bool forgets;     /* the receiver adds up its messages, and keeps nothing else */
	guint odd;        /* a wrong fingerprint: as if the receiver forgot, which it does not */
	guint job;        /* fingerprints differ between jobs */
	guint most;       /* rests of a world until it is stopped; 0: no limit */
	int dead;         /* the sender that something outside ends in each world; 0: none */
	guint dies;       /* at this rest of a world, from 1 */
	guint short_ends; /* ends of worlds that did not receive all messages */
};

static guint source_of(const struct choice *choice)
{
	return (guint)choice->taken.send.rank;
}

/* Runs a world that begins with these choices. */
static void run(struct host *host, const GArray *plan)
{
	guint64 taken = 0, order = 0;
	guint32 call = 2;
	enum explorer_step step = EXPLORER_TAKE;

	for (guint i = 0; i < plan->len; i++, call++) {
		guint source = source_of(&g_array_index(plan, struct choice, i));

		taken |= 1u << source;
		order = order * 8 + source;
	}
	host->runs++;
	for (guint rests = 1; step == EXPLORER_TAKE; rests++) {
		bool is_struck = host->dead > 0 && rests >= host->dies;
		int sources[8], count = 0;
		struct known_state told = {.calls = &call, .ranks = 1};
		struct state_hash end;
		struct choice choice;
		GArray *open;

		if (host->most > 0 && rests > host->most) {
			state_search_cut(host->search);
			return;
		}

		for (int i = 1; i <= host->senders; i++)
			if (!(taken & 1u << i) && !(is_struck && i == host->dead))
				sources[count++] = i;
		state_hash_add(&told.name, taken);
		if (!host->forgets && !(host->odd && call == host->odd))
			state_hash_add(&told.name, order);
		end = told.name;
		state_hash_add(&told.name, host->job);
		told.nameless = is_struck;
		if (is_struck)
			state_search_struck(host->search);
		open = open_for(call, sources, count);
		step = state_search_rest(host->search, &told, open, &choice);
		open_free(open);
		if (step == EXPLORER_TAKE) {
			taken |= 1u << source_of(&choice);
			order = order * 8 + source_of(&choice);
			call++;
		} else if (step == EXPLORER_DONE) {
			host->ends += state_search_end(host->search, &end);
			host->short_ends += (int)call < 2 + host->senders;
		}
	}
}

static struct state_statistics search_all(struct host *host, bool verify)
{
	struct state_statistics statistics;
	GArray *plan;

	host->search = state_search_new(verify);
	while ((plan = state_search_next(host->search))) {
		run(host, plan);
		g_array_unref(plan);
	}
	state_search_statistics(host->search, &statistics);
	state_search_free(host->search);
	return statistics;
}

static void equal_states_are_visited_once(void **state)
{
	struct host host = {.senders = 5, .forgets = true};
	struct state_statistics statistics = search_all(&host, false);

	(void)state;
	assert_int_equal(statistics.states, 32);
	assert_int_equal(statistics.ends, 1);
	assert_int_equal(host.ends, 1);
	/* One run for each choice at a state, except those by which a world continues. */
	assert_int_equal(host.runs, 1 + 5 * 16 - 31);
	assert_int_equal(statistics.waiting, 0);
}

/* Sessions of so many worlds each; the last world is stopped after so many rests. */
static struct state_statistics search_in_parts(struct host *host, guint worlds, guint rests)
{
	struct state_statistics statistics = {0};
	GVariant *saved = NULL;
	GArray *plan;

	do {
		host->search = state_search_new(false);
		host->job++;
		if (saved) {
			assert_true(state_search_restore(host->search, saved));
			g_variant_unref(saved);
		}
		plan = NULL;
		for (guint i = 0; i <= worlds && (plan = state_search_next(host->search)); i++) {
			host->most = i == worlds ? rests : 0;
			run(host, plan);
			g_array_unref(plan);
		}
		saved = state_search_save(host->search);
		state_search_statistics(host->search, &statistics);
		state_search_free(host->search);
		worlds += worlds / 2 + 1;
		assert_true(host->job < 100);
	} while (plan);
	g_variant_unref(saved);
	return statistics;
}

static void an_interrupted_search_is_resumed(void **state)
{
	(void)state;
	for (guint worlds = 0; worlds < 40; worlds++) {
		for (guint rests = 1; rests < 5; rests++) {
			struct host sums = {.senders = 5, .forgets = true}, keeps = {.senders = 4};
			struct state_statistics statistics;

			statistics = search_in_parts(&sums, worlds, rests);
			assert_int_equal(sums.ends, 1);
			assert_int_equal(statistics.missed, 0);
			assert_int_equal(statistics.waiting, 0);
			assert_int_equal(statistics.states, 32);
			statistics = search_in_parts(&keeps, worlds, rests);
			assert_int_equal(keeps.ends, 24);
			assert_int_equal(statistics.states, 1 + 4 + 12 + 24 + 24);
			assert_int_equal(statistics.missed, 0);
			assert_int_equal(statistics.merged, 0);
		}
	}
}

static void missing_choices_are_counted(void **state)
{
	struct host host = {.senders = 4};
	struct state_statistics statistics;
	GVariant *saved;
	GArray *plan;

	(void)state;
	host.search = state_search_new(false);
	for (int i = 0; i < 5; i++) {
		plan = state_search_next(host.search);
		run(&host, plan);
		g_array_unref(plan);
	}
	saved = state_search_save(host.search);
	state_search_free(host.search);
	host.search = state_search_new(false);
	assert_true(state_search_restore(host.search, saved));
	g_variant_unref(saved);
	host.senders = 3; /* it waits for fewer senders now */
	while ((plan = state_search_next(host.search))) {
		run(&host, plan);
		g_array_unref(plan);
	}
	state_search_statistics(host.search, &statistics);
	assert_true(statistics.missed > 0);
	state_search_free(host.search);
}

/* Runs so many worlds, and what is left in a second search. In its first world something outside
 * ends `dead` at its rest `dies`. */
static struct state_statistics search_with_dead(struct host *host, guint worlds, int dead,
                                                guint dies)
{
	struct state_statistics statistics;
	GVariant *saved;
	GArray *plan;

	host->search = state_search_new(false);
	for (guint i = 0; i < worlds; i++) {
		plan = state_search_next(host->search);
		run(host, plan);
		g_array_unref(plan);
	}
	saved = state_search_save(host->search);
	state_search_free(host->search);
	host->search = state_search_new(false);
	assert_true(state_search_restore(host->search, saved));
	g_variant_unref(saved);
	host->job++;
	host->dead = dead;
	host->dies = dies;
	while ((plan = state_search_next(host->search))) {
		run(host, plan);
		g_array_unref(plan);
		host->dead = 0;
	}
	state_search_statistics(host->search, &statistics);
	state_search_free(host->search);
	return statistics;
}

/* What the world with the dead rank does not reach is left to others. */
static void what_a_dead_rank_hides_is_explored(void **state)
{
	guint short_ends = 0;

	(void)state;
	for (guint worlds = 1; worlds < 24; worlds++) {
		for (int dead = 1; dead <= 4; dead++) {
			for (guint dies = 1; dies <= 4; dies++) {
				struct host host = {.senders = 4};
				struct state_statistics statistics = search_with_dead(&host, worlds,
				                                                      dead, dies);

				assert_int_equal(statistics.missed, 0);
				assert_int_equal(statistics.waiting, 0);
				assert_int_equal(host.ends, 24 + host.short_ends);
				assert_true(dies > 1 || host.short_ends == 1);
				short_ends += host.short_ends;
			}
		}
	}
	assert_true(short_ends > 0);
}

static void damaged_data_is_refused(void **state)
{
	static const char *const texts[] = {
		"(true, (1, 0, 0, 0, 0, 0), false, [], (false, [], []), [(1, 0, [0, 0, 2, 0, 0, 1, "
		"2, 0])])",
		"(true, (1, 0, 0, 0, 0, 0), false, [], (false, [], []), [(0, 7, [0, 0, 2, 0, 0, 1, "
		"2, 0])])",
		"(true, (1, 0, 0, 0, 0, 0), false, [], (false, [], []), [(0, 0, [0, 0])])",
		"(true, (1, 0, 0, 0, 0, 0), false, [], (false, [], []), [(0, 0, [])])",
		/* no end has this number; no shift; too far */
		"(true, (1, 0, 0, 0, 0, 0), false, [(1, 2, 1)], (false, [(false, [])], []), [])",
		"(true, (1, 0, 0, 0, 0, 0), false, [], "
		"(false, [(false, [([0, 0, 2, 0, 0, 1, 2, 0], 1, 0)])], []), [])",
		"(true, (1, 0, 0, 0, 0, 0), false, [], "
		"(false, [(false, [([0, 0, 2, 0, 0, 1, 2, 0], 2, 0)])], [[]]), [])"};

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		struct state_search *search = state_search_new(false);
		GVariant *saved = g_variant_parse(G_VARIANT_TYPE(STATE_SEARCH_TYPE), texts[i], NULL,
		                                  NULL, NULL);

		assert_non_null(saved);
		assert_false(state_search_restore(search, saved));
		g_variant_unref(saved);
		state_search_free(search);
	}
}

static void where_nothing_is_forgotten_nothing_merges(void **state)
{
	struct host host = {.senders = 4};
	struct state_statistics statistics = search_all(&host, false);

	(void)state;
	assert_int_equal(statistics.merged, 0);
	assert_int_equal(statistics.ends, 24);
	assert_int_equal(host.runs, 24);
	assert_int_equal(statistics.states, 1 + 4 + 12 + 24 + 24);
}

static void verifying_finds_differences(void **state)
{
	struct host right = {.senders = 4, .forgets = true};
	struct host wrong = {.senders = 4, .odd = 4};
	struct state_statistics statistics = search_all(&right, true);

	(void)state;
	assert_int_equal(statistics.states, 16);
	assert_int_equal(statistics.differed, 0);
	assert_true(statistics.verified > 0);
	statistics = search_all(&wrong, true);
	assert_true(statistics.differed > 0);
}

static void states_without_a_fingerprint_differ(void **state)
{
	struct state_search *search = state_search_new(false);
	const int sources[] = {1, 2};
	GArray *open = open_for(2, sources, 2), *plan;
	struct state_statistics statistics;
	struct choice choice;

	(void)state;
	for (int i = 0; i < 3; i++) {
		plan = state_search_next(search);
		g_array_unref(plan);
		assert_int_equal(state_search_rest(search, NULL, open, &choice), EXPLORER_TAKE);
		assert_int_equal(source_of(&choice), 1);
	}
	state_search_statistics(search, &statistics);
	assert_int_equal(statistics.states, 3);
	assert_int_equal(statistics.nameless, 3);
	open_free(open);
	state_search_free(search);
}

/* The same world, begun again because it was stopped from outside, is not another world. */
static void a_world_begun_again_continues(void **state)
{
	struct state_search *search = state_search_new(false);
	const int sources[] = {1, 2};
	GArray *open = open_for(2, sources, 2), *plan;
	const guint32 calls = 2;
	struct known_state root = {{{1, 1}}, &calls, 1, false}, next = {{{2, 2}}, &calls, 1, false};
	struct choice choice;

	(void)state;
	g_array_unref(state_search_next(search));
	assert_int_equal(state_search_rest(search, &root, open, &choice), EXPLORER_TAKE);
	plan = state_search_next(search);
	assert_int_equal(plan->len, 1);
	assert_int_equal(source_of(&g_array_index(plan, struct choice, 0)), 2);
	assert_int_equal(state_search_rest(search, &next, open, &choice), EXPLORER_TAKE);
	assert_true(state_search_needs(search, plan));
	g_array_unref(plan);
	open_free(open);
	state_search_free(search);
}

/* A worker that has done three tasks, or four, and waits for the next. */
static void equal_states_may_have_different_numbers_of_calls(void **state)
{
	const int sources[] = {1, 2};
	const guint32 few = 2, many = 5;
	struct known_state root = {{{1, 1}}, &few, 1, false}, near = {{{2, 2}}, &few, 1, false},
			   far = {{{2, 2}}, &many, 1, false}, end = {{{3, 3}}, &many, 1, false};

	(void)state;
	for (int verify = 0; verify < 2; verify++) {
		struct state_search *search = state_search_new(verify);
		GArray *open = open_for(few, sources, 2), *same = open_for(many, sources, 2);
		struct state_statistics statistics;
		struct choice choice;

		g_array_unref(state_search_next(search));
		assert_int_equal(state_search_rest(search, &root, open, &choice), EXPLORER_TAKE);
		assert_int_equal(state_search_rest(search, &near, open, &choice), EXPLORER_TAKE);
		state_search_end(search, &end.name);
		g_array_unref(state_search_next(search));
		g_array_unref(state_search_next(search));
		assert_int_equal(state_search_rest(search, &far, same, &choice),
		                 verify ? EXPLORER_TAKE : EXPLORER_DROP);
		if (verify) {
			assert_int_equal(choice.point.call, many);
			assert_int_equal(source_of(&choice), 1);
			state_search_end(search, &end.name);
		}
		state_search_statistics(search, &statistics);
		assert_int_equal(statistics.merged, 1);
		assert_int_equal(statistics.differed, 0);
		assert_int_equal(statistics.verified, verify);
		assert_null(state_search_next(search));
		open_free(open);
		open_free(same);
		state_search_free(search);
	}
}

/* The program can run for ever, which must not be hidden: the world continues as in the tree. */
static void a_circle_is_continued(void **state)
{
	struct state_search *search = state_search_new(false);
	const int sources[] = {1, 2};
	const guint32 calls = 2;
	struct known_state one = {{{1, 1}}, &calls, 1, false}, other = {{{2, 2}}, &calls, 1, false};
	GArray *open = open_for(2, sources, 2);
	struct state_statistics statistics;
	struct choice choice;

	(void)state;
	g_array_unref(state_search_next(search));
	for (int i = 0; i < 10; i++) {
		assert_int_equal(state_search_rest(search, &one, open, &choice), EXPLORER_TAKE);
		assert_int_equal(state_search_rest(search, &other, open, &choice), EXPLORER_TAKE);
	}
	state_search_statistics(search, &statistics);
	assert_int_equal(statistics.merged, 0);
	assert_int_equal(statistics.circles, 18);
	open_free(open);
	state_search_free(search);
}

/* The hash distinguishes data that differs anywhere, in length, or in order. */
static void fingerprints_differ(void **state)
{
	enum { BYTES = 120, WORD = 8 };
	char text[BYTES] = "";
	struct state_hash names[3 * BYTES];
	guint count = 0;

	(void)state;
	for (guint i = 0; i < BYTES; i++) {
		names[count] = (struct state_hash){{0, 0}};
		state_hash_add_bytes(&names[count++], text, i);
		text[i] = 1;
		names[count] = (struct state_hash){{0, 0}};
		state_hash_add_bytes(&names[count++], text, sizeof(text));
		text[i] = 0;
	}
	for (guint i = 0; i < BYTES; i += WORD)
		text[i] = (char)(i + 1);
	for (guint i = 0; i + WORD < BYTES; i += WORD) {
		const char kept = text[i];

		text[i] = text[i + WORD];
		text[i + WORD] = kept;
		names[count] = (struct state_hash){{0, 0}};
		state_hash_add_bytes(&names[count++], text, sizeof(text));
	}
	for (guint i = 0; i < count; i++)
		for (guint j = 0; j < i; j++) {
			assert_int_not_equal(names[i].word[0], names[j].word[0]);
			assert_int_not_equal(names[i].word[1], names[j].word[1]);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_states_are_visited_once),
		cmocka_unit_test(an_interrupted_search_is_resumed),
		cmocka_unit_test(missing_choices_are_counted),
		cmocka_unit_test(what_a_dead_rank_hides_is_explored),
		cmocka_unit_test(damaged_data_is_refused),
		cmocka_unit_test(where_nothing_is_forgotten_nothing_merges),
		cmocka_unit_test(verifying_finds_differences),
		cmocka_unit_test(states_without_a_fingerprint_differ),
		cmocka_unit_test(a_world_begun_again_continues),
		cmocka_unit_test(equal_states_may_have_different_numbers_of_calls),
		cmocka_unit_test(a_circle_is_continued),
		cmocka_unit_test(fingerprints_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
