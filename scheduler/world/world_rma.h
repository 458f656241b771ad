/* What a world keeps of one-sided communication: what its ranks have told, and what could not be
 * compared. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_RMA_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_RMA_H

struct world;
struct world_rma;

struct world_rma *world_rma_new(void);
struct world_rma *world_rma_copy(const struct world_rma *rma);
void world_rma_free(struct world_rma *rma);

/* The world's own. */
struct world_rma *world_rma(const struct world *world);

#endif
