/* The steps of the search's spine (see explorer.c) and the alternatives that wait at them. */
#ifndef MATCHPOINT_EXPLORER_SPINE_H
#define MATCHPOINT_EXPLORER_SPINE_H

#include <stdbool.h>

#include "cost.h"
#include "path.h"
#include "request_subsets.h"

struct alternative {
	struct choice choice;
	GArray *needs; /* struct choice: to be made before; NULL: it was open at once */
	struct cost cost;
	/* the first open alternative of its step; if it is taken, the step asks its questions */
	bool first;
};

void alternative_free(struct alternative *alternative);

/* A source that a step asks for; `ahead` as in struct taken. */
struct step_source {
	int32_t source;
	guint ahead;
};

/* What a question that may report sets of requests asks about; `ahead` as in struct taken. */
struct step_sets {
	guint ahead;
	GArray *complete; /* struct complete_request, in the order seen; owned */
};

#define STEP_UNKNOWN G_MAXSIZE

/* A point that was the first open one at its node. */
struct step {
	struct point point;
	struct op_id id; /* operation of the point */
	guint base;      /* number of choices on the path before this step's */
	bool first;      /* takes the first alternative that was open */
	/* a poll answered "no": no world of this search has ended since, so it is not known whether
	 * its other alternatives are necessary (EVENT_REPEAT) */
	bool undecided;
	/* index + 1 of the last step, up to this one, that takes another; 0: none */
	guint others;
	struct cost cost; /* cost of the path including this step */
	uint64_t bounds;  /* bounds for which it counts: see struct open_choice */
	guint seen;       /* alternatives known so far, visited or not */
	size_t events;    /* length of the trace at its node, or STEP_UNKNOWN */
	GQueue waiting;   /* struct alternative: not visited yet */
	/* a revisit that was visited before its first witness came (known_run.c); NULL: none */
	struct alternative *early;
	GArray *sets; /* struct step_sets; NULL: sets of requests are not reported here */
	/* the questions to ask when the step takes its first alternative later; else NULL */
	GArray *sources; /* struct step_source */
	GArray *answers; /* struct taken */
};

struct step *step_new(struct point point, int ranks, guint base);
void step_free(struct step *step);

/* Appends an alternative without needs. Takes ownership of the cost. */
struct alternative *step_wait(struct step *step, struct taken taken, struct cost cost);

/* The complete requests of such a question: adds it; finds it (NULL: there is none). */
GArray *step_add_sets(struct step *step, guint ahead);
GArray *step_find_sets(const struct step *step, guint ahead);

/* Frees `sources` and `answers`. */
void step_ask_nothing(struct step *step);

/* Forgets complete requests that were seen when there were more than `depth` steps. */
void step_forget_complete(struct step *step, guint depth);

/* Whether a waiting alternative leads to a plan with all of these choices. `steps` (struct step *)
 * are those of the path. */
bool spine_needs(const GPtrArray *steps, const GArray *path, const GArray *choices);

#endif
