/* Why an execution does not count as an interleaving: one reason, and what follows from it, in one
 * table (discard.c). Of several reasons the one that stands last here is kept. Pure. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_DISCARD_H
#define MATCHPOINT_SCHEDULER_EXECUTION_DISCARD_H

#include <stdbool.h>

enum discard {
	DISCARD_NOT,       /* it counts */
	DISCARD_LET_GO,    /* it gave up promises */
	DISCARD_DROPPED,   /* the search has dropped it */
	DISCARD_KNOWN,     /* a random walk that ended like an earlier one */
	DISCARD_RETURNED,  /* left where it came back to an earlier state */
	DISCARD_LOST,      /* its plan could not be followed */
	DISCARD_CUT_SHORT, /* ended by time, Ctrl-C, or its owner */
	DISCARD_REDO,      /* cannot be carried out this way */
	DISCARD_STRUCK,    /* something outside has killed a rank or the launcher */
	DISCARDS,
};

enum discard_effect {
	DISCARD_COUNTS,        /* not discarded */
	DISCARD_COUNTS_IF_NEW, /* an interleaving only if it shows something new */
	DISCARD_WASTED,        /* no interleaving; the run is counted as wasted */
	DISCARD_NO_OUTCOME,    /* no interleaving, and not wasted */
	DISCARD_UNFOLLOWED,    /* its plan belongs to no interleaving */
	DISCARD_UNDECIDED,     /* no verdict; its plan is left to a later session */
	DISCARD_AGAIN,         /* it is begun again */
};

enum discard_effect discard_effect(enum discard discard);
/* As a clause: "it is cut short". */
const char *discard_words(enum discard discard);

/* Whether it has made the choices of its plan, and not been ended from outside. */
bool discard_followed_plan(enum discard discard);

#endif
