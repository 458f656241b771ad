/* The calls of a diagram with repetitions folded. An item is a call, or the calls of all members
 * of a collective in which they wait for each other. Two items are alike if the same ranks make
 * the same calls at the same places with the same partners. The item with the choice to blame is
 * like no other. */
#ifndef MATCHPOINT_REPORTS_FOLDING_H
#define MATCHPOINT_REPORTS_FOLDING_H

#include "diagram.h"
#include "repetition.h"

struct folding {
	GPtrArray *folded; /* struct repetition, over the items */
	GArray *begins;    /* guint by item: where it begins in the diagram's order; and the end */
	guint *position;   /* by call: its position in the order */
	guint *drawn; /* by call: the call that is drawn for it: itself, or the one of the first
	                 iteration */
};

void folding_init(struct folding *folding, const struct diagram *diagram);
void folding_release(struct folding *folding);

/* The first index of `folded` from which at most `most` items are left; at least the last one is
 * left. */
guint folding_last(const struct folding *folding, guint most);

#endif
