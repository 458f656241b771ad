/* What the files of a session share: session.c (the loop) and session_*.c, lanes.c, and, of the
 * interleavings that it has carried out, execution*.c, frozen.c and verdict*.c. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_INTERNAL_H
#define MATCHPOINT_SCHEDULER_SESSION_INTERNAL_H

#include <uv.h>

#include "../ckpt/journal.h"
#include "bounds.h"
#include "call_log.h"
#include "choice_coverage.h"
#include "communicators.h"
#include "execution.h"
#include "findings.h"
#include "frozen.h"
#include "lanes.h"
#include "launcher.h"
#include "memory_pressure.h"
#include "outcomes.h"
#include "pmi.h"
#include "run_directory.h"
#include "session.h"
#include "source_lines.h"
#include "stack_table.h"
#include "store.h"

#define RANKS_PATIENCE_S 5.0 /* for ranks that were told to end */
#define SESSION_CHANGES_FILES                                                                   \
	"the program changes files, which are not copied for each world: -j was not followed, " \
	"and "                                                                                  \
	"one interleaving explored at a time"

/* How far the search under one buffering has come. */
struct coverage {
	gboolean begun;
	guint64 explored;
	guint64 left; /* plans that were in sight when it was stopped; each may lead to more */
	guint64 pruned;
	guint64 outcomes; /* of parts that are done: explorer_statistics */
	double share;
};

struct session {
	const struct session_options *options;
	uv_loop_t loop;
	struct run_directory *directory;
	struct link_listener *listener;
	struct pmi_server *pmi;
	struct launcher *launcher; /* of the job whose ranks are the root's keepers */
	struct janitor *janitor;   /* cleans up if this process is killed */
	GHashTable *strays;        /* MPICH's files in /dev/shm that were there before us */
	struct communicators *comms;
	struct source_lines *lines;
	GHashTable *places; /* session_places.c */
	struct stack_table *stacks;
	struct store *store;
	struct journal *journal; /* NULL: files stay as the program leaves them */
	struct findings *findings;
	GPtrArray *logs;           /* struct call_log, by finding: what its interleaving called */
	struct choice_coverage *choices; /* what calls have taken in all of them */
	struct outcomes *outcomes; /* NULL: they are not compared */
	guint64 outcomes_beyond;   /* interleavings whose outcomes were too many to be told apart */
	GArray *outcome_of;        /* guint32, in pairs: an outcome, an execution that ended so */
	enum { DOUBT_NONE, DOUBT_NEW, DOUBT_CHECKED } outcome_doubt; /* a first other one showed */
	struct record_exploration *exploration;
	uv_async_t interruption; /* a signal asks the session to end */
	uv_timer_t deadline, ticker, looker;

	gboolean snapshots; /* this session goes back by snapshots */
	struct snapshot_set *set;
	GPtrArray *frozen;      /* every frozen world */
	struct frozen *root;    /* parked in MPI_Init */
	double restore_seconds; /* what a restore has cost lately */
	gboolean cancels;       /* the program calls MPI_Cancel */
	guint32 next_world;
	GHashTable *executions;    /* world number to execution, of all that are not freed */
	struct execution *current; /* being looked at: it has ended, or runs by itself */

	GPtrArray *parts;      /* struct store_part, of the tree: not begun, or left */
	GPtrArray *lanes;      /* lanes.h */
	struct portfolio *portfolio; /* NULL: each lane goes depth first */
	GArray *bounds;        /* of the search (struct explorer_bound), while it lasts */
	gboolean tried;        /* an interleaving has ended */
	const char *alone;     /* why worlds cannot run side by side; NULL: they may */
	gboolean mixed;        /* they did, and should not have: nothing of it counts */
	gint64 saved;          /* when the search was written to the store last */
	gint64 save_cost;      /* what that took, in microseconds */
	struct left_out left_out; /* by parts of the tree that are done */
	guint64 bounds_met;    /* those for which some choice counted, a bit each */
	double seconds_before; /* of sessions that this one goes on from */

