#include "walks.h"

#include "brute_force.h"
#include "explorer/random_search.h"
#include "play.h"

static bool walk(struct random_search *search, struct play *play)
{
	enum explorer_step step;
	struct choice choice;

	do {
		GArray *open;

		play_run(play);
		open = play_open(play);
		step = random_search_rest(search, world_trace(play->world), open, &choice);
		open_choices_free(open);
		if (step == EXPLORER_TAKE)
			play_choose(play, &choice);
	} while (step == EXPLORER_TAKE);
	return step == EXPLORER_KNOWN;
}

/* By chance, stops a walk before its end, which must have no effect. */
static void stop_one(struct random_search *search, struct play *play)
{
	GArray *open;
	struct choice choice;

	play_run(play);
	open = play_open(play);
	if (open->len > 0)
		random_search_rest(search, world_trace(play->world), open, &choice);
	open_choices_free(open);
}

void walk_randomly(const struct random_program *program, enum program_buffering buffering,
                   guint64 seed, guint64 moves, struct walks *ret)
{
	struct random_search *search = random_search_new(program->ranks, seed, (uint32_t)buffering,
	                                                 0);
	struct play_options options = {program,
	                               buffering,
	                               TAKEN_WINDOW,
	                               g_rand_new_with_seed((guint32)moves),
	                               communicators_new(program->ranks),
	                               false};

	ret->outcomes = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	ret->known = g_array_new(false, false, sizeof(bool));
	while (random_search_next(search)) {
		struct play *play = play_new(&options);
		bool known;

		if (g_rand_int_range(options.random, 0, 10) == 0) {
			stop_one(search, play);
			play_free(play);
			continue;
		}
		known = walk(search, play);
		g_ptr_array_add(ret->outcomes, play_outcome(play));
		g_array_append_val(ret->known, known);
		play_free(play);
	}
	communicators_free(options.comms);
	g_rand_free(options.random);
	random_search_free(search);
}

void walks_release(struct walks *walks)
{
	g_ptr_array_unref(walks->outcomes);
	g_array_unref(walks->known);
}
