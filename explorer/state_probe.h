/* A look into the tree (explorer.h) for equal states, to find out whether a search that visits them
 * once (state_search.h) would have less to do.
 *
 * From some node on, a part of the tree is visited: at each node only the first alternatives of the
 * first open point, to a limited depth, and what leads to a state that was met before is left. Two
 * nodes of the tree are two sets of choices, so equal states are what the tree visits twice, and
 * not only orders of the same choices. In such a part, branches that differ early come together if
 * the program forgets in which order things came: nodes of different branches are compared at equal
 * depth. No I/O. */
#ifndef MATCHPOINT_EXPLORER_STATE_PROBE_H
#define MATCHPOINT_EXPLORER_STATE_PROBE_H

#include "common/state_hash.h"
#include "explorer.h"
#include "state_search.h"

struct state_probe;

/* `base`: the choices (struct choice, copied) that lead to the node. `depth`: of nodes with several
 * alternatives below it. `patience`: worlds after which it ends if no state was met twice. */
struct state_probe *state_probe_new(const GArray *base, guint depth, guint patience);
void state_probe_free(struct state_probe *probe); /* NULL is allowed */

/* As explorer_next: the choices to make first in the next world. NULL: it is over. */
GArray *state_probe_next(struct state_probe *probe);

/* As explorer_rest. `state`: of the world; NULL or nameless: it equals no other. Never
 * EXPLORER_DONE: no world of it counts. */
enum explorer_step state_probe_rest(struct state_probe *probe, const struct known_state *state,
                                    const GArray *open, struct choice *ret_choice);

/* The world was ended from outside. Another one makes the same choices, and goes on from there. */
void state_probe_again(struct state_probe *probe);

struct state_probe_result {
	guint worlds;   /* that were asked for */
	guint named;    /* states with a fingerprint */
	guint nameless; /* without */
	guint reached;  /* at the deepest depths where there are enough: states, each time */
	guint repeated; /* of these, those met before */
};
struct state_probe_result state_probe_result(const struct state_probe *probe);

#endif
