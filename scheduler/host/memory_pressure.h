/* Whether the kernel has killed processes because memory ran out. */
#ifndef MATCHPOINT_SCHEDULER_HOST_MEMORY_PRESSURE_H
#define MATCHPOINT_SCHEDULER_HOST_MEMORY_PRESSURE_H

#include <glib.h>
#include <stdbool.h>

/* How often it has, ever: for this process's control group (cgroup, version 1 or 2; 0 where that
 * cannot be read) and on the machine. */
struct memory_pressure {
	guint64 group, machine;
};

struct memory_pressure memory_pressure_now(void);

/* Whether it has between two of them. */
bool memory_pressure_grew(const struct memory_pressure *before, const struct memory_pressure *now);

/* The same of a machine whose files stand below `root` ("" for this one's), for tests. */
struct memory_pressure memory_pressure_of(const char *root);

#endif
