/* The search: which node to run next, so that every outcome is reached once.
 *
 * A node is the set of choices taken so far. A program's state is a function of it: run forward,
 * make every deterministic match, and each chosen match as soon as the rules allow it, until
 * nothing moves. The explorer gets the trace of a world that is at rest with all choices of its
 * plan made. It returns the next choice. It keeps all other nodes that it wants to visit until
 * explorer_next returns them as plans.
 *
 * No I/O, no clock, no randomness. It knows neither worlds nor snapshots. */
#ifndef MATCHPOINT_EXPLORER_EXPLORER_H
#define MATCHPOINT_EXPLORER_EXPLORER_H

#include <stdbool.h>

#include "path.h"
#include "trace.h"

struct explorer;

/* A bound on some of the choices. Each open point lists the bounds for which it counts. */
struct explorer_bound {
	uint32_t most; /* maximum number of these choices that are not the default */
	/* the user states that nothing new lies beyond the bound; the rest counts as complete */
	bool vouched;
};

#define EXPLORER_BOUNDS 63u /* maximum number of bounds: one bit each */

struct explorer_options {
	int ranks;
	int deviations; /* maximum number of choices that are not the default; -1: no bound */
	const struct explorer_bound *bounds; /* must outlive the explorer */
	unsigned bound_count;
	/* requests reported together: sets of up to this size are all visited, larger ones if they
	 * are exactly what is complete at some node */
	uint32_t some;
	/* struct choice: only outcomes that contain these are visited. While they leave other
	 * points open, the first alternative is taken there. NULL: all outcomes. Must outlive the
	 * explorer */
	const GArray *from;
	/* struct choice: made by a run that is known, as far as it went; the outcome that contains
	 * them is visited first. Not together with `from` or bounds. NULL: none. Both must outlive
	 * the explorer */
	const GArray *toward;
	const struct trace *toward_trace; /* of that run, at its end */
};

/* What could be answered later at a point, besides what is open at once. */
enum open_question {
	QUESTION_NONE,   /* receive or probe: only messages that come later; send: nothing */
	QUESTION_ALL,    /* MPI_Test, MPI_Testall: TAKEN_YES */
	QUESTION_ANY,    /* MPI_Waitany, MPI_Testany: TAKEN_ONE of each request */
	QUESTION_SOME,   /* MPI_Waitsome, MPI_Testsome: as ANY, and TAKEN_SOME of several */
	QUESTION_RECALL, /* a receive that may still be cancelled: TAKEN_CANCELLED */
};

/* In a loop of polls that go round without effect: another poll of the loop. */
struct open_later {
	uint32_t ahead; /* calls until then */
	enum open_question question;
	uint32_t requests;
};

/* A point where a choice can be made now, and its alternatives. */
struct open_choice {
	struct point point;
	/* struct taken, never empty, one message for each source; the first is the default */
	GArray *alternatives;
	enum open_question question;
	uint32_t requests; /* ANY, SOME: number of requests of the question */
	/* bit set of the explorer's bounds for which it counts; the same whenever the point is
	 * open */
	uint64_t bounds;
	bool more; /* SOME: sets of complete requests are left out */
	/* struct open_later: the point is the next poll of such a loop, these are the others;
	 * alternatives may lie ahead. NULL: it is none */
	GArray *later;
};

enum explorer_step {
	EXPLORER_TAKE, /* make the choice *ret_choice and continue */
	EXPLORER_DONE, /* this world is an outcome: nothing is left to choose */
	/* a wasted run: the trace does not contain the choices of its plan, or the node was visited
	 * before; never happens with a reproducible program */
	EXPLORER_DROP,
	EXPLORER_KNOWN,    /* a random walk has reached an outcome that was reached before */
	EXPLORER_RETURNED, /* see explorer_returned */
	/* before options.from is reached: what is open is to be taken otherwise later, so answer
	 * polls "not yet", as where nothing is open; if nothing moves then, the plan could not be
	 * followed */
	EXPLORER_STUCK,
	/* nothing is open except what the plan's promises withhold, and they are not kept: continue
	 * without the promises. The world calls again and gets the first alternatives, and
	 * EXPLORER_DONE at the end. It is not one of the counted outcomes */
	EXPLORER_GIVE_UP,
	/* never returned by the explorer: a strategy has been asked and has not answered yet */
	EXPLORER_LATER,
};

struct explorer *explorer_new(const struct explorer_options *options);
void explorer_free(struct explorer *explorer);

