/* Which uses are made of which bytes of the ranks' memories: a map of disjoint intervals, each with
 * those of its users that still matter. A use is a number of the caller, which decides which uses
 * matter. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_MEMORY_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_MEMORY_H

#include <glib.h>
#include <stdbool.h>

/* Bytes of one rank's memory, from `low` to below `high`. */
struct rma_range {
	guint64 low, high;
};

struct rma_memory;

/* `use` is of bytes that `old` has used before; `crowded`: as have many others. Returns whether
 * `old` does not matter there any more. */
typedef bool (*rma_meet)(guint32 old, guint32 use, bool crowded, void *user);
/* Whether an old use does not matter any more, at any place. */
typedef bool (*rma_past)(guint32 old, void *user);

struct rma_memory *rma_memory_new(int ranks, rma_meet meet, rma_past past, void *user);
void rma_memory_free(struct rma_memory *memory);

/* O(log n), plus the uses met. false: there are too many intervals, and the use was ignored. */
bool rma_memory_use(struct rma_memory *memory, int rank, struct rma_range range, guint32 use);

/* All intervals of a rank with their users, in ascending order. */
typedef void (*rma_visit)(struct rma_range range, const guint32 *uses, guint count, void *user);
void rma_memory_each(const struct rma_memory *memory, int rank, rma_visit visit, void *user);

#endif
