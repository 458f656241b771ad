/* The fingerprint of what was done to windows so far, as far as it can make a difference later
 * (world_fingerprint.h).
 *
 * Two accesses conflict unless the second one knows that the first is complete (rma.h). So what all
 * ranks know to be complete can be forgotten: everything later is in order after it. What some rank
 * does not know yet may conflict with what that rank does next. For such an access, the fingerprint
 * contains all that this depends on, and what knows of it: a rank, a message under way, or a lock.
 * The time of the access is not part of it. Times are replaced by the number of those accesses that
 * are not later (rma_scale.h).
 *
 * Accesses under way are refused: how much of their data has come to the target depends on MPI's
 * progress. So is what a rank may have learnt from memory (rma_channels.h), unless all ranks know
 * that it did. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_FINGERPRINT_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_FINGERPRINT_H

#include "common/state_hash.h"
#include "rma.h"
#include "rma_scale.h"

/* Adds the fingerprint to `ret`. Calls `found`, as rma_find does, for the conflicts so far, which
 * nothing later can resolve. Returns NULL, or why there is no fingerprint, as a clause. */
const char *rma_fingerprint(const struct rma_log *log, const struct trace *trace, int ranks,
                            const struct rma_namer *namer, rma_found found, void *user,
                            struct state_hash *ret);

#endif
