/* What the parts of a session (lanes, walks, outcomes, ...) may ask of it. Each part keeps its own
 * data private; this is all they share. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_CONTEXT_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_CONTEXT_H

#include <stdbool.h>

#include "scripted_session.h"

struct coverage;
struct executor;
struct findings;
struct journal;
struct outcomes;
struct state_watch;
struct store;

/* --- what the session has; all of it is borrowed --------------------------------------------- */

const struct session_options *session_options(const struct session *session);
/* What follows its position: the guide of the options, or the path. Free it with its function. */
struct strategy *session_strategy(const struct session *session, const struct position *position);
struct executor *session_executor(const struct session *session);
struct store *session_store(const struct session *session); /* NULL: nothing is stored */
struct journal *session_journal(const struct session *session);
struct record_exploration *session_exploration(const struct session *session);
struct findings *session_findings(const struct session *session);
struct coverage *session_coverage(const struct session *session);
struct outcomes *session_outcomes(const struct session *session); /* NULL: not compared */
struct compared_files *session_compared_files(const struct session *session);

/* The number of executions that have ended and count. */
guint64 session_interleavings(const struct session *session);
/* For how many interleavings an execution of this session stands; known at its end. */
guint64 session_stands_for(const struct session *session, guint32 execution);
/* Adds the same to what reports read from the store (state_counts_insert). */
void session_insert_counts(const struct session *session, GVariantDict *common);

/* Whether equal states are explored once, from the beginning or from now on. */
bool session_visits_states(const struct session *session);
/* Watches for equal states in the tree; NULL: not watched. */
struct state_watch *session_watch(const struct session *session);
/* Call it between two interleavings of the tree. Whether to leave the tree for state search. */
bool session_turns_to_states(struct session *session);
/* Whether this interleaving was counted before the search over states gave up. */
bool session_knows(const struct session *session, const struct execution *execution);
/* Before worlds of which the states are compared begin, and after them, if the tree goes on: it
 * needs no images, and goes back to the beginning or to its own snapshots. */
void session_begin_comparing(struct session *session);
void session_end_comparing(struct session *session);
/* Stops comparing states. */
void session_leave_states(struct session *session);

struct infrastructure_failures *session_failures(const struct session *session);

/* Whether memory ran out in an interleaving, of this session or of those it resumes. */
bool session_has_starved(const struct session *session);
/* Whether threads were not waited for, in this execution or an earlier one. Then its result depends
 * on timing. */
bool session_has_hurried(const struct session *session, const struct execution *execution);

/* If they were not in this execution, the verdict says so, even if it is no interleaving. */
void session_add_hurried(struct session *session, const struct execution *execution);

/* Microseconds; only differences are meaningful. */
gint64 session_now(const struct session *session);

/* --- whether to continue ---------------------------------------------------------------------- */

/* The session cannot continue. The message states what is wrong, where, and what to do. The first
 * message is kept. */
void session_fail(struct session *session, const char *format, ...) G_GNUC_PRINTF(2, 3);
bool session_has_failed(const struct session *session);

/* No further interleaving starts, for this reason. The first reason is kept. */
void session_stop(struct session *session, const char *reason);

/* Whether there is time to replay findings. */
bool session_may_make_sure(const struct session *session);

/* Seconds until --max-time, which must be set; negative after it. */
double session_seconds_left(const struct session *session);

/* Whether no further interleaving may start: those that run complete the number asked for, or the
 * session is to end. Stops the session in the first case. */
bool session_is_enough(struct session *session);

/* --- interleavings of the exploration --------------------------------------------------------- */

/* Whether it has come to its end, so that the next may begin. */
bool session_is_whole(const struct execution *execution);
/* Carries out an interleaving as session_follow does, unless a limit of time cuts it short. */
struct execution *session_try(struct session *session, struct position *position);
/* Whether everything that its ranks printed is known. */
bool session_output_is_whole(const struct execution *execution);
/* Carries out an interleaving as session_follow_from_start does, for what its ranks print; again,
 * up to a few times, if that was not whole. If output is lost each time, the session fails. */
struct execution *session_follow_printed(struct session *session, const GArray *choices,
                                         enum buffering buffering, guint32 uneven_clocks);
/* Accounts for the execution if it counts, drops it, and does the work due between two
 * interleavings of a search. Returns whether it was whole. */
bool session_finish(struct session *session, struct execution *execution, bool counts);
/* Releases snapshots that no plan needs, and those beyond the budget. */
void session_release_snapshots(struct session *session);

/* Stores the call stacks of an execution as those of interleaving `number`. */
void session_keep_stacks(struct session *session, const struct execution *execution,
                         guint32 number);

/* Stores the rest of the search with the results so far (session_past.c). */
void session_save(struct session *session);
/* Whether saving is due. Saves are spaced so that they cost little. */
bool session_save_is_due(const struct session *session);
/* Leaves the time that the last save took before the limit of --max-time. */
void session_leave_time(struct session *session);

#endif
