/* The result of an interleaving: its record, and the findings if something is wrong. It is computed
 * from the facts given, without knowledge of processes or of the search. */
#ifndef MATCHPOINT_SCHEDULER_VERDICT_VERDICT_H
#define MATCHPOINT_SCHEDULER_VERDICT_VERDICT_H

#include <stdbool.h>

#include "explorer/explorer.h"
#include "scheduler/host/host.h"
#include "scheduler/store/record.h"
#include "scheduler/world/communicators.h"
#include "scheduler/world/rank_end.h"
#include "scheduler/world/world.h"

/* What is known of an interleaving that is over. Owned by the caller. */
struct verdict_facts {
	struct world *world;
	int ranks;
	const struct communicators *comms;
	const struct rank_end *ends; /* by rank */
	/* By rank: the unreported call that the rank is inside, or that it repeats; NULL: none
	 * known. */
	const struct wire_blocking_call *const *inside;
	/* The place of a rank's call with this return address; all 0: not known. */
	struct place (*place)(void *user, int rank, guint64 site);
	void *user;
	/* By number (struct world_call), from 1: stacks of calls (GArray of struct record_frame),
	 * which give the places of calls of interpreted programs. NULL: not used. */
	const GPtrArray *stacks;
	const char *lost;     /* why its plan could not be followed; NULL: it was followed */
	bool stalled;         /* ranks inside MPI report nothing any more, or only look at
	                         windows (livelock) */
	bool livelock;        /* the ranks that go on do so for ever */
	const char *how_sure; /* how sure that is, if they poll: a clause; NULL: nothing to add */
	double still;         /* seconds without progress until that was assumed */
	bool struck_before;   /* something outside ended an earlier run of this path */
	bool memory_ran_out;  /* and this time memory had run out */
	const char *const *ignored; /* kinds of findings not to report; NULL: report all */
	bool errors_returned;       /* errors that MPI returned to the program are findings */
};

struct verdict {
	struct record_execution *record; /* NULL: it does not count as an interleaving */
	GPtrArray *findings;             /* struct record_finding; the one that ended the
	                                    interleaving comes first */
	GPtrArray *returned;             /* struct record_finding: errors that MPI returned, if the
	                                    interleaving ended well and they are no findings */
	bool ended_well;                 /* whatever went wrong before */
	bool starved;                    /* memory has run out, and not for the first time */
	bool printed_again;              /* the output is that of another run of the same */
	char *lost_output;               /* why what a rank printed is not known, or may not be
	                                    all; NULL: it is. No part of the outcome */
	bool no_room;                    /* because its file system is full: to run it again is of
	                                    no use there */
	bool cut_short;                  /* because shared memory is full, or was for a while */
	guint64 printed;                 /* bytes of output and error output of all ranks */
};

struct verdict *verdict_new(void);
void verdict_free(struct verdict *verdict);

/* Fills in the findings, and the record except for its calls, while the ranks still exist. */
void verdict_reach(struct verdict *verdict, const struct verdict_facts *facts);
/* The same for an interleaving whose plan could not be followed: the finding says that the program
 * is not reproducible. */
void verdict_lost(struct verdict *verdict, const struct verdict_facts *facts);
/* Adds the calls to the record, while the ranks still exist (verdict_calls.c). */
void verdict_calls(struct verdict *verdict, const struct verdict_facts *facts);
/* What the host knows of the output of ranks when every process is gone. Owned by the caller. */
struct verdict_printed {
	const struct host_output *outputs; /* rank 0's streams (enum host_stream), rank 1's, ... */
	struct host_room room;
};

/* Adds what is known only when every process is gone: exit codes, and the output of each rank. Each
 * rank that has connected has made its files, so that what cannot be read is lost output; so is all
 * output if a place is full. */
void verdict_complete(struct verdict *verdict, const struct verdict_facts *facts,
                      const struct verdict_printed *printed);

/* The finding with this key (record_finding_key); NULL: there is none. */
struct record_finding *verdict_finding(const struct verdict *verdict, const char *key);

/* --- also for an interleaving that still runs ------------------------------------------------- */

/* The roll-call: where each rank is (struct record_rank). Free with g_ptr_array_unref. */
GPtrArray *verdict_roll_call(const struct verdict_facts *facts);
/* A communicator, window or file as texts show it: "comm 2 \"rows\": MPI_Comm_split at a.c:25". A
 * call of `function` that makes it, and is under its number already, does not show where it was
 * made. The arguments of a call (world_arguments) with such communicators. Free with g_free. */
char *verdict_comm(const struct verdict_facts *facts, guint64 comm, guint16 function);
/* Its label alone (made_comms.h), interned; "1" for MPI_COMM_WORLD. */
const char *verdict_comm_label(const struct verdict_facts *facts, guint64 comm);
char *verdict_arguments(const struct verdict_facts *facts, int rank, guint32 call);
/* The place of a rank's call: from its stack if known, else from its address. */
struct place verdict_call_place(const struct verdict_facts *facts, int rank,
                                const struct world_call *info);
/* The operation whose EVENT_ASK, or EVENT_LATER, is the question that is answered at a point. */
struct op_id verdict_question(const struct point *point, const struct taken *answer, int ranks);
/* The calls that started the requests in an answer to the question `ask` (NULL: none): "3,4"; NULL:
 * none. *ret_first, if it was 0, becomes the first of them. Free with g_free. */
char *verdict_reported_calls(const struct trace *trace, const struct event *ask,
                             const struct taken *answer, guint32 *ret_first);
/* The alternatives of an open point: `taken` is the default, `alternatives` are the others. Free
 * with record_choice_free (verdict_choices.c). */
struct record_choice *verdict_tell_open(const struct verdict_facts *facts,
                                        const struct open_choice *open);
/* The path so far; free with g_free. */
char *verdict_path(const struct verdict_facts *facts);
/* The same with all choices made, including those that a path need not contain. Only this names
 * that place exactly. */
char *verdict_whole_path(const struct world *world);

#endif
