/* Decides at rest which message a receive takes, and every other choice: the search, chance, or a
 * given path. The loop that carries decisions out (rules.c) knows only this table. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_STRATEGY_H
#define MATCHPOINT_SCHEDULER_EXECUTION_STRATEGY_H

#include <stdbool.h>

#include "explorer/pool.h"
#include "explorer/random_search.h"
#include "explorer/state_probe.h"
#include "explorer/state_search.h"
#include "explorer/state_watch.h"

struct execution;
struct wire_call;
struct wire_go;

struct strategy {
	/* Is asked even while choices of the plan wait to become open (a path may leave choices
	 * out). */
	bool fills_gaps;
	/* Begins every interleaving anew. `rest` with nothing open decides whether it has ended
	 * like an earlier one, even if the world is not at rest. */
	bool wanders;
	/* Jumps about in the tree: snapshots are seldom of use. */
	bool leaps;
	/* One of several interleavings that begin alike, without a known tree: snapshots are worth
	 * their cost along the plan, too. */
	bool repeats;
	/* One interleaving that nothing returns to: snapshots are taken only if asked for. */
	bool passes;
	/* Goes on for long from where it is. Its snapshots depend on each other, and of those with
	 * keepers only the last can be released. So the further it is, the fewer are taken, and
	 * never beyond the budget. */
	bool stays;
	/* Choices (struct choice; owned by the caller) that are waited for after the plan. While
	 * other polls can be answered "not yet", polls at these points are not. NULL: none. */
	const GArray *awaited;
	/* Sees what is open at each rest; owned by the strategy's owner. NULL: none. */
	struct state_watch *watch;
	/* Ranks are asked for their states even if they have done nothing since. */
	bool verifies;
	/* Returns the choices to force in the next interleaving (struct choice; owned by the
	 * caller), or NULL. */
	GArray *(*next)(struct strategy *strategy);
	/* A world is at rest: see explorer_rest. `open` NULL: the plan could not be followed.
	 * EXPLORER_LATER: the world waits for execution_resume. */
	enum explorer_step (*rest)(struct strategy *strategy, const struct trace *trace,
	                           const GArray *open, struct choice *ret_choice);
	/* The same, but the world is back in an earlier state of its own (world_has_returned).
	 * EXPLORER_LATER: it has to go on; `rest` is called. NULL: always. */
	enum explorer_step (*returned)(struct strategy *strategy, const struct trace *trace);
	/* Something outside has ended a rank of the world, a second time along its path. That
	 * counts, but without it more might be open. Called before `rest`. NULL: that does not
	 * matter. */
	void (*struck)(struct strategy *strategy);
	/* The world was ended from outside. Another one makes the same choices, and goes on from
	 * there, but its trace may have another order. NULL: that does not matter. */
	void (*again)(struct strategy *strategy);
	/* Called before `rest` with something open. `told`: the world's state, valid until `rest`;
	 * nameless, because of `why`, if it cannot be determined; NULL, because of `why`: there is
	 * none, as the world is not at rest. The function is NULL if the strategy compares no
	 * states; then ranks are not asked. */
	void (*state)(struct strategy *strategy, const struct known_state *told, const char *why);
	/* A rank has made this call. Called before the call is answered, so the rank can be held in
	 * it (execution_hold). NULL: not needed. */
	void (*called)(struct strategy *strategy, struct execution *execution, int rank,
	               const struct wire_call *call);
	/* A rank may leave its call. NULL: not needed. */
	void (*answered)(struct strategy *strategy, int rank, const struct wire_go *go);
	void (*free)(struct strategy *strategy);
	void *data; /* its own */
};

/* Every outcome once. The caller keeps the explorer. */
struct strategy *strategy_search(struct explorer *explorer);

/* The same, for one of several searches of the same tree (explorer/pool.h): at a new point, the
 * pool draws which alternative is taken first. The caller keeps both. */
struct strategy *strategy_turning(struct explorer *explorer, struct pool *pool);

/* Equal states once. The caller keeps the search. `why` (owned by the caller; NULL at first) is set
 * to the first reason for which a state could not be determined. */
struct strategy *strategy_states(struct state_search *search, bool verifies, char **why);

/* A look for equal states. The caller keeps the probe. */
struct strategy *strategy_probe(struct state_probe *state_probe);

/* Random walks. The caller keeps the search. */
struct strategy *strategy_random(struct random_search *search);

/* One interleaving with the choices of `choices` (struct choice, copied). At other points it takes
 * the candidate of the lowest rank. */
struct strategy *strategy_path(const GArray *choices);

/* An answer of `rest`: takes the first open alternative; returns `at_end` if nothing is open. */
enum explorer_step strategy_take_first(const GArray *open, enum explorer_step at_end,
                                       struct choice *ret_choice);

#endif
