/* One interleaving that is being carried out, from its choices to the end of every rank: the
 * request, and the result. Its phases are in phase.h. All executions of a session share what
 * runs.h describes. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_RUN_H
#define MATCHPOINT_SCHEDULER_EXECUTION_RUN_H

#include <stdbool.h>

#include "discard.h"
#include "explorer/position.h"
#include "phase.h"
#include "scheduler/world/rank_end.h"
#include "scheduler/world/world.h"
#include "strategy.h"

struct execution;
struct runs;

struct run_request {
	/* The position to go to: choices and conditions; with a cut, the call from which each rank
	 * is held at first (world_hold). Ownership passes. */
	struct position *position;
	struct strategy *strategy; /* decides the rest; outlives the execution */
	bool arrives;              /* each rank is known to reach the cut: run_ahead.h */
	bool stacks;               /* calls come with call stacks, from the beginning */
	bool stacks_on;            /* calls come with call stacks, from where it begins */
	bool hurries;              /* the only one: answers are given as soon as they are certain */
	bool from_start;           /* not from a snapshot other than that of MPI_Init */
	guint32 uneven_clocks;     /* struct wire_welcome; only with from_start */
	bool struck_before;        /* an earlier attempt was ended from outside */
	bool saves;                /* the client is asked whether to save it on disk (runs.h) */
	void *owner;               /* passed to the client (runs.h) */
};

struct run_result {
	enum execution_phase phase;
	enum discard discard; /* why it does not count */
	char *lost;           /* DISCARD_LOST: which choice could not be made; else NULL */
	bool stalled;         /* ranks inside MPI will never report again; or only read windows */
	bool livelock;
	const char *how_sure; /* how certain (livelock_policy_words); NULL: see stall.h */
	bool struck_before;   /* an earlier attempt was DISCARD_STRUCK */
	bool ended_well;      /* as the client returned */
	const char *word;     /* how it ended, from the client; NULL: it has not */
	bool threads;         /* a rank has reported threads of its own */
	guint64 limits;       /* LIMIT_BIT: met outside of the world (see world_limits) */
};

/* Begins to carry it out, from the nearest snapshot. */
struct execution *execution_begin(struct runs *runs, const struct run_request *request);
/* Sends the first orders to ranks that count as connected from the beginning. */
void execution_set_off(struct execution *execution);
/* Ends it if it has not ended, waits for its job, and frees it. */
void execution_drop(struct execution *execution);
/* After the strategy has put its answer off (EXPLORER_LATER): makes this choice; NULL: asks the
 * strategy again. Returns false, and changes nothing, if it does not wait, or the choice is not
 * open. */
bool execution_resume(struct execution *execution, const struct choice *choice);
/* Both are for an execution that waits for its strategy. execution_hold sets from which call a rank
 * is held (world_hold). While ranks are held, nothing counts as an end, and polls are not forced to
 * return "no". The strategy is asked when all others are at rest, with whatever is open.
 * execution_force_polls answers "no" to polls even so; returns whether there were any. */
void execution_hold(struct execution *execution, int rank, guint32 from);
bool execution_force_polls(struct execution *execution);
/* While it waits for its strategy: takes a snapshot before it goes on, if one is safe here, even if
 * that saves little. `named`: the user will return to it. */
void execution_want_snapshot(struct execution *execution, bool named);
/* Whether it has run so long since the last snapshot that another should be taken at rest. */
bool execution_should_park(const struct execution *execution);
/* Calls come with call stacks from the next one on. */
void execution_want_stacks(struct execution *execution);
/* While it runs: releases ranks that need not be held any more. */
void execution_let_held_go(struct execution *execution);
/* Stops it without a verdict (DISCARD_CUT_SHORT); ends the remaining ranks. */
void execution_cut_short(struct execution *execution);

/* Valid and up to date until the execution is dropped. */
const struct run_result *execution_result(const struct execution *execution);
/* Whether its ranks run or are at rest (phase_is_running). While it is EXECUTION_UNDECIDED it waits
 * for execution_resume. */
bool execution_is_running(const struct execution *execution);
struct world *execution_world(const struct execution *execution);
const struct rank_end *execution_ends(const struct execution *execution); /* by rank */
void *execution_owner(const struct execution *execution);

/* Returns the number of its world, as in events. */
guint32 execution_number(const struct execution *execution);

/* After its end: whether a rank was ended before it had written everything that it printed. */
bool execution_output_is_cut(const struct execution *execution);

/* Whether it is over, and its job as well. */
bool execution_has_ended(const struct execution *execution);

/* Reports to the client that every process is gone, if it is over. To be called once, when it has
 * ended: only then have other processes of its job, such as a shell's pipeline, written what they
 * got from ranks. */
void execution_report_gone(struct execution *execution);
/* Returns the time since start or restore. */
double execution_seconds(const struct execution *execution);
/* Returns for how long no rank has reported anything, while ranks run; else 0. */
double execution_silent_seconds(const struct execution *execution);

/* Returns the position that was asked for, with every choice made since, until promises were given
 * up. Free with position_free. */
struct position *execution_position(const struct execution *execution);

/* Returns the process of a rank; 0: not known (yet). */
pid_t execution_pid(const struct execution *execution, int rank);
/* Returns the call that a rank is inside without having reported it, or, in a livelock, the call
 * that it repeats. NULL: not known. */
const struct wire_blocking_call *execution_blocking_call(const struct execution *execution,
                                                         int rank);
/* Returns the place of an address, or of a call, in the program; all 0: not known. */
struct place execution_site(const struct execution *execution, int rank, guint64 address);
struct place execution_call_place(const struct execution *execution, int rank, guint32 call);
/* Appends the functions (struct record_frame) at an address of a rank. */
void execution_add_frames(const struct execution *execution, int rank, guint64 address,
                          GArray *frames);

#endif
