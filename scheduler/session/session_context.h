/* What the parts of a session (lanes, walks, outcomes, ...) may know of it, and have it do. Each
 * part keeps its own data to itself; this is all that they share. */
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

/* --- what it has; none of it is the caller's ------------------------------------------------- */

const struct session_options *session_options(const struct session *session);
struct host *session_host(const struct session *session);
struct executor *session_executor(const struct session *session);
struct store *session_store(const struct session *session); /* NULL: nothing is kept */
struct journal *session_journal(const struct session *session);
struct record_exploration *session_exploration(const struct session *session);
struct findings *session_findings(const struct session *session);
struct coverage *session_coverage(const struct session *session);
const struct outcomes *session_outcomes(const struct session *session); /* NULL: not compared */

/* Those that have ended and count. */
guint64 session_interleavings(const struct session *session);

/* Whether equal states are explored once, from the beginning or from now on. */
bool session_visits_states(const struct session *session);
/* Of the tree; NULL: equal states are not watched for. */
struct state_watch *session_watch(const struct session *session);
/* Between two interleavings of the tree: whether it is left for them. */
bool session_turns_to_states(struct session *session);
/* No states are compared any more. */
void session_leave_states(struct session *session);

struct infrastructure_failures *session_failures(const struct session *session);

/* Whether some have ended for want of memory, by now or before it was resumed. */
bool session_has_starved(const struct session *session);
/* In this execution, or in one before, threads were not waited for: what it did was time's. */
bool session_has_hurried(const struct session *session, const struct execution *execution);

/* Microseconds; only differences mean anything. */
gint64 session_now(const struct session *session);

/* --- whether it goes on ----------------------------------------------------------------------- */

/* Going on is impossible: the message says what, where, and what to do. Keeps the first. */
void session_fail(struct session *session, const char *format, ...) G_GNUC_PRINTF(2, 3);
bool session_has_failed(const struct session *session);

/* No further interleaving is to be started, for this reason; keeps the first. */
void session_stop(struct session *session, const char *reason);

/* Whether there is time to run what was found once more. */
bool session_may_make_sure(const struct session *session);

/* Whether no further interleaving may be started: with those that run there are as many as asked
 * for, or the session is to end (stops it, if that is why). */
bool session_is_enough(struct session *session);

/* --- interleavings of the exploration --------------------------------------------------------- */

/* Whether it came to its end, so that the next may begin. */
bool session_is_whole(const struct execution *execution);
/* Accounts for it if it counts, drops it, and does what there is to do between two interleavings of
 * a search. Returns whether it was whole. */
bool session_finish(struct session *session, struct execution *execution, bool counts);
/* Gives up the snapshots that no plan asks for any more, and those beyond the budget. */
void session_release_snapshots(struct session *session);

/* The call stacks of an execution are written to the store as those of interleaving `number`. */
void session_keep_stacks(struct session *session, const struct execution *execution,
                         guint32 number);

/* Writes what is left with what has been found so far (session_past.c). */
void session_save(struct session *session);
/* The same when it is time to: not each time, so that it costs little. */
bool session_save_is_due(const struct session *session);

#endif
