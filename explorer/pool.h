/* A search in parts, any of which can be gone on with at any time: what waits, wherever it is in
 * the tree, can be visited next. What one takes is no longer there for others, so each node is
 * visited once, whatever the order. Pure. */
#ifndef MATCHPOINT_EXPLORER_POOL_H
#define MATCHPOINT_EXPLORER_POOL_H

#include <stdbool.h>

#include "explorer.h"

struct pool;

enum pool_order {
	POOL_DEPTH,      /* where it was gone on with last, the deepest first */
	POOL_DEVIATIONS, /* what costs the fewest deviations; of those, any */
	POOL_RANDOM,     /* where a walk from the root that takes any of the alternatives known
	                    alike comes first to one that waits */
	POOL_ORDERS
};

/* What is drawn follows from the seed. */
struct pool *pool_new(uint32_t seed);
void pool_free(struct pool *pool); /* with the parts */

/* Takes a part over, which has come back from a world in this order, or is new (POOL_ORDERS).
 * One with nothing left is freed. */
void pool_add(struct pool *pool, struct explorer *part, enum pool_order order);

/* A part, the caller's now, whose next plan (explorer_next is not NULL) is first in this order:
 * with POOL_DEPTH all of it, else, but for searches not begun or cut, that plan alone. NULL:
 * nothing is left. */
struct explorer *pool_take(struct pool *pool, enum pool_order order);

/* A number below `count`, each alike, for whoever draws in a search itself. */
uint32_t pool_draw(struct pool *pool, uint32_t count);

/* The parts (struct explorer); the pool's. */
const GPtrArray *pool_parts(const struct pool *pool);

/* Whether it has grown so much that it should be worked off (POOL_DEPTH) first. */
bool pool_is_full(const struct pool *pool);

/* Whether a plan that waits contains all of these choices (struct choice). */
bool pool_needs(struct pool *pool, const GArray *choices);

#endif
