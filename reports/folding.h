/* The calls of a diagram, those that repeat told once: an item is a call, or the calls of all
 * members of a collective in which they wait for each other. Items are alike when the same ranks
 * call the same at the same places with the same partners; the choice to blame is like no other. */
#ifndef MATCHPOINT_REPORTS_FOLDING_H
#define MATCHPOINT_REPORTS_FOLDING_H

#include "diagram.h"
#include "repetition.h"

struct folding {
	GPtrArray *folded; /* of struct repetition, of the items */
	GArray *begins;  /* of guint by item: where in the diagram's order it begins; and the end */
	guint *position; /* by call: where it stands in the order */
	guint *drawn; /* by call: the one that is drawn for it, itself or that of the first time */
};

void folding_init(struct folding *folding, const struct diagram *diagram);
void folding_release(struct folding *folding);

/* The first of `folded` so that the rest are at most so many items, but one in any case. */
guint folding_last(const struct folding *folding, guint most);

#endif
