/* How a rank ended, as far as known. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_RANK_END_H
#define MATCHPOINT_SCHEDULER_WORLD_RANK_END_H

#include <glib.h>
#include <stdbool.h>

#include "scheduler/store/record.h"

struct rank_end {
	bool gone;   /* its connection is closed */
	bool known;  /* `status` is the status that waitpid returns, or `untold` is set */
	bool untold; /* it ended before MPI_Finalize without a report, and its launcher did not
	                report how: `status` is 0 and has no meaning */
	bool reaped; /* its keeper has waited for it */
	bool killed; /* ended by matchpoint; says nothing about the program */
	bool unsaid; /* its output may not be written yet: it was ordered to flush it, and has
	                not confirmed that */
	int status;
	bool aborted;
	bool deaf; /* waits inside MPI to be killed, and carries out no order */
	int abort_code;
	guint32 inside;   /* the reported call in which it crashed or had the error; 0: not known */
	guint16 function; /* enum mpi_call; set for a crash or an error in an unreported call */
	bool outside;     /* it crashed in no MPI call */
	char *report;     /* what a sanitizer printed of it: "AddressSanitizer: ..." */
	char *error;      /* MPI's text of a fatal error */
	guint32 failed;   /* the call whose operation it is about; 0: not known */
	char *returned;   /* MPI's text of the first error that a call returned to the program */
	guint32 returned_call;
	bool threads;       /* `error` is set: a thread called MPI that must not; no more is
	                       reported */
	struct place place; /* of the crash or the error; all NULL: its last call */
};

/* Frees its texts and clears all members. */
void rank_end_clear(struct rank_end *end);

/* Whether it is gone, and it is not known how. */
bool rank_end_is_silent(const struct rank_end *end);

/* Whether a process that ended with this status was killed by a signal that others send: the memory
 * killer, an operator, a batch system. */
bool rank_end_is_outside(int status);
/* Whether something outside may have ended the rank: it was killed so, or it is not known how it
 * ended. */
bool rank_end_is_struck(const struct rank_end *end);
/* How it was killed, as part of a sentence: "by SIGKILL". Free with g_free. */
char *rank_end_struck_words(const struct rank_end *end);

#endif
