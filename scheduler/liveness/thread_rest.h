/* When a rank with several threads is at rest. Threads outside of MPI may still call it, and only
 * the operating system knows whether they will (host.h: look_at_threads). */
#ifndef MATCHPOINT_SCHEDULER_LIVENESS_THREAD_REST_H
#define MATCHPOINT_SCHEDULER_LIVENESS_THREAD_REST_H

#include <stdbool.h>

#include "scheduler/host/host.h"
#include "scheduler/snapshot/placement.h"
#include "scheduler/world/world.h"

/* The ranks of an execution, and how to look at them. */
struct thread_sight {
	struct host *host;
	struct world *world;
	int ranks;
	const struct rank_slot *slots; /* by rank */
	struct host_timer *timer;      /* started if threads have to be looked at again */
	gint64 *heard;                 /* time of the last message; microseconds */
};

/* What is known of threads outside of MPI. All-zero at first. */
struct thread_rest {
	gint64 lingering; /* since when all wait for input from outside; 0: they do not */
	bool doubtful;    /* taken to be at rest after a time limit */
};

/* Whether every rank is at rest, or can be taken to be. If threads still run, starts the timer. */
bool thread_rest_is_reached(struct thread_rest *rest, const struct thread_sight *sight);
/* Nothing is left to decide. Returns true if threads may still call MPI, and the timer is started
 * to wait for them. Threads that were taken to be at rest count as running again then, and `heard`
 * becomes the present time. */
bool thread_rest_waits(struct thread_rest *rest, const struct thread_sight *sight);

#endif
