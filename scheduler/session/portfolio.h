/* In which order a tree is explored for which there may not be enough time: several orders share
 * it, in each of the trees (bufferings). What one of them takes is no longer there for the others,
 * so nothing is run twice, and when nothing is left all is explored (explorer/pool.h). */
#ifndef MATCHPOINT_SCHEDULER_SESSION_PORTFOLIO_H
#define MATCHPOINT_SCHEDULER_SESSION_PORTFOLIO_H

#include <stdbool.h>

#include "explorer/pool.h"
#include "scheduler/host/host.h"
#include "scheduler/run/strategy.h"
#include "session.h"

struct portfolio;

/* What has been taken: a part of a tree, and how it is gone on with. */
struct portfolio_turn {
	enum buffering buffering;
	enum pool_order order;
	gint64 begun;
};

/* The orders that `order` stands for, which share the time of a host; NULL: interleavings, so that
 * what is explored follows from their number. */
struct portfolio *portfolio_new(enum session_order order, struct host *host);
void portfolio_free(struct portfolio *portfolio); /* NULL is none */

/* A part that is not begun or was left by an earlier session; taken over. */
void portfolio_add(struct portfolio *portfolio, enum buffering buffering, struct explorer *part);

/* Whose turn it is: where least was spent. The part is the caller's; NULL: nothing is left. */
struct explorer *portfolio_take(struct portfolio *portfolio, struct portfolio_turn *ret);

/* How the part taken is gone on with; free it as any. */
struct strategy *portfolio_strategy(struct portfolio *portfolio, const struct portfolio_turn *turn,
                                    struct explorer *part);

/* An interleaving of it has ended: takes it back. */
void portfolio_return(struct portfolio *portfolio, const struct portfolio_turn *turn,
                      struct explorer *part);

/* The parts (struct explorer) that are there under a buffering; NULL: none ever was. */
const GPtrArray *portfolio_parts(const struct portfolio *portfolio, enum buffering buffering);

/* Whether a plan that waits there contains all of these choices. */
bool portfolio_needs(const struct portfolio *portfolio, enum buffering buffering,
                     const GArray *choices);

#endif
