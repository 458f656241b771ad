/* The cost of a node of the search: how many of its choices differ from the default, in all and for
 * each bound (struct explorer_bound). A value type; what it points to is immutable and shared. */
#ifndef MATCHPOINT_EXPLORER_COST_H
#define MATCHPOINT_EXPLORER_COST_H

#include <glib.h>
#include <stdint.h>

/* All zero: costs nothing. */
struct cost {
	guint deviations;
	GArray *counts; /* guint32 for each bound, up to the last that is not 0; NULL: all are 0 */
};

struct cost cost_copy(const struct cost *cost);
void cost_release(struct cost *cost);

/* The cost with one more choice that is not the default; `bounds`: bit set of the bounds it counts
 * for. */
struct cost cost_plus(const struct cost *cost, uint64_t bounds);

guint32 cost_of(const struct cost *cost, guint bound);

#endif
