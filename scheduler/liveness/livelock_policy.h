/* Limits how long loops of polls are answered "not yet", when nothing else moves, before they count
 * as endless. A loop may count its polls, or read a clock. One that has returned to the same state
 * does neither (livelock_detector.h). If only a clock can still end the loops, it is advanced until
 * any time limit must have been reached. Pure: no clock. */
#ifndef MATCHPOINT_SCHEDULER_LIVENESS_LIVELOCK_POLICY_H
#define MATCHPOINT_SCHEDULER_LIVENESS_LIVELOCK_POLICY_H

#include <stdbool.h>

#include "livelock_detector.h"
#include "scheduler/world/world.h"

#define LIVELOCK_POLICY_QUICK 5000u   /* rounds that are answered at once, whatever the ranks do */
#define LIVELOCK_POLICY_SPINS 1000u   /* if they only repeat atomic operations on windows */
#define LIVELOCK_POLICY_FAILED 200u   /* fewer if a rank has failed: polls change nothing then */
#define LIVELOCK_POLICY_ROUNDS 12000u /* rounds of ranks that do little else, and read no clock */
#define LIVELOCK_POLICY_SECONDS 6     /* of other ranks, after the quick rounds */
#define LIVELOCK_POLICY_BUSY_SECONDS 60 /* if ranks compute more than this between polls: */
#define LIVELOCK_POLICY_BUSY_US 20
#define LIVELOCK_POLICY_CHANGES_ROUNDS 300000u /* if memory changes, as by a counter; */
#define LIVELOCK_POLICY_CHANGES_SECONDS 60     /* or this long after the quick rounds */

/* For ranks that read clocks: how far clocks are advanced in all, how many times faster than real
 * time, and by how much at a time. This begins after the quick rounds, or after some slow ones.
 * Afterwards the loops get some rounds to notice. */
#define LIVELOCK_POLICY_FORWARD_SECONDS 60
#define LIVELOCK_POLICY_FORWARD_RATE 60
#define LIVELOCK_POLICY_FORWARD_MOST_MS 6000
#define LIVELOCK_POLICY_SLOW_ROUNDS 100u
#define LIVELOCK_POLICY_SLOW_SECONDS 2
#define LIVELOCK_POLICY_SEE_ROUNDS 200u

struct livelock_policy {
	gint64 since;       /* end of the quick rounds; 0: not reached */
	gint64 begun;       /* since when nothing but polls moves */
	guint rounds;       /* at the last check */
	gint64 put;         /* when the clocks were last advanced, or 0 */
	guint32 step;       /* by how many milliseconds then */
	guint32 forward;    /* in all, since only polls move */
	guint forward_ever; /* in all: the sum of what ranks got */
	guint seen_from;    /* round in which that was all; or 0 */
};

enum livelock_policy_step {
	LIVELOCK_POLICY_ANSWER,  /* answer the polls at once */
	LIVELOCK_POLICY_WAIT,    /* answer in a moment: only time can change anything */
	LIVELOCK_POLICY_FORWARD, /* the same, after all clocks were advanced by `step` */
	LIVELOCK_POLICY_LOOK,    /* answer at once, after asking the livelock detector */
	LIVELOCK_POLICY_OVER,    /* a livelock */
};

/* `failed`: a rank has called MPI_Abort, crashed, or the like. `waited`: polls at these places were
 * already waited for in vain, for the full time. `now` in microseconds. `haste`: how many times
 * sooner than usual it ends (stall_haste). */
enum livelock_policy_step livelock_policy_check(struct livelock_policy *policy,
                                                const struct world_idle *idle, bool failed,
                                                enum livelock_state detector, bool waited,
                                                gint64 now, int haste);

/* After LIVELOCK_POLICY_OVER: returns how certain the livelock is, to be appended to its message.
 * "" if a rank has failed. Interned. */
const char *livelock_policy_words(const struct livelock_policy *policy,
                                  const struct world_idle *idle, bool failed,
                                  const struct livelock_detector *detector);

#endif
