/* Whether a process works on files, as seen from outside. Calls of MPI-IO may take long on a slow
 * disk, and report nothing meanwhile. */
#ifndef MATCHPOINT_SCHEDULER_HOST_DISK_WORK_H
#define MATCHPOINT_SCHEDULER_HOST_DISK_WORK_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* Returns true if the process has read or written since an earlier call set `*bytes`, or if one
 * of its threads waits for a device now. Returns false also if that cannot be read. */
bool disk_work_look(pid_t process, guint64 *bytes);

#endif
