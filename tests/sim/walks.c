#include "walks.h"

#include "../../explorer/random_search.h"
#include "brute_force.h"
#include "fake_world_internal.h"

static bool walk(struct random_search *search, struct world *world)
{
	enum explorer_step step;
	struct choice choice;

	do {
		GArray *open;

		world_run(world);
		open = world_open(world);
		step = random_search_rest(search, &world->trace, open, &choice);
		open_choices_free(open);
		if (step == EXPLORER_TAKE)
			world_choose(world, &choice);
	} while (step == EXPLORER_TAKE);
	return step == EXPLORER_KNOWN;
}

/* Now and then a walk is stopped on its way; that leaves no trace. */
static void stop_one(struct random_search *search, struct world *world)
{
	GArray *open;
	struct choice choice;

	world_run(world);
	open = world_open(world);
	if (open->len > 0)
		random_search_rest(search, &world->trace, open, &choice);
	open_choices_free(open);
}

void walk_randomly(const struct random_program *program, enum program_buffering buffering,
                   guint64 seed, guint64 moves, struct walks *ret)
{
	struct random_search *search = random_search_new(seed, (uint32_t)buffering, 0);
	GRand *random = g_rand_new_with_seed((guint32)moves);

	ret->outcomes = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	ret->known = g_array_new(FALSE, FALSE, sizeof(bool));
	while (random_search_next(search)) {
		struct world *world = world_new(program, buffering, random);
		bool known;

		if (g_rand_int_range(random, 0, 10) == 0) {
			stop_one(search, world);
			world_free(world);
			continue;
		}
		known = walk(search, world);
		g_ptr_array_add(ret->outcomes, outcome_new(program, world->place, world->states,
		                                           world->reporters));
		g_array_append_val(ret->known, known);
		world_free(world);
	}
	g_rand_free(random);
	random_search_free(search);
}

void walks_release(struct walks *walks)
{
	g_ptr_array_unref(walks->outcomes);
	g_array_unref(walks->known);
}
