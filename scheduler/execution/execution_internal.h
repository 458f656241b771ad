/* An execution (run.h), for the files that implement it: its state, which is a world (world.h), its
 * processes and connections, and the plan that it follows; and what these files call. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_EXECUTION_INTERNAL_H
#define MATCHPOINT_SCHEDULER_EXECUTION_EXECUTION_INTERNAL_H

#include <stdbool.h>

#include "run.h"
#include "run_ahead.h"
#include "scheduler/host/host.h"
#include "scheduler/liveness/liveness.h"
#include "scheduler/snapshot/placement.h"
#include "scheduler/snapshot/state_fingerprint.h"

struct snapshot;
struct world_step;

/* What a rank that ended wrongly has written to standard error (execution_reports.c). */
struct rank_errors {
	bool asked;                   /* the host was */
	struct errors_question *open; /* and has not answered yet; NULL: it has */
	char *text;                   /* kept of a start that may fail; NULL: not read */
};

struct execution {
	struct runs *runs;
	struct run_result result;
	void *owner;
	struct placement placement;
	struct world *world;
	struct host_job *job;  /* that started the ranks; NULL: none, or the runs have it */
	double before;         /* seconds before its beginning, or its last image */
	gint64 idle_time;      /* total so far (struct wire_welcome) */
	guint32 uneven_clocks; /* likewise */
	bool saves;            /* see struct run_request */
	bool restarts;         /* from a checkpoint on disk, and its world is not rebuilt yet */
	bool no_image;         /* an image was tried, and refused */
	struct strategy *strategy;
	struct position *target; /* position that was asked for */
	GArray *plan;            /* struct choice: still to be made */
	GArray *promises;        /* struct choice: that it has given up; NULL: none */
	guint made_before;       /* number of choices before that */
	bool passed_by;          /* polls were answered "no" while promises kept back choices */
	bool moved;              /* a rank has reported something since */
	struct rank_end *ends;
	struct rank_errors *errors;  /* by rank */
	bool asks_errors;            /* right now: an answer at once is no news */
	bool stacks;                 /* calls come with call stacks */
	bool stacked;                /* so did all calls from the beginning */
	struct run_ahead *run_ahead; /* ranks that need not wait up to the target; NULL: none */
	struct snapshot *parking;
	char *hazard;             /* why that was; NULL: not known */
	bool no_parking;          /* a snapshot was tried, and is not safe here */
	enum snapshot_wish wish;  /* for a snapshot before it goes on */
	gint64 asked;             /* since when it waits for an answer; 0: it does not */
	gint64 waited;            /* total wait for answers since start or restore */
	struct host_timer *timer; /* paces answers to polls that find nothing */
	struct liveness liveness;
	gint64 ending_since; /* when ending began */
	int job_status;
	gint64 over_since;                    /* when every process was gone */
	struct state_fingerprint fingerprint; /* of this rest, if its strategy compares states */
};

/* execution_now is the host's time. execution_ran returns how long it has run since start or
 * restore, in seconds, without waiting for answers; execution_ran_in_all, since the beginning of
 * the program. */
gint64 execution_now(const struct execution *execution);
double execution_ran(const struct execution *execution);
double execution_ran_in_all(const struct execution *execution);
/* It begins or ends to wait for an answer. */
void execution_wait(struct execution *execution, bool waits);
/* Enters a phase. One that must not follow the present one is an error of matchpoint's, which ends
 * the session. */
void execution_enter(struct execution *execution, enum execution_phase phase);

/* It does not count, for this reason, unless a stronger one is known. */
void execution_discard(struct execution *execution, enum discard discard);
/* Whether it is to be begun again. */
bool execution_begins_again(const struct execution *execution);

/* The caller must set the world, with the execution as `user`. */
struct execution *execution_new(struct runs *runs, const struct run_request *request);
void execution_free(struct execution *execution);

/* execution_make_choice makes a choice (NULL: none) and releases ranks that are no longer held. If
 * a snapshot is worth it, that is taken first. execution_hold_all sets how ranks are held (struct
 * run_request). */
void execution_make_choice(struct execution *execution, const GArray *open, struct choice *choice);
void execution_hold_all(struct execution *execution);

/* execution_order sends an order to a connected rank (placement_order). execution_drive_all makes
 * all idle ranks drive MPI's progress again. */
void execution_order(struct execution *execution, int rank, const struct wire_message *order);
void execution_drive_all(struct execution *execution);

/* Sends a rank how it has to go on; again if that has changed. */
void execution_welcome(const struct execution *execution, int rank, struct host_link *link);

/* All ranks are connected: tells debuggers about their processes. */
void execution_show_processes(struct execution *execution);

