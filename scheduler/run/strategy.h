/* Who decides which message a receive takes: the search, chance, or a given path. The loop that
 * carries the decisions out (execution.h) knows only this table. */
#ifndef MATCHPOINT_SCHEDULER_RUN_STRATEGY_H
#define MATCHPOINT_SCHEDULER_RUN_STRATEGY_H

#include <stdbool.h>

#include "explorer/pool.h"
#include "explorer/random_search.h"
#include "explorer/state_search.h"
#include "explorer/state_watch.h"

struct execution;
struct wire_call;

struct strategy {
	/* Asked also while choices of the plan wait for something (a path may leave choices out).
	 * */
	bool fills_gaps;
	/* Begins every interleaving anew, and tells by `rest`, with nothing open, whether it has
	 * ended as another one, also where that is not at rest. */
	bool wanders;
	/* What comes next is mostly elsewhere in the tree: snapshots are seldom of use. */
	bool leaps;
	/* It is one of several interleavings that begin alike, of which nobody knows the tree:
	 * snapshots are worth their while along the plan, too. */
	bool repeats;
	/* Goes on for long from where it is, so that snapshots lie one behind the other, and of
	 * those that are no images none can be given up but the last: they are taken the more
	 * seldom the further it has come, and not beyond the budget. */
	bool stays;
	/* Choices (struct choice, the caller's) that are waited for where there is no plan: while
	 * others can be told "not yet", polls at these points are not. NULL: none. */
	const GArray *awaited;
	/* Is told names of states besides, as many as it wants; the strategy's owner's. NULL: none.
	 */
	struct state_watch *watch;
	/* Ranks are asked for their state even if they have done nothing since they told it. */
	bool verifies;
	/* The choices to be forced in the next interleaving (struct choice, the caller's), or NULL.
	 * */
	GArray *(*next)(struct strategy *strategy);
	/* A world has come to rest: see explorer_rest. `open` NULL: the plan could not be followed.
	 * EXPLORER_LATER: the world stands still until execution_resume. */
	enum explorer_step (*rest)(struct strategy *strategy, const struct trace *trace,
	                           const GArray *open, struct choice *ret_choice);
	/* The world that it has answered was ended from outside: another makes the same choices,
	 * and goes on from there, but its trace may have another order. NULL: that is all the same.
	 * */
	void (*again)(struct strategy *strategy);
	/* Before `rest` with something open: the world's state, until then; NULL: it cannot be
	 * told, for this reason. NULL: it compares none, and ranks are not asked. */
	void (*state)(struct strategy *strategy, const struct known_state *told, const char *why);
	/* A rank makes this call: before it is answered, so that it can be held in it
	 * (execution_hold). NULL: of no interest. */
	void (*called)(struct strategy *strategy, struct execution *execution, int rank,
	               const struct wire_call *call);
	/* Whether a plan still waiting contains these choices. */
	bool (*needs)(const struct strategy *strategy, const GArray *choices);
	void (*free)(struct strategy *strategy);
};

/* Every outcome once. The explorer stays the caller's. */
struct strategy *strategy_search(struct explorer *explorer);

/* The same, beginning where other such searches are, too (explorer/pool.h): of what is open for the
 * first time any alternative is taken, as the pool draws. Both stay the caller's. */
struct strategy *strategy_turning(struct explorer *explorer, struct pool *pool);

/* Equal states once. The search stays the caller's; `why` (owned by the caller; NULL at first) is
 * set to the first reason for which a state could not be told. */
struct strategy *strategy_states(struct state_search *search, bool verifies, char **why);

/* Random walks. The search stays the caller's. */
struct strategy *strategy_random(struct random_search *search);

/* One interleaving: the choices of `choices` (struct choice, copied), and where they name none, the
 * candidate of the lowest rank. */
struct strategy *strategy_path(const GArray *choices);

/* The answer (`rest` above) of one that takes the first of what is open, and says `at_end` where
 * nothing is. */
enum explorer_step strategy_take_first(const GArray *open, enum explorer_step at_end,
                                       struct choice *ret_choice);

#endif
