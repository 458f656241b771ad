/* Small random MPI programs: the same one from the same seed, as data and as C source.
 *
 * No loops: an instruction is carried out at most once, so it names its operation. Branches look at
 * the source of a receive that is complete. */
#ifndef MATCHPOINT_TESTS_SIM_RANDOM_PROGRAM_H
#define MATCHPOINT_TESTS_SIM_RANDOM_PROGRAM_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

enum instruction_kind {
	INSTRUCTION_SEND,
	INSTRUCTION_RECEIVE,
	INSTRUCTION_PROBE,          /* blocking */
	INSTRUCTION_MPROBE,         /* blocking */
	INSTRUCTION_MRECV,          /* of the message of the mprobe `of` */
	INSTRUCTION_RECEIVE_PROBED, /* from the source and with the tag that probe `of` reported */
	INSTRUCTION_WAIT,           /* for the nonblocking operation `of`, if it was started */
	INSTRUCTION_WAITALL,        /* for all nonblocking operations started so far */
	INSTRUCTION_COLLECTIVE,
	INSTRUCTION_IPROBE,
	INSTRUCTION_CANCEL,  /* the receive `of`, if it is active */
	INSTRUCTION_TEST,    /* the nonblocking operation `of`, if it is active */
	INSTRUCTION_TESTALL, /* like all that follow: all active nonblocking operations */
	INSTRUCTION_TESTANY,
	INSTRUCTION_TESTSOME,
	INSTRUCTION_WAITANY,
	INSTRUCTION_WAITSOME,
	INSTRUCTION_BRANCH, /* skip `skip` instructions unless `of` received from `source` (-1: from
	                       anybody) and, if `tag` is not -1, that tag; or, if `of` is a test or
	                       wait, unless it reported `request` (-1: anything); no call */
	/* One-sided communication (MPI 3.1, chapter 11). Of the window that is locked: */
	INSTRUCTION_LOCK,       /* at the target `peer`, or, if `shared`, a shared one; -1: a
	                           shared one at each target */
	INSTRUCTION_UNLOCK,     /* what the lock `of` has */
	INSTRUCTION_PUT,        /* its own index, to `peer`'s window; no call, like the next two */
	INSTRUCTION_GET,        /* what is there: a branch looks at whose it is */
	INSTRUCTION_ACCUMULATE, /* one more, in `cell` */
	/* Of the other window: post for `peer`; start at `peer`, complete there; wait for `peer`.
	 */
	INSTRUCTION_POST,
	INSTRUCTION_START,
	INSTRUCTION_COMPLETE,
	INSTRUCTION_WAIT_WINDOW,
	/* Of the rank's first thread: makes thread `peer`; waits until all have ended. No calls. */
	INSTRUCTION_SPAWN,
	INSTRUCTION_JOIN,
};

/* Asks about requests, and may have several answers. */
static inline bool is_question(enum instruction_kind kind)
{
	return kind >= INSTRUCTION_TEST && kind <= INSTRUCTION_WAITSOME;
}

enum collective_kind {
	COLLECTIVE_BARRIER,
	COLLECTIVE_BCAST,
	COLLECTIVE_REDUCE,
	COLLECTIVE_SCAN,
	COLLECTIVE_FENCE, /* of the window that is not locked */
};

/* Where in a window: what is put there; how many have accumulated, for who may read it and for
 * nobody; what nobody looks at, so that accesses may conflict there. Of the window that is not
 * locked: UNREAD. */
enum window_cell { CELL_LAST, CELL_SUM, CELL_UNREAD, CELL_SPARE, CELLS };

struct instruction {
	enum instruction_kind kind;
	int rank;
	int peer; /* world rank; a receive's or probe's may be -1: any */
	int tag;  /* a receive's, probe's or branch's may be -1: any */
	int comm;
	bool nonblocking;
	bool synchronous; /* MPI_Ssend, MPI_Issend */
	int of;           /* index of another instruction of this rank */
	int source;
	int request; /* index of a nonblocking operation of this rank, or -1 */
	int skip;
	enum collective_kind collective;
	int instance; /* of the collective: the same at all members */
	int root;     /* world rank */
	bool shared;  /* a lock */
	bool flushed; /* a put and the like is complete there at once */
	enum window_cell cell;
};

enum {
	PROGRAM_MAX_RANKS = 9,
	PROGRAM_COMMS = 2,
	PROGRAM_TAGS = 9, /* from 0 */
	PROGRAM_MAX_LINES = 12,
	GRANTS_BASE = 6
};

/* When members leave collectives that do not order all before all; as in explorer/path.h. */
enum program_collectives { PROGRAM_ASYNC, PROGRAM_SYNC, PROGRAM_PER_CALL };

