/* A sketch: what the ranks called in the interleaving that shows a finding, and in one that ends
 * well, as one C program with nothing but MPI calls and neutral data, from which calls can be left
 * out. Pure: made from the two records alone.
 *
 * A rank's calls are the same in both as far as it is told the same. Where they part it has learnt
 * before which of the two it is in: whom a message came from, with which tag, what a poll or
 * MPI_Waitany reported, or from a message of a rank that knew. There the program has a branch: what
 * followed in the one, else what followed in the other. Where a later call names the rank that an
 * earlier receive took its message from, in both, it follows that.
 *
 * Not told by the record, and so not in a sketch: what is put into windows and got from them,
 * files, derived types and everything between the calls. */
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
	SKETCH_WAIT,   /* for the requests of `waits` */
	SKETCH_ASK,    /* which of these are complete: MPI_Waitany, MPI_Test, ... */
	SKETCH_CANCEL, /* the request of `waits`, and waits for it */
	SKETCH_LOCK,   /* MPI_Win_lock, MPI_Win_unlock, ... of `window` */
	SKETCH_MAKE,   /* an object that is never freed */
	SKETCH_WRITE,  /* to the buffer of `waits`, while it is MPI's */
};

/* The two interleavings; of a branch of the program, whose it is. */
enum sketch_side { SKETCH_BAD, SKETCH_GOOD, SKETCH_SIDES, SKETCH_BOTH = SKETCH_SIDES };

/* What became of a step in one of the interleavings. */
struct sketch_event {
	uint32_t call;  /* its number there; 0: it is not made there */
	bool done;      /* it returned */
	bool yes;       /* what a poll was told; whether a cancellation came in time */
	bool withdrawn; /* of a receive: it did */
	int32_t source; /* whose message it took or saw; -1: not known */
	int32_t tag;    /* of that */
	uint32_t send;  /* the call that sent it; 0: not known */
	uint32_t send_sub;
	uint32_t meeting; /* of a collective: the calls that meet have the same; 0: none */
	GArray *reported; /* SKETCH_ASK: guint, indices of steps; NULL: no SKETCH_ASK */
};

#define SKETCH_ANY_SUB UINT32_MAX

/* The numbers of MPI_COMM_WORLD and MPI_COMM_SELF; others are greater. */
#define SKETCH_WORLD 1u
#define SKETCH_SELF 2u

struct sketch_step {
	enum sketch_kind kind;
	enum sketch_side side;
	int32_t rank; /* in the program that was run */
	uint32_t sub; /* of the operations of one call, or SKETCH_ANY_SUB */
	struct sketch_event events[SKETCH_SIDES];
	enum mpi_call function; /* what is called here: MPI_Send, MPI_Isend, MPI_Wait, ... */
	enum mpi_call original; /* what the program calls */
	int32_t peer;    /* rank in MPI_COMM_WORLD: destination, source, root; -1: any, none */
	int32_t follows; /* index of the step from whose message `peer` is taken; -1: none */
	int32_t tag;     /* -1: any */
	uint64_t communicator;
	uint64_t window;       /* its number; 0: the call is about none */
	uint64_t count;        /* of `type` */
	const char *type;      /* "MPI_BYTE", ... */
	const char *reduction; /* "MPI_BOR", ... */
	uint32_t unit;         /* steps of one unit stay or go together; from 0 */
	bool immediate;        /* leaves a request behind */
	bool blocking;         /* immediate, and yet written as the call that waits at once */
	bool exchange;         /* the send of an MPI_Sendrecv: its receive and its wait come next */
	bool hangs;            /* nobody returns from it in the finding's interleaving */
	bool tells;            /* its message says which interleaving it is */
	GArray *waits; /* guint, indices of steps: of SKETCH_WAIT, ASK, CANCEL, WRITE; else NULL */
	bool dropped;
	uint32_t line; /* where sketch_print has put it */
	struct place place;
};

/* How a rank knows which of the two it is in. */
enum sketch_sign {
	SKETCH_UNKNOWN,
	SKETCH_BY_SOURCE, /* of the message that `step` took */
	SKETCH_BY_TAG,
	SKETCH_BY_ANSWER, /* `step`'s: a poll's, an MPI_Waitany's, MPI_Test_cancelled's */
	SKETCH_BY_VALUE,  /* of the message that `step` took, or of a broadcast */
};

struct sketch_condition {
	enum sketch_sign sign;
	guint step;
};

struct sketch {
	int32_t ranks; /* of the program that was run */
	uint32_t units;
	GPtrArray *steps;                    /* struct sketch_step, by rank, in their order */
	bool *gone;                          /* by rank: left out */
	struct sketch_condition *conditions; /* by rank */
	bool asserts;                        /* what goes wrong is between the calls */
	bool one_way;   /* some rank's calls differ, and it is not known by what */
	int32_t blamed; /* index of the step where the choice to blame is made; -1: none */
	int32_t right; /* asserts: index of the send whose message it should take; -1: no receive */
	int32_t stands; /* index of the step where the finding shows; -1: anywhere */
};

/* Whether it is a finding that calls can show at all; else `error` tells why not. */
bool sketch_can_show(const struct record_finding *finding, GError **error);
/* From the finding's interleaving, whose calls must be known, and (or NULL) one that ends well.
 * NULL with `error` set: the finding cannot be shown so, and why. */
struct sketch *sketch_new(const struct record_finding *finding,
                          const struct record_execution *execution,
                          const struct record_execution *good, GError **error);
void sketch_free(struct sketch *sketch);

/* Leaves out one of the ranks, and what others have to do with it alone. */
void sketch_drop_rank(struct sketch *sketch, int32_t rank);
/* Keeps of the units only those of which `kept` (by unit) says so. */
void sketch_keep(struct sketch *sketch, const bool *kept);
/* Writes what is waited for in the next step as one blocking call, and the reverse. */
void sketch_merge_waits(struct sketch *sketch);
void sketch_split_waits(struct sketch *sketch);
/* Whether all is left that it is about, and what its branches and assertions depend on. */
bool sketch_is_whole(const struct sketch *sketch);
/* Which steps are dropped, to be put back: g_free it. */
bool *sketch_state(const struct sketch *sketch);
void sketch_restore(struct sketch *sketch, const bool *state);

/* Ranks that are left; the number among these of a rank of the program. */
int32_t sketch_ranks(const struct sketch *sketch);
int32_t sketch_rank(const struct sketch *sketch, int32_t rank);

/* The C program, beginning with this comment (lines, without its marks); sets the steps' lines.
 * Free with g_free. */
char *sketch_print(struct sketch *sketch, const char *comment);

#define SKETCH_ERROR (sketch_error_quark())
GQuark sketch_error_quark(void);

#endif
