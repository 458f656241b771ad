/* A position that is being saved on disk (session_save_on_disk, in two parts): once it has begun,
 * the execution may go on. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SESSION_DISK_H
#define MATCHPOINT_SCHEDULER_SESSION_SESSION_DISK_H

#include <glib.h>
#include <stdbool.h>

struct disk_job;
struct execution;
struct session;

/* One at a time, with an execution that waits for its strategy. Not within the host's `iterate`.
 * What has failed is told at the end. */
struct disk_job *session_disk_begin(struct session *session, struct execution *execution,
                                    const char *folder, const char *name);
/* Whether nothing is to be waited for at the end. */
bool session_disk_is_done(const struct disk_job *job);
/* Ends and frees it, before the snapshots of the session are released. The rest as
 * session_save_on_disk. */
char *session_disk_end(struct disk_job *job, char **ret_why, GError **error);

#endif
