/* What a node of the search costs: how many of its choices differ from the default, in all and for
 * each bound (struct explorer_bound). A value; what it points to is immutable and shared. */
#ifndef MATCHPOINT_EXPLORER_COST_H
#define MATCHPOINT_EXPLORER_COST_H

#include <glib.h>
#include <stdint.h>

/* All 0 costs nothing. */
struct cost {
	guint deviations;
	GArray *counts; /* of guint32, by bound, as far as there are any but 0; NULL: all are 0 */
};

struct cost cost_copy(const struct cost *cost);
void cost_release(struct cost *cost);

/* With one more choice that differs, and counts for the bounds whose bits are set. */
struct cost cost_plus(const struct cost *cost, uint64_t bounds);

guint32 cost_of(const struct cost *cost, guint bound);

#endif
