/* Whether a file system is full. */
#ifndef MATCHPOINT_SCHEDULER_TOOLS_FULL_DISK_H
#define MATCHPOINT_SCHEDULER_TOOLS_FULL_DISK_H

#include <stdbool.h>

/* Whether the file system of this path has no room for users. If so, `*ret_megabytes` is its size.
 * False also if that cannot be known. */
bool full_disk(const char *path, double *ret_megabytes);

#endif
