/* Whether a world in which nothing is heard, though some rank runs, has a rank wait where the
 * scheduler cannot see it: inside a call that MPI carries out by itself (shim/gate/blocking_call.h), or in a
 * loop around such calls. What it waits for may be what a rank that is at rest does next. */
#ifndef MATCHPOINT_SCHEDULER_RUN_STALL_H
#define MATCHPOINT_SCHEDULER_RUN_STALL_H

#include <stdbool.h>
#include <sys/types.h>

#include "scheduler/host/host.h"
#include "scheduler/world/world.h"

#define STALL_LOOK_MS 20      /* how often to look */
#define STALL_OVER_SECONDS 10 /* all ranks stand still for so long: nothing will come any more */
#define STALL_SPIN_SECONDS \
	60 /* all that move only look at windows for so long: a measurement that
                                 does nothing else may last as well */

struct stall;

enum stall_step {
	STALL_NONE,
	STALL_DECIDE, /* go on with those who are at rest, if there is anything to decide */
	STALL_OVER,   /* every running rank has been inside one and the same call for too long, and
	                 where these are reported ones, a rank in one step of MPI's progress */
	STALL_SPIN,   /* every running rank has looked at a window over and over for too long */
};

/* How many times shorter than usual the long waits are (ENVIRONMENT_HASTE, for tests), and how long
 * that makes STALL_OVER_SECONDS, or STALL_SPIN_SECONDS. */
int stall_haste(void);
double stall_seconds(bool spin);

struct stall *stall_new(struct host *host, int ranks); /* who sees their processes */
void stall_free(struct stall *stall);

/* A process has become the rank; `address` is where it keeps its struct wire_blocking_call. */
void stall_set(struct stall *stall, int rank, pid_t pid, guint64 address);

guint64 stall_address(const struct stall *stall, int rank);

/* A rank has said something. */
void stall_heard(struct stall *stall);

/* Every rank is at rest (or gone): nobody is waited for. */
void stall_rest(struct stall *stall);

/* To be called now and then while a rank runs; `now` in microseconds (g_get_monotonic_time). */
enum stall_step stall_look(struct stall *stall, const struct world *world, gint64 now);

/* Whether what a plan waits for will hardly come any more. */
bool stall_hopeless(const struct stall *stall);

/* The call that a running rank is inside; NULL: none that is known. */
const struct wire_blocking_call *stall_blocking_call(const struct stall *stall, int rank);

/* At STALL_SPIN, of the calls that it goes round in the one that takes most of the time. */
const struct wire_blocking_call *stall_spin(const struct stall *stall, int rank);

#endif
