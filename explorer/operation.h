/* The vocabulary shared by matcher, trace and search: names of operations, and their properties.
 *
 * Ranks are always ranks in MPI_COMM_WORLD. A communicator is a number that is the same in every
 * member rank and in every interleaving. No I/O. */
#ifndef MATCHPOINT_EXPLORER_OPERATION_H
#define MATCHPOINT_EXPLORER_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#define OPERATION_ANY (-1) /* MPI_ANY_SOURCE as a peer, MPI_ANY_TAG as a tag */

/* An operation is named by the call that started it: rank, number of the call in the rank's program
 * order (MPI_Init is 1), and index of the operation, for a call that starts several (Sendrecv,
 * Startall). */
struct op_id {
	int32_t rank;
	uint32_t call;
	uint32_t sub;
};

enum operation_kind {
	OPERATION_SEND,
	OPERATION_RECEIVE,
	OPERATION_PROBE,      /* sees a message and leaves it in the queue */
	OPERATION_MPROBE,     /* removes the message from matching, as a receive does */
	OPERATION_COLLECTIVE, /* a rank's part in a collective */
	OPERATION_QUESTION,   /* which of some requests are complete: Waitany, Waitsome, Test... */
};

/* A send, or an operation that looks for a message. For the last two kinds only the id is used. */
struct operation {
	struct op_id id;
	enum operation_kind kind : 8;
	/* a send that completes only when its message is received: MPI_Ssend; standard mode under
	 * zero buffering. That is the match, but after a matched probe it is MPI_Mrecv */
	bool waits_for_match;
	/* A receive, probe or mprobe that names its source, but is matched only by a choice: a poll
	 * may not see the message yet, and a receive may be cancelled. */
	bool by_choice;
	int32_t peer; /* send: destination; receive: source or OPERATION_ANY */
	int32_t tag;  /* receive: may be OPERATION_ANY */
	uint64_t comm;
};

/* As `sub`, plus the number of calls: what a poll of a loop asks that comes so many calls later
 * than this one (EVENT_LATER). */
#define OPERATION_LATER 0x40000000u

/* As `sub`: not an operation, but the question which of the rank's threads makes the next call
 * after this one. */
#define OPERATION_TURN UINT32_MAX

/* Order by rank, call, sub: returns <0, 0 or >0. */
static inline int op_id_compare(struct op_id a, struct op_id b)
{
	if (a.rank != b.rank)
		return a.rank < b.rank ? -1 : 1;
	if (a.call != b.call)
		return a.call < b.call ? -1 : 1;
	if (a.sub != b.sub)
		return a.sub < b.sub ? -1 : 1;
	return 0;
}

static inline bool op_id_equal(struct op_id a, struct op_id b)
{
	return op_id_compare(a, b) == 0;
}

static inline uint32_t op_id_hash(struct op_id id)
{
	uint64_t mixed = ((uint64_t)(uint32_t)id.rank << 32 | id.call)
	                 + (uint64_t)id.sub * 0x9e3779b9u;

	mixed = (mixed ^ mixed >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(mixed >> 32);
}

/* For hash tables whose keys point to struct op_id (GHashFunc, GEqualFunc). */
static inline unsigned op_id_key_hash(const void *key)
{
	return op_id_hash(*(const struct op_id *)key);
}

static inline int op_id_key_equal(const void *a, const void *b)
{
	return op_id_equal(*(const struct op_id *)a, *(const struct op_id *)b);
}

/* The envelope test of MPI 3.1, section 3.5: communicator, destination, source and tag fit. Order
 * is not considered here: the matcher does that. */
static inline bool operation_fits(const struct operation *receive, const struct operation *send)
{
	return receive->comm == send->comm && receive->id.rank == send->peer
	       && (receive->peer == OPERATION_ANY || receive->peer == send->id.rank)
	       && (receive->tag == OPERATION_ANY || receive->tag == send->tag);
}

#endif
