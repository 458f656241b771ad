/* What an execution is doing: one phase at a time. Which may follow which is one table (phase.c).
 *
 *   STARTING ──► RUNNING ──► ENDING ──► OVER
 *     ▲ ▲        ▲ │  ▲
 *     │ │        │ │  └──► PACING, ASKING, COMPARING, FINGERPRINTING, UNDECIDED: at rest, and
 *     │ │        ▼ │       something is awaited before the next decision
 *     │ └──── PARKING
 *     └── placed in another world
 *
 * From each phase an execution can be ended. Pure. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_PHASE_H
#define MATCHPOINT_SCHEDULER_EXECUTION_PHASE_H

#include <stdbool.h>

enum execution_phase {
	EXECUTION_STARTING,       /* ranks connect: of a new job, or restored from a snapshot */
	EXECUTION_RUNNING,        /* ranks report; at rest the rules of rules.c decide */
	EXECUTION_PACING,         /* a timer paces the answers to polls */
	EXECUTION_ASKING,         /* it is being asked how a rank has ended */
	EXECUTION_COMPARING,      /* ranks that poll are asked for digests */
	EXECUTION_FINGERPRINTING, /* ranks are asked for their states */
	EXECUTION_UNDECIDED,      /* the strategy has put its answer off */
	EXECUTION_PARKING,        /* a snapshot is being taken; then the execution goes on */
	EXECUTION_ENDING,         /* the ranks that are left are being ended */
	EXECUTION_OVER,           /* every process is gone */
	EXECUTION_PHASES,
};

/* The name, as the log prints it. */
const char *phase_name(enum execution_phase phase);

/* Whether `next` may follow. A phase may be entered again. */
bool phase_may_follow(enum execution_phase phase, enum execution_phase next);

/* Whether the ranks run, or are at rest: RUNNING to UNDECIDED. */
bool phase_is_running(enum execution_phase phase);

#endif