	char *split;             /* of a shard: how the tree was split, a digest; NULL: not yet */
	char *shared_path;       /* of an interleaving that all shards ran; NULL: none ended well */
	GPtrArray *shared_texts; /* session_texts: what it left here */

	double own_share[BUFFERING_PER_SEND + 1]; /* of a shard in each tree: an estimate */

	struct random_search *walks[BUFFERING_PER_SEND + 1]; /* by buffering; NULL: none */
	guint64 runs; /* random walks that came to their end */
	guint64 interleavings;
	struct coverage covered[BUFFERING_PER_SEND + 1]; /* by buffering */
	guint64 wasted;
	guint64 lost; /* plans of the search that the program did not follow */
	char *lost_reason;
	gboolean lost_unseen; /* one-sided communication could be the cause */
	guint64 struck;       /* executions that something outside has ended, begun again */
	char *struck_first;   /* what was struck; NULL: nothing was */
	struct memory_pressure memory_before;
	gboolean memory_ran_out;
	guint64 starved; /* interleavings that ended for that, twice */
	char *stop_reason;    /* no further interleaving is to be started; NULL: go on */
	guint well_kept;      /* bufferings under which the calls of an interleaving that ended well
	                      have been kept */
	gboolean stacks_told; /* in this silence */
	gboolean hurry;       /* Ctrl-C, or time is long up: not even findings are replayed */
	guint replays;        /* findings that have been, or were tried: the first ones */
	gint64 replay_time;   /* what that took, in microseconds */
	double longest;       /* seconds that an interleaving took */
	gboolean following;   /* the current execution is no part of the exploration */
	gboolean by_rule;     /* Waitany, Test, ... were answered by rule somewhere */
	gboolean collectives_waited;
	guint collectives_tried; /* 1 << enum collective_mode, where that mattered */
	gboolean locks, atomics; /* see world_has_locked, world_has_atomics */
	gboolean accesses, accesses_unknown, accesses_learnt; /* see world_doubts */
	gboolean recording;      /* this interleaving is one that a conductor keeps */
	gboolean replaying;      /* it is that of a finding, once more */
	gboolean showing;        /* and its calls were not kept the first time */
	gboolean threads;        /* MPI_THREAD_MULTIPLE was granted */
	GError *error;           /* the first thing that makes going on impossible */
	gint64 started;
};

/* Sets the session up for these options; nothing can fail yet. */
void session_init(struct session *session, const struct session_options *options);

/* Makes the run directory, the sockets and the store. */
gboolean session_open(struct session *session, GError **error);

