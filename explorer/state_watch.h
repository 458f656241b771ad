/* Detects whether equal states occur in a search of the tree (explorer.h), so that a search that
 * visits them once (state_search.h) would have less to do.
 *
 * Fingerprints cost time, so not all nodes get one. A sample of nodes is taken at the beginning. If
 * nothing is found, another sample of the same size is taken each time the search has become eight
 * times as large; after the last one never again. Depth first, the nodes of a sample lie close
 * together. So a sample shows whether the last choices leave the same state. At first fingerprints
 * need not include ranks that have nothing to choose, as long as none occurs twice. Only then is a
 * sample of whole fingerprints taken. No I/O. */
#ifndef MATCHPOINT_EXPLORER_STATE_WATCH_H
#define MATCHPOINT_EXPLORER_STATE_WATCH_H

#include <stdbool.h>

#include "common/state_hash.h"

enum {
	STATE_WATCH_SAMPLE = 64, /* nodes in a sample */
	STATE_WATCH_FIRST = 16,  /* a sample ends after so many nodes if all are new */
	STATE_WATCH_SAMPLES = 4, /* from the 1st, 512th, 4096th and 32768th node on */
	/* so many nodes of a sample that occurred before: state search pays */
	STATE_WATCH_ENOUGH = 16,
};

struct state_watch;

struct state_watch *state_watch_new(void);
void state_watch_free(struct state_watch *watch); /* NULL is allowed */

enum state_watch_name {
	STATE_WATCH_NONE,
	STATE_WATCH_CHOOSERS, /* the world, and the ranks that have something to choose */
	STATE_WATCH_WHOLE,
};

/* Which fingerprint of the current node is wanted. Does not change until state_watch_add. */
enum state_watch_name state_watch_wants(const struct state_watch *watch);

/* The search continues from that node. `name`: its fingerprint, if one was wanted; NULL: it has
 * none. */
void state_watch_add(struct state_watch *watch, const struct state_hash *name);

bool state_watch_pays(const struct state_watch *watch);

/* Whether no more fingerprints will be wanted. */
bool state_watch_is_over(const struct state_watch *watch);

#endif
