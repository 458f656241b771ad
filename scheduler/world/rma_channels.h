/* How ranks may learn of each other from the memory of a window, without a message: one writes a
 * flag, or updates a counter, and another one reads it. So an order is possible between what a rank
 * wrote and what another one may have learnt, which messages do not show. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_CHANNELS_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_CHANNELS_H

#include <glib.h>
#include <stdbool.h>

#include "common/state_hash.h"
#include "common/wire.h"
#include "rma_order.h"

struct rma_channels;

struct rma_channels *rma_channels_new(int ranks);
void rma_channels_free(struct rma_channels *channels);

/* The next step of this rank; `order` contains what it knows now. A step by which it may learn
 * something takes a time of its own (rma_order_tick). */
void rma_channels_read(struct rma_channels *channels, struct rma_order *order, int rank,
                       const struct wire_access *access);

/* Something was complete in `rank` at `time`. Whether a rank that knew that may have passed it on,
 * and another rank may have learnt it before the event with the clock `later`. */
bool rma_channels_pass(const struct rma_channels *channels, int rank, guint32 time,
                       const struct rma_clock *later);

/* Whether any rank may have learnt anything; whether all ranks know of every such step. */
bool rma_channels_learnt(const struct rma_channels *channels);
bool rma_channels_known(const struct rma_channels *channels, const struct rma_order *order);

/* Adds to `ret`, for what was complete in `rank` at `time`, what has been passed on of it, and
 * learnt since. As long as all ranks know of every learning step, rma_channels_pass depends on
 * nothing else of the past. */
void rma_channels_fingerprint(const struct rma_channels *channels, int rank, guint32 time,
                              struct state_hash *ret);

#endif
