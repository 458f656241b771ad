/* Decides when to look for equal states in a search of the tree (explorer.h), and whether to leave
 * the tree for a search that visits them once (state_search.h).
 *
 * A look (state_probe.h) costs time, so there are few: the first when some interleavings have been
 * explored, others when there are four times as many, or when the tree turns out to be much larger
 * than it seemed. They begin at the root and at nodes further down. All of it depends on numbers of
 * interleavings, not on time, so that a search goes the same way each time.
 *
 * The tree is kept where states do not tell how many interleavings they stand for, or are known to
 * be many: where threads, the lock of a window, or early sends and collectives are choices, where
 * ranks poll in a loop, and where sets of requests are left out. No I/O. */
#ifndef MATCHPOINT_EXPLORER_STATE_WATCH_H
#define MATCHPOINT_EXPLORER_STATE_WATCH_H

#include <stdbool.h>

#include "explorer.h"
#include "state_probe.h"

struct state_watch;

/* `first`: interleavings before the first look. `least`: so many must be left to make a look worth
 * its while. `gain`: the tree is left if it would be so many times the work. */
struct state_watch *state_watch_new(guint64 first, double least, double gain);
void state_watch_free(struct state_watch *watch); /* NULL is allowed */

/* A world of the tree is at rest, with these choices (struct open_choice) open. */
void state_watch_see(struct state_watch *watch, const GArray *open);

/* Whether the tree is kept, whatever comes; and why, as a clause (NULL: it may be left). */
bool state_watch_is_over(const struct state_watch *watch);
const char *state_watch_reason(const struct state_watch *watch);

/* After an interleaving of the tree. `explored`: how many there are; `left`: estimate of those left
 * (negative: unknown). Whether to look now. */
bool state_watch_is_due(struct state_watch *watch, guint64 explored, double left);

/* The probe for this look. `choices`: of an interleaving of the tree, in the order made. Free with
 * state_probe_free. */
struct state_probe *state_watch_probe(struct state_watch *watch, const GArray *choices);

/* What the probe has found. `below`: choices with several alternatives that the interleaving makes
 * below the base of the probe. Returns whether leaving the tree pays. */
bool state_watch_judge(struct state_watch *watch, const struct state_probe *probe, guint below);

/* How many of the choices of an interleaving with `all` of them the probe's base has. */
guint state_watch_base(const struct state_watch *watch, guint all);

#endif
