/* Marks: the instants of a replayed process that a debugger can name, because the process itself
 * counts them. The replayer passes a mark at the entry of every MPI call; mark 0 is the start. At a
 * mark the process can wait as a keeper, and be forked from there; a tracer can have it forked at
 * any other instruction as well.
 *
 * Nothing of this is seen by the program: the code makes raw system calls, runs on a stack of its
 * own, touches no vector register, and restores all others. The state of the program is the same,
 * whether it has waited here or not. */
#ifndef MATCHPOINT_CKPT_AGENT_MARKS_H
#define MATCHPOINT_CKPT_AGENT_MARKS_H

#include <stdint.h>

/* The descriptor of the connection in each process. Chosen high, so that the program's own keep
 * their numbers. */
#define AGENT_MARKS_FD 200

/* What a process that waits writes to its connection, once for each time. All addresses are in the
 * process; forks have them in common. */
struct agent_marks_report {
	int64_t pid;
	uint64_t mark;        /* marks passed, without the start: the next call is number `mark` */
	uint64_t is_final;    /* the program is over; only its exit is left */
	uint64_t has_threads; /* or lacks them, as a fork of a process that has them */
	/* Variables of 8 bytes that the tracer reads and writes. */
	uint64_t marks;
	uint64_t stop_mark;
	/* Places in the code. */
	uint64_t entry;    /* the first instruction of agent_mark */
	uint64_t resume;   /* its last one: here the state of the program begins after a mark */
	uint64_t trap;     /* the address after the int3 that is met instead of mark stop_mark */
	uint64_t born;     /* the address after the int3 that a traced process meets first */
	uint64_t inject;   /* jump here to have the process forked ... */
	uint64_t injected; /* ... and it stops with this rip; restore its registers then */
	/* The agent's own memory, which is no part of the program's state. */
	uint64_t memory, memory_size;
	uint64_t place; /* as given to agent_marks_begin */
};

enum agent_marks_order_kind {
	AGENT_MARKS_FORK = 1, /* fork a process that runs untraced to the first mark from `mark` on,
	                       * or to the end, and waits there */
	AGENT_MARKS_GO = 2,   /* be the traced process: meet the int3 `born`, and run */
};

/* What a process that waits reads. If its connection ends, it exits. */
struct agent_marks_order {
	uint64_t kind;
	uint64_t mark;
};

/* Connects to the Unix socket and passes mark 0. Waits there until forked or told to go. Call once,
 * before the program's first instruction of its own. False: it cannot connect. `name`: of the
 * socket, a path, or "@NAME" in the abstract namespace (unix(7)). `place`: what the replayer wants
 * to be read when the user asks where the process stands; may be NULL. */
int agent_marks_begin(const char *name, const void *place);

/* Passes the next mark. Returns when the process goes on; before agent_marks_begin, at once. */
void agent_mark(void);

/* Passes the last mark: the program is over. */
void agent_marks_end(void);

#endif
