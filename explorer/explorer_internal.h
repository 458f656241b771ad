/* Shared by explorer.c (the tree), revisits.c (alternatives that come later) and frontier.c (what
 * is left of the search). No other file includes it. */
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

/* A question that need not be asked any more: a source that had no message for a step's receive, or
 * such an answer (then the source is -1). */
struct settled {
	guint step;
	int32_t source;
	struct taken answer;
	guint depth; /* number of steps when it was settled */
};

/* A step that waits for a message. `ahead`: of a loop of polls, the poll that comes so many calls
 * after the step's point. */
struct asker {
	guint step;
	guint ahead;
};

/* The steps that wait for a message of one source to one rank. */
struct asking {
	GArray *steps; /* struct asker, steps ascending; NULL: none yet */
	guint stamp;   /* of the last rest that checked it */
};

/* A rank for whose receives choices are made. A lock of a window counts as a rank here; messages
 * come only from real ranks. */
struct destination {
	int32_t rank;
	bool blocked;           /* an earlier receive may hold up a message */
	guint swept;            /* stamp of the last rest that checked all sources */
	struct asking asking[]; /* by source */
};

struct explorer {
	struct explorer_options options;
	struct dependence *dependence;
	struct dependence *threads; /* dependence_of_threads; NULL: no rank has several threads */
	/* struct choice: those of the node, in an order that was possible */
	GArray *path;
	GPtrArray *steps;  /* struct step */
	GArray *settled;   /* struct settled, in the order settled */
	GArray *questions; /* struct question: those not settled */
	/* struct destination, ascending by rank: those where a choice was made */
	GPtrArray *destinations;
	GHashTable *visited; /* node_key(hash); shared with the searches split off */
	uint64_t hash;       /* hash of the node last visited */
	uint64_t node;       /* the same with its promises, as in `visited` */
	guint stamp;
	guint begun; /* steps that the running world has not made; without a world: all */
	bool started;
	/* struct choice: made by the world that is led to options.from; NULL: a world has reached
	 * it, and `path` begins with them */
	GArray *prefix;
	struct known_run *known; /* heads for options.toward; NULL: none, or over (known_run.c) */
	/* struct choice: what the running world has to make on the way to its node; NULL: there is
	 * no options.toward */
	GArray *pending;
	bool heads_for_known; /* the world that began so has not ended */
	guint strayed;        /* how many choices of options.toward it has not made */
	bool cut;             /* the last world did not reach its end: explorer_cut */
	bool fresh;           /* the next rest is the first of its world */
	bool promises; /* some choice of the path is a promise; valid from the first rest on */
	bool gave_up;  /* the running world has given up its promises: EXPLORER_GIVE_UP */
	struct explorer_statistics statistics;
};

/* The next choice on the way to options.from (prefix.c). */
enum explorer_step explorer_follow_prefix(struct explorer *explorer, const GArray *open,
                                          struct choice *ret_choice);
/* Whether the prefix is complete. If the search has not begun yet, it begins at this node. */
bool explorer_prefix_is_made(struct explorer *explorer);

/* The way to options.toward (known_run.c). explorer_read_known: begins it. explorer_drop_known: the
 * world goes on as the search does. explorer_settle_known: that world has ended. */
void explorer_read_known(struct explorer *explorer);
void explorer_drop_known(struct explorer *explorer);
void explorer_settle_known(struct explorer *explorer);
/* After the step made last: what to do instead of its first alternative, which is in *ret_choice.
 * If choices become pending, explorer_make_pending makes one at each rest until none is. */
enum explorer_step explorer_take_known(struct explorer *explorer, const GArray *open,
                                       struct choice *ret_choice);
enum explorer_step explorer_make_pending(struct explorer *explorer, const GArray *open,
                                         struct choice *ret_choice);
/* The pending choices cannot be made: the next plan takes the first alternative. */
void explorer_undo_pending(struct explorer *explorer);

/* The first alternative of the step made last waits, with the step's questions. The caller sets
 * what the step takes instead. explorer_take_first_later: takes it after all. */
void explorer_put_off_first(struct explorer *explorer);
void explorer_take_first_later(struct explorer *explorer);

/* A bound after all others: on answers other than "no" to polls that would be repeated, one in a
 * path, for programs that count polls. */
#define REPEATS_BOUND EXPLORER_BOUNDS
#define REPEATS_MOST 1u

void revisits_init(struct explorer *explorer);
void revisits_release(struct explorer *explorer);

/* Adds questions for what was not open at the step made last. */
void revisits_start(struct explorer *explorer, const struct open_choice *open);

/* Checks what the events from `from` on may have settled (STEP_UNKNOWN: any event). Adds the
 * alternatives found to the steps that missed them. */
void revisits_check(struct explorer *explorer, const struct trace *trace, size_t from);

/* Returns to the node where the step `index` starts: forgets what was settled since then, and the
 * questions of that step and of later steps, which are freed. */
void revisits_go_back(struct explorer *explorer, guint index);

/* It is not known any more where earlier receives hold up messages: anywhere. */
void revisits_block_all(struct explorer *explorer);

/* revisits_suspend: the step made last asks nothing, but remembers its questions.
 * revisits_resume: it asks them again. */
void revisits_suspend(struct explorer *explorer);
void revisits_resume(struct explorer *explorer);

/* The steps that wait for a message of `source` to `rank`; created if there are none yet. */
struct asking *revisits_asking(struct explorer *explorer, int32_t rank, int32_t source);

/* Returns to the node where the step `index` starts. Its waiting alternatives are kept. */
void explorer_go_back(struct explorer *explorer, guint index);

/* Adds an alternative of a step that was not open first in a world of cost `before`; it waits for a
 * visit. Returns NULL if it is beyond a bound. Otherwise the caller may add what it needs. */
struct alternative *explorer_push(struct explorer *explorer, struct step *step, struct taken taken,
                                  const struct cost *before);

static inline const struct asker *asker_at(const GArray *steps, guint index)
{
	return &g_array_index(steps, struct asker, index);
}

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
