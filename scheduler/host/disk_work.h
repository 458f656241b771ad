/* Whether a process is at work with files, as seen from outside: calls of MPI-IO may take long on a
 * slow disk, and say nothing meanwhile. */
#ifndef MATCHPOINT_SCHEDULER_HOST_DISK_WORK_H
#define MATCHPOINT_SCHEDULER_HOST_DISK_WORK_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* true: it has read or written since `*bytes` was set by such a look before, or one of its threads
 * waits for a device now. false also where that cannot be read. */
bool disk_work_look(pid_t process, guint64 *bytes);

#endif
