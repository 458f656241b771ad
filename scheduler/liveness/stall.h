/* Detects ranks that wait where the scheduler cannot see it, in a world where a rank runs but
 * nothing is reported. The rank waits inside a call that MPI carries out unreported
 * (shim/gate/blocking_call.h), or in a loop around such calls. It may wait for what a rank at rest
 * does next. */
#ifndef MATCHPOINT_SCHEDULER_LIVENESS_STALL_H
#define MATCHPOINT_SCHEDULER_LIVENESS_STALL_H

#include <stdbool.h>
#include <sys/types.h>

#include "scheduler/host/host.h"
#include "scheduler/world/world.h"

#define STALL_LOOK_MS 20      /* interval of looks */
#define STALL_OVER_SECONDS 10 /* if no rank moves for so long, nothing will come any more */
#define STALL_SPIN_SECONDS \
	60 /* if ranks only read windows for so long; a measurement may as well */

struct stall;

enum stall_step {
	STALL_NONE,
	STALL_DECIDE, /* go on with the ranks at rest, if something can be decided */
	STALL_OVER,   /* each running rank was in one call, or one step of progress, for too long */
	STALL_SPIN,   /* each running rank has read a window over and over for too long */
};

/* stall_haste returns how many times shorter the long waits are (ENVIRONMENT_HASTE, for tests).
 * stall_seconds returns STALL_OVER_SECONDS, or STALL_SPIN_SECONDS, with that. */
int stall_haste(void);
double stall_seconds(bool spin);

struct stall *stall_new(struct host *host, int ranks); /* the host sees their processes */
void stall_free(struct stall *stall);

/* Sets the process of a rank, and the address of its struct wire_blocking_call. */
void stall_set(struct stall *stall, int rank, pid_t pid, guint64 address);

/* A rank has reported something. */
void stall_heard(struct stall *stall);

/* Every rank is at rest or gone, so none is waited for. */
void stall_rest(struct stall *stall);

/* Call it regularly while a rank runs. `now` in microseconds, on the host's clock. */
enum stall_step stall_look(struct stall *stall, const struct world *world, gint64 now);

/* Whether what a plan waits for has become unlikely. */
bool stall_hopeless(const struct stall *stall);

/* Returns the call that a running rank is inside; NULL: not known. */
const struct wire_blocking_call *stall_blocking_call(const struct stall *stall, int rank);

/* After STALL_SPIN: returns the call that takes most of the time of the rank's loop. */
const struct wire_blocking_call *stall_spin(const struct stall *stall, int rank);

#endif
