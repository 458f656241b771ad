/* What the files of run/ ask of an execution (run.h), and have it do. Its state is in
 * execution_internal.h, for those that carry it on. */
#ifndef MATCHPOINT_SCHEDULER_RUN_EXECUTION_H
#define MATCHPOINT_SCHEDULER_RUN_EXECUTION_H

#include <stdbool.h>

#include "run.h"
#include "scheduler/host/host.h"

struct run_ahead;
struct process_group;
struct snapshot;
struct state_fingerprint;
struct site_owner;

/* Of whom it is one; where its ranks are. */
struct runs *execution_runs(const struct execution *execution);
const char *execution_directory(const struct execution *execution);
/* The job that has started its ranks. NULL: it has none of its own. */
const struct host_job *execution_job(const struct execution *execution);
/* Its ranks are processes of the launcher's, no restored copies. */
bool execution_is_launched(const struct execution *execution);
/* The snapshot whose copies they are; NULL: of none. */
struct snapshot *execution_from(const struct execution *execution);
/* Which processes they are; NULL: not known. */
struct process_group *execution_process_group(const struct execution *execution);
/* A rank's connection; NULL: not there (yet), or gone. How many have connected so far. */
struct host_link *execution_link(const struct execution *execution, int rank);
int execution_connections(const struct execution *execution);
/* Where it goes: its position, and what is still to be chosen (struct choice). */
const struct position *execution_target(const struct execution *execution);
const GArray *execution_plan(const struct execution *execution);
struct strategy *execution_strategy(const struct execution *execution);
/* How far the clocks of its ranks were put forward, in milliseconds. */
guint execution_forward_ms(const struct execution *execution);
struct state_fingerprint *execution_fingerprint(struct execution *execution);
/* Ranks that need not wait on the way to the target; NULL: all must. */
struct run_ahead *execution_run_ahead(const struct execution *execution);

/* Time, by the host. And how long it has run since it was started or restored, in seconds, without
 * what it has waited for answers; since the beginning of the program. */
gint64 execution_now(const struct execution *execution);
double execution_ran(const struct execution *execution);
double execution_ran_in_all(const struct execution *execution);
/* It waits for an answer, or does not any more. */
void execution_wait(struct execution *execution, bool waits);

/* The world is the caller's to set, with the execution as `user`. */
struct execution *execution_new(struct runs *runs, const struct run_request *request);
void execution_free(struct execution *execution);

/* Where its processes come from. */
void execution_place(struct execution *execution, guint32 number, const char *directory,
                     struct snapshot *from);

/* Decides, or lets those go who are not held any more: behind a snapshot if that is worth it.
 * `choice` NULL: nothing is decided. And how ranks are held (struct run_request). */
void execution_make_choice(struct execution *execution, const GArray *open, struct choice *choice);
void execution_hold_all(struct execution *execution);

/* All orders to a rank that is connected. One that is owed WELCOME (process_group.h) gets that before, so
 * that it is woken once. And all that are still are to drive MPI's progress again. */
void execution_order(struct execution *execution, int rank, const struct wire_message *order);
void execution_drive_all(struct execution *execution);

/* Tells a rank how it is to go on; again when that has changed. */
void execution_welcome(const struct execution *execution, int rank, struct host_link *link);

/* What happens to it. */
void execution_connected(struct execution *execution, struct host_link *link,
                         const struct wire_hello *hello);
void execution_message(struct execution *execution, int rank, const struct wire_message *message);
/* Messages of ranks that went ahead, which the world can hear now. Whether there were any. */
bool execution_hear_put_off(struct execution *execution);
void execution_link_closed(struct execution *execution, int rank, const char *why);
void execution_rank_status(struct execution *execution, int rank, int status);
void execution_job_ended(struct execution *execution, int status);
/* Nobody will tell how the ranks ended that went without a word. */
void execution_untold(struct execution *execution);

/* What it comes to is certain, and its ranks are still there: the client is told. */
void execution_conclude(struct execution *execution);
/* A rank in MPI_Init of a new job will never come: it was seen to end. */
void execution_look_for_absent(struct execution *execution);
/* Whom to ask for the places of a rank; and the job whose processes have these addresses. */
struct site_owner execution_site_owner(const struct execution *execution, int rank);

/* Goes on as far as possible; to be called after anything has happened. */
void execution_advance(struct execution *execution);

/* What is known of threads outside of MPI. */
struct thread_rest {
	gint64 lingering; /* since when they have listened to something outside; 0: not now */
	bool doubtful;    /* they were taken to be at rest because it took them long */
};
struct thread_rest *execution_thread_rest(struct execution *execution);
struct host_timer *execution_timer(const struct execution *execution);
/* The last message; and as if one had come now. */
gint64 execution_heard(const struct execution *execution);
void execution_note_heard(struct execution *execution);

/* Whether every rank is at rest, or can be taken to be: looks at threads outside of MPI
 * (execution_threads.c); if they still move, execution_advance is called again shortly. */
bool execution_is_at_rest(struct execution *execution);
/* Nothing is left to decide. true: but threads might still come, and are waited for. */
bool execution_waits_for_threads(struct execution *execution);

