/* Sends, receives and collectives under way that use memory of windows. When they are over, it is
 * needed what their rank knew when they began. Until then, no access that they may meet is past.
 * Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_UNDERWAY_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_UNDERWAY_H

#include "rma_order.h"

struct rma_underway;

struct rma_underway *rma_underway_new(int ranks);
void rma_underway_free(struct rma_underway *underway);

/* An operation begins; its rank's numbers increase. Takes ownership of the clock. */
void rma_underway_begin(struct rma_underway *underway, int rank, guint32 number,
                        struct rma_clock *clock);

/* An operation is over. Returns what its rank knew when it began; free with rma_clock_unref. false:
 * no such operation began. */
bool rma_underway_end(struct rma_underway *underway, int rank, guint32 number,
                      struct rma_clock **ret_clock);

/* Whether, when each of them began, its rank knew what was complete in `other` at that time. */
bool rma_underway_know(const struct rma_underway *underway, int other, guint32 time);

/* Adds the position of each operation's clock on the scale, by rank and in their order
 * (rma_order_fingerprint). Returns the number of operations. */
guint rma_underway_fingerprint(const struct rma_underway *underway, const struct rma_scale *scale,
                               struct state_hash *ret);

#endif
