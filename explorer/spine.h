/* The steps of the search's spine (see explorer.c) and the alternatives that wait at them. */
#ifndef MATCHPOINT_EXPLORER_SPINE_H
#define MATCHPOINT_EXPLORER_SPINE_H

#include <stdbool.h>

#include "cost.h"
#include "path.h"
#include "request_subsets.h"

struct alternative {
	struct choice choice;
	GArray *needs; /* of struct choice, to be made before; NULL: it was open at once */
	struct cost cost;
	bool first; /* the first one that was open, put aside: with it the step asks */
};

void alternative_free(struct alternative *alternative);

#define STEP_UNKNOWN G_MAXSIZE

/* A point that was the first open one at its node. */
struct step {
	struct point point;
	struct op_id id;  /* its operation */
	guint base;       /* choices on the path before this step's */
	bool first;       /* stands at the first alternative that was open */
	guint others;     /* of the steps so far, this one included, the last that does not; + 1 */
	struct cost cost; /* of the path up to and including this step */
	uint64_t bounds;  /* for which it counts: see struct open_choice */
	guint seen;       /* alternatives known so far, visited or not */
	size_t events;    /* length of the trace at its node, or STEP_UNKNOWN */
	GQueue waiting;   /* of struct alternative: not visited yet */
	GArray *complete; /* of struct complete_request, in the order seen; NULL: sets of requests
	                     are not reported here */
	/* what it is to ask for while it stands at an alternative that was put aside; else NULL */
	GArray *sources; /* of int32_t */
	GArray *answers; /* of struct taken */
};

struct step *step_new(struct point point, int ranks, guint base);
void step_free(struct step *step);

/* Adds an alternative at the end, so far without needs; takes the cost over. */
struct alternative *step_wait(struct step *step, struct taken taken, struct cost cost);

/* Frees `sources` and `answers`. */
void step_ask_nothing(struct step *step);

/* Forgets the complete requests seen at more than so many steps. */
void step_forget_complete(struct step *step, guint depth);

/* Whether one of the alternatives that wait leads to a plan with all of the choices: `steps` (of
 * struct step *) are those of the path `path`. */
bool spine_needs(const GPtrArray *steps, const GArray *path, const GArray *choices);

#endif
