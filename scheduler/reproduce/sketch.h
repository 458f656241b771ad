/* A sketch: the calls of the ranks in the interleaving that shows a finding, and in a good one, as
 * one C program. It has only MPI calls and neutral data, and calls can be left out. Pure: made from
 * the two records alone.
 *
 * A rank makes the same calls in both interleavings as long as MPI returns the same to it. Before
 * its calls diverge, it has learnt which interleaving it is in: from the source or tag of a
 * message, from the result of a poll or MPI_Waitany, or from a message of a rank that knew. There
 * the program branches: one branch has the calls of the one interleaving, the other those of the
 * other. If a later call names, in both, the rank from which an earlier receive took its message,
 * it follows that message.
 *
 * Not in the record, and so not in a sketch: data of windows, files, derived types, and everything
 * between the calls. */
#ifndef MATCHPOINT_SCHEDULER_REPRODUCE_SKETCH_H
#define MATCHPOINT_SCHEDULER_REPRODUCE_SKETCH_H

#include <stdbool.h>

#include "mpi_calls.h"
#include "scheduler/store/record.h"

enum sketch_kind {
	SKETCH_SEND,
	SKETCH_RECEIVE,
	SKETCH_PROBE, /* MPI_Probe, MPI_Iprobe */
	SKETCH_COLLECTIVE,
	SKETCH_WAIT,   /* for the requests in `waits` */
	SKETCH_ASK,    /* a question which of these are complete: MPI_Waitany, MPI_Test, ... */
	SKETCH_CANCEL, /* cancels the request in `waits`, and waits for it */
	SKETCH_LOCK,   /* MPI_Win_lock, MPI_Win_unlock, ... of `window` */
	SKETCH_MAKE,   /* creates an object that is never freed */
	SKETCH_WRITE,  /* writes to the buffer of `waits` while MPI owns it */
};

/* The two interleavings; for a step in a branch, its interleaving. */
enum sketch_side { SKETCH_BAD, SKETCH_GOOD, SKETCH_SIDES, SKETCH_BOTH = SKETCH_SIDES };

/* A step in one of the interleavings. */
struct sketch_event {
	uint32_t call;  /* its number there; 0: not made there */
	bool done;      /* it returned */
	bool yes;       /* the answer of a poll; whether a cancellation succeeded */
	bool withdrawn; /* a receive that was cancelled */
	int32_t source; /* source of the message received or probed; -1: not known */
	int32_t tag;    /* of that message */
	uint32_t send;  /* the call that sent it; 0: not known */
	uint32_t send_sub;
	uint32_t meeting; /* equal in all calls that meet in a collective; 0: no collective */
	GArray *reported; /* SKETCH_ASK: guint, indices of the steps reported; else NULL */
};

#define SKETCH_ANY_SUB UINT32_MAX

/* The numbers of MPI_COMM_WORLD and MPI_COMM_SELF; others are higher. */
#define SKETCH_WORLD 1u
#define SKETCH_SELF 2u

struct sketch_step {
	enum sketch_kind kind;
	enum sketch_side side;
	int32_t rank; /* in the original program */
	uint32_t sub; /* of the operations of one call, or SKETCH_ANY_SUB */
	struct sketch_event events[SKETCH_SIDES];
	enum mpi_call function; /* the call to print: MPI_Send, MPI_Isend, MPI_Wait, ... */
	enum mpi_call original; /* the call of the original program */
	int32_t peer;    /* rank in MPI_COMM_WORLD: destination, source, root; -1: any, none */
	int32_t follows; /* index of the step whose message determines `peer`; -1: none */
	int32_t tag;     /* -1: any */
	uint64_t communicator;
	uint64_t window;       /* its number; 0: no window */
	uint64_t count;        /* of `type` */
	const char *type;      /* "MPI_BYTE", ... */
	const char *reduction; /* "MPI_BOR", ... */
	uint32_t unit;         /* steps with the same number stay or go together; from 0 */
	bool immediate;        /* starts a request */
	bool blocking;         /* immediate, but printed as the blocking call */
	bool exchange;         /* send of an MPI_Sendrecv; its receive and its wait follow */
	bool hangs;            /* never returns in the finding's interleaving */
	bool tells;            /* its message carries which interleaving it is */
	GArray *waits; /* guint, indices of steps: for SKETCH_WAIT, ASK, CANCEL, WRITE; else NULL */
	bool dropped;
	uint32_t line; /* line in the output of sketch_print */
	struct place place;
};

/* How a rank distinguishes the two interleavings. */
enum sketch_sign {
	SKETCH_UNKNOWN,
	SKETCH_BY_SOURCE, /* by the source of the message that `step` took */
	SKETCH_BY_TAG,
	SKETCH_BY_ANSWER, /* by the answer of `step`: a poll, MPI_Waitany, MPI_Test_cancelled */
	SKETCH_BY_VALUE,  /* by the value of the message that `step` took, or of a broadcast */
};

struct sketch_condition {
	enum sketch_sign sign;
	guint step;
};

struct sketch {
	int32_t ranks; /* of the original program */
	uint32_t units;
	GPtrArray *steps;                    /* struct sketch_step, by rank, in their order */
	bool *gone;                          /* by rank: dropped */
	struct sketch_condition *conditions; /* by rank */
	bool asserts;                        /* the error is between the calls: the program asserts
					      * instead */
	bool one_way;   /* some rank's calls differ, and the cause is not known */
	int32_t blamed; /* index of the step with the choice to blame; -1: none */
	int32_t right; /* asserts: index of the send whose message it should take; -1: no receive */
	int32_t stands; /* index of the step where the finding shows; -1: anywhere */
};

/* Whether MPI calls alone can show the finding; otherwise `error` has the reason. */
bool sketch_can_show(const struct record_finding *finding, GError **error);
/* Makes a sketch of the finding's interleaving, whose calls must be known, and of a good one (or
 * NULL). NULL with `error` set: the finding cannot be shown this way, with the reason. */
struct sketch *sketch_new(const struct record_finding *finding,
                          const struct record_execution *execution,
                          const struct record_execution *good, GError **error);
void sketch_free(struct sketch *sketch);

/* Drops one of the ranks, and what others do only with it. */
void sketch_drop_rank(struct sketch *sketch, int32_t rank);
/* Keeps only the units that `kept` (by unit) selects. */
void sketch_keep(struct sketch *sketch, const bool *kept);
/* Prints a request and the wait in the next step as one blocking call, and the reverse. */
void sketch_merge_waits(struct sketch *sketch);
void sketch_split_waits(struct sketch *sketch);
/* Whether the essential steps remain: the finding's, and those that branches and assertions depend
 * on. */
bool sketch_is_whole(const struct sketch *sketch);
/* Which steps are dropped, for sketch_restore. Free with g_free. */
bool *sketch_state(const struct sketch *sketch);
void sketch_restore(struct sketch *sketch, const bool *state);

/* The number of remaining ranks; the number of an original rank among these. */
int32_t sketch_ranks(const struct sketch *sketch);
int32_t sketch_rank(const struct sketch *sketch, int32_t rank);

/* Prints the C program with a leading comment (lines without comment marks); sets the steps' lines.
 * Free with g_free. */
char *sketch_print(struct sketch *sketch, const char *comment);

#define SKETCH_ERROR (sketch_error_quark())
GQuark sketch_error_quark(void);

#endif
