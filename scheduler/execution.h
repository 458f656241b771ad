/* One interleaving being carried out: a world (world.h), the processes and connections behind it,
 * and the plan it follows.
 *
 *   STARTING   ranks connect (a fresh job, or copies restored from a snapshot)
 *   RUNNING    reports come in; at rest the plan, then the strategy decides
 *   PARKING    a snapshot is being taken; it goes on as a restored copy of itself
 *   ENDING     the verdict is known; what is left of the ranks is being ended
 *   OVER       every process is gone */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_H
#define MATCHPOINT_SCHEDULER_EXECUTION_H

#include "absent.h"
#include "hangups.h"
#include "link.h"
#include "patience.h"
#include "record.h"
#include "stall.h"
#include "strategy.h"
#include "world.h"

struct session;
struct frozen;

enum execution_state {
	EXECUTION_STARTING,
	EXECUTION_RUNNING,
	EXECUTION_PARKING,
	EXECUTION_ENDING,
	EXECUTION_OVER,
};

/* How a rank came to its end, as far as is known. */
struct rank_end {
	gboolean gone;   /* its connection is closed */
	gboolean known;  /* `status` is what waitpid would tell */
	gboolean reaped; /* its keeper has waited for it */
	gboolean killed; /* ended by us; tells nothing about the program */
	int status;
	gboolean aborted;
	gboolean deaf; /* waits inside MPI to be killed, and obeys no order */
	int abort_code;
	guint16 function;   /* enum mpi_call, of an error after MPI_Finalize */
	char *error;        /* MPI's words for an error that the program wanted to be fatal */
	char *returned;     /* its words for the first error that a call returned to the program */
	guint32 returned_call;
	gboolean threads; /* `error`: a thread called MPI that must not; no more is heard */
	struct place place; /* of the crash or the error; all-NULL: its last call */
};

struct execution {
	struct session *session;
	enum execution_state state;
	guint32 number; /* of the world */
	char *directory;
	struct world *world;
	enum buffering buffering;
	gboolean launched;         /* processes of the launcher's, not restored copies */
	struct launcher *launcher; /* that started them; NULL: none, or gone over to the session */
	struct frozen *from;       /* whose copies the ranks are */
	struct strategy *strategy;
	GArray *plan;        /* struct choice still to be made */
	gint64 started;      /* g_get_monotonic_time() of start or restore */
	struct link **links; /* by rank; NULL: not connected, or gone */
	pid_t *pids;         /* by rank; 0: unknown */
	struct rank_end *ends;
	int connected;
	GArray *stacks; /* struct record_stack, as they were told; NULL: they are not wanted */
	struct frozen *parking;
	gboolean no_parking; /* a snapshot was tried and is not safe here */
	struct hangups *hangups; /* of the launcher's processes; NULL: they are copies */
	struct absent absent;
	struct stall *stall;
	gboolean stalled; /* nothing will come any more from ranks inside MPI, or that only look at
	                     windows (livelock) */
	uv_timer_t timer; /* polls that find nothing are answered slowly */
	gboolean timing;
	gboolean asking; /* how a rank ended */
	gint64 trouble_since; /* when a rank had failed in its start; 0: none has */
	gint64 heard;         /* the last message */
	gint64 looked;        /* for ranks that died without a word */
	gint64 ending_since;  /* when its end began */
	gint64 orphaned;      /* when the launcher ended before its ranks; 0: it has not */
	int launcher_status;
	gint64 over_since;    /* when every process was gone */
	gint64 lingering;  /* since when threads have listened to something outside; 0: not now */
	gboolean doubtful; /* threads were taken to be at rest because it took them long */
	gsize deferred_events; /* of the world, when last looked at: may some be held back? */
	gint64 deferred_since;
	struct patience patience; /* with polls that find nothing */
	gboolean given_up; /* waited in vain to learn how a rank ended */
	/* the outcome */
	gboolean wasted; /* dropped by the search, or lost: no interleaving of its own */
	gboolean known;  /* a random walk that has ended as another one did */
	char *lost;      /* why the plan could not be followed; NULL: it was */
	gboolean livelock;
	gboolean again;     /* cannot be carried out this way: to be begun anew */
	gboolean struck;    /* for something outside has killed a rank, or the launcher (again) */
	gboolean struck_before; /* and so it had when this was tried before */
	gboolean starved;       /* memory has run out both times */
	gboolean cut_short; /* ended from outside (time, Ctrl-C): no verdict */
	struct record_execution *record;
	GPtrArray *findings; /* struct record_finding; what ended it comes first */
	gboolean ended_well; /* whatever it did wrong on the way */
};

