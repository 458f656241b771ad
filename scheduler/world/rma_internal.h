/* The state of a search through the one-sided communication (rma.h). It is shared by rma.c, which
 * searches, and rma_fingerprint.c, which finds what still matters. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RMA_INTERNAL_H
#define MATCHPOINT_SCHEDULER_WORLD_RMA_INTERNAL_H

#include "rma.h"
#include "rma_channels.h"
#include "rma_memory.h"
#include "rma_order.h"
#include "rma_places.h"
#include "rma_underway.h"

/* One access, in the order reported. */
struct rma_item {
	const struct wire_access *access;
	int rank;
	gint32 target;
	gsize position;
};

/* What an access does with bytes of one rank's memory. */
struct rma_use {
	guint item;
	gint32 memory; /* the rank whose memory it is */
	guint64 first; /* its first byte */
	guint64 bytes; /* number of bytes */
	bool own, writes, done;
	gint32 done_rank; /* the rank that first knows its completion, and the time */
	guint32 done_time;
	struct rma_clock *issued; /* what its rank knew when it began */
};

/* A conflict that later accesses may still explain. */
struct rma_candidate {
	guint32 uses[2]; /* as in struct rma_side */
};

struct rma_search {
	int ranks;
	GArray *items; /* struct rma_item */
	GArray *uses;  /* struct rma_use */
	struct rma_places *places;
	struct rma_underway *underway;
	GHashTable *open;    /* GArray of guint32 (uses), by window, rank and target */
	GHashTable *closed;  /* the same, for uses that await the target's MPI_Win_wait */
	GHashTable *numbers; /* first use of an access, by rank and its number */
	GArray *candidates;
	struct rma_channels *channels;
	struct rma_order *order;
	struct rma_memory *memory;
	guint64 pieces;
	struct rma_uncertain uncertain;
};

static inline const struct rma_item *rma_item_at(const struct rma_search *search, guint index)
{
	return &g_array_index(search->items, struct rma_item, index);
}

static inline struct rma_use *rma_use_at(const struct rma_search *search, guint32 index)
{
	return &g_array_index(search->uses, struct rma_use, index);
}

/* Reads all reported accesses, and the trace to its end. */
struct rma_search *rma_search_new(const struct rma_log *log, const struct trace *trace, int ranks);
void rma_search_free(struct rma_search *search);

/* Whether all later uses know that this one is complete. */
bool rma_is_past(const struct rma_search *search, guint32 use);

/* As rma_find. */
void rma_report_conflicts(struct rma_search *search, rma_found found, void *user);

#endif
