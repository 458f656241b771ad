/* How long loops of polls are told "not yet", when nothing else moves, before they are taken for
 * endless. A loop may count how often it looks, or look at a clock: what has come back to the same
 * state does neither (livelock_detector.h). Where a clock is all that can still end the loops, it is put
 * forward until a limit of time must have been reached. Pure: no clock. */
#ifndef MATCHPOINT_SCHEDULER_RUN_LIVELOCK_POLICY_H
#define MATCHPOINT_SCHEDULER_RUN_LIVELOCK_POLICY_H

#include <stdbool.h>

#include "livelock_detector.h"
#include "scheduler/world/world.h"

#define LIVELOCK_POLICY_QUICK 5000u /* rounds that are answered at once whatever the ranks do */
#define LIVELOCK_POLICY_FAILED 200u /* fewer when a rank has failed: they change nothing any more */
#define LIVELOCK_POLICY_ROUNDS \
	12000u                    /* rounds of ranks that do little else, and ask for no clock */
#define LIVELOCK_POLICY_SECONDS 6 /* of others, beyond the quick ones */
#define LIVELOCK_POLICY_BUSY_SECONDS 60 /* where ranks compute so much between polls on average: */
#define LIVELOCK_POLICY_BUSY_US 20
#define LIVELOCK_POLICY_CHANGES_ROUNDS \
	300000u                            /* where memory changes: a counter? Or so long, beyond */
#define LIVELOCK_POLICY_CHANGES_SECONDS 60 /* the quick ones */

/* Of ranks that look at clocks: how far these are put forward in all, how many times as fast as
 * time goes, and by how much at a time. Before, the quick rounds are over, or some that are slow;
 * after, the loops get some rounds to see it. */
#define LIVELOCK_POLICY_FORWARD_SECONDS 60
#define LIVELOCK_POLICY_FORWARD_RATE 60
#define LIVELOCK_POLICY_FORWARD_MOST_MS 6000
#define LIVELOCK_POLICY_SLOW_ROUNDS 100u
#define LIVELOCK_POLICY_SLOW_SECONDS 2
#define LIVELOCK_POLICY_SEE_ROUNDS 200u

struct livelock_policy {
	gint64 since;       /* when the quick rounds were over; 0: they are not */
	gint64 begun;       /* when nothing but polls moved any more */
	guint rounds;       /* when last looked */
	gint64 put;         /* when the clocks were last put forward, or 0, */
	guint32 step;       /* and by how many milliseconds, */
	guint32 forward;    /* and in all since nothing moved */
	guint forward_ever; /* in all: never less than what ranks were told */
	guint seen_from;    /* the round in which that was all; or 0 */
};

enum livelock_policy_step {
	LIVELOCK_POLICY_TELL,    /* at once */
	LIVELOCK_POLICY_WAIT,    /* in a moment: only time can change anything */
	LIVELOCK_POLICY_FORWARD, /* the same, but all clocks are to be put forward first, by `step` */
	LIVELOCK_POLICY_LOOK,    /* at once, but it must be known whether they are in a circle */
	LIVELOCK_POLICY_OVER,    /* a livelock */
};

/* `failed`: some rank has called MPI_Abort, crashed, or the like. `waited`: ranks that poll at
 * these places have been waited for in vain before, as long as any. `now` in microseconds; `haste`
 * times sooner than usual (stall_haste). */
enum livelock_policy_step livelock_policy_check(struct livelock_policy *policy,
                                                const struct world_idle *idle, bool failed,
                                                enum livelock_state detector, bool waited,
                                                gint64 now, int haste);

/* Over: how sure that is, to be put behind what is told; "" when a rank has failed. Interned. */
const char *livelock_policy_words(const struct livelock_policy *policy,
                                  const struct world_idle *idle, bool failed,
                                  const struct livelock_detector *detector);

#endif
