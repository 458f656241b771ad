/* Small random MPI programs, as data and as C source. The same seed gives the same program.
 *
 * An instruction is executed at most once, so its index names its operation. Only polls are
 * repeated, until one of them reports something: then they were executed once, and those before it
 * not. A branch tests the source of a completed receive. */
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
	INSTRUCTION_BRANCH, /* skips `skip` instructions unless `of` received from `source` (-1:
	                     * any) and, if `tag` is not -1, with that tag; or, if `of` is a test or
	                     * wait, unless it reported `request` (-1: anything). Not an MPI call */
	/* One-sided communication (MPI 3.1, chapter 11), on the window that is locked: */
	INSTRUCTION_LOCK,       /* at the target `peer`, or, if `shared`, a shared one; -1: a shared
	                         * one at each target */
	INSTRUCTION_UNLOCK,     /* releases what the lock `of` holds */
	INSTRUCTION_PUT,        /* its own index, to the window of `peer`; not a numbered call, like
	                         * the next two */
	INSTRUCTION_GET,        /* the current value: a branch tests which put wrote it */
	INSTRUCTION_ACCUMULATE, /* adds one to `cell` */
	INSTRUCTION_FETCH,      /* fetches the counter and adds one; `shared`: only fetches it */
	/* On the other window: post for `peer`; start at `peer`, complete there; wait for
	 * `peer`. */
	INSTRUCTION_POST,
	INSTRUCTION_START,
	INSTRUCTION_COMPLETE,
	INSTRUCTION_WAIT_WINDOW,
	/* By the rank's first thread: starts thread `peer`; waits until all have ended. Not MPI
	 * calls. */
	INSTRUCTION_SPAWN,
	INSTRUCTION_JOIN,
	/* The polls from `of` on, up to here, again, until one of them has reported something, or
	 * all ask about nothing. `flushed`: the rank remembers that it went round once in vain. Not
	 * an MPI call. `shared`: until a poll of any rank has; all ranks meet here after each
	 * round, and learn that. The call is MPI_Allreduce. */
	INSTRUCTION_LOOP,
};

/* Whether it asks about requests and may have several answers. */
static inline bool is_question(enum instruction_kind kind)
{
	return kind >= INSTRUCTION_TEST && kind <= INSTRUCTION_WAITSOME;
}

enum collective_kind {
	COLLECTIVE_BARRIER,
	COLLECTIVE_BCAST,
	COLLECTIVE_REDUCE,
	COLLECTIVE_SCAN,
	COLLECTIVE_FENCE, /* on the window that is not locked */
};

/* The cells of a window: the last put; the number of accumulates, readable and unread; a cell that
 * nobody reads, where accesses may conflict; the counter of atomic operations. The window that is
 * not locked uses UNREAD. */
enum window_cell { CELL_LAST, CELL_SUM, CELL_UNREAD, CELL_SPARE, CELL_COUNTER, CELLS };

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
	bool shared;  /* the lock is shared */
	bool flushed; /* a put, get or accumulate completes at once at the target */
	enum window_cell cell;
};

enum {
	PROGRAM_MAX_RANKS = 9,
	PROGRAM_COMMS = 2,
	PROGRAM_TAGS = 9, /* tags are 0 to PROGRAM_TAGS - 1 */
	PROGRAM_MAX_LINES = 12,
	GRANTS_BASE = 6
};

/* When members leave those collectives that do not synchronize all members; as in
 * explorer/path.h. */
enum program_collectives { PROGRAM_ASYNC, PROGRAM_SYNC, PROGRAM_PER_CALL };

struct random_program {
	guint64 seed;
	enum program_collectives collectives;
	int ranks;
	bool member[PROGRAM_COMMS][PROGRAM_MAX_RANKS]; /* communicator 0 is MPI_COMM_WORLD */
	int instances;                                 /* number of collectives */
	int first[PROGRAM_MAX_RANKS
	          + 1]; /* rank r's instructions are first[r] to first[r + 1] - 1 */
	/* A line is the code of one thread. The lines of a rank are adjacent, its first thread's
	 * first; without threads a rank has one line. Line l's instructions are line_first[l] to
	 * line_first[l + 1] - 1. */
	int lines;
	int line_rank[PROGRAM_MAX_LINES];
	int line_first[PROGRAM_MAX_LINES + 1];
	bool threads; /* some rank has several threads */
	bool hints;   /* threads tell each other through memory what they have received */
	int count;
	bool cancels;   /* some receive is cancelled: then nonblocking receives with a named source
	                 * are points, too */
	bool loops;     /* some rank polls in a loop */
	bool windows;   /* the program makes two windows */
	bool conflicts; /* accesses to windows may conflict */
	struct instruction *instructions;
};

/* How standard sends complete; as in explorer/path.h. */
enum program_buffering { PROGRAM_ZERO = 1, PROGRAM_INFINITE, PROGRAM_PER_SEND };

/* States of an instruction, in a world as in an outcome. From MATCHED up to EARLY: the index of the
 * matched send or receive, + MATCHED. */
