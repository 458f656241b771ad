/* What is known of one-sided communication while it is gone through (rma.h): by rma.c, which does,
 * and rma_fingerprint.c, which says what of it still matters. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_INTERNAL_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_INTERNAL_H

#include "rma.h"
#include "rma_channels.h"
#include "rma_memory.h"
#include "rma_order.h"
#include "rma_places.h"
#include "rma_underway.h"

/* One call, in the order told. */
struct rma_item {
	const struct wire_access *access;
	int rank;
	gint32 target;
	gsize position;
};

/* What a call does with bytes of one rank's memory. */
struct rma_use {
	guint item;
	gint32 memory; /* whose */
	guint64 first; /* its first byte */
	guint64 bytes; /* how many, all in all */
	bool own, writes, done;
	gint32 done_rank; /* where its completion is known first, and at which time */
	guint32 done_time;
	struct rma_clock *issued; /* what its rank knew when it began */
};

/* A conflict that what comes later may still explain. */
struct rma_candidate {
	guint32 uses[2]; /* as struct rma_side has them */
};

struct rma_search {
	int ranks;
	GArray *items; /* struct rma_item */
	GArray *uses;  /* struct rma_use */
	struct rma_places *places;
	struct rma_underway *underway;
	GHashTable *open;    /* GArray of guint32 (uses), by window, rank and target */
	GHashTable *closed;  /* the same, of those that await the target's MPI_Win_wait */
	GHashTable *numbers; /* first use of an access, by rank and its number */
	GArray *candidates;
	struct rma_channels *channels;
	struct rma_order *order;
	struct rma_memory *memory;
	guint64 pieces;
	struct rma_uncertain doubts;
};

static inline const struct rma_item *rma_item_at(const struct rma_search *search, guint index)
{
	return &g_array_index(search->items, struct rma_item, index);
}

static inline struct rma_use *rma_use_at(const struct rma_search *search, guint32 index)
{
	return &g_array_index(search->uses, struct rma_use, index);
}

/* Reads all that was told, and the trace to its end. */
struct rma_search *rma_search_new(const struct rma_log *log, const struct trace *trace, int ranks);
void rma_search_free(struct rma_search *search);

/* Whether a use can meet nothing any more that does not know it to be complete. */
bool rma_is_past(const struct rma_search *search, guint32 use);

/* As rma_find. */
void rma_tell_conflicts(struct rma_search *search, rma_found found, void *user);

#endif
