/* The name of what has been done to windows so far, as far as it can make a difference to what
 * comes (world_fingerprint.h).
 *
 * Two accesses conflict unless the second one knows that the first is complete (rma.h). So what all
 * ranks know to be complete can be forgotten: whatever comes is in order behind it. What some rank
 * does not know yet may conflict with what it does next: of such an access all that decides of that
 * is part of the name, and who knows of it, be it a rank, a message on its way or a lock. When it
 * was is not: times are told by which of those accesses they lie behind (rma_scale.h).
 *
 * What is under way is refused: how much of it has come to the target depends on MPI's progress. So
 * is what a rank may have learnt by looking into memory (rma_channels.h), as long as not all know
 * that it did. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_FINGERPRINT_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_FINGERPRINT_H

#include "common/state_hash.h"
#include "rma.h"
#include "rma_scale.h"

/* Adds it to `ret`, and calls `found` as rma_find does for the conflicts so far, which nothing that
 * comes can explain any more. NULL; or why it cannot be told, in a clause for people. */
const char *rma_fingerprint(const struct rma_log *log, const struct trace *trace, int ranks,
                            const struct rma_namer *namer, rma_found found, void *user,
                            struct state_hash *ret);

#endif