/* Callbacks for what happens to it. */
void execution_connected(struct execution *execution, struct host_link *link,
                         const struct wire_hello *hello);
void execution_message(struct execution *execution, int rank, const struct wire_message *message);
/* Delivers messages of ranks that ran ahead, once the world can take them. Returns whether there
 * were any. */
bool execution_deliver_put_off(struct execution *execution);
void execution_link_closed(struct execution *execution, int rank, const char *why);
void execution_rank_status(struct execution *execution, int rank, int status);
void execution_job_ended(struct execution *execution, int status);
/* Marks how ranks ended as unknown, if they ended without a report. No report will come. */
void execution_ends_unknown(struct execution *execution);

/* The outcome is certain, and the ranks are still there: calls the client. */
void execution_conclude(struct execution *execution);
/* Looks for a rank of a new job that has ended without calling MPI_Init. */
void execution_look_for_absent(struct execution *execution);

/* Goes on as far as possible. Call it after anything has happened. */
void execution_advance(struct execution *execution);

/* Whether every rank is at rest, or can be taken to be (thread_rest.h). If threads still run,
 * execution_advance is called again shortly. */
bool execution_is_at_rest(struct execution *execution);
/* Nothing is left to decide. Returns true if threads may still call MPI, and it waits for them. */
bool execution_waits_for_threads(struct execution *execution);

/* The plan (execution_plan.c). execution_follow_plan makes the first choice of the plan that is
 * allowed now, and returns whether there was one. execution_hide_planned removes from `open` all
 * choices of the plan. */
bool execution_follow_plan(struct execution *execution);
void execution_hide_planned(const struct execution *execution, GArray *open);
/* Gives up the promises of the plan: the choices that they kept back are open again. Returns false
 * if the execution has to be given up because no path can express what it does. */
bool execution_give_up_promises(struct execution *execution);
/* Answers "no" to polls outside of `awaited`, because nothing else can go on. Returns whether there
 * were any. If a promise keeps back an open choice, no path can express this order. */
bool execution_answer_no(struct execution *execution, const GArray *awaited);

/* At rest, with something open (struct open_choice): reports the state to the strategy if it
 * wants it (execution_state.c). Returns false if ranks are asked first; then it has to be called
 * again. */
bool execution_report_state(struct execution *execution, const GArray *open);

/* At rest, before the plan is followed: takes a snapshot where other interleavings of a strategy
 * that repeats will pass (execution_parking.c). Returns whether one is being taken. */
bool execution_park_along(struct execution *execution);
/* Whether each call of its ranks comes with a seal (world_fingerprint.h). */
bool execution_is_sealed(const struct execution *execution);

/* Keeping an execution at rest (execution_snapshots.c): orders its ranks to park, or to keep
 * images. execution_parked, execution_imaged: a rank has answered. */
void execution_park(struct execution *execution);
bool execution_may_keep_image(const struct execution *execution);
void execution_keep_image(struct execution *execution, enum snapshot_wish wish);
void execution_parked(struct execution *execution, int rank, const struct wire_parked *parked);
void execution_imaged(struct execution *execution, int rank, const struct wire_imaged *imaged);
/* The execution, at rest, is given up. If there are images of its ranks, they stay where they are,
 * to be rewound. Returns false if they have to be ended instead. */
bool execution_keep_ranks(struct execution *execution);
/* An image could not be taken. Parks the ranks as keepers instead, if that is worth it, or wished
 * for. */
void execution_park_instead(struct execution *execution, enum snapshot_wish wish);
/* Returns whether a snapshot is being taken. If a rank cannot answer, snapshots are given up. */
bool execution_look_at_parking(struct execution *execution);

/* Call it every STALL_LOOK_MS. Looks for ranks that wait unnoticed. */
void execution_look(struct execution *execution);

/* Whether a rank of a new job has reported a failure before every rank has left MPI_Init. A verdict
 * is reached without the others, even if the launcher has ended. */
bool execution_failed_to_start(const struct execution *execution);

/* At rest with nothing to decide: answers "no" to ranks that poll (execution_plan.c). Returns true
 * if an answer was given, or will be given shortly. */
bool execution_answer_polls(struct execution *execution);
/* Polls at these choices are not answered "no" meanwhile: the plan, or what the strategy awaits. */
const GArray *execution_awaited(const struct execution *execution);
/* Starts the timer after which polls are answered (EXECUTION_PACING), or the ends of ranks are
 * checked again (EXECUTION_ASKING). */
void execution_pause(struct execution *execution, enum execution_phase phase, guint milliseconds);
/* The timer has expired; the phase shows what it was for. */
void execution_timer_expired(void *execution);

/* --- ended from outside (execution_struck.c) --- */

