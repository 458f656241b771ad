/* What explorer.c (the tree), revisits.c (alternatives that come late) and frontier.c (what is left)
 * share. Nobody else includes it. */
#ifndef MATCHPOINT_EXPLORER_EXPLORER_INTERNAL_H
#define MATCHPOINT_EXPLORER_EXPLORER_INTERNAL_H

#include <stdbool.h>

#include "dependence.h"
#include "explorer.h"
#include "spine.h"

/* An answer that was not open at a step. */
struct question {
	guint step;
	struct taken answer;
};

/* A source that had nothing for a step's receive, or such an answer (then the source is -1), about
 * which no more need be asked. */
struct settled {
	guint step;
	int32_t source;
	struct taken answer;
	guint depth; /* steps made when it was settled */
};

/* The steps that wait for a message of one source to one rank. */
struct asking {
	GArray *steps; /* of guint, ascending; NULL: none yet */
	guint stamp;   /* of the last rest that looked */
};

/* Of a rank for whose receives choices are made. A lock of a window is one, too; messages come
 * from real ranks alone. */
struct destination {
	bool blocked;           /* a message may be held up by an earlier receive */
	guint swept;            /* stamp of the last rest that asked all sources */
	struct asking asking[]; /* by source */
};

struct explorer {
	struct explorer_options options;
	struct dependence *dependence;
	struct dependence *threads; /* dependence_of_threads; NULL: no rank has several */
	GArray *path;            /* of struct choice: the node's, in an order that was possible */
	GPtrArray *steps;        /* of struct step */
	GArray *settled;         /* of struct settled, in the order settled */
	GArray *questions;       /* of struct question: those not settled */
	GPtrArray *destinations; /* struct destination, by rank; NULL: no choice there yet */
	GHashTable *visited;     /* set of the nodes' hashes; shared with what was split off */
	uint64_t hash;           /* of the node last visited */
	uint64_t node;           /* the same with its promises, as it is in `visited` */
	guint stamp;
	guint begun; /* steps that the world that runs has not made: all, when none does */
	bool started;
	GArray *prefix; /* of struct choice: made by the world that is led to options.from;
	                 NULL: one has been there, and `path` begins with them */
	bool cut;       /* the last world did not come to its end: explorer_cut */
	bool fresh;     /* the next rest is the first of its world */
	bool promises;  /* some choice of the path is one; known from the first rest on */
	bool let_go;    /* and the world that runs goes on without: EXPLORER_LET_GO */
	struct explorer_statistics statistics;
};

/* The next choice on the way to options.from (prefix.c). */
enum explorer_step explorer_follow_prefix(struct explorer *explorer, const GArray *open,
                                          struct choice *ret_choice);
/* Whether there is none: the search begins where the world is, if it did not yet. */
bool explorer_is_led(struct explorer *explorer);

/* The bound, behind all others, on other answers than "no" to polls that would be repeated: for
 * programs that count polls, one in a path. */
#define REPEATS_BOUND EXPLORER_BOUNDS
#define REPEATS_MOST 1u

void revisits_init(struct explorer *explorer);
void revisits_release(struct explorer *explorer);

/* The step made last begins to ask for what was not open at it. */
void revisits_start(struct explorer *explorer, const struct open_choice *open);

/* Asks what the events from `from` on may have settled (STEP_UNKNOWN: whatever there is), and adds
 * the alternatives found to the steps that missed them. */
void revisits_look(struct explorer *explorer, const struct trace *trace, size_t from);

/* Back to the node where the step `index` starts: forgets what was settled since, and the questions
 * of that step and of those after it, which are freed. */
void revisits_go_back(struct explorer *explorer, guint index);

/* The step made last asks for nothing, but keeps in mind for what it would have; and asks for that
 * from now on. */
void revisits_put_aside(struct explorer *explorer);
void revisits_take_up(struct explorer *explorer);

/* Who waits for a message of `source` to `rank`; made when there is nothing yet. */
struct asking *revisits_asking(struct explorer *explorer, int32_t rank, int32_t source);

/* Goes back to the node where the step `index` starts; its alternatives that wait are kept. */
void explorer_go_back(struct explorer *explorer, guint index);

/* An alternative of a step, which was not open first in a world that costs `before`, waits to be
 * visited. NULL: it is beyond a bound; else what it needs can still be added. */
struct alternative *explorer_push(struct explorer *explorer, struct step *step, struct taken taken,
                                  const struct cost *before);

static inline struct step *step_at(const struct explorer *explorer, guint index)
{
	return g_ptr_array_index(explorer->steps, index);
}

static inline struct step *last_step(const struct explorer *explorer)
{
	return explorer->steps->len > 0 ? step_at(explorer, explorer->steps->len - 1) : NULL;
}

static inline const struct choice *choice_at(const GArray *choices, guint index)
{
	return &g_array_index(choices, struct choice, index);
}

#endif
