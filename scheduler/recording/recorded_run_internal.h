/* The state of a recorded run that is followed. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_RUN_INTERNAL_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_RUN_INTERNAL_H

#include "recorded_matches.h"
#include "recorded_run.h"
#include "scheduler/execution/run.h"

/* A poll that a rank has made under control. */
struct followed_poll {
	guint32 call, function;
	guint64 question;       /* a hash of what is asked */
	struct wire_name first; /* of the requests; {0}: none */
	gint32 peer, tag;       /* of a probe, or WIRE_ANY */
};

/* A receive or a probe that a call under control has started. */
struct followed_operation {
	struct wire_name name;
	guint64 comm;
	bool is_one_of_many; /* of MPI_Startall: its part tells which of the requests it is */
};

/* A rank, on its way along its recording. */
struct followed_rank {
	struct recorded_matches *matches;
	guint at;         /* in its calls: the present call, or the next */
	guint32 used;     /* polls of that entry that were made here */
	guint32 call;     /* under control; 0: it has made none */
	guint32 function; /* of it */
	guint64 site;     /* of it */
	bool is_poll, said_yes;
	bool is_uncounted; /* only under control it has a number: an access to a window */
	bool is_of_mpis;   /* a poll of nothing, or of requests that only MPI knows */
	GArray *numbers; /* guint32, by call under control: its number in the recording; 0: none */
	GArray *polls;   /* struct followed_poll, since something else happened */
	GArray *operations;                 /* struct followed_operation, in the order of calls */
	guint64 polls_here, polls_recorded; /* answered "not yet" */
};

struct recorded_run {
	struct strategy strategy;
	const struct communicators *comms;
	struct execution *execution; /* that is followed now */
	struct followed_rank *ranks;
	int count;
	GPtrArray *remarks; /* char *: of the replays of the ranks */
	char *lost, *path;
	struct trace trace; /* of the run, as `path` */
	bool is_patient;    /* polls are answered "not yet" whenever that is possible */
	bool is_over;       /* ended where the recording does */
	guint matches, followed;
	guint untold; /* choices of which the recording tells nothing */
};

static inline const struct recorded_call *followed_call(const struct followed_rank *rank, guint at)
{
	return at < rank->matches->calls->len
	               ? &g_array_index(rank->matches->calls, struct recorded_call, at)
	               : NULL;
}

/* The next call that is no poll answered "not yet"; NULL: none is recorded. */
const struct recorded_call *followed_next(const struct followed_rank *rank);
/* How many polls are recorded before it as answered "not yet", and were not made yet. */
guint64 followed_not_yet(const struct followed_rank *rank);
/* The number in the recording of a call under control; 0: it has none. */
guint32 followed_number(const struct followed_rank *rank, guint32 call);
/* The receive or probe that a call under control has started: this part of it; of a call
 * that starts a single one, that. NULL: none. */
const struct followed_operation *followed_find(const struct followed_rank *rank, guint32 call,
                                               guint32 sub);
/* What the recording tells of a receive or probe; NULL: nothing. *ret_source: the rank in
 * MPI_COMM_WORLD whose message it got; -1: it does not tell. */
const struct recorded_report *followed_report(const struct recorded_run *run, int number,
                                              struct wire_name name, int *ret_source);

/* What the recording says about an open point. */
enum followed_answer {
	FOLLOWED_TAKE,    /* this alternative */
	FOLLOWED_LATER,   /* one that is not open yet */
	FOLLOWED_NOT_YET, /* the same; the poll may be answered "not yet" until then */
	FOLLOWED_FREE,    /* nothing */
};
enum followed_answer followed_decide(const struct recorded_run *run, const struct open_choice *open,
                                     struct taken *ret_taken);

/* Compares what was received with the recording, at the end of the execution. */
void followed_compare(struct recorded_run *run);

#endif
