/* The happens-before order of one world, computed from the trace (explorer/trace.h) and from
 * fences: vector clocks (Mattern 1989). Their components advance only when one-sided accesses are
 * completed. An order that was merely observed, such as which of two sends came first, does not
 * count. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_ORDER_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_ORDER_H

#include <glib.h>
#include <stdbool.h>

#include "common/state_hash.h"
#include "explorer/trace.h"
#include "rma_scale.h"

struct rma_order;

struct rma_order *rma_order_new(int ranks);
void rma_order_free(struct rma_order *order);

/* The next event of the trace. */
void rma_order_read(struct rma_order *order, const struct event *event);

/* The rank's next arrival in a collective is a fence. `ends`: it ends an epoch, and so waits for
 * all (MPI 3.1, section 11.5.1). */
void rma_order_fence(struct rma_order *order, int rank, guint64 window, bool ends);

/* Something is complete in this rank now. Returns the time from which that is known, from 1. */
guint32 rma_order_tick(struct rma_order *order, int rank);

/* What a rank knows at some time: shared, never changed. NULL: nothing. Free with
 * rma_clock_unref. */
struct rma_clock;
struct rma_clock *rma_order_now(const struct rma_order *order, int rank);
struct rma_clock *rma_clock_ref(struct rma_clock *clock);
void rma_clock_unref(struct rma_clock *clock);

/* The same for an access to `target` that begins now. It begins no sooner than that rank has come
 * to the window's last fence, whether or not the fence waited for it. */
struct rma_clock *rma_order_now_at(const struct rma_order *order, int rank, guint64 window,
                                   int target);
bool rma_clock_knows(const struct rma_clock *clock, int other, guint32 time);

/* The position of a clock on the scale, in all ranks. false: it is at the beginning in all. */
bool rma_clock_fingerprint(const struct rma_clock *clock, const struct rma_scale *scale, int ranks,
                           struct state_hash *ret);

/* Adds to `ret` what all ranks, locks, messages under way, and collectives that some have not left
 * know of the times on the scale. That determines which later accesses come after those times.
 * false: some ranks have left a fence that others have not reached, so there is no fingerprint. */
bool rma_order_fingerprint(const struct rma_order *order, const struct rma_scale *scale,
                           const struct rma_namer *namer, struct state_hash *ret);

/* Whether what was complete in `other` at that time happened before what `rank` does now. */
bool rma_order_knows(const struct rma_order *order, int rank, int other, guint32 time);

#endif
