/* What an execution knows of whether its ranks still get anywhere: ranks that wait unnoticed, that
 * poll for ever, that never connect, that are held back, or have threads outside of MPI. */
#ifndef MATCHPOINT_SCHEDULER_LIVENESS_LIVENESS_H
#define MATCHPOINT_SCHEDULER_LIVENESS_LIVENESS_H

#include "livelock_detector.h"
#include "livelock_policy.h"
#include "stall.h"
#include "thread_rest.h"

/* Whether a rank will never connect. */
struct absent_ranks {
	gint64 next; /* time of the next look */
	int rank;    /* rank that had no process, and how often in a row */
	guint times;
};

/* For how long ranks are held back until the others are at rest (world_arrival.h). */
struct delivery_timeout {
	gsize events; /* number of events of the world at the last check; 0 at first */
	gint64 since; /* time when that number was reached */
};

/* All times are of the host's clock, in microseconds; 0: not, or not yet. */
struct liveness {
	gint64 heard;         /* the last message */
	gint64 looked;        /* the last look for dead ranks */
	gint64 trouble_since; /* first failure of a rank in its start */
	gint64 asking_since;  /* how a rank ended */
	gint64 orphaned;      /* when the launcher ended before its ranks */
	struct stall *stall;
	struct absent_ranks absent;
	struct thread_rest threads;
	struct delivery_timeout timeout;   /* of ranks that are held back */
	struct livelock_policy policy;     /* for polls that find nothing */
	struct livelock_detector detector; /* of ranks that poll so */
};

/* All-zero before, and after. */
void liveness_init(struct liveness *liveness, struct host *host, int ranks);
void liveness_release(struct liveness *liveness);

/* A rank has sent a message that is a sign of progress. */
void liveness_heard(struct liveness *liveness, gint64 now);

/* Call this regularly while ranks connect. `processes`: by rank; 0: not connected. Returns the rank
 * that will never connect, once that is certain (host.h: rank_without_process); else -1. */
int absent_ranks_check(struct absent_ranks *absent, struct host *host, const pid_t *processes,
                       int ranks);

/* Releases the ranks that are held back if nothing has happened for long. `now` in microseconds.
 * Returns whether any rank was released. */
bool delivery_timeout_check(struct delivery_timeout *timeout, struct world *world, gint64 now);

#endif