/* Takes the plan over; the world (also owned) is the caller's to set, with the execution as `user`.
 * */
struct execution *execution_new(struct session *session, struct strategy *strategy, GArray *plan);
void execution_free(struct execution *execution);

/* Where its processes come from. */
void execution_place(struct execution *execution, guint32 number, const char *directory,
                     struct frozen *from);

/* What happens to it. */
void execution_connected(struct execution *execution, struct link *link,
                         const struct wire_hello *hello);
void execution_message(struct execution *execution, int rank, const struct wire_message *message);
void execution_link_closed(struct execution *execution, int rank, const char *why);
void execution_rank_status(struct execution *execution, int rank, int status);
void execution_launcher_ended(struct execution *execution, int status);

/* Goes on as far as possible; to be called after anything has happened. */
void execution_advance(struct execution *execution);

/* Whether every rank is at rest, or can be taken to be: looks at threads outside of MPI
 * (execution_threads.c); if they still move, execution_advance is called again shortly. */
gboolean execution_is_at_rest(struct execution *execution);
/* Nothing is left to decide. TRUE: but threads might still come, and are waited for. */
gboolean execution_waits_for_threads(struct execution *execution);

/* Lets go who is held back when nothing has happened for long; FALSE: there was no need. */
gboolean execution_release_deferred(struct execution *execution);

/* To be called every STALL_LOOK_MS: looks for ranks that wait where they are not seen. */
void execution_look(struct execution *execution);

/* A rank of a new job has told that it went wrong before every rank was out of MPI_Init: a verdict
 * will be reached without them, whether the launcher still runs or not. */
gboolean execution_failed_to_start(const struct execution *execution);

/* Stops it without a verdict: kills what is left. */
void execution_cut_short(struct execution *execution);

/* --- what strikes it from outside (execution_struck.c) --- */

/* Whether a process that ended so was killed by a signal that others send: the memory killer, an
 * operator, a batch system. */
gboolean execution_is_outside(int status);
/* Something outside has ended it, in these words. TRUE: it is to be begun again; FALSE: it has been
 * already, and there must be a reason along its path. */
gboolean execution_strike(struct execution *execution, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same for ranks that have been killed. */
void execution_look_for_struck(struct execution *execution);
/* A keeper that its rank was copied from is gone: nobody will tell how it ends. */
void execution_keeper_lost(struct execution *execution, int rank);
/* The launcher has ended. Are there ranks of which this is not known yet? Then (`orphaned`) the
 * second is to be called now and then: it looks whether they have. */
gboolean execution_has_orphans(const struct execution *execution);
void execution_look_at_orphans(struct execution *execution);

/* --- its end (execution_ending.c) --- */

/* Ends what is left of the ranks: those that listen are told to, and to `flush` what the program
 * has written; the others are killed. */
void execution_end_ranks(struct execution *execution, gboolean flush);
/* It is over when every rank is gone, and waited for. */
void execution_finish_if_gone(struct execution *execution);
/* To be called now and then. Ranks that are dead though somebody else (a process that they forked)
 * holds their connection are gone; while it ends, what takes too long is killed. */
void execution_look_for_dead(struct execution *execution);
void execution_look_at_end(struct execution *execution);
/* Ends what its ranks have left behind: the launcher may wait for it. */
void execution_end_offspring(struct execution *execution);
/* What is ending has no more time. */
void execution_hurry(struct execution *execution);

/* The orders that executions give to worlds. */
extern const struct world_orders execution_orders;

#endif
