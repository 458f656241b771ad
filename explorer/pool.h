/* A search in parts. Any part can be continued at any time: what waits anywhere in the tree can be
 * visited next. A part that is taken is no longer in the pool, so each node is visited once,
 * whatever the order. No I/O. */
#ifndef MATCHPOINT_EXPLORER_POOL_H
#define MATCHPOINT_EXPLORER_POOL_H

#include <stdbool.h>

#include "explorer.h"

struct pool;

enum pool_order {
	POOL_DEPTH,      /* the part that was continued last, deepest first */
	POOL_DEVIATIONS, /* the cheapest in deviations; of equal ones, any */
	/* the first waiting node of a random walk from the root that takes each known alternative
	 * with equal probability */
	POOL_RANDOM,
	POOL_ORDERS
};

/* What is drawn depends only on the seed. */
struct pool *pool_new(uint32_t seed);
void pool_free(struct pool *pool); /* frees the parts as well */

/* Takes ownership of a part that was run in this order, or is new (POOL_ORDERS). A part with
 * nothing left is freed. */
void pool_add(struct pool *pool, struct explorer *part, enum pool_order order);

/* Returns a part whose next plan (explorer_next does not return NULL) is first in this order; the
 * caller owns it. With POOL_DEPTH it is a whole part. Else it is that plan alone, unless the search
 * was not begun or was cut. NULL: nothing is left. */
struct explorer *pool_take(struct pool *pool, enum pool_order order);

/* A uniformly distributed number below `count`, for callers that draw in a search themselves. */
uint32_t pool_draw(struct pool *pool, uint32_t count);

/* The parts (struct explorer); owned by the pool. */
const GPtrArray *pool_parts(const struct pool *pool);

/* Whether the pool is so large that it should be worked off (POOL_DEPTH) first. */
bool pool_is_full(const struct pool *pool);

/* Whether a waiting plan contains all of these choices (struct choice). */
bool pool_needs(struct pool *pool, const GArray *choices);

#endif