struct random_program {
	guint64 seed;
	enum program_collectives collectives;
	int ranks;
	bool member[PROGRAM_COMMS][PROGRAM_MAX_RANKS]; /* communicator 0 is MPI_COMM_WORLD */
	int instances;                                 /* of collectives */
	int first[PROGRAM_MAX_RANKS
	          + 1]; /* rank r's instructions are first[r] to first[r + 1] - 1 */
	/* What each thread does is a line: those of a rank stand one behind the other, its first
	 * thread's first; without threads a rank has one. Line l's instructions are
	 * line_first[l] to line_first[l + 1] - 1. */
	int lines;
	int line_rank[PROGRAM_MAX_LINES];
	int line_first[PROGRAM_MAX_LINES + 1];
	bool threads; /* some rank has several */
	bool hints;   /* which tell each other what they have received */
	int count;
	bool cancels; /* some receive is cancelled: then nonblocking ones that name their source are
	                 points of choice, too */
	bool windows; /* it makes two */
	bool conflicts; /* accesses to them may conflict */
	struct instruction *instructions;
};

/* How standard sends complete; as in explorer/path.h. */
enum program_buffering { PROGRAM_ZERO = 1, PROGRAM_INFINITE, PROGRAM_PER_SEND };

/* States of an instruction, in a world as in an outcome: between MATCHED and EARLY the index of the
 * send or receive it was matched with, + MATCHED. */
enum {
	ABSENT = 0,
	POSTED = 1,
	MATCHED = 2,     /* of a question: answered; of a lock the number of exclusive ones that
	                    were granted there before (of all targets: one digit each, to the
	                    base GRANTS_BASE), + MATCHED; of a get what is there */
	EARLY = 252,     /* a send that has completed unmatched; a collective that waits for no more
	                    than it must */
	CANCELLED = 253, /* a receive */
	NO = 254,        /* a poll was told so */
};

/* `size` is the number of messages meant; with 0 it is drawn from 4 to 6. */
struct random_program *random_program_new(guint64 seed, int size);
void random_program_free(struct random_program *program);

/* One that makes windows, for all ranks, and has locks, fences, exposures and messages; what it
 * puts where others look is ordered by locks alone. What it puts elsewhere may conflict. */
struct random_program *random_program_windows(guint64 seed);

/* One whose ranks call MPI in several threads; what comes first among them may matter. */
struct random_program *random_program_threads(guint64 seed);

/* The same, whose ranks hand on what they get: so a message may come of what one thread has got
 * after another thread of its rank has received. */
struct random_program *random_program_relays(guint64 seed);

/* The same, in which a thread hands on what it gets only if another thread of its rank has received
 * before: they tell each other so through memory. */
struct random_program *random_program_hints(guint64 seed);

/* Programs written by hand: one instruction after the other, rank by rank ascending. */
struct random_program *random_program_empty(int ranks);
struct instruction *random_program_add(struct random_program *program, int rank,
                                       enum instruction_kind kind);

/* Whether it is no MPI call of the rank's that is numbered. */
static inline bool is_no_call(enum instruction_kind kind)
{
	return kind == INSTRUCTION_BRANCH || kind == INSTRUCTION_PUT || kind == INSTRUCTION_GET
	       || kind == INSTRUCTION_ACCUMULATE || kind == INSTRUCTION_SPAWN
	       || kind == INSTRUCTION_JOIN;
}

/* Whether one of several threads waits for its turn before it. */
static inline bool needs_turn(enum instruction_kind kind)
{
	return !is_no_call(kind) || kind == INSTRUCTION_SPAWN;
}

/* The number of an MPI call: 1 is MPI_Init, 2 the MPI_Comm_split that makes communicator 1; then
 * the windows are made. */
enum { PROGRAM_FIRST_CALL = 3, PROGRAM_WINDOWS = 2 };

/* C source that makes the same calls. Each rank prints, when it gets to its end, one line:
 * "rank R: CALL<-SOURCE.CALL ..." with what each of its receives got and each probe reported (a
 * probe does not see the call: "CALL<-SOURCE"), in the order completed. */
void random_program_print_c(const struct random_program *program, FILE *out);

/* The line of an instruction; of a rank's thread. */
static inline int line_of(const struct random_program *program, int instruction)
{
	int line = 0;

	while (program->line_first[line + 1] <= instruction)
		line++;
	return line;
}

static inline int line_of_thread(const struct random_program *program, int rank, int thread)
{
	int line = 0;

	while (program->line_rank[line] != rank)
		line++;
	return line + thread;
}

/* Whether a branch goes on with the next instruction when `of` took the message `taken`. */
static inline bool branch_holds(const struct instruction *branch, const struct instruction *taken)
{
	return (branch->source < 0 || taken->rank == branch->source)
	       && (branch->tag < 0 || branch->tag == taken->tag);
}

/* Whether a receive or probe is matched only by choice, whatever its source. */
static inline bool is_chosen(const struct random_program *program,
                             const struct instruction *instruction)
{
	return instruction->kind != INSTRUCTION_RECEIVE_PROBED
	       && (instruction->peer < 0 || (program->cancels && instruction->nonblocking));
}

/* N - 1 senders, N - 1 wildcard receives on rank 0, a barrier. */
struct random_program *random_program_senders(int ranks);

#endif
