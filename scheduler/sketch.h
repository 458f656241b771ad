/* A sketch: what an interleaving's ranks called, as a straight-line C program with nothing but MPI
 * calls and neutral data, from which calls can be left out. Pure: made from the record alone.
 *
 * Not told by the record, and so not in a sketch: one-sided communication, files, derived types
 * and everything between the calls. Where a later call names the rank that an earlier receive took
 * its message from, and the interleaving that ends well shows that it follows it, the sketch does
 * so, too. */
#ifndef MATCHPOINT_SCHEDULER_SKETCH_H
#define MATCHPOINT_SCHEDULER_SKETCH_H

#include "record.h"

enum sketch_kind {
	SKETCH_SEND,
	SKETCH_RECEIVE,
	SKETCH_PROBE,
	SKETCH_COLLECTIVE,
	SKETCH_WAIT, /* for the requests of `waits` */
};

struct sketch_step {
	enum sketch_kind kind;
	int32_t rank; /* in the program that was run */
	uint32_t call;
	const char *function; /* what is called here: MPI_Send, MPI_Isend, MPI_Wait, ... */
	int32_t peer;         /* rank in MPI_COMM_WORLD: destination, source, root; -1: any, none */
	int32_t follows;      /* index of the step from whose message `peer` is taken; -1: none */
	int32_t tag;          /* -1: any */
	uint64_t communicator;
	uint64_t count;   /* of `type` */
	const char *type; /* "MPI_BYTE", ... */
	uint32_t unit;    /* steps of one unit stay or go together; from 0 */
	bool immediate;   /* leaves a request behind */
	GArray *waits;    /* guint, indices of steps; NULL: no SKETCH_WAIT */
	bool dropped;
	uint32_t line; /* where sketch_print has put it */
	struct place place;
};

struct sketch {
	int32_t ranks; /* of the program that was run */
	uint32_t units;
	GPtrArray *steps; /* struct sketch_step, by rank and call */
	bool *gone;       /* by rank: left out */
	int32_t blamed;   /* index of the receive whose message is asserted; -1: none */
	int32_t right;    /* index of the send whose message it should take */
	int32_t stands;   /* index of the step where the finding shows; -1: anywhere */
};

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
