/* Where the ranks of a recording stand: at their end, or in the call in which it was cut. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_ROLL_CALL_H
#define MATCHPOINT_SCHEDULER_RECORDING_ROLL_CALL_H

#include <glib.h>
#include <stdbool.h>

struct roll_call_entry {
	int rank;
	bool is_missing; /* it left no log */
	bool has_ended, is_inside;
	guint64 call;      /* its number, from 1; 0: none was made */
	guint32 function;  /* enum mpi_call */
	int peer, tag;     /* or RECORDING_NOTHING */
	char *where;       /* "solver+0x11f3"; NULL: not known */
	int error;         /* errno, if the log could not be written to the end */
	guint64 last_call; /* in which the log ends then */
	guint32 refused;   /* enum mpi_call that could not be recorded; 0: none */
	char *reason;      /* why; NULL: nothing was refused */
	char *damage;      /* what is wrong with the log; NULL: nothing */
};

/* Returns entries for all ranks, owned; NULL with `error` set. All logs are read, and their sums
 * are checked. */
GPtrArray *roll_call(const char *directory, GError **error);

#endif
