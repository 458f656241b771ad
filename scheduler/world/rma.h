/* Conflicts in one-sided communication (MPI 3.1, section 11.7): two accesses to the same bytes of a
 * rank's memory, one of which writes, are wrong unless
 *
 * - the first is complete before the second begins: completed by a fence, a flush, an unlock, by
 *   MPI_Win_complete and the target's MPI_Win_wait, or by its own request, and what completed it
 *   happens before the second by messages, collectives and locks (rma_order.h), whatever order was
 *   seen; or
 * - both are accumulates of one basic type and the same elements, and have one operation, or one of
 *   them is MPI_Compare_and_swap or (unless the window has accumulate_ops=same_op) MPI_NO_OP, or
 *   they come from one rank, whose accumulates are in order (accumulate_ordering).
 *
 * A call uses its own rank's buffers as well, until it is complete there: a Put reads, a Get
 * writes. So do sends, receives and collectives whose buffers lie in a window; what one rank does
 * with its own memory only, the shim compares (shim/check/overlap.h).
 *
 * Loads and stores of the program are not seen. Where a rank may have learnt from memory what
 * another did (by an atomic operation that fetches, by looking into its own window after
 * MPI_Win_sync), accesses before and behind that are taken to be in order. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/trace.h"
#include "rma_log.h"
#include "rma_memory.h"

/* One of two accesses that conflict. */
struct rma_side {
	const struct wire_access *access;
	int rank;
	int memory;    /* whose */
	bool own;      /* its own buffer, not a window */
	bool writes;   /* there */
	guint64 bytes; /* there, all in all */
};

/* The lower rank's side comes first; of one rank's, the one that it began first. */
typedef void (*rma_found)(void *user, const struct rma_side sides[2]);

struct rma_uncertain {
	guint64 unknown; /* accesses that were not compared: too many, or too irregular */
	guint64 learnt;  /* conflicts, but for what a rank may have learnt from memory */
};

/* Calls `found` for pairs that conflict; of those that differ in nothing but when a rank came to
 * the same call again, not for all. What is told does not depend on the order in which ranks that
 * are not in order spoke. Near-linear in what was told. */
void rma_find(const struct rma_log *log, const struct trace *trace, int ranks, rma_found found,
              void *user, struct rma_uncertain *ret_uncertain);

#endif
