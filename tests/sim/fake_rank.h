/* One rank of a random program. It sends what the shim would send (common/wire.h) and obeys orders,
 * without a process or MPI. A rank is a value: a copy continues independently. A receive gets what
 * MPI would give it: the first message left with the source and tag that it was bound to. */
#ifndef MATCHPOINT_TESTS_SIM_FAKE_RANK_H
#define MATCHPOINT_TESTS_SIM_FAKE_RANK_H

#include "common/wire.h"
#include "random_program.h"

enum fake_stage {
	FAKE_NEW, /* no HELLO yet */
	FAKE_INIT,
	FAKE_SPLIT,   /* the MPI_Comm_split that makes communicator 1 */
	FAKE_WINDOWS, /* makes windows, if the program has any */
	FAKE_RUNS,    /* the program's instructions */
	FAKE_CLOSE,   /* frees the windows */
	FAKE_FREE,    /* frees the communicator */
	FAKE_FINALIZE,
	FAKE_OVER, /* has reported its end */
};

enum {
	FAKE_OPS_MOST = 128,
	FAKE_LINES_MOST = 3,
	FAKE_COMM = 100 /* communicator 1, on the wire */,
	FAKE_LOCKED /* the windows */,
	FAKE_FENCED
};

/* What the rank knows about one of its instructions. */
struct fake_op {
	guint32 call;    /* its call number; 0: not reached */
	guint8 state;    /* as in random_program.h, without the partner */
	guint8 reporter; /* the instruction that completed it, counted from its rank's first, + 1;
	                  * 0: none */
	bool bound;      /* a receive or probe is bound; the next two are valid */
	guint8 source;   /* world rank */
	guint8 tag;
	guint8 nth; /* index among the messages from there with that tag */
};

/* A thread of a rank. */
struct fake_line {
	bool is_there;
	bool counts;                              /* counts as one of several threads, until a turn
	                                           * is given */
	bool enters;                              /* waits for ADMIT */
	bool may_go;                              /* has been admitted */
	bool waits;                               /* for GO */
	guint32 call;                             /* to this call */
	guint8 place;                             /* of the instruction, from the rank's first */
	guint8 asked[FAKE_OPS_MOST], asked_count; /* operations that the pending call names */
};

/* The windows of all ranks, by target: memory that they share. */
struct fake_memory {
	guint8 last[PROGRAM_MAX_RANKS];   /* index of the put, + 1 */
	guint8 sum[PROGRAM_MAX_RANKS];    /* number of accumulates */
	guint8 grants[PROGRAM_MAX_RANKS]; /* exclusive locks granted so far */
	guint8 counter[PROGRAM_MAX_RANKS];
	guint8 said[3]; /* at a meeting after a round of polls (FAKE_REPORTED), by number */
};

/* What a rank says after a round of polls: one has reported something; was answered "no". */
enum { FAKE_REPORTED = 1, FAKE_NO = 2 };

struct fake_rank {
	const struct random_program *program;
	int rank;
	enum fake_stage stage;
	guint32 calls;
	struct fake_line lines[FAKE_LINES_MOST];
	guint8 thread; /* the thread of the current line */
	guint8 buffering;
	bool synchronous_collectives;
	bool every_call_waits;
	guint32 ahead; /* calls with a lower number are known to return */
	guint8 received[PROGRAM_MAX_RANKS][PROGRAM_COMMS][PROGRAM_TAGS];
	guint8 windows;                     /* windows that exist */
	guint32 accesses;                   /* transfers so far */
	guint32 exposed[PROGRAM_MAX_RANKS]; /* the call number of the last post, by origin */
	bool is_looked_at;                  /* a digest is asked for */
	bool looks;                 /* the next call comes with its digest, if it is a poll */
	guint32 meetings;           /* after rounds of polls, so far */
	bool awaited;               /* MPI_Win_wait has returned; not reported yet */
	bool fetched;               /* an atomic operation was made; not reported yet */
	struct fake_memory *memory; /* the memory of its world; set by the caller if there are
	                             * windows */
	struct fake_op ops[FAKE_OPS_MOST];
};

struct fake_rank fake_rank_new(const struct random_program *program, int rank);

/* Takes one step: an instruction, or what precedes and follows all of them. `say` gets each message
 * and must not keep it. False: the rank has to wait, or has ended. */
bool fake_rank_step(struct fake_rank *rank,
                    void (*say)(void *user, const struct wire_message *message), void *user);
/* Takes steps as long as possible. */
void fake_rank_run(struct fake_rank *rank,
                   void (*say)(void *user, const struct wire_message *message), void *user);

/* Whether a thread of the rank waits for an answer; whether this thread, given by the kernel's
 * number (0: the first), sleeps until others have ended. */
bool fake_rank_waits(const struct fake_rank *rank);
bool fake_rank_sleeps(const struct fake_rank *rank, gint64 id);

/* Obeys an order of the scheduler: ADMIT, WELCOME, BIND, GO (which may use memory). The rank may be
 * able to run afterwards. */
void fake_rank_obey(struct fake_rank *rank, const struct wire_message *order);

/* The number of calls, of all ranks, that were not waited for because they were known to return. */
guint64 fake_ranks_went_ahead(void);

/* The outcome in the form of brute force (brute_force.h), from what all ranks know. NULL: the ranks
 * contradict each other. */
GBytes *fake_ranks_outcome(const struct random_program *program, const struct fake_rank *ranks);

#endif