/* Returns the next node to visit: the choices to make, in an order that was possible once. The
 * first call returns the empty set. The caller owns the array (struct choice). NULL: all nodes are
 * visited.
 *
 * Plans are returned deepest first: each begins with the longest prefix of the previous plan that
 * any waiting node shares. */
GArray *explorer_next(struct explorer *explorer);

/* Call this when the world that runs the last plan has come to rest and has made all choices of the
 * plan. `open` (struct open_choice) is empty if the world can only end; the result is then
 * EXPLORER_DONE or EXPLORER_DROP. The order of `open` must follow from the node alone: the
 * alternatives of the first point are visited. With EXPLORER_TAKE *ret_choice is an alternative of
 * an open point; the world continues and calls again at its next rest.
 *
 * `trace` has all events of this world since MPI_Init. Within one world it only grows. A world that
 * starts from a copy of another costs only the events that it adds, if its trace begins with the
 * same events. */
enum explorer_step explorer_rest(struct explorer *explorer, const struct trace *trace,
                                 const GArray *open, struct choice *ret_choice);

/* The same, but this world is back in a state that it was in before, with only polls answered "no"
 * in between, of which every rank has heard. Whatever is possible now was possible there, and waits
 * for a visit. So this world is over; it is no outcome. EXPLORER_RETURNED, or EXPLORER_DROP. While
 * explorer_may_leave is false, call explorer_rest instead. */
enum explorer_step explorer_returned(struct explorer *explorer, const struct trace *trace);
bool explorer_may_leave(const struct explorer *explorer);

/* Takes the first alternative of the first open point. If nothing is open, returns `at_end`. */
enum explorer_step explorer_take_first(const GArray *open, enum explorer_step at_end,
                                       struct choice *ret_choice);

/* After EXPLORER_TAKE: makes this alternative of the point instead of the choice returned, which
 * then waits for a visit. False: this alternative is not open there, or is left out. */
bool explorer_turn(struct explorer *explorer, struct taken taken);

/* The last plan could not be followed to its end. The run counts as wasted. */
void explorer_lost(struct explorer *explorer);

/* The world of the last plan was stopped before its end, or not started. The next plan continues
 * where it was. */
void explorer_cut(struct explorer *explorer);

/* The world of the last plan was ended from outside. Another world will be run with all choices
 * made in it so far; if it gave up promises, with those made until then and the promises. The order
 * of the events in the new world's trace may differ: it is read from the beginning. */
void explorer_again(struct explorer *explorer);

/* Whether a world has made all choices of options.from. Before that a plan is empty, and the
 * results of explorer_rest lead the world there. A world that ends before is wasted. */
bool explorer_has_begun(const struct explorer *explorer);

/* The choices (struct choice) that a world is to make besides its plan; they change as it goes on.
 * NULL: there will be none. Valid until the explorer is freed. */
const GArray *explorer_awaits(const struct explorer *explorer);

/* How many choices of options.toward the first outcome does not contain; 0 before its end. They are
 * no part of the tree: the search has a poll answered "not yet" first (struct open_choice). */
guint explorer_strayed(const struct explorer *explorer);

/* Whether all nodes have been visited: explorer_next would return NULL. */
bool explorer_is_done(const struct explorer *explorer);

/* Whether a waiting plan contains all of these choices (struct choice), so that a snapshot with
 * them could be used again. A running world may still add plans that contain any part of its own
 * choices: call this after its end. */
bool explorer_needs(const struct explorer *explorer, const GArray *choices);

struct explorer_statistics {
	uint64_t outcomes; /* worlds with EXPLORER_DONE */
	uint64_t wasted;   /* worlds dropped or lost */
	uint64_t visited;  /* nodes visited */
	uint64_t waiting;  /* plans not yet returned */
	/* alternatives left out by the bound on deviations, or by other bounds */
	uint64_t pruned;
	uint64_t vouched; /* alternatives left out by bounds that the user vouched for */
	bool sets_left;   /* sets of requests reported together were left out: options.some */
	uint64_t events;  /* events of traces read: the cost of the search without a clock */
	double share;     /* estimate of the outcomes' part of the tree, 0 to about 1 */
};
void explorer_statistics(const struct explorer *explorer, struct explorer_statistics *ret);
/* The same, and resets all counters except `waiting`. */
void explorer_statistics_take(struct explorer *explorer, struct explorer_statistics *ret);

/* Frees memory between two worlds; the next trace is read from its beginning. */
void explorer_forget_trace(struct explorer *explorer);

#endif