enum {
	ABSENT = 0,
	POSTED = 1,
	MATCHED = 2,     /* a question: answered; a lock: the number of exclusive locks granted
	                  * there before, + MATCHED (lock of all targets: one digit each, to the
	                  * base GRANTS_BASE); a get or fetch: the value read */
	EARLY = 252,     /* a send that completed unmatched; a collective that waits no longer than
	                  * it must */
	CANCELLED = 253, /* a cancelled receive */
	NO = 254,        /* a poll that was answered "no" */
};

/* `size` is the intended number of messages; 0: drawn from 4 to 6. */
struct random_program *random_program_new(guint64 seed, int size);
void random_program_free(struct random_program *program);

/* A program with windows of all ranks, locks, fences, exposures and messages. Only locks order what
 * it puts where other ranks read. What it puts elsewhere may conflict. */
struct random_program *random_program_windows(guint64 seed);
/* The same, with atomic operations that fetch. */
struct random_program *random_program_atomics(guint64 seed);

/* A program whose ranks call MPI in several threads; the order among them may matter. */
struct random_program *random_program_threads(guint64 seed);

/* The same, with ranks that pass on what they receive. So a message may depend on a receive of one
 * thread that followed a receive of another thread of its rank. */
struct random_program *random_program_relays(guint64 seed);

/* The same, but a thread passes on a message only if another thread of its rank has received
 * before; the threads learn that through memory. */
struct random_program *random_program_hints(guint64 seed);

/* A program of 2 or 3 ranks that poll in loops for messages, requests and barriers. */
struct random_program *random_program_polls(guint64 seed);

/* The same, but first all ranks poll in rounds, and meet after each. */
struct random_program *random_program_rounds(guint64 seed);

/* For programs written by hand: instructions are added one by one, in ascending order of ranks. */
struct random_program *random_program_empty(int ranks);
struct instruction *random_program_add(struct random_program *program, int rank,
                                       enum instruction_kind kind);

/* Whether it is not a numbered MPI call of the rank. */
static inline bool is_no_call(enum instruction_kind kind)
{
	return kind == INSTRUCTION_BRANCH || kind == INSTRUCTION_PUT || kind == INSTRUCTION_GET
	       || kind == INSTRUCTION_ACCUMULATE || kind == INSTRUCTION_SPAWN
	       || kind == INSTRUCTION_JOIN || kind == INSTRUCTION_LOOP;
}

/* Whether one of several threads waits for its turn before it. */
static inline bool needs_turn(enum instruction_kind kind)
{
	return !is_no_call(kind) || kind == INSTRUCTION_SPAWN;
}

/* Numbers of MPI calls: 1 is MPI_Init, 2 the MPI_Comm_split that makes communicator 1; then the
 * windows are made. */
enum { PROGRAM_FIRST_CALL = 3, PROGRAM_WINDOWS = 2 };

/* Prints C source that makes the same calls. At its end each rank of that program prints one line,
 * "rank R: CALL<-SOURCE.CALL ...": what each of its receives took and each probe reported, in order
 * of completion. A probe does not see the call: "CALL<-SOURCE". */
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

/* Whether a branch continues with the next instruction if `of` took the message `taken`. */
static inline bool branch_holds(const struct instruction *branch, const struct instruction *taken)
{
	return (branch->source < 0 || taken->rank == branch->source)
	       && (branch->tag < 0 || branch->tag == taken->tag);
}

/* Whether a receive or probe is matched only by a choice, whatever its source. */
static inline bool is_chosen(const struct random_program *program,
                             const struct instruction *instruction)
{
	return instruction->kind != INSTRUCTION_RECEIVE_PROBED
	       && (instruction->peer < 0 || (program->cancels && instruction->nonblocking));
}

/* The loop of polls in which this instruction is, or that ends with it; -1: none. */
static inline int loop_of(const struct random_program *program, int index)
{
	for (int i = index; program->loops && i < program->count
	                    && program->instructions[i].rank == program->instructions[index].rank;
	     i++)
		if (program->instructions[i].kind == INSTRUCTION_LOOP)
			return program->instructions[i].of <= index ? i : -1;
	return -1;
}

/* Whether the poll has reported something; states and reporters as in outcome_new. */
static inline bool has_reported(const struct random_program *program, const guint8 *states,
                                const guint8 *reporters, int poll)
{
	if (!is_question(program->instructions[poll].kind))
		return states[poll] >= MATCHED && states[poll] < EARLY;
	for (int i = 0; states[poll] == MATCHED && i < program->count; i++)
		if (reporters[i] == poll + 1)
			return true;
	return false;
}

/* The first poll of a loop that has reported something in this round; none: the loop. */
static inline int first_reported(const struct random_program *program, const guint8 *states,
                                 const guint8 *reporters, int loop)
{
	int poll = program->instructions[loop].of;

	while (poll < loop && !has_reported(program, states, reporters, poll))
		poll++;
	return poll;
}

/* Whether the instruction takes something, and nothing later depends on what it was. */
bool may_be_forgotten(const struct random_program *program, int instruction);

/* N - 1 senders, N - 1 wildcard receives on rank 0, a barrier. */
struct random_program *random_program_senders(int ranks);

#endif
