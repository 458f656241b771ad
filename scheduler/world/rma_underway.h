/* Sends, receives and collectives that use memory of windows and are under way: when they began is
 * needed when they are over, and until then nothing that they may meet is past. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_UNDERWAY_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_UNDERWAY_H

#include "rma_order.h"

struct rma_underway;

struct rma_underway *rma_underway_new(int ranks);
void rma_underway_free(struct rma_underway *underway);

/* One begins, with a number of its rank's that grows; takes over the clock. */
void rma_underway_begin(struct rma_underway *underway, int rank, guint32 number,
                        struct rma_clock *clock);

/* It is over: what its rank knew when it began. Free with rma_clock_unref. false: none began. */
bool rma_underway_end(struct rma_underway *underway, int rank, guint32 number,
                      struct rma_clock **ret_clock);

/* Whether each of them began when its rank knew of what was complete in `other` at that time. */
bool rma_underway_know(const struct rma_underway *underway, int other, guint32 time);

/* Of each rank's, in their order, how far its clock has come on the scale (rma_order_fingerprint);
 * returns how many there are. */
guint rma_underway_fingerprint(const struct rma_underway *underway, const struct rma_scale *scale,
                               struct state_hash *ret);

#endif
