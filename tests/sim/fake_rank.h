/* One rank of a random program, which says what the shim would say (common/wire.h) and does what it
 * is told: no process, no MPI. A rank is a value: a copy goes on by itself. What a receive got is
 * what MPI would have given it: of the messages with the source and the tag that it was bound to,
 * the first that is left. */
#ifndef MATCHPOINT_TESTS_SIM_FAKE_RANK_H
#define MATCHPOINT_TESTS_SIM_FAKE_RANK_H

#include "common/wire.h"
#include "random_program.h"

enum fake_stage {
	FAKE_NEW, /* not heard of */
	FAKE_INIT,
	FAKE_SPLIT,   /* the MPI_Comm_split that makes communicator 1 */
	FAKE_WINDOWS, /* are made, if the program has any */
	FAKE_RUNS,    /* the program's instructions */
	FAKE_CLOSE,   /* windows are given back */
	FAKE_FREE,    /* the communicator is given back */
	FAKE_FINALIZE,
	FAKE_OVER, /* has told how it ends */
};

enum {
	FAKE_OPS_MOST = 128,
	FAKE_LINES_MOST = 3,
	FAKE_COMM = 100 /* communicator 1, on the wire */,
	FAKE_LOCKED /* the windows */,
	FAKE_FENCED
};

/* What the rank knows of one of its instructions. */
struct fake_op {
	guint32 call;    /* its number; 0: not come to it */
	guint8 state;    /* of random_program.h, but for the partner */
	guint8 reporter; /* of what completed it, from its rank's first, + 1; 0: none has */
	bool bound;      /* a receive or probe: these are valid */
	guint8 source;   /* world rank */
	guint8 tag;
	guint8 nth; /* of the messages from there with that tag */
};

/* A thread of a rank. */
struct fake_line {
	bool is_there;
	bool counts;                              /* as one of several: until a turn is given */
	bool enters;                              /* waits for ADMIT */
	bool may_go;                              /* has been admitted */
	bool waits;                               /* for GO, */
	guint32 call;                             /* to this call */
	guint8 place;                             /* of the instruction, from the rank's first */
	guint8 asked[FAKE_OPS_MOST], asked_count; /* operations that the pending call names */
};

/* The windows of all ranks, by target: memory that they share. */
struct fake_memory {
	guint8 last[PROGRAM_MAX_RANKS];   /* index of the put, + 1 */
	guint8 sum[PROGRAM_MAX_RANKS];    /* how many have accumulated */
	guint8 grants[PROGRAM_MAX_RANKS]; /* of exclusive locks, so far */
};

struct fake_rank {
	const struct random_program *program;
	int rank;
	enum fake_stage stage;
	guint32 calls;
	struct fake_line lines[FAKE_LINES_MOST];
	guint8 thread; /* whose line is looked at */
	guint8 buffering;
	bool synchronous_collectives;
	bool every_call_waits;
	guint32 ahead; /* calls with a lower number are known to return */
	guint8 received[PROGRAM_MAX_RANKS][PROGRAM_COMMS][PROGRAM_TAGS];
	guint8 windows;                     /* that there are */
	guint32 accesses;                   /* transfers so far */
	guint32 exposed[PROGRAM_MAX_RANKS]; /* the call of the last post, by origin */
	bool awaited;                       /* MPI_Win_wait has returned, and it is not told yet */
	struct fake_memory *memory; /* its world's; set by whoever lets it run, if there are windows
	                             */
	struct fake_op ops[FAKE_OPS_MOST];
};

struct fake_rank fake_rank_new(const struct random_program *program, int rank);

/* One step: an instruction, or what stands before and after them all; `say` hears what it says, and
 * must not keep it. False: it has to wait, or is over. */
bool fake_rank_step(struct fake_rank *rank,
                    void (*say)(void *user, const struct wire_message *message), void *user);
/* Goes on as far as it can. */
void fake_rank_run(struct fake_rank *rank,
                   void (*say)(void *user, const struct wire_message *message), void *user);

/* Whether a thread of it waits for an answer; whether this one, by the kernel's number (0: the
 * first), sleeps until others have ended. */
bool fake_rank_waits(const struct fake_rank *rank);
bool fake_rank_sleeps(const struct fake_rank *rank, gint64 id);

/* An order of the scheduler: ADMIT, WELCOME, BIND, GO (which may use memory). Afterwards it may
 * be able to run. */
void fake_rank_obey(struct fake_rank *rank, const struct wire_message *order);

/* How many calls of all ranks were not waited for, as they were known to return. */
guint64 fake_ranks_went_ahead(void);

/* The outcome as brute force tells it (brute_force.h), from what all ranks know; NULL: what they
 * know does not fit together. */
GBytes *fake_ranks_outcome(const struct random_program *program, const struct fake_rank *ranks);

#endif
