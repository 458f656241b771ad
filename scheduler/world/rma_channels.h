/* How ranks may learn of each other from the memory of a window, which nobody sees: one puts a flag
 * there, or updates a counter, and another one reads it. Between what a rank told in this way and
 * what another one may have learnt, an order is possible that the messages do not show. Pure. */
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

/* The next step of this rank; `order` tells what it knows now. A step by which it may learn takes a
 * time of its own (rma_order_tick). */
void rma_channels_read(struct rma_channels *channels, struct rma_order *order, int rank,
                       const struct wire_access *access);

/* Whether somebody may have told, once it was known that something was complete in `rank` at
 * `time`, what somebody else learnt before what has the clock `later`. */
bool rma_channels_pass(const struct rma_channels *channels, int rank, guint32 time,
                       const struct rma_clock *later);

/* Whether any rank may have learnt anything; whether all ranks know of all that. */
bool rma_channels_learnt(const struct rma_channels *channels);
bool rma_channels_known(const struct rma_channels *channels, const struct rma_order *order);

/* Of what was complete in `rank` at `time`: what has been told of it, and learnt since. While all
 * know of all that was learnt that is all that rma_channels_pass depends on, of the past, for
 * whatever comes. Adds it to `ret`. */
void rma_channels_fingerprint(const struct rma_channels *channels, int rank, guint32 time,
                              struct state_hash *ret);

#endif
