/* Events of a session other than those of its ranks: signals that end it, its deadline, progress
 * ticks, and checks for ranks that wait unseen. All occur in turns of the session's host. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_CLOCK_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_CLOCK_H

#include <uv.h>

#include "scheduler/host/host.h"

struct session_clock;

struct session_clock_calls {
	void (*interrupted)(void *user); /* a signal asks the session to end (interruption.h) */
	void (*deadline)(void *user);    /* its time is up */
	void (*tick)(void *user);        /* several times a second; NULL: not wanted */
	void (*look)(void *user);        /* every STALL_LOOK_MS */
};

/* Starts the clock. It calls only from turns of the host; `calls` is copied. Signals come by the
 * host's loop; NULL: this session ignores signals. */
struct session_clock *session_clock_new(struct host *host, uv_loop_t *loop,
                                        const struct session_clock_calls *calls, void *user);

/* Stops all calls and frees the clock, except for what the host has to drain. */
void session_clock_close(struct session_clock *clock);

/* Sets the deadline to `seconds` from now, replacing the previous one. */
void session_clock_set_deadline(struct session_clock *clock, double seconds);

/* Seconds since the clock was created. */
double session_clock_seconds(const struct session_clock *clock);

#endif
