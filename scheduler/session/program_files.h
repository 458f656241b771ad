/* Files where the program works, as its host shows them (host.h). These wait for the host's answer,
 * so they must not be called within its `iterate`. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_PROGRAM_FILES_H
#define MATCHPOINT_SCHEDULER_SESSION_PROGRAM_FILES_H

#include "scheduler/host/host.h"

/* What is at this path. Free `real` with g_free. */
struct host_file program_file_look(struct host *host, const char *path);
/* Whether there is anything at this path. */
bool program_file_is_there(struct host *host, const char *path);

/* The contents; NULL: there is nothing. Free with g_bytes_unref. */
GBytes *program_file_read(struct host *host, const char *path, guint64 most);

#endif
