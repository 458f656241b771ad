/* The places of windows in the ranks' memories, and which addresses of different ranks are the same
 * bytes. These are in windows in shared memory (MPI 3.1, section 11.2.3); they count as the memory
 * of the rank whose part they are. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_PLACES_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_PLACES_H

#include <glib.h>
#include <stdbool.h>

#include "common/state_hash.h"
#include "common/wire.h"
#include "rma_log.h"
#include "rma_memory.h"

/* A window in one rank. */
struct rma_place {
	guint64 base, unit;
	guint64 size;    /* bytes from `base` */
	bool is_bounded; /* `size` is known; else memory is attached later, or the size is not
	                    known */
	guint8 flags;    /* enum wire_window_flags */
};

struct rma_places;

/* From the ranks' reports on windows: WIRE_ACCESS_WINDOW, and WIRE_ACCESS_VIEW of the parts of each
 * rank. */
struct rma_places *rma_places_of(const struct rma_log *log, int ranks);
void rma_places_free(struct rma_places *places);

/* NULL: there is none. */
const struct rma_place *rma_places_find(const struct rma_places *places, guint64 window, int rank);

/* Adds everything known of windows to `ret`. */
void rma_places_fingerprint(const struct rma_places *places, struct state_hash *ret);

/* The window exists from now on, or does not exist any more. Its addresses may have been something
 * else before, or become something else. */
void rma_places_open(struct rma_places *places, guint64 window);
void rma_places_close(struct rma_places *places, guint64 window);

/* The first bytes of a nonempty range of a rank's memory that belong to a single rank: which rank,
 * and where in its own memory. *range becomes the rest. */
struct rma_piece {
	int rank;
	struct rma_range range;
};
struct rma_piece rma_places_next(const struct rma_places *places, int rank,
                                 struct rma_range *range);

#endif
