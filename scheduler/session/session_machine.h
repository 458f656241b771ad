/* The machine that a session runs on, when it has no other host: what is made of it before the
 * first job, and put in order after the last. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_MACHINE_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_MACHINE_H

#include <glib.h>
#include <stdbool.h>

struct session;

/* Looks whether there is room, and makes the run directory. */
bool session_machine_prepare(struct session *session, GError **error);
/* Makes the journal, and opens session->host. */
bool session_machine_open(struct session *session, GError **error);
/* Ends what the program has left, puts its files back, and removes all that was made. The host is
 * drained. */
void session_machine_close(struct session *session);

#endif
