/* The graph of states that a search over states (state_search.h) has found: which choice leads from
 * which state to which, also if that state was known already. It tells how many interleavings the
 * states stand for, without running them.
 *
 * An interleaving is a set of choices (explorer.h). Several ways through the graph make the same
 * choices in another order, as the edges out of a state are the alternatives of all its open
 * points. Of all these ways exactly one is counted, by means of sleep sets (Godefroid, LNCS 1032):
 *
 * - At each state all choices have an order. A way that makes one of them may not make an earlier
 *   one later: that one is asleep, until something else is chosen at its point.
 * - Let O be the choices of an interleaving, of which nothing is asleep. The way that makes the
 *   first of O that is open at each state counts. No other way does: the choice of O that it passes
 *   over is asleep, and stays open until it is made. That holds since choices exclude each other
 *   only at one point, and what is open stays open.
 * - If all that a point can ever take from here on is open now, each interleaving makes one of
 *   these choices. Then no other point need be looked at.
 *
 * Where sends or collectives are a choice (early or late), this does not hold: another choice can
 * close it. Then nothing is counted, nor where ranks compete for the lock of a window.
 *
 * A state has a number of calls only relative to the last call of each rank, as in state_search.h.
 * No I/O. */
#ifndef MATCHPOINT_EXPLORER_STATE_GRAPH_H
#define MATCHPOINT_EXPLORER_STATE_GRAPH_H

#include "choice.h"

struct state_graph;

struct state_graph *state_graph_new(void);
void state_graph_free(struct state_graph *graph); /* NULL is allowed */

/* Adds a state with these choices (struct choice), of which the calls are counted back from the
 * last call of each rank. Returns its number, from 1. The first state is where all begins. */
guint state_graph_add(struct state_graph *graph, const GArray *choices);

/* Adds an end. Ends and states are numbered together. */
guint state_graph_add_end(struct state_graph *graph);

/* The number of the first state or end, which is 1; 0: there is none yet. */
guint state_graph_first(const struct state_graph *graph);

bool state_graph_is_end(const struct state_graph *graph, guint number);

/* Where the choice leads from this state; 0: not known, or not one of its choices. */
guint state_graph_after(struct state_graph *graph, guint from, const struct choice *choice);

/* The choice leads from one to the other; ignored if it is known where it leads. `calls`: how many
 * calls each rank has made in between. */
void state_graph_connect(struct state_graph *graph, guint from, const struct choice *choice,
                         guint to, const guint32 *calls, int ranks);

/* What could not be found out makes the graph useless for counting. */
void state_graph_blur(struct state_graph *graph);

enum graph_answer {
	GRAPH_COUNTED,
	GRAPH_COUNTED_SOME, /* choices are left: there are at least as many */
	GRAPH_UNBOUNDED,    /* a state is reached again from itself */
	GRAPH_UNKNOWN,      /* the numbers cannot be found out, or not with reasonable effort */
};

/* Numbers beyond this one are not told apart from it. */
#define STATE_GRAPH_BEYOND (G_GUINT64_CONSTANT(1000000000000000000) + 1)

/* The sum of two such numbers. */
guint64 state_graph_sum(guint64 one, guint64 other);

/* How many interleavings come to each end. *ret_ends: guint64 by number, 0 for states; free with
 * g_array_unref; NULL unless counted. */
enum graph_answer state_graph_count(struct state_graph *graph, GArray **ret_ends);

#define STATE_GRAPH_TYPE "(ba(ba(ayuu))aay)"

/* For another process; floating. state_graph_load returns NULL if the data is damaged. */
GVariant *state_graph_save(const struct state_graph *graph);
struct state_graph *state_graph_load(GVariant *saved);

#endif
