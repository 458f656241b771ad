/* Positions that a session saves on disk by itself (session_save_on_disk): by time, where ranks
 * make a call, or before the first choice. Of an exploration, those of the first interleaving under
 * each buffering; of a session that its caller drives, those of the executions that it names. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_SAVING_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_SAVING_H

#include <stdbool.h>

#include "scheduler/execution/run.h"

struct interleaving;
struct session;
struct session_saving;

struct session_saving *session_saving_new(struct session *session);
void session_saving_free(struct session_saving *saving);

/* An interleaving has ended that counts. */
void session_saving_ended(struct session_saving *saving, enum buffering buffering);
/* The execution of this interleaving is gone, or begins again. */
void session_saving_forget(struct session_saving *saving, const struct interleaving *interleaving);

/* See struct run_client, and executor_save_by (`user`: the session). */
void session_saving_see_call(void *owner, struct execution *execution, int rank,
                             const struct wire_call *call);
bool session_saving_is_due(void *owner, const struct execution *execution, const GArray *open,
                           bool beside);
bool session_saving_save(void *user, struct execution *execution);

/* Why nothing was saved although it was asked for; NULL: something was, or this has been told
 * already. Free with g_free. */
char *session_saving_why_nothing(const struct session_saving *saving);

#endif
