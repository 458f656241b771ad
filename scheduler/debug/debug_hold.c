#include "debug_hold.h"

#include <string.h>

void holds_init(struct holds *holds, int ranks)
{
	*holds = (struct holds){.ranks = ranks, .stepping = -1};
	holds->from = g_new(guint32, ranks);
	holds->kept = g_new0(bool, ranks);
	holds_clear(holds);
}

void holds_release(struct holds *holds)
{
	g_free(holds->from);
	g_free(holds->kept);
}

void holds_clear(struct holds *holds)
{
	holds->stepping = -1;
	for (int rank = 0; rank < holds->ranks; rank++) {
		holds->from[rank] = WORLD_HOLDS_NOTHING;
		holds->kept[rank] = false;
	}
}

void holds_here(struct holds *holds, const struct world *world, int rank)
{
	holds->from[rank] = world ? world_place(world, rank) : 1;
}

void holds_continue(struct holds *holds)
{
	holds->stepping = -1;
	for (int rank = 0; rank < holds->ranks; rank++)
		if (!holds->kept[rank])
			holds->from[rank] = WORLD_HOLDS_NOTHING;
}

void holds_continue_some(struct holds *holds, const struct world *world, const bool *ranks)
{
	holds->stepping = -1;
	for (int rank = 0; rank < holds->ranks; rank++) {
		if (ranks[rank]) {
			holds->from[rank] = WORLD_HOLDS_NOTHING;
			holds->kept[rank] = false;
		} else {
			holds_here(holds, world, rank);
		}
	}
}

void holds_step(struct holds *holds, const struct world *world, int rank, guint32 count)
{
	holds->stepping = rank;
	holds->step_to = world_calls(world, rank) + count;
	holds->from[rank] = holds->step_to;
}

void holds_arrive(struct holds *holds, const struct world *world)
{
	holds->stepping = -1;
	for (int rank = 0; rank < holds->ranks; rank++) {
		holds->from[rank] = WORLD_HOLDS_NOTHING;
		if (holds->kept[rank] || world_phase(world, rank) == PHASE_HELD)
			holds_here(holds, world, rank);
	}
}

void holds_travel(struct holds *holds, const struct position *position)
{
	holds->stepping = -1;
	for (int rank = 0; rank < holds->ranks; rank++)
		holds->from[rank] = position_has_cut(position) ? position_calls(position, rank)
		                                               : WORLD_HOLDS_NOTHING;
}

bool holds_let_go(const struct holds *holds, const struct world *world)
{
	for (int rank = 0; rank < holds->ranks; rank++)
		if (world_phase(world, rank) == PHASE_HELD
		    && holds->from[rank] > world_calls(world, rank))
			return true;
	return false;
}

void holds_cut(const struct world *world, struct position *position)
{
	for (int rank = 0; rank < world_options(world)->ranks; rank++)
		position_cut(position, rank, world_place(world, rank));
}

bool holds_is_there(const struct world *world, const struct position *position)
{
	for (int rank = 0; rank < world_options(world)->ranks; rank++)
		if (world_place(world, rank) < position_calls(position, rank))
			return false;
	return true;
}
