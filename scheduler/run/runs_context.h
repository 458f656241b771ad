/* What the files of an execution may know of all executions, and have done for it. */
#ifndef MATCHPOINT_SCHEDULER_RUN_RUNS_CONTEXT_H
#define MATCHPOINT_SCHEDULER_RUN_RUNS_CONTEXT_H

#include "execution.h"
#include "runs.h"

/* As they were made with: see struct runs_options. */
int runs_ranks(const struct runs *runs);
struct host *runs_host(const struct runs *runs);
struct events *runs_events(const struct runs *runs);
bool runs_rewind(const struct runs *runs); /* in place, if they can */
const struct wrapper *runs_wrapper(const struct runs *runs);

/* Going on is impossible: see struct run_client. */
void runs_fail(struct runs *runs, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Snapshots do not work after all, for this reason (taken over). What runs is to be begun anew. */
void runs_fall_back(struct runs *runs, char *reason);
/* The client is told, if it wants to be: something outside has ended an execution; every process of
 * one is gone. */
void runs_tell_struck(const struct runs *runs, const char *what);
void runs_tell_gone(const struct runs *runs, struct execution *execution);

/* Whether snapshots are taken (of more than MPI_Init, where they begin). */
bool runs_take_snapshots(const struct runs *runs);
/* The clocks of an execution were put forward as far as this, in milliseconds. */
void runs_note_forward(struct runs *runs, guint milliseconds);
/* Ranks were asked for their states, which took so many microseconds. */
void runs_note_fingerprint(struct runs *runs, gint64 microseconds);
/* Places where polls, which change something, were waited out: whether these (a hash) are some. */
void runs_note_polled_in_vain(struct runs *runs, guint64 places);
bool runs_have_polled_in_vain(const struct runs *runs, guint64 places);

#endif
