/* What an execution knows of whether its ranks still get anywhere: ranks that wait unnoticed, that
 * poll for ever, that never connect, that are held back, or have threads outside of MPI. */
#ifndef MATCHPOINT_SCHEDULER_LIVENESS_LIVENESS_H
#define MATCHPOINT_SCHEDULER_LIVENESS_LIVENESS_H

#include "absent_ranks.h"
#include "delivery_timeout.h"
#include "livelock_detector.h"
#include "livelock_policy.h"
#include "stall.h"
#include "thread_rest.h"

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

#endif
