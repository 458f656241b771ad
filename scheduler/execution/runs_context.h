/* What the files of an execution may use of all executions. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_RUNS_CONTEXT_H
#define MATCHPOINT_SCHEDULER_EXECUTION_RUNS_CONTEXT_H

#include "execution.h"
#include "runs.h"

/* As given to runs_new: see struct runs_options. */
int runs_ranks(const struct runs *runs);
struct host *runs_host(const struct runs *runs);
struct events *runs_events(const struct runs *runs);
struct snapshots *runs_snapshots(const struct runs *runs);
const struct wrapper *runs_wrapper(const struct runs *runs);
/* A wrapper may keep a rank for as long as it likes. */
bool runs_are_untimed(const struct runs *runs);

/* The session cannot go on: see struct run_client. */
void runs_fail(struct runs *runs, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same for a spawn that lacks processes (runs_needs). */
void runs_need(struct runs *runs, int root, const struct wire_needs *needs, const char *where);
/* Snapshots do not work, for this reason (ownership passes). Executions that use them are begun
 * anew. */
void runs_fall_back(struct runs *runs, char *reason);
/* Something outside has ended a process that snapshots need, as described (ownership passes).
 * Executions that use them are begun anew, in a new job with new snapshots. If that happens again
 * and again, it falls back. */
void runs_lose_snapshots(struct runs *runs, char *reason);
/* These call the client: something outside has ended an execution; every process of one is gone. */
void runs_report_struck(const struct runs *runs, const char *what);
void runs_report_gone(const struct runs *runs, struct execution *execution);

/* Whether snapshots are taken, beyond the one in MPI_Init. */
bool runs_take_snapshots(const struct runs *runs);
/* The clocks of an execution were advanced so far, in milliseconds. */
void runs_note_forward(struct runs *runs, guint milliseconds);
/* Waiting for ranks to report their states took so long. */
void runs_note_fingerprint(struct runs *runs, gint64 microseconds);
/* Places (a hash) where polls change memory, and were waited for in vain: adds some; whether these
 * are among them. */
void runs_note_polled_in_vain(struct runs *runs, guint64 places);
bool runs_have_polled_in_vain(const struct runs *runs, guint64 places);

#endif
