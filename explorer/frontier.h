/* What is left of a search, as a value: to continue later, or elsewhere.
 *
 * "Between two worlds" means: explorer_rest returned EXPLORER_DONE or EXPLORER_DROP for the last
 * world, or explorer_lost or explorer_cut was called, and explorer_next has not been called
 * since. */
#ifndef MATCHPOINT_EXPLORER_FRONTIER_H
#define MATCHPOINT_EXPLORER_FRONTIER_H

#include "explorer.h"

/* Choices, points and what is taken are encoded as in choice.h. */
#define FRONTIER_BYTES "ay"
#define FRONTIER_WAITING "a(" FRONTIER_BYTES FRONTIER_BYTES "(uau)b)"
#define FRONTIER_STEPS \
	"a(" FRONTIER_BYTES "tubu(uau)u" FRONTIER_WAITING "ba(uu)aia" FRONTIER_BYTES ")"
#define FRONTIER_SETTLED "a(ui" FRONTIER_BYTES "u)"
#define FRONTIER_QUESTIONS "a(u" FRONTIER_BYTES ")"
#define FRONTIER_ASKING "a(iiau)"
#define FRONTIER_TYPE \
	"(bb" FRONTIER_BYTES FRONTIER_STEPS FRONTIER_SETTLED FRONTIER_QUESTIONS FRONTIER_ASKING ")"

/* The state of the search between two worlds, of type FRONTIER_TYPE; free with g_variant_unref.
 * Uses the byte order of this machine. */
GVariant *explorer_save(struct explorer *explorer);

/* The same while a world is running, before explorer_rest returns its end: as if the world were
 * given up with explorer_cut. */
GVariant *explorer_save_running(const struct explorer *explorer);

/* Creates the search from a saved frontier. Statistics start at 0, except `waiting`. Nodes visited
 * before are not known. NULL: the frontier is damaged, or was not saved with this number of
 * ranks. */
struct explorer *explorer_load(const struct explorer_options *options, GVariant *frontier);

/* Moves up to `most` of the alternatives that wait at the shallowest step to a new search. Together
 * both visit what the one would have visited, each node once. Allowed at any time, also while a
 * world is running. NULL: fewer than `least` alternatives wait in the whole search. */
struct explorer *explorer_split(struct explorer *explorer, guint most, guint least);

/* Moves one alternative to a new search that has only this one: the nth (from 0) that waits at the
 * step `index`. It must exist. Between two worlds. */
struct explorer *explorer_detach(struct explorer *explorer, guint index, guint nth);

/* Between two worlds: forgets what lies beyond the deepest step at which something waits. */
void explorer_trim(struct explorer *explorer);

/* The number of alternatives that wait at the shallowest step, as in explorer_split; 0: none. */
guint explorer_split_width(const struct explorer *explorer);

/* The probability that a walk from the root, which takes each known alternative with equal
 * probability, reaches a waiting one: an estimate of their part of the tree, 0 to 1. */
double explorer_waiting_share(const struct explorer *explorer);

#endif
