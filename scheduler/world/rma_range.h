/* Accesses beyond the memory that their target gives to a window (MPI 3.1, section 11.6.2,
 * MPI_ERR_RMA_RANGE): wrong whatever the order, and MPI need not say so. What is attached to a
 * dynamic window is not known here. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_RANGE_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_RANGE_H

#include <glib.h>

#include "rma_log.h"
#include "rma_places.h"

/* An access of `rank` to the window of `target` (ranks of MPI_COMM_WORLD). */
struct rma_beyond {
	const struct wire_access *access;
	int rank, target;
	guint64 bytes; /* that it reads or writes there, all in all */
	gint64 first,
		last; /* of them, from where the window begins; the nearest that can be told */
	const struct rma_place *place;
};

/* What is handed over lasts as long as the call. */
typedef void (*rma_found_beyond)(void *user, const struct rma_beyond *beyond);

/* Calls `found` for each, in the order told. Linear in what was told. */
void rma_find_beyond(const struct rma_log *log, int ranks, rma_found_beyond found, void *user);

#endif
