/* What wakes a session besides its ranks: a signal that asks it to end, its deadline, the ticks at
 * which progress is told, and the looks for ranks that wait unseen. All of it happens in turns of
 * the session's host. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_CLOCK_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_CLOCK_H

#include <uv.h>

#include "scheduler/host/host.h"

struct session_clock;

struct session_clock_calls {
	void (*interrupted)(void *user); /* a signal asks the session to end (interruption.h) */
	void (*deadline)(void *user);    /* its time is over */
	void (*tick)(void *user);        /* some times a second; NULL: nobody wants to know */
	void (*look)(void *user);        /* every STALL_LOOK_MS */
};

/* Calls from turns of the host alone; `calls` is copied. Signals come by the host's loop; NULL:
 * they are not for this session. */
struct session_clock *session_clock_new(struct host *host, uv_loop_t *loop,
                                        const struct session_clock_calls *calls, void *user);

/* Calls nobody any more, and is freed, but for what the host has to drain. */
void session_clock_close(struct session_clock *clock);

/* The deadline is so many seconds from now, wherever it was before. */
void session_clock_set_deadline(struct session_clock *clock, double seconds);

/* Since the clock was made. */
double session_clock_seconds(const struct session_clock *clock);

#endif
