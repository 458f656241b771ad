/* The search: which node to run next, so that every outcome is reached once.
 *
 * A node is the set of choices taken so far; a program's state is a function of it (run forward,
 * make every deterministic match, and each chosen match as soon as the rules allow it, until
 * nothing moves). The explorer is told the trace of a world that has come to rest with all choices
 * of its plan made, and answers which choice it makes next; all other nodes that it wants visited
 * it keeps to itself until explorer_next asks for them.
 *
 * Pure: no I/O, no clock, no randomness. It knows neither worlds nor snapshots. */
#ifndef MATCHPOINT_EXPLORER_EXPLORER_H
#define MATCHPOINT_EXPLORER_EXPLORER_H

#include <stdbool.h>

#include "path.h"
#include "trace.h"

struct explorer;

/* A bound on some of the choices: a point says for which bounds it counts. */
struct explorer_bound {
	uint32_t most; /* so many of them may be other than the default one */
	bool vouched;  /* beyond it there is nothing new, says the user: the rest is all there is */
};

#define EXPLORER_BOUNDS 63u /* at most so many: a point tells them as bits */

struct explorer_options {
	int ranks;
	int deviations; /* at most this many choices other than the default one; -1: no bound */
	const struct explorer_bound *bounds; /* they outlive the explorer */
	unsigned bound_count;
	uint32_t some; /* of requests that could be reported together every set of at most so many
	                  is visited, and larger ones if at some node just they are complete */
	const GArray *from; /* struct choice: nothing is visited but the outcomes that contain these
	                       and, where they leave others open until all are made, the first
	                       alternative of each; NULL: all are. It outlives the explorer */
};

/* What could be answered later at a point besides what is open at once. */
enum open_question {
	QUESTION_NONE,   /* a receive or probe: late messages alone; a send: nothing */
	QUESTION_ALL,    /* MPI_Test, MPI_Testall: TAKEN_YES */
	QUESTION_ANY,    /* MPI_Waitany, MPI_Testany: TAKEN_ONE of each request */
	QUESTION_SOME,   /* MPI_Waitsome, MPI_Testsome: these, and TAKEN_SOME of several */
	QUESTION_RECALL, /* a receive that may yet be cancelled: TAKEN_CANCELLED */
};

/* A point where a choice can be made now, and what can be taken. */
struct open_choice {
	struct point point;
	GArray *alternatives; /* of struct taken, messages one a source; the first is the default;
	                         never empty */
	enum open_question question;
	uint32_t requests; /* ANY, SOME: how many are asked about */
	uint64_t bounds;   /* for which of the explorer's bounds it counts, a bit each; the same
	                      whenever the point is open */
	bool more;         /* SOME: there are sets of complete requests that are left out */
};

enum explorer_step {
	EXPLORER_TAKE,   /* make the choice returned and run on */
	EXPLORER_DONE,   /* this world is an outcome: nothing is left to choose */
	EXPLORER_DROP,   /* a wasted run: the trace does not hold the choices of its plan, or the
	                  node was visited before; no reproducible program comes to that */
	EXPLORER_KNOWN,  /* a random walk has come to an outcome that another has come to before */
	EXPLORER_STUCK,  /* on the way to options.from: what is open is to be taken otherwise, so
	                   polls are told "not yet", as where nothing is open; if that moves
	                   nobody, the plan could not be followed */
	EXPLORER_LET_GO, /* nothing is open but what the plan's promises keep back, which are not
	                  kept: the world is to go on without them. It asks again, is answered with
	                  the first alternatives, and with EXPLORER_DONE in the end, and yet is none
	                  of the outcomes that are counted */
	EXPLORER_LATER,  /* never the explorer's own: somebody is asked, and has not answered yet */
};

struct explorer *explorer_new(const struct explorer_options *options);
void explorer_free(struct explorer *explorer);

/* The next node to visit, as the choices to be forced, in an order that was possible once; the
 * first call returns the empty set. The array (struct choice) is the caller's. NULL: all visited.
 *
 * Plans come back deepest first: each begins with a prefix of the one before it, as long as any
 * that is still waiting for a visit. */
GArray *explorer_next(struct explorer *explorer);

/* The world that runs the plan last returned has come to rest, all choices of the plan made.
 * `open` (struct open_choice) is empty when the world can only end: then the
 * answer is EXPLORER_DONE or EXPLORER_DROP. Which of them comes first must follow from the node
 * alone: its alternatives are visited. With EXPLORER_TAKE *ret_choice is one of the open
 * choices' alternatives; the world goes on and calls again at its next rest.
 *
 * `trace` is all of this world's from MPI_Init on. Within one world it only grows; a world that
 * starts where another was copied costs what it adds, if it also begins with the same events. */
enum explorer_step explorer_rest(struct explorer *explorer, const struct trace *trace,
                                 const GArray *open, struct choice *ret_choice);

/* The answer of whoever takes the first of what is open, and says `at_end` where nothing is. */
enum explorer_step explorer_take_first(const GArray *open, enum explorer_step at_end,
                                       struct choice *ret_choice);

/* After EXPLORER_TAKE: not the choice returned is made, but this alternative of its point; that one
 * waits for a visit. False: this one is not open there, or left out. */
bool explorer_turn(struct explorer *explorer, struct taken taken);

/* The plan last returned could not be followed to its end (counts as wasted). */
void explorer_lost(struct explorer *explorer);

/* The world of the plan last returned was stopped on its way, or not begun: the next plan goes on
 * where it was. */
void explorer_cut(struct explorer *explorer);

/* The world of the plan last returned was ended from outside, and another is about to be run with
 * all choices made in it so far, or, if it has let go of promises, until then and with these. What
 * that one tells may come in another order: it is read from the beginning. */
void explorer_again(struct explorer *explorer);

/* Whether a world has made all choices of options.from: before, a plan is empty, and what the world
 * is answered leads there. A world that ends before they are made is wasted. */
bool explorer_has_begun(const struct explorer *explorer);

/* The choices of options.from until then; NULL: none, or they are made. */
const GArray *explorer_awaits(const struct explorer *explorer);

/* Whether all has been visited: explorer_next would return NULL. */
bool explorer_is_done(const struct explorer *explorer);

/* Whether a plan still waiting contains all of these choices (struct choice): a snapshot taken with
 * them could serve again. While a world is running, it may still add plans that contain any part
 * of its own choices: ask when it has ended. */
bool explorer_needs(const struct explorer *explorer, const GArray *choices);

struct explorer_statistics {
	uint64_t outcomes; /* worlds answered with EXPLORER_DONE */
	uint64_t wasted;   /* dropped or lost worlds */
	uint64_t visited;  /* nodes visited */
	uint64_t waiting;  /* plans not yet returned */
	uint64_t pruned;   /* alternatives left out by the bound on deviations, or by others */
	uint64_t vouched;  /* alternatives left out by bounds beyond which there is nothing new */
	bool sets_left;    /* sets of requests reported together were left out: options.some */
	uint64_t events;   /* events of traces read: the cost of the search, without a clock */
	double share;      /* a guess at the part of the tree that the outcomes are, 0 to about 1 */
};
void explorer_statistics(const struct explorer *explorer, struct explorer_statistics *ret);
/* The same, and all begins anew but what is waiting. */
void explorer_statistics_take(struct explorer *explorer, struct explorer_statistics *ret);

/* Between two worlds: needs less memory, until the next has been read. */
void explorer_forget_trace(struct explorer *explorer);

#endif
