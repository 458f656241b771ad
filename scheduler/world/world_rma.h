/* What a world keeps of one-sided communication: the ranks' reports, and what could not be
 * compared. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_RMA_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_RMA_H

#include "common/state_hash.h"
#include "rma_scale.h"

struct world;
struct world_rma;

struct world_rma *world_rma_new(void);
struct world_rma *world_rma_copy(const struct world_rma *rma);
void world_rma_free(struct world_rma *rma);

/* The world's own. */
struct world_rma *world_rma(const struct world *world);

/* Adds to `ret` the one-sided communication that can still make a difference, at rest, and the
 * conflicts so far (world_fingerprint.h). Returns NULL, or why that is not possible. */
const char *world_rma_fingerprint(const struct world *world, const struct rma_namer *namer,
                                  struct state_hash *ret);

#endif
