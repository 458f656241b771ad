/* The times of vector clocks that matter: for each rank, those that may still be compared. Worlds
 * that differ only in other times are equal. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_SCALE_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_SCALE_H

#include <glib.h>

#include "common/state_hash.h"
#include "explorer/operation.h"

struct rma_scale;

struct rma_scale *rma_scale_new(int ranks);
void rma_scale_free(struct rma_scale *scale);

/* Notes that a time of this rank matters, from 1. Call rma_scale_settle when all are noted. */
void rma_scale_note(struct rma_scale *scale, int rank, guint32 time);
void rma_scale_settle(struct rma_scale *scale);

/* The number of noted times that are not later. */
guint32 rma_scale_place(const struct rma_scale *scale, int rank, guint32 time);

/* How to name an operation if calls are identified by their age: adds it to `hash`. */
struct rma_namer {
	void (*add_id)(struct state_hash *hash, const void *user, struct op_id id);
	const void *user;
};

#endif
