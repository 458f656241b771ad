/* How a node of a search was come to: choices, one after the other. Ways share their beginnings. */
#ifndef MATCHPOINT_EXPLORER_WAY_H
#define MATCHPOINT_EXPLORER_WAY_H

#include "choice.h"

/* NULL: the beginning. */
struct way {
	struct way *before; /* held */
	struct choice choice;
	guint depth; /* choices */
	guint users;
};

struct way *way_hold(struct way *way);
void way_let_go(struct way *way);

/* Takes over `before`. */
struct way *way_new(struct way *before, const struct choice *choice);

/* All of them (struct choice), to be unref'd. */
GArray *way_choices(const struct way *way);

bool way_equal(const struct way *one, const struct way *other);
bool way_begins_with(const struct way *way, const struct way *beginning);
bool way_contains(const struct way *way, const struct choice *choice);

#endif