/* Going on is impossible: the message says what, where, and what to do. Keeps the first. */
void session_fail(struct session *session, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A connection that has said hello, and what keepers say (session.c's part of the traffic). */
extern const struct link_handler session_link_handler;
extern const struct pmi_handler session_pmi_handler;

/* Starts the job for an execution (session_job.c). FALSE: session_fail has been called. */
gboolean session_launch(struct session *session, struct execution *execution);

/* Calls it for every execution that is not freed. */
void session_each_execution(struct session *session, void (*function)(struct execution *execution));

/* Runs the loop until the condition holds or seconds have passed (0: no bound); FALSE: they have.
 * */
gboolean session_pump(struct session *session, gboolean (*condition)(struct session *session),
                      double seconds);

/* Where a call of a rank was made; looked up in its process, or a keeper of that rank, the first
 * time (session_places.c). */
GHashTable *session_places_new(void);
struct place session_place(const struct execution *execution, int rank, guint64 site);
/* The execution's job is over: other processes may have other things at these addresses. */
void session_forget_places(const struct execution *execution);

/* Call stacks (session_stacks.c): whether the next interleaving is to tell them; a rank has told
 * one, or has been struck by a signal; those of the current interleaving are written to the store
 * as those of `execution`. */
gboolean session_wants_stacks(const struct session *session);
void session_stack(struct execution *execution, int rank, const struct wire_stack *stack);
void session_crash_stack(struct execution *execution, int rank, const struct wire_ending *ending);
void session_keep_stacks(struct session *session, guint32 execution);

/* Going back by snapshots does not work after all, for this reason (taken over): reruns from now
 * on, or a failure when the user insists on snapshots. What runs is to be begun anew. */
void session_fall_back(struct session *session, char *reason);

/* The hash by which a snapshot knows a choice. */
guint64 session_choice_key(const struct choice *choice);
/* Adds the notes to the exploration's record; puts the files back. */
void session_note(struct session *session);

/* Of the executions, the rank that has said nothing for longest, nor waits for anybody, and since
 * how many seconds; -1: all have spoken lately. */
int session_silent_rank(const struct session *session, double *ret_seconds);

/* Where each rank of the world that says nothing is now, a line (char *) for each, as far as that
 * can be seen; the caller's. */
GPtrArray *session_stacks_of_ranks(const struct session *session);
/* Notes that rank. To be called before what is stopped has ended. */
void session_note_silence(struct session *session);

/* The key that tells bufferings apart. */
guint64 session_buffering_key(enum buffering buffering);

/* The bounds on some of the choices (session_bounds.c): as the explorer takes them (struct
 * explorer_bound; unref it); for which of them each open choice counts; what is left within them,
 * in words (free with g_free): NULL, all; and what of that is due to --some. session_note_bounds
 * adds what there is to say of bounds. */
GArray *session_explorer_bounds(const struct session_options *options);
void session_mark_bounds(const struct execution *execution, GArray *open);
char *session_left_out_words(const struct session *session);
char *session_sets_words(const struct session *session);
void session_note_bounds(struct session *session);

/* Random walks (session_random.c): makes them; writes what a later session needs to go on with
 * them, and reads it back; what they amount to in words (free with g_free). */
void session_wander(struct session *session);
void session_wander_save(const struct session *session, GVariantDict *state);
void session_wander_recall(struct session *session, GVariantDict *state);
void session_wander_release(struct session *session);
char *session_wander_words(const struct session *session);

/* Carries out one plan (taken over) to its end; the execution is left in session->current, too. */
struct execution *session_carry_out(struct session *session, struct strategy *strategy,
                                    enum buffering buffering, GArray *plan);
/* Whether no further interleaving may be started: with those that run there are as many as asked
 * for, or the session is to end (sets its stop_reason, if that is why). */
gboolean session_is_enough(struct session *session);
/* Begins to carry a plan out (struct choice; taken over), from the nearest snapshot. */
struct execution *session_begin(struct session *session, struct strategy *strategy,
                                enum buffering buffering, GArray *plan);
/* After executions that are to be begun again were dropped: the job of all snapshots is ended, too,
 * if they are not gone back to any more. */
void session_renew_job(struct session *session);
/* Whether it is over, and its job with it. */
gboolean session_has_ended(const struct execution *execution);
/* Takes the interleaving into account, if it is one. */
void session_account(struct session *session, struct execution *execution);
/* Ends the execution, if it has not ended, and frees it. */
void session_drop(struct session *session, struct execution *execution);
/* Whether it came to its end, so that the next may begin. */
gboolean session_is_whole(const struct execution *execution);
/* Accounts for it if it counts, drops it, and does what there is to do between two interleavings of
 * a search. Returns whether it was whole. */
gboolean session_finish(struct session *session, struct execution *execution, gboolean counts);
/* Everything that has been decided in an execution, as a plan. */
GArray *session_plan_again(const struct execution *execution);
/* Gives up the snapshots that no plan asks for any more, and those beyond the budget. */
void session_release_snapshots(struct session *session);
/* Gives up all of them, and with the root's the job; no copy may be running. */
void session_release_root(struct session *session);

/* An interleaving has ended: the current one, or one known from the store when there is none. Takes
 * the findings that it has `shown`. */
void session_take(struct session *session, struct record_execution *record, const GArray *choices,
                  GPtrArray *shown, gboolean ended_well);

/* Since the exploration began, without the time between sessions. */
double session_seconds(const struct session *session);

/* --- going on later (session_past.c) --- */

/* Writes what is left (lanes_parts) with what has been found so far. */
void session_save(struct session *session);
/* Whether it is time to: not each time, so that it costs little. */
gboolean session_save_is_due(const struct session *session);
/* Opens the store for this exploration; with --resume for going on with what it holds. */
gboolean session_open_store(struct session *session, GError **error);

/* Runs an interleaving again along its path; `look` sees it at its end, as session->current. */
void session_follow(struct session *session, const GArray *choices, enum buffering buffering,
                    void (*look)(struct session *session, void *data), void *data);

/* The same, and it becomes part of what is explored: accounted for and written to the store, as
 * `look` leaves its record and its findings. */
void session_follow_and_keep(struct session *session, const GArray *choices,
                             enum buffering buffering,
                             void (*look)(struct session *session, void *data), void *data);

/* Runs the interleaving of each finding again that has not been: those that do not show are marked,
 * and told as not-reproducible (session_replay.c). To be called between two interleavings. */
void session_replay_findings(struct session *session);
/* In the end: what findings are compared with, for its stacks. */
void session_replay_well(struct session *session);

/* What an interleaving that ended well leaves, to be compared (outcomes.h): GBytes, NULL for a file
 * that is not there. */
GPtrArray *session_texts(const struct session *session, const struct record_execution *record);
void session_texts_free(GPtrArray *texts);

/* An interleaving has ended well: what it left is compared (session_outcomes.c). */
void session_outcome(struct session *session, const struct record_execution *record,
                     const GArray *choices);
/* Between two interleavings: looks closer when outcomes have begun to differ. */
void session_doubt_outcomes(struct session *session);
/* In the end: a finding when they do. */
void session_judge_outcomes(struct session *session);

/* --- a part of the tree (session_shard.c) --- */

/* Runs what all shards run, and leaves this one's parts of the tree in session->parts; nothing to
 * do without --shard, or when an earlier session has done it. FALSE: stopped. */
gboolean session_divide(struct session *session);

/* What shards must know of each other, for the store, and back from it when the session goes on. */
void session_shard_common(const struct session *session, GVariantDict *common);
void session_shard_recall(struct session *session, GVariant *common);
void session_shard_release(struct session *session);

/* Fills execution->record and execution->findings while its ranks are still there (verdict.c). */
void verdict_reach(struct execution *execution);
/* The same for one whose plan could not be followed: it shows that the program is not reproducible.
 * */
void verdict_lost(struct execution *execution);
/* The choices of an interleaving (verdict_choices.c): fills execution->record->choices, given what
 * was sent and posted, by id (const struct operation *, in the trace); an operation's tag; its
 * path, to be freed with g_free. */
void verdict_choices(struct execution *execution, GHashTable *operations);
GHashTable *verdict_operations(const struct trace *trace);
gint32 verdict_tag(GHashTable *operations, struct op_id id);
char *verdict_path(const struct execution *execution);
/* Where a rank's call stands in the program; all 0: there is no such call. */
struct place verdict_place(const struct execution *execution, int rank, guint32 call);
/* Fills execution->record->calls, while its ranks are still there (verdict_calls.c). */
void verdict_calls(struct execution *execution);
/* Adds a finding for what the world has remarked on, as one where only the ranks differ
 * (verdict_remarks.c). Called by verdict_reach. */
void verdict_add_remarks(struct execution *execution);
/* Adds findings for what is left behind; for an interleaving that has ended well
 * (verdict_leaks.c). */
void verdict_add_leaks(struct execution *execution);
/* Adds what is known only when every process is gone: exit codes and output. */
void verdict_complete(struct execution *execution);

#endif
