/* Held ranks: what the commands hold, release, step and continue have set for each rank, and which
 * ranks that holds when the session goes on. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DEBUG_HOLD_H
#define MATCHPOINT_SCHEDULER_DEBUG_DEBUG_HOLD_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/position.h"
#include "scheduler/world/world.h"

struct holds {
	int ranks;
	guint32 *from;   /* by rank, as for world_hold: in force when the session goes on */
	bool *kept;      /* by rank: held until `release`; false: until `continue` */
	int stepping;    /* rank whose next call is waited for; -1: none */
	guint32 step_to; /* number of that call */
	bool all_stop;   /* `set all-stop on`: a breakpoint holds all ranks */
};

void holds_init(struct holds *holds, int ranks);
void holds_release(struct holds *holds);

/* Releases every rank. */
void holds_clear(struct holds *holds);
/* Holds a rank in its current call or, while it computes, in its next one (world NULL: in its
 * first). */
void holds_here(struct holds *holds, const struct world *world, int rank);
/* Releases the ranks that are held only until `continue`. */
void holds_continue(struct holds *holds);
/* Lets only these ranks go on. The others are held at their calls until the next `continue`. */
void holds_continue_some(struct holds *holds, const struct world *world, const bool *ranks);
void holds_step(struct holds *holds, const struct world *world, int rank, guint32 count);
/* Does as holds_here for ranks that were held when the session arrived, or are to be kept. */
void holds_arrive(struct holds *holds, const struct world *world);

/* On the way to a position: holds each rank at its cut; without a cut, none. */
void holds_travel(struct holds *holds, const struct position *position);

/* Whether a rank could go on from its call. */
bool holds_let_go(const struct holds *holds, const struct world *world);

/* Sets the position's cut to each rank's current call (explorer/cut.h). Reports whether all ranks
 * have reached the position's cut. */
void holds_cut(const struct world *world, struct position *position);
bool holds_is_there(const struct world *world, const struct position *position);

#endif
