#include "cuts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "explorer/cut.h"
#include "explorer/explorer.h"
#include "play.h"

enum { CUTS = 8 }; /* of each program */

struct counts {
	guint64 seed;  /* of the program; shown in a debugger */
	guint careful; /* cuts that were refused although they are reachable */
	guint consistent, inconsistent, retreats, ends;
};

static bool is_made(const struct play *play, const struct choice *choice)
{
	const struct choice *made = choices_find(play_choices(play), &choice->point);

	return made && taken_equal(&made->taken, &choice->taken);
}

/* Makes the first of these choices that is possible now. */
static bool choose_next(struct play *play, const GArray *choices)
{
	for (guint i = 0; i < choices->len; i++) {
		const struct choice *choice = &g_array_index(choices, struct choice, i);

		if (!is_made(play, choice) && play_choose(play, choice))
			return true;
	}
	return false;
}

static bool answer_polls(struct play *play)
{
	g_autoptr(GArray) nothing = g_array_new(false, false, sizeof(struct choice));

	return world_answer_polls(play->world, nothing);
}

static bool choose_randomly(struct play *play)
{
	GArray *open = play_open(play);
	bool chosen = false;

	if (open->len > 0) {
		const struct open_choice *one = &g_array_index(
			open, struct open_choice,
			g_rand_int_range(play->options.random, 0, (gint32)open->len));
		struct choice choice = {
			one->point,
			g_array_index(one->alternatives, struct taken,
		                      g_rand_int_range(play->options.random, 0,
		                                       (gint32)one->alternatives->len))};

		chosen = play_choose(play, &choice);
	}
	open_choices_free(open);
	return chosen;
}

/* Makes that many random choices, or continues to the end. */
static void go_randomly(struct play *play, guint choices)
{
	play_run(play);
	while (choices-- > 0 && (choose_randomly(play) || answer_polls(play)))
		play_run(play);
}

static bool is_there(const struct play *play, const guint32 *cut)
{
	for (int rank = 0; rank < play->options.program->ranks; rank++)
		if (world_place(play->world, rank) < cut[rank])
			return false;
	return true;
}

static void hold(struct play *play, const guint32 *cut)
{
	for (int rank = 0; rank < play->options.program->ranks; rank++)
		world_hold(play->world, rank, cut ? cut[rank] : WORLD_HOLDS_NOTHING);
}

/* Makes those of the choices that are possible, with ranks held at the cut. */
static void travel(struct play *play, const GArray *choices, const guint32 *cut)
{
	hold(play, cut);
	play_run(play);
	while (choose_next(play, choices) || (!is_there(play, cut) && answer_polls(play)))
		play_run(play);
}

/* Whether each rank got the same answers to the calls that it has left at the cut. */
static bool answers_agree(const struct play *one, const struct play *other, const guint32 *cut)
{
	const struct random_program *program = one->options.program;

	for (int rank = 0; rank < program->ranks; rank++) {
		int count = program->first[rank + 1] - program->first[rank];

		for (int i = 0; i < count; i++) {
			const struct fake_op *mine = &one->ranks[rank].ops[i];
			const struct fake_op *theirs = &other->ranks[rank].ops[i];
			bool reported = theirs->reporter > 0
			                && other->ranks[rank].ops[theirs->reporter - 1].call
			                           < cut[rank];

			if (program->instructions[program->first[rank] + i].kind == INSTRUCTION_GET
			    && mine->state != ABSENT && mine->state != theirs->state)
				return false;
			if (theirs->call == 0 || theirs->call >= cut[rank])
				continue;
			if (mine->call != theirs->call
			    || (mine->state != theirs->state && theirs->state != CANCELLED)
			    || (reported && mine->reporter != theirs->reporter))
				return false;
			if (reported && theirs->bound
			    && (!mine->bound || mine->source != theirs->source
			        || mine->tag != theirs->tag || mine->nth != theirs->nth))
				return false;
		}
	}
	return true;
}

/* The choices that belong to a cut. */
static GArray *choices_within(const struct play *play, const struct cuts *cuts, const guint32 *cut)
{
	const GArray *made = play_choices(play);
	GArray *within = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < made->len; i++) {
		const struct choice *choice = &g_array_index(made, struct choice, i);

		if (cuts_include(cuts,
		                 point_operation(&choice->point, play->options.program->ranks),
		                 cut))
			g_array_append_val(within, *choice);
	}
	return within;
}

/* The choices at calls that their ranks have left. */
static GArray *choices_before(const struct play *play, const guint32 *cut)
{
	const GArray *made = play_choices(play);
	GArray *before = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < made->len; i++) {
		const struct choice *choice = &g_array_index(made, struct choice, i);

		if (choice->point.call < cut[choice->point.rank])
			g_array_append_val(before, *choice);
	}
	return before;
}

