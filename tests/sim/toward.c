#include "toward.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "brute_force.h"
#include "exploration.h"
#include "explorer/choice.h"
#include "play.h"

enum { RUNS_MOST = 300, BEGINNINGS = 5 };

struct totals {
	guint begun, strayed, runs;
};

/* Makes the choices in whatever order they are possible. */
static struct play *play_through(const struct random_program *program,
                                 const struct exploration_options *options, const GArray *choices,
                                 GRand *random, struct communicators *comms)
{
	const struct play_options fresh = {program,
	                                   options->buffering,
	                                   options->some ? options->some : TAKEN_WINDOW,
	                                   random,
	                                   comms,
	                                   false};
	struct play *play = play_new(&fresh);
	bool moved = true;

	while (moved) {
		guint first = choices->len > 0
		                      ? (guint)g_rand_int_range(random, 0, (gint32)choices->len)
		                      : 0;

		play_run(play);
		moved = false;
		for (guint i = 0; i < choices->len && !moved; i++) {
			const struct choice *choice = &g_array_index(choices, struct choice,
			                                             (first + i) % choices->len);

			moved = !choices_find(play_choices(play), &choice->point)
			        && play_choose(play, choice);
		}
	}
	return play;
}

/* As a path that was read from text: it does not say which of a rank's messages is meant. */
static GArray *as_text(const GArray *choices, guint count)
{
	GArray *text = g_array_new(false, false, sizeof(struct choice));

	g_array_append_vals(text, choices->data, count);
	for (guint i = 0; i < count; i++) {
		struct taken *taken = &g_array_index(text, struct choice, i).taken;

		if (taken->kind == TAKEN_MESSAGE)
			taken->send.call = taken->send.sub = 0;
	}
	return text;
}

/* Whether a poll may be answered at once: the search answers "not yet" first. */
static bool may_stray(const struct random_program *program)
{
	for (int i = 0; i < program->count; i++)
		switch (program->instructions[i].kind) {
		case INSTRUCTION_IPROBE:
		case INSTRUCTION_TEST:
		case INSTRUCTION_TESTALL:
		case INSTRUCTION_TESTANY:
		case INSTRUCTION_TESTSOME: return true;
		default: break;
		}
	return false;
}

static void print_choices(const char *what, const GArray *choices)
{
	g_autoptr(GString) text = g_string_new(what);

	for (guint i = 0; choices && i < choices->len; i++) {
		g_string_append_c(text, ' ');
		choice_append(text, &g_array_index(choices, struct choice, i));
	}
	print_message("%s\n", text->str);
}

/* The same outcomes, each once. The first has these choices, unless the search was loaded anew on
 * the way there. */
static void begin_at(const struct random_program *program, struct exploration_options options,
                     const struct exploration *all, const GArray *choices, GRand *random,
                     struct totals *totals)
{
	struct communicators *comms = communicators_new(program->ranks);
	const bool whole = g_rand_int_range(random, 0, 3) > 0;
	g_autoptr(GArray) known = as_text(
		choices, whole ? choices->len
			       : (guint)g_rand_int_range(random, 0, (gint32)choices->len + 1));
	struct play *play = play_through(program, &options, known, random, comms);
	struct exploration found;
	bool fine;

	options.toward = known;
	options.toward_trace = world_trace(play->world);
	explore(program, &options, &found);
	fine = outcomes_equal(all->outcomes, found.outcomes) && found.runs == all->runs
	       && found.repeated == all->repeated && found.lost == all->lost
	       && found.dropped == all->dropped
	       && (found.strayed > 0 || options.apart || choices_include(found.first, known))
	       && (found.strayed == 0 || may_stray(program));
	if (!fine) {
		print_message("seed %" G_GUINT64_FORMAT ": %u runs of %u, %u twice, %u lost, "
		              "%u dropped, %u choices not made\n",
		              program->seed, found.runs, all->runs, found.repeated, found.lost,
		              found.dropped, found.strayed);
		print_choices("known:", known);
		print_choices("first:", found.first);
	}
	assert_true(fine);
	totals->begun++;
	totals->strayed += found.strayed > 0;
	totals->runs += found.runs;
	exploration_release(&found);
	play_free(play);
	communicators_free(comms);
}

static void begin_at_several(const struct random_program *program,
                             struct exploration_options options, struct totals *totals)
{
	GRand *random = g_rand_new_with_seed((guint32)program->seed);
	struct exploration all;
	GHashTableIter iter;
	gpointer choices;
	guint every;

	explore(program, &options, &all);
	every = 1 + g_hash_table_size(all.outcomes) / BEGINNINGS;
	g_hash_table_iter_init(&iter, all.outcomes);
	for (guint i = 0; all.runs <= RUNS_MOST && g_hash_table_iter_next(&iter, NULL, &choices);
	     i++) {
		if (i % every != 0)
			continue;
		options.apart = i % 3 == 1;
		options.pooled = i % 3 == 2;
		begin_at(program, options, &all, choices, random, totals);
	}
	exploration_release(&all);
	g_rand_free(random);
}

static struct exploration_options options_of(guint64 seed)
{
	return (struct exploration_options){.buffering = (enum program_buffering)(1 + seed % 3),
	                                    .snapshots = seed % 2 == 0,
	                                    .deviations = -1,
	                                    .some = seed % 4,
	                                    .seed = seed};
}

void test_toward(void **state)
{
	struct totals totals = {0};
	int programs = *(int *)*state;

	for (guint64 seed = 1; seed <= (guint64)(programs / 4); seed++) {
		struct random_program *program = seed % 5 == 0 ? random_program_windows(seed)
		                                               : random_program_new(seed, 6);

		begin_at_several(program, options_of(seed), &totals);
		random_program_free(program);
	}
	print_message("%u searches of %u interleavings began at a known outcome, %u elsewhere\n",
	              totals.begun, totals.runs, totals.strayed);
	assert_true(totals.begun > (guint)programs / 4 && totals.strayed < totals.begun / 4);
}

/* Loops of polls: an answer that was given at once is no part of the tree. */
void test_toward_polls(void **state)
{
	struct totals totals = {0};
	int programs = *(int *)*state;

	for (guint64 seed = 1; seed <= (guint64)(programs / 8); seed++) {
		struct random_program *program = random_program_polls(seed);
		struct exploration_options options = options_of(seed);

		options.some = TAKEN_WINDOW;
		begin_at_several(program, options, &totals);
		random_program_free(program);
	}
	print_message("%u searches of %u interleavings began at a known outcome, %u elsewhere\n",
	              totals.begun, totals.runs, totals.strayed);
	assert_true(totals.begun > (guint)programs / 8);
}
