/* What is left of a search, as a value: to go on later, or somewhere else.
 *
 * "Between two worlds" means: the last one has been answered with EXPLORER_DONE or EXPLORER_DROP,
 * or given up with explorer_lost or explorer_cut, and explorer_next not been asked yet. */
#ifndef MATCHPOINT_EXPLORER_FRONTIER_H
#define MATCHPOINT_EXPLORER_FRONTIER_H

#include "explorer.h"

/* Choices, points and what is taken are the bytes of choice.h. */
#define FRONTIER_BYTES "ay"
#define FRONTIER_WAITING "a(" FRONTIER_BYTES FRONTIER_BYTES "(uau)b)"
#define FRONTIER_STEPS \
	"a(" FRONTIER_BYTES "tubu(uau)u" FRONTIER_WAITING "ba(uu)aia" FRONTIER_BYTES ")"
#define FRONTIER_SETTLED "a(ui" FRONTIER_BYTES "u)"
#define FRONTIER_QUESTIONS "a(u" FRONTIER_BYTES ")"
#define FRONTIER_ASKING "a(iiau)"
#define FRONTIER_TYPE \
	"(bb" FRONTIER_BYTES FRONTIER_STEPS FRONTIER_SETTLED FRONTIER_QUESTIONS FRONTIER_ASKING ")"

/* The search as it stands between two worlds, in FRONTIER_TYPE; unref with g_variant_unref. It is
 * written in this machine's byte order. */
GVariant *explorer_save(struct explorer *explorer);

/* The same while a world is running, before it is answered: as if the world were given up with
 * explorer_cut. */
GVariant *explorer_save_running(const struct explorer *explorer);

/* The search that was saved, with statistics that begin anew, but for what is waiting. Of the nodes
 * visited before nothing is known. NULL: damaged, or not saved with so many ranks. */
struct explorer *explorer_load(const struct explorer_options *options, GVariant *frontier);

/* Hands up to `most` of the alternatives that wait at the shallowest step over to a new search:
 * what both go on to visit is what the one would have visited, each node once. At any time, also
 * while a world is running. NULL: fewer than `least` are waiting anywhere. */
struct explorer *explorer_split(struct explorer *explorer, guint most, guint least);

/* Hands this one over, the nth (from 0) that waits at the step `index`, likewise; it is there. The
 * new search has it alone. Between two worlds. */
struct explorer *explorer_detach(struct explorer *explorer, guint index, guint nth);

/* Between two worlds: forgets what went beyond the deepest step at which something waits. */
void explorer_trim(struct explorer *explorer);

/* How many alternatives wait at that step; 0: nothing is waiting. */
guint explorer_split_width(const struct explorer *explorer);

/* How likely a walk from the root, which takes any of the alternatives known alike, comes to one of
 * those that wait: a guess at the part of the tree that is below them, 0 to 1. */
double explorer_waiting_share(const struct explorer *explorer);

#endif
