/* Times of vector clocks, as far as they matter: of each rank those that somebody may yet ask
 * about. Where two worlds differ in other times they differ in nothing. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_SCALE_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_SCALE_H

#include <glib.h>

#include "common/state_hash.h"
#include "explorer/operation.h"

struct rma_scale;

struct rma_scale *rma_scale_new(int ranks);
void rma_scale_free(struct rma_scale *scale);

/* That a time of this rank matters, from 1; then, when all are noted, rma_scale_settle. */
void rma_scale_note(struct rma_scale *scale, int rank, guint32 time);
void rma_scale_settle(struct rma_scale *scale);

/* How many of those noted are no later. */
guint32 rma_scale_place(const struct rma_scale *scale, int rank, guint32 time);

/* How an operation is named where calls are known by how long ago they were made: adds to `hash`.
 */
struct rma_namer {
	void (*add_id)(struct state_hash *hash, const void *user, struct op_id id);
	const void *user;
};

#endif
