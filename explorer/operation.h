/* The vocabulary that matcher, trace and search share: names of operations and what they ask for.
 *
 * Ranks are always ranks in MPI_COMM_WORLD; a communicator is a number that is the same in every
 * member rank and in every interleaving. Nothing here does any I/O. */
#ifndef MATCHPOINT_EXPLORER_OPERATION_H
#define MATCHPOINT_EXPLORER_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#define OPERATION_ANY (-1) /* MPI_ANY_SOURCE as a peer, MPI_ANY_TAG as a tag */

/* An operation is named by the call that started it: rank, number of the call in the rank's
 * program order (MPI_Init is 1), and, for a call that starts several (Sendrecv, Startall), which
 * of them. */
struct op_id {
	int32_t rank;
	uint32_t call;
	uint32_t sub;
};

enum operation_kind {
	OPERATION_SEND,
	OPERATION_RECEIVE,
	OPERATION_PROBE,      /* names a message, leaves it in the queue */
	OPERATION_MPROBE,     /* takes the message out of matching, as a receive does */
	OPERATION_COLLECTIVE, /* a rank's part in one */
	OPERATION_QUESTION,   /* which of some requests are complete: Waitany, Waitsome, Test... */
};

/* A send, or something that looks for a message. (Of the last two kinds only the id is used.) */
struct operation {
	struct op_id id;
	enum operation_kind kind : 8;
	bool waits_for_match; /* a send that completes only when it is matched: MPI_Ssend
	                             always, standard mode under zero buffering */
	/* A receive, probe or mprobe that names its source, but is matched only when somebody
	 * chooses: a poll may not see the message yet, and a receive may be cancelled. */
	bool by_choice;
	int32_t peer; /* a send's destination; a receive's source, or OPERATION_ANY */
	int32_t tag;  /* a receive's may be OPERATION_ANY */
	uint64_t comm;
};

/* In place of sub: not an operation but the question which of several threads of the rank makes the
 * next call after this one. */
#define OPERATION_TURN UINT32_MAX

/* Order by rank, call, sub: <0, 0, >0. */
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

/* The same two for hash tables whose keys point to a struct op_id (GHashFunc, GEqualFunc). */
static inline unsigned op_id_key_hash(const void *key)
{
	return op_id_hash(*(const struct op_id *)key);
}

static inline int op_id_key_equal(const void *a, const void *b)
{
	return op_id_equal(*(const struct op_id *)a, *(const struct op_id *)b);
}

/* Envelope test of MPI 3.1, section 3.5: communicator, destination, source and tag fit. It says
 * nothing about order: that is the matcher's part. */
static inline bool operation_fits(const struct operation *receive, const struct operation *send)
{
	return receive->comm == send->comm && receive->id.rank == send->peer
	       && (receive->peer == OPERATION_ANY || receive->peer == send->id.rank)
	       && (receive->tag == OPERATION_ANY || receive->tag == send->tag);
}

#endif
