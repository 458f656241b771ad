/* The order in which a tree is explored when there may not be time for all of it. Several orders
 * share each tree (one for each buffering). They take parts from the same pool, so nothing is run
 * twice; when the pool is empty, everything is explored (explorer/pool.h). */
#ifndef MATCHPOINT_SCHEDULER_SESSION_PORTFOLIO_H
#define MATCHPOINT_SCHEDULER_SESSION_PORTFOLIO_H

#include <stdbool.h>

#include "explorer/pool.h"
#include "scheduler/execution/strategy.h"
#include "scheduler/host/host.h"
#include "session.h"

struct portfolio;

/* A part of a tree that was taken, and the order that explores it. */
struct portfolio_turn {
	enum buffering buffering;
	enum pool_order order;
	gint64 begun;
};

/* A portfolio of the orders that `order` stands for. They share the time of `host`. NULL: they
 * share interleavings, so that the exploration is reproducible. */
struct portfolio *portfolio_new(enum session_order order, struct host *host);
void portfolio_free(struct portfolio *portfolio); /* NULL is allowed */

/* Adds a part that is not begun or was left by an earlier session. Takes ownership. */
void portfolio_add(struct portfolio *portfolio, enum buffering buffering, struct explorer *part);

/* Takes a part for the order that has had the smallest share. Gives ownership to the caller. NULL:
 * nothing is left. */
struct explorer *portfolio_take(struct portfolio *portfolio, struct portfolio_turn *ret);

/* The strategy that explores the part taken; free it like any other. */
struct strategy *portfolio_strategy(struct portfolio *portfolio, const struct portfolio_turn *turn,
                                    struct explorer *part);

/* Gives the part back when an interleaving of it has ended. */
void portfolio_return(struct portfolio *portfolio, const struct portfolio_turn *turn,
                      struct explorer *part);

/* The parts (struct explorer) of a tree that nobody has taken; NULL: the tree has none. */
const GPtrArray *portfolio_parts(const struct portfolio *portfolio, enum buffering buffering);

/* Whether a plan that waits there contains all these choices. */
bool portfolio_needs(const struct portfolio *portfolio, enum buffering buffering,
                     const GArray *choices);

#endif