/* Something outside has ended it; the text describes what. Returns true if the execution is to be
 * begun again. Returns false if that was already done: then the reason is along its path. */
bool execution_strike(struct execution *execution, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Does the same if ranks were killed. */
void execution_look_for_struck(struct execution *execution);
/* Whether processes that started ranks ended before these. MPICH may crash in MPI_Init if its
 * process manager (Hydra's proxy) is gone. */
bool execution_lost_launcher(const struct execution *execution);
/* Whether something outside has ended a rank. */
bool execution_was_struck(const struct execution *execution);
/* The keeper of a rank is gone: nothing will report how the rank ends. */
void execution_keeper_lost(struct execution *execution, int rank);
/* execution_launcher_ended: the launcher has ended, with this status. execution_look_at_orphans has
 * to be called regularly afterwards: it checks whether the remaining ranks have ended. */
void execution_launcher_ended(struct execution *execution, int status);
void execution_look_at_orphans(struct execution *execution);
/* A rank has called MPI_Abort, reported by the scheduler's PMI service. */
void execution_aborted(struct execution *execution, int rank, int exit_code);
/* Snapshots do not work. The execution is to be begun again, if it uses them. */
void execution_fall_back(struct execution *execution);

/* --- the end (execution_ending.c) --- */

/* Whether it is known how each rank that is gone has ended. If not, that is being asked. */
bool execution_endings_known(struct execution *execution);
/* Returns why the next choice of the plan cannot be made; free with g_free. */
char *execution_why_lost(const struct execution *execution);

/* Ends the ranks that are left. Ranks that listen get END, and `flush` what the program has
 * written. The others are killed. */
void execution_end_ranks(struct execution *execution, bool flush);
/* Kills the rank if its process is known. */
void execution_kill(const struct execution *execution, int rank);
/* The execution is over when every rank is gone, and reaped. */
void execution_finish_if_gone(struct execution *execution);
/* Call these regularly. execution_look_for_dead finds ranks that are dead although a process that
 * they forked holds their connection. execution_look_at_end kills what takes too long to end. */
void execution_look_for_dead(struct execution *execution);
void execution_look_at_end(struct execution *execution);
/* Ends what its ranks have left behind; the launcher may wait for it. */
void execution_end_children(struct execution *execution);
/* Reduces the time that ranks have for their end. */
void execution_hurry(struct execution *execution);

/* --- events (execution_events.c) --- */

/* Sends BEGIN, and watches the world from then on; sends STOP; sends REFUSED. */
void execution_emit_begin(const struct execution *execution);
void execution_emit_stop(const struct execution *execution);
void execution_emit_refused(const struct execution *execution, const char *why);

/* Carries out the orders of worlds. */
extern const struct world_orders execution_orders;

/* --- what is decided at a rest (rules.c) --- */

/* Decides for an execution at rest, until something has to be waited for. */
void rules_decide(struct execution *execution);
/* A rank is not at rest, because it waits for what ranks at rest do next: decides for these,
 * once. */
void rules_decide_beside(struct execution *execution);

/* Asks the strategy about an end at which nothing can be decided. */
enum explorer_step rules_ask_of_end(struct execution *execution);
/* The strategy has decided that this is the end. The ranks are not ended. */
void rules_take_end(struct execution *execution, enum explorer_step step);

/* Removes the choices from the plan that its world has made already. */
void execution_forget_made(struct execution *execution);
/* Events follow from what its world, which is new, is asked and does. `execution_on_step` emits
 * them (world_watch.h). */
void execution_watch_steps(const struct execution *execution);
void execution_on_step(void *execution, const struct world_step *step);

/* Keeps a call stack, if the client wants stacks. `place`: where to show it; NULL: at its call. */
void execution_note_stack(struct execution *execution, int rank, const struct wire_stack *stack,
                          const struct place *place);

/* A deadly signal has struck the rank: keeps the place, the stack, and what a sanitizer has
 * reported, as soon as the host has read that (execution_reports.c). The place of a leak is where
 * the memory was allocated. */
void execution_note_crash(struct execution *execution, int rank, const struct wire_ending *ending);
/* Before the verdict, the same of ranks that sanitizers have ended by an exit. Returns whether all
 * is known. If not, execution_advance is called when the host has answered: host_operations'
 * rank_output, which sets a limit for that. */
bool execution_reports_known(struct execution *execution);
/* The ranks are, or will be, in another world: late answers are dropped. */
void execution_forget_reports(struct execution *execution);
/* Without enough processes or memory MPI does not start: then nothing can be explored. Returns
 * whether that was so, and reports it. */
bool execution_report_mpi_failed(struct execution *execution);

#endif
