/* Whether equal states come up in a search of the tree (explorer.h), so that a search that visits
 * them once (state_search.h) would have less to do.
 *
 * Not all nodes of the tree are named, since that costs time: a sample of them at the beginning,
 * and, where nothing has come up, some more of the same size each time that the search has become
 * eight times as large; after the last one never again. Depth first the nodes of a sample lie close
 * together, so that what the last choices leave the same is seen in the first one. At first names
 * need not tell of ranks that have nothing to choose, as long as none comes up again: only then is
 * a sample of whole names taken. Pure. */
#ifndef MATCHPOINT_EXPLORER_STATE_WATCH_H
#define MATCHPOINT_EXPLORER_STATE_WATCH_H

#include <stdbool.h>

#include "common/state_hash.h"

enum {
	STATE_WATCH_SAMPLE = 64, /* nodes */
	STATE_WATCH_FIRST = 16,  /* of a sample; if all of them are new, there are no more */
	STATE_WATCH_SAMPLES = 4, /* from the 1st, 512th, 4096th and 32768th node on */
	STATE_WATCH_ENOUGH = 16, /* of a sample, that had come up before: then it pays */
};

struct state_watch;

struct state_watch *state_watch_new(void);
void state_watch_free(struct state_watch *watch); /* NULL is legal */

enum state_watch_name {
	STATE_WATCH_NONE,
	STATE_WATCH_CHOOSERS, /* what the world is, and those ranks that have something to choose */
	STATE_WATCH_WHOLE,
};

/* How the node that the search has come to is to be named; the same until state_watch_add. */
enum state_watch_name state_watch_wants(const struct state_watch *watch);

/* The search goes on from that node; its name, if that was wanted. NULL: it has none. */
void state_watch_add(struct state_watch *watch, const struct state_hash *name);

bool state_watch_pays(const struct state_watch *watch);

/* No more names will be wanted. */
bool state_watch_is_over(const struct state_watch *watch);

#endif
