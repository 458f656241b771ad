/* The machine as the host of a session: resources created before the first job, and cleanup after
 * the last. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_MACHINE_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_MACHINE_H

#include <glib.h>
#include <stdbool.h>

struct session;

/* Checks the machine's resources and creates the run directory. */
bool session_machine_prepare(struct session *session, GError **error);
/* Returns what to say before so many ranks are started: what they need, if that is much, or more
 * than is allowed; NULL: nothing. Free with g_free. */
char *session_machine_warning(int ranks);
/* Creates the journal, and opens session->host. */
bool session_machine_open(struct session *session, GError **error);
/* Ends processes that the program left, restores its files, and removes everything created. The
 * host must be drained. */
void session_machine_close(struct session *session);

#endif
