/* Where windows lie in the ranks' memories, and which addresses of different ranks are the same
 * bytes: those of a window in shared memory (MPI 3.1, section 11.2.3), which are taken for the
 * memory of the rank whose part they are. Pure. */
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
	bool is_bounded; /* by that; else memory is attached, or it is not known */
	guint8 flags;    /* enum wire_window_flags */
};

struct rma_places;

/* What the ranks have told of windows: WIRE_ACCESS_WINDOW, and WIRE_ACCESS_VIEW of what each gave
 * to one. */
struct rma_places *rma_places_of(const struct rma_log *log, int ranks);
void rma_places_free(struct rma_places *places);

/* NULL: there is none. */
const struct rma_place *rma_places_find(const struct rma_places *places, guint64 window, int rank);

/* Adds all that is known of windows to `ret`. */
void rma_places_fingerprint(const struct rma_places *places, struct state_hash *ret);

/* A window is there from now on, or not any more: its addresses may have been, or become,
 * something else. */
void rma_places_open(struct rma_places *places, guint64 window);
void rma_places_close(struct rma_places *places, guint64 window);

/* The first bytes of a range, which is not empty, of a rank's memory that are one rank's: whose,
 * and where in its own memory. *range is what is left. */
struct rma_piece {
	int rank;
	struct rma_range range;
};
struct rma_piece rma_places_next(const struct rma_places *places, int rank,
                                 struct rma_range *range);

#endif