/* Continues from a cut with all earlier choices: the run must end as before. */
static void check_end(struct play *play, struct play *before)
{
	g_autoptr(GBytes) expected = NULL, end = NULL;
	const GArray *choices = play_choices(before);

	hold(play, NULL);
	world_let_held_go(play->world);
	play_run(play);
	while (choose_next(play, choices) || answer_polls(play))
		play_run(play);
	expected = play_outcome(before);
	end = play_outcome(play);
	assert_int_equal(play_choices(play)->len, choices->len);
	assert_true(g_bytes_equal(expected, end));
}

/* A cut is reachable if it is consistent. Only a few consistent ones are refused. */
static void check_cut(struct play *before, const struct play *end, const struct cuts *cuts,
                      guint32 *cut, struct counts *counts)
{
	struct play *play = play_new(&before->options);
	bool consistent = cuts_consistent(cuts, cut, NULL, NULL);
	g_autoptr(GArray) choices = consistent ? choices_within(before, cuts, cut)
	                                       : choices_before(before, cut);

	travel(play, choices, cut);
	if (consistent) {
		assert_true(is_there(play, cut));
		assert_int_equal(play_choices(play)->len, choices->len);
		assert_true(answers_agree(play, before, cut));
		check_end(play, (struct play *)end);
		counts->consistent++;
	} else {
		const struct cut_notes *notes = world_cut_notes(before->world);

		/* An answer given only at rest may be given earlier now. Fake ranks do not check
		 * whether data has arrived, nor report a cancelled receive before it is waited
		 * for. */
		if (notes->rests->len == 0 && notes->arrivals->len == 0
		    && !before->options.program->cancels)
			counts->careful += is_there(play, cut) && answers_agree(play, before, cut);
		counts->inconsistent++;
	}
	play_free(play);
}

static void check_retreat(struct play *before, const struct play *end, const struct cuts *cuts,
                          guint32 *cut, struct counts *counts)
{
	int ranks = before->options.program->ranks;
	g_autofree guint32 *asked = g_memdup2(cut, (gsize)ranks * sizeof(*cut));

	cuts_retreat(cuts, cut);
	assert_true(cuts_consistent(cuts, cut, NULL, NULL));
	counts->retreats += memcmp(cut, asked, (gsize)ranks * sizeof(*cut)) != 0;
	check_cut(before, end, cuts, cut, counts);
	/* There is no consistent cut between. */
	for (int rank = 0; rank < ranks; rank++) {
		if (cut[rank] >= asked[rank])
			continue;
		cut[rank]++;
		assert_false(cuts_consistent(cuts, cut, NULL, NULL));
		cut[rank]--;
	}
}

static void check_program(guint64 seed, struct counts *counts)
{
	struct random_program *program = seed % 3 == 0 ? random_program_windows(seed)
	                                               : random_program_new(seed, 0);
	struct play_options options = {program,
	                               (enum program_buffering)(1 + seed % 3),
	                               TAKEN_WINDOW,
	                               g_rand_new_with_seed((guint32)seed),
	                               communicators_new(program->ranks),
	                               true};
	struct play *play, *end;
	struct cuts *cuts;
	guint32 calls[PROGRAM_MAX_RANKS], cut[PROGRAM_MAX_RANKS];

	play = play_new(&options);
	go_randomly(play, (guint)g_rand_int_range(options.random, 0, 20));
	end = play_copy(play);
	go_randomly(end, G_MAXUINT);
	for (int rank = 0; rank < program->ranks; rank++)
		calls[rank] = world_calls(play->world, rank);
	cuts = cuts_new(program->ranks, calls, world_trace(play->world),
	                world_cut_notes(play->world));
	for (int rank = 0; rank < program->ranks; rank++)
		cut[rank] = world_place(play->world, rank);
	assert_true(cuts_consistent(cuts, cut, NULL, NULL));
	for (int i = 0; i < CUTS; i++) {
		int back = g_rand_int_range(options.random, 0, program->ranks);

		for (int rank = 0; rank < program->ranks; rank++) {
			guint32 most = world_place(play->world, rank);
			bool one = i % 2 == 0; /* a rollback of one rank */

			cut[rank] = most;
			if (!one || rank == back)
				cut[rank] = (guint32)g_rand_int_range(options.random, 1,
				                                      (gint32)most + 1);
		}
		check_cut(play, end, cuts, cut, counts);
		check_retreat(play, end, cuts, cut, counts);
	}
	counts->ends += world_phase(play->world, 0) == PHASE_ENDED;
	cuts_free(cuts);
	play_free(play);
	play_free(end);
	communicators_free(options.comms);
	g_rand_free(options.random);
	random_program_free(program);
}

void test_cuts(void **state)
{
	guint64 programs = (guint64) * (const int *)*state;
	struct counts counts = {0};

	for (guint64 seed = 1; seed <= programs; seed++) {
		counts.seed = seed;
		check_program(seed, &counts);
	}
	print_message("%u cuts, %u that are not consistent, %u retreats, %u behind an end\n",
	              counts.consistent, counts.inconsistent, counts.retreats, counts.ends);
	print_message("%u were refused that could have been gone to\n", counts.careful);
	assert_true(counts.careful * 100 <= counts.inconsistent);
	assert_true(counts.consistent > programs && counts.inconsistent > programs / 4);
}
