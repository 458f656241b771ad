/* The reports of the ranks of one world on their one-sided communication, in the order reported.
 * Part of the world's state: copies share what they have in common. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_LOG_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_LOG_H

#include <glib.h>

#include "common/wire.h"

struct rma_log;

/* Accesses of one rank, reported when the trace had `position` events. `targets` are ranks in
 * MPI_COMM_WORLD, WIRE_ANY for all, or RMA_NOBODY: not known. */
struct rma_block {
	int rank;
	gsize position;
	guint count;
	struct wire_access *list;
	gint32 *targets;
};

#define RMA_NOBODY (-2)

struct rma_log *rma_log_new(void);
struct rma_log *rma_log_copy(const struct rma_log *log);
void rma_log_free(struct rma_log *log);

/* Copies the accesses; `to_world` translates a rank of a window's group. */
typedef int (*rma_to_world)(void *user, guint64 window, int rank, int target);
void rma_log_add(struct rma_log *log, int rank, gsize position,
                 const struct wire_accesses *accesses, rma_to_world to_world, void *user);

guint rma_log_blocks(const struct rma_log *log);
const struct rma_block *rma_log_block(const struct rma_log *log, guint index);

/* The number of accesses kept that move data, one-sided or not; the number of accesses that were
 * too many to keep. */
guint64 rma_log_moves(const struct rma_log *log);
guint64 rma_log_dropped(const struct rma_log *log);

#endif
