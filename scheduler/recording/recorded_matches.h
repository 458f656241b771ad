/* What each communication call of a recorded rank got: the source of each message, the requests
 * that were reported, the polls that were answered "not yet". The rank is replayed alone for it,
 * since only the program itself tells how long a record of its log is. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_MATCHES_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_MATCHES_H

#include <glib.h>
#include <stdbool.h>

/* One call; or polls in a row that were answered "not yet". */
struct recorded_call {
	guint32 number; /* as under control; of the first poll */
	guint32 function;
	guint32 not_yet;    /* number of such polls; 0: it is another call */
	bool is_inside;     /* the recording ends in it */
	guint first, count; /* in `reports` */
};

/* What a call reported: a message, or a request that is complete. */
struct recorded_report {
	gint32 index;       /* among the active requests that were given to the call */
	guint32 start, sub; /* the call that had started it, this one if none did; 0: not known */
	guint32 call;       /* that has reported it */
	gint32 source, tag; /* of the status; below 0: none */
	bool is_cancelled;
};

/* What a call was given, and handles that it gave. */
enum recorded_argument {
	RECORDED_DEST,
	RECORDED_SOURCE,
	RECORDED_TAG,
	RECORDED_SENDTAG,
	RECORDED_RECVTAG,
	RECORDED_ROOT,
	RECORDED_COMM, /* of an intercommunicator that is made: the local one */
	RECORDED_MESSAGE,
	RECORDED_MADE_COMM,
	RECORDED_MADE_MESSAGE,
	RECORDED_ARGUMENTS
};

/* Beside a call: what else is to be told of it. */
struct recorded_details {
	guint64 site; /* where it returns to; of polls: the first one */
	/* As the program gave them: numbers and handles; WIRE_ANY, WIRE_NOBODY, WIRE_ROOT_ITSELF,
	 * WIRE_COMM_WORLD and WIRE_COMM_SELF of common/wire.h for what MPI has names for. */
	gint32 values[RECORDED_ARGUMENTS];
	guint32 has;           /* those that it has: bits 1 << enum recorded_argument */
	gint64 sent, received; /* bytes of its buffers */
	guint first, count;    /* in `prepared`: what it has started */
	bool makes;            /* a communicator, whose members are known */
	GArray *members[2];    /* gint32: ranks in MPI_COMM_WORLD; NULL: none */
};

struct recorded_matches {
	GArray *calls;      /* struct recorded_call */
	GArray *details;    /* struct recorded_details, one for each of `calls`; NULL: not read */
	GArray *prepared;   /* guint32: the calls that have prepared what calls have started */
	GArray *reports;    /* struct recorded_report */
	GHashTable *starts; /* guint64 (start << 32 | sub) to index in `reports`, plus 1 */
	bool has_threads;   /* several threads of the rank communicate */
	char *cut;          /* why the recording ends before the rank did; NULL: it does not */
	char *lost;         /* why it could not be read further, with details only; NULL: it was */
};

/* Replays a rank for it. `is_whole`: its log is complete (roll_call.h). Remarks on what may be
 * different are appended to `remarks` (char *). NULL with `error` set if it cannot be replayed:
 * another program, a damaged log, no log. */
struct recorded_matches *recorded_matches_read(const char *directory, int rank, bool is_whole,
                                               GPtrArray *remarks, GError **error);
/* The same with details. What was read before a damage, or before the rank did something else, is
 * kept (`lost`). */
struct recorded_matches *recorded_matches_read_all(const char *directory, int rank, bool is_whole,
                                                   GPtrArray *remarks, GError **error);
void recorded_matches_free(struct recorded_matches *matches); /* NULL is legal */

/* The index of the first call from this number on; none: the number of calls. */
guint recorded_matches_find(const struct recorded_matches *matches, guint32 number);

/* For tests: what a replay that tells these lines, in turns, would give. NULL ends them. */
struct recorded_matches *recorded_matches_of_lines(const char *const *lines);

/* What came of the operation that a call (its number in the recording) has started; NULL: the
 * recording does not tell. */
const struct recorded_report *recorded_matches_of(const struct recorded_matches *matches,
                                                  guint32 start, guint32 sub);

#endif
