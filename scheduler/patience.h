/* How long loops of polls are told "not yet", when nothing else moves, before they are taken for
 * endless. A loop may count how often it looks, or look at a clock. Pure: no clock. */
#ifndef MATCHPOINT_SCHEDULER_PATIENCE_H
#define MATCHPOINT_SCHEDULER_PATIENCE_H

#include "world.h"

#define PATIENCE_QUICK 5000u    /* rounds that are answered at once whatever the ranks do */
#define PATIENCE_FAILED 200u    /* fewer when a rank has failed: they change nothing any more */
#define PATIENCE_ROUNDS 12000u  /* rounds of ranks that do little else, and ask for no clock */
#define PATIENCE_SECONDS 6      /* of others, beyond the quick ones */
#define PATIENCE_BUSY_SECONDS 60 /* where ranks compute so much between polls on average: */
#define PATIENCE_BUSY_US 20

struct patience {
	gint64 since; /* when the quick rounds were over; 0: they are not */
};

enum patience_step {
	PATIENCE_TELL, /* at once */
	PATIENCE_WAIT, /* in a moment: only time can change anything */
	PATIENCE_OVER, /* a livelock */
};

/* `failed`: some rank has called MPI_Abort, crashed, or the like. `now` in microseconds; `haste`
 * times sooner than usual (stall_haste). */
enum patience_step patience_look(struct patience *patience, const struct world_idle *idle,
                                 gboolean failed, gint64 now, int haste);

#endif
