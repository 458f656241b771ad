/* The memory of a process that it cannot write to, as its code: /proc/PID/maps. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_READ_ONLY_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_READ_ONLY_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* As ranges, in ascending order; empty if they cannot be read. Free with g_array_unref. */
GArray *read_only_of(pid_t pid);
/* The same of the contents of such a file. */
GArray *read_only_parse(const char *maps);
/* Whether all of this memory is among them. */
bool read_only_has(const GArray *ranges, guint64 address, gsize count);

#endif
