/* Accesses beyond the memory that their target gives to a window (MPI 3.1, section 11.6.2,
 * MPI_ERR_RMA_RANGE). They are wrong in any order, and MPI need not report them. Memory attached to
 * a dynamic window is not known here. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_RANGE_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_RANGE_H

#include <glib.h>

#include "rma_log.h"
#include "rma_places.h"

/* An access of `rank` to the window of `target` (ranks of MPI_COMM_WORLD). */
struct rma_beyond {
	const struct wire_access *access;
	int rank, target;
	guint64 bytes; /* number of bytes that it reads or writes there */
	gint64 first,
		last; /* of them, from the beginning of the window; limited to the type's range */
	const struct rma_place *place;
};

/* `beyond` is valid during the call. */
typedef void (*rma_found_beyond)(void *user, const struct rma_beyond *beyond);

/* Calls `found` for each such access, in the order reported. Linear in the number of accesses. */
void rma_find_beyond(const struct rma_log *log, int ranks, rma_found_beyond found, void *user);

#endif
