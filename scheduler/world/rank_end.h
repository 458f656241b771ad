/* How a rank came to its end, as far as is known. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RANK_END_H
#define MATCHPOINT_SCHEDULER_WORLD_RANK_END_H

#include <glib.h>
#include <stdbool.h>

#include "scheduler/store/record.h"

struct rank_end {
	bool gone;   /* its connection is closed */
	bool known;  /* `status` is what waitpid would tell, or `untold` */
	bool untold; /* it went before MPI_Finalize without a word, and its launcher did not tell
	                how: `status` is 0 and means nothing */
	bool reaped; /* its keeper has waited for it */
	bool killed; /* ended by us; tells nothing about the program */
	bool unsaid; /* what it has printed may not be written out: told to do so, it has not said
	                yet that it has */
	int status;
	bool aborted;
	bool deaf; /* waits inside MPI to be killed, and obeys no order */
	int abort_code;
	guint16 function; /* enum mpi_call, of an error in a call that was not told */
	char *error;      /* MPI's words for an error that the program wanted to be fatal */
	char *returned;   /* its words for the first error that a call returned to the program */
	guint32 returned_call;
	bool threads;       /* `error`: a thread called MPI that must not; no more is heard */
	struct place place; /* of the crash or the error; all-NULL: its last call */
};

/* Forgets what it knows. */
void rank_end_clear(struct rank_end *end);

/* Whether it is gone, and not known how. */
bool rank_end_is_silent(const struct rank_end *end);

/* Whether a process that ended so was killed by a signal that others send: the memory killer, an
 * operator, a batch system. */
bool rank_end_is_outside(int status);
/* Whether something outside may have ended this one: it was killed so, or nobody told how it went.
 */
bool rank_end_is_struck(const struct rank_end *end);
/* How, for a sentence: "by SIGKILL". Free with g_free. */
char *rank_end_struck_words(const struct rank_end *end);

#endif
