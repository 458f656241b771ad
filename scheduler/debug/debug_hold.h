/* Who is held where: what the words hold, release, step and continue have said of each rank, and
 * what that means when the session goes on. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DEBUG_HOLD_H
#define MATCHPOINT_SCHEDULER_DEBUG_DEBUG_HOLD_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/position.h"
#include "scheduler/world/world.h"

struct holds {
	int ranks;
	guint32 *from;   /* by rank, as world_hold: in force when it goes on */
	bool *kept;      /* by rank: until it is released; else, if it is held, until `continue` */
	int stepping;    /* the rank whose next call is waited for; -1: none */
	guint32 step_to; /* that call */
	bool all_stop;   /* a breakpoint holds all */
};

void holds_init(struct holds *holds, int ranks);
void holds_release(struct holds *holds);

/* Nobody is held any more. */
void holds_clear(struct holds *holds);
/* Holds a rank where it is, or, while it computes, in its next call (world NULL: in its first). */
void holds_here(struct holds *holds, const struct world *world, int rank);
/* Those that were held for no longer go on. */
void holds_continue(struct holds *holds);
/* These ranks alone go on; those that are not kept are held where they are till the next time. */
void holds_continue_some(struct holds *holds, const struct world *world, const bool *ranks);
void holds_step(struct holds *holds, const struct world *world, int rank, guint32 count);
/* As holds_here for those who were held where the session has arrived, or are to be kept. */
void holds_arrive(struct holds *holds, const struct world *world);

/* On the way elsewhere: each rank is held at the position's cut; without one nobody is. */
void holds_travel(struct holds *holds, const struct position *position);

/* Whether anybody would go on from where he stands. */
bool holds_let_go(const struct holds *holds, const struct world *world);

/* The position is cut where each rank stands in a call (explorer/cut.h). Whether all have come as
 * far as to its cut. */
void holds_cut(const struct world *world, struct position *position);
bool holds_is_there(const struct world *world, const struct position *position);

#endif
