/* Conflicts in one-sided communication (MPI 3.1, section 11.7). Two accesses to the same bytes of a
 * rank's memory, one of which writes, conflict unless
 *
 *   - the first is complete before the second begins. It is completed by a fence, a flush, an
 *     unlock, by MPI_Win_complete and the target's MPI_Win_wait, or by its own request. The
 *     completion must happen before the second access by messages, collectives and locks
 *     (rma_order.h), whatever order was observed; or
 *   - both are accumulates of one basic type and the same elements, and have the same operation,
 *     or one of them is MPI_Compare_and_swap or (unless the window has accumulate_ops=same_op)
 *     MPI_NO_OP, or both come from one rank, whose accumulates are in order (accumulate_ordering).
 *
 * A call uses its own rank's buffers as well, until it is complete there: a Put reads, a Get
 * writes. So do sends, receives and collectives whose buffers are in a window. The shim compares
 * accesses of one rank to its own memory (shim/check/overlap.h).
 *
 * Loads and stores of the program are accesses, too, if the rank reports them (WIRE_ACCESS_DIRECT).
 * In the unified memory model a load may run at the same time as a Put, and a store as a Get, but
 * what they see is left to chance (MPI 4.0, section 12.7); so they conflict. Two atomic
 * instructions do not. MPI_Win_sync is not asked for: any order by MPI calls suffices.
 *
 * A rank may learn from memory what another rank did: by an atomic operation that fetches, by an
 * atomic load, or by a look into its own window after MPI_Win_sync; if its loads are reported, by
 * the first one after that. Then accesses before and after that are taken to be in order. Pure. */
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
	int memory;    /* the rank whose memory is used */
	bool own;      /* the rank's own buffer, not a window */
	bool writes;   /* to that memory */
	guint64 bytes; /* number of bytes used there */
};

/* The lower rank's side comes first. If both are of one rank, the access that it began first comes
 * first. */
typedef void (*rma_found)(void *user, const struct rma_side sides[2]);

struct rma_uncertain {
	guint64 unknown; /* accesses that were not compared: too many, or too irregular */
	guint64 learnt;  /* pairs that do not count as conflicts because a rank may have learnt
	                    from memory */
};

/* Calls `found` for pairs that conflict. If pairs differ only in how often a rank had made the same
 * call, not all of them are reported. The result does not depend on the order in which concurrent
 * ranks reported. Costs are near-linear in the number of accesses. */
void rma_find(const struct rma_log *log, const struct trace *trace, int ranks, rma_found found,
              void *user, struct rma_uncertain *ret_uncertain);

#endif