/* The plan (execution_plan.c). Makes the first of its choices that the rules allow now, if one is;
 * leaves of what is `open` only what it says nothing about. */
bool execution_follow_plan(struct execution *execution);
void execution_hide_planned(const struct execution *execution, GArray *open);
/* Lets go of its promises: what they kept back goes on. false: it is given up, for what it does has
 * no path. */
bool execution_let_go(struct execution *execution);
/* Polls outside of `awaited` are told "no", as nothing else can go on: whether there were any.
 * Where a promise keeps back what is open, no path tells that they were told first. */
bool execution_tell_no(struct execution *execution, const GArray *awaited);

/* At rest, with something open (struct open_choice): tells the strategy in which state, if it wants
 * to know (execution_state.c). false: the ranks are asked, and it is to be called again. */
bool execution_tell_state(struct execution *execution, const GArray *open);

/* At rest, before the plan is followed: takes a snapshot where other interleavings of a strategy
 * that repeats will come by (execution_parking.c). true: one is being taken. */
bool execution_park_along(struct execution *execution);
/* An image could not be taken where alternatives were seen, or (`wanted`) where a snapshot was to
 * be: as keepers then, if that is worth it or was asked for. */
void execution_park_instead(struct execution *execution, bool wanted);
/* While a snapshot is taken: whether one is. Without it from now on when a rank cannot answer. */
bool execution_look_at_parking(struct execution *execution);

/* To be called every STALL_LOOK_MS: looks for ranks that wait where they are not seen. */
void execution_look(struct execution *execution);

/* A rank of a new job has told that it went wrong before every rank was out of MPI_Init: a verdict
 * will be reached without them, whether the launcher still runs or not. */
bool execution_failed_to_start(const struct execution *execution);

/* At rest with nothing to decide: tells "no" to those who poll. true: somebody was told, or will
 * be in a moment (execution_plan.c). And: after a while somebody is told, or, while `asking`, it
 * is looked again whether all is known. */
bool execution_answer_polls(struct execution *execution);
/* What polls are meanwhile not told "no" for: the plan, or what else the strategy awaits. */
const GArray *execution_awaited(const struct execution *execution);
void execution_pause(struct execution *execution, guint milliseconds);
/* Its timer has: what it was started for depends on `timing`. */
void execution_timer_expired(void *execution);

/* --- what strikes it from outside (execution_struck.c) --- */

/* Something outside has ended it, in these words. true: it is to be begun again; false: it has been
 * already, and there must be a reason along its path. */
bool execution_strike(struct execution *execution, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same for ranks that have been killed. */
void execution_look_for_struck(struct execution *execution);
/* Whether processes that have started ranks are gone before these: MPICH may crash in MPI_Init when
 * its process manager (Hydra's proxy) is. */
bool execution_lost_launcher(const struct execution *execution);
/* Whether it has ended a rank. */
bool execution_was_struck(const struct execution *execution);
/* A keeper that its rank was copied from is gone: nobody will tell how it ends. */
void execution_keeper_lost(struct execution *execution, int rank);
/* The launcher has ended, with this status. Of ranks whose end is not known yet the second is to be
 * called now and then: it looks whether they have. */
void execution_launcher_ended(struct execution *execution, int status);
void execution_look_at_orphans(struct execution *execution);
/* The scheduler's PMI was told that a rank aborts the job. */
void execution_aborted(struct execution *execution, int rank, int exit_code);
/* Snapshots do not work after all: it is to be begun again, unless it is none of theirs. */
void execution_fall_back(struct execution *execution);

/* --- its end (execution_ending.c) --- */

/* Whether it is known of every rank that is gone how it went; else that is asked for. */
bool execution_endings_known(struct execution *execution);
/* Why the next choice of the plan cannot be made; free with g_free. */
char *execution_why_lost(const struct execution *execution);

/* Ends what is left of the ranks: those that listen are told to, and to `flush` what the program
 * has written; the others are killed. */
void execution_end_ranks(struct execution *execution, bool flush);
/* If its process is known. */
void execution_kill(const struct execution *execution, int rank);
/* It is over when every rank is gone, and waited for. */
void execution_finish_if_gone(struct execution *execution);
/* To be called now and then. Ranks that are dead though somebody else (a process that they forked)
 * holds their connection are gone; while it ends, what takes too long is killed. */
void execution_look_for_dead(struct execution *execution);
void execution_look_at_end(struct execution *execution);
/* Ends what its ranks have left behind: the launcher may wait for it. */
void execution_end_children(struct execution *execution);
/* What is ending has no more time. */
void execution_hurry(struct execution *execution);

/* --- for those who listen (execution_events.c) --- */

/* It has its place and its world, which is watched from now on; it goes no further; its world has
 * not believed what a rank reports. */
void execution_tell_beginning(const struct execution *execution);
void execution_tell_stop(const struct execution *execution);
void execution_tell_refused(const struct execution *execution, const char *why);

/* The orders that executions give to worlds. */
extern const struct world_orders execution_orders;

#endif
