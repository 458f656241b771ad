/* One interleaving being carried out, from its choices to the end of every rank: what is asked for,
 * and what comes of it. All executions of a session share what is told in runs.h.
 *
 *   STARTING   ranks connect (a fresh job, or copies restored from a snapshot)
 *   RUNNING    reports come in; at rest the plan, then the strategy decides
 *   PARKING    a snapshot is being taken; it goes on as a restored copy of itself
 *   ENDING     the verdict is known; what is left of the ranks is being ended
 *   OVER       every process is gone */
#ifndef MATCHPOINT_SCHEDULER_RUN_RUN_H
#define MATCHPOINT_SCHEDULER_RUN_RUN_H

#include <stdbool.h>

#include "explorer/position.h"
#include "scheduler/world/rank_end.h"
#include "scheduler/world/world.h"
#include "strategy.h"

struct execution;
struct runs;

enum execution_state {
	EXECUTION_STARTING,
	EXECUTION_RUNNING,
	EXECUTION_PARKING,
	EXECUTION_ENDING,
	EXECUTION_OVER,
};

struct run_request {
	/* Where it is to go: choices to be made under which conditions, and, with a cut, from
	 * which call on each rank is held when it begins (world_hold). Taken over. */
	struct position *position;
	struct strategy *strategy; /* who decides the rest; outlives the execution */
	bool arrives;              /* each rank is known to come to the cut: run_ahead.h */
	bool stacks;               /* calls come with their stacks, all from the beginning */
	bool stacks_on;            /* from where it begins on */
	bool struck_before;        /* something outside has ended it when it was tried before */
	void *owner;               /* whom the client is told it for (runs.h) */
};

struct run_result {
	enum execution_state state;
	bool waits;   /* for an answer of the strategy: execution_resume */
	bool wasted;  /* dropped by the search, or lost: no interleaving of its own */
	bool let_go;  /* of promises of its plan: nor is this, unless it shows something new */
	bool known;   /* a random walk that has ended as another one did */
	char *lost;   /* why the plan could not be followed; NULL: it was */
	bool stalled; /* nothing will come any more from ranks inside MPI, or that only look
	                          at windows (livelock) */
	bool livelock;
	const char *how_sure; /* that is (livelock_policy_words); NULL: see stall.h */
	bool again;           /* cannot be carried out this way: to be begun anew */
	bool struck;          /* for something outside has killed a rank, or the launcher (again) */
	bool struck_before;   /* and so it had when this was tried before */
	bool cut_short;       /* ended from outside (time, Ctrl-C): no verdict */
	bool ended_well;      /* so the client says */
	const char *word;     /* how it ended, says the client; NULL: it has not */
	bool threads;         /* some rank has told of threads of its own */
	bool threads_in_turn; /* it has threads, with MPI_THREAD_SERIALIZED */
	bool threads_hurried; /* some went on, and it was decided what happens without them */
};

/* Begins to carry it out, from the nearest snapshot. */
struct execution *execution_begin(struct runs *runs, const struct run_request *request);
/* Ranks that need not be waited for are told what they do first. */
void execution_set_off(struct execution *execution);
/* Ends it, if it has not ended, waits for its job, and frees it. */
void execution_drop(struct execution *execution);
/* The strategy has put its answer off (EXPLORER_LATER): this choice is made; NULL: the strategy is
 * asked again. false: nothing waits for it, or it is not open here; nothing has changed. */
bool execution_resume(struct execution *execution, const struct choice *choice);
/* While it waits so: from which call on a rank is held (world_hold) when it goes on. While ranks
 * are held nothing is an end, and nobody who polls is told "no" for want of anything else, unless
 * by the second: whether there was anybody. The strategy is asked where all others stand still,
 * with whatever is open. */
void execution_hold(struct execution *execution, int rank, guint32 from);
bool execution_tell_polls(struct execution *execution);
/* While it waits so: it goes on behind a snapshot, however little that saves, where one is safe.
 * `named`: somebody has asked for it, who will be back. */
void execution_want_snapshot(struct execution *execution, bool named);
/* Whether it has run so long since the last snapshot that one should be taken, if its ranks stood
 * still. */
bool execution_should_park(const struct execution *execution);
/* Calls come with their stacks from the next one on. */
void execution_want_stacks(struct execution *execution);
/* The same while it runs: those who need not be held any more go on. */
void execution_let_held_go(struct execution *execution);
/* Stops it without a verdict: kills what is left. */
void execution_cut_short(struct execution *execution);

/* Valid, and kept up to date, until it is dropped. */
const struct run_result *execution_result(const struct execution *execution);
struct world *execution_world(const struct execution *execution);
const struct rank_end *execution_ends(const struct execution *execution); /* by rank */
void *execution_owner(const struct execution *execution);

/* Of its world, as events name it. */
guint32 execution_number(const struct execution *execution);

/* It is over: whether something has ended a rank before it had written out what it printed. */
bool execution_output_is_cut(const struct execution *execution);

/* Whether it is over, and its job with it. */
bool execution_has_ended(const struct execution *execution);

/* Tells the client that every process is gone, if it is over. To be called once, when it has ended:
 * only then other processes of its job, such as a shell's pipeline, have written what they got from
 * ranks. */
void execution_tell_gone(struct execution *execution);
/* Since it was started or restored. */
double execution_seconds(const struct execution *execution);
/* How long nobody has said anything, while ranks run; else 0. */
double execution_silent_seconds(const struct execution *execution);

/* Where it was to go, with everything that has been decided in it since, until it let go of
 * promises; free with position_free. */
struct position *execution_position(const struct execution *execution);

/* The process of a rank; 0: not known (yet). */
pid_t execution_pid(const struct execution *execution, int rank);
/* The call that a rank stands inside without having reported it, or, in a livelock, goes round in;
 * NULL: none that is known. */
const struct wire_blocking_call *execution_blocking_call(const struct execution *execution,
                                                         int rank);
/* Where an address, or a call, of a rank stands in the program; all 0: not known. */
struct place execution_site(const struct execution *execution, int rank, guint64 address);
struct place execution_call_place(const struct execution *execution, int rank, guint32 call);
/* Appends the functions (struct record_frame) at an address of a rank. */
void execution_add_frames(const struct execution *execution, int rank, guint64 address,
                          GArray *frames);

#endif
