/* Whether the kernel has killed processes because memory ran out. */
#ifndef MATCHPOINT_SCHEDULER_HOST_MEMORY_PRESSURE_H
#define MATCHPOINT_SCHEDULER_HOST_MEMORY_PRESSURE_H

#include <glib.h>
#include <stdbool.h>

/* How many processes were killed since the start: of this process's control group (cgroup,
 * version 1 or 2; 0 if that cannot be read), and of the machine. */
struct memory_pressure {
	guint64 group, machine;
};

struct memory_pressure memory_pressure_now(void);

/* Whether processes were killed between the two counts. */
bool memory_pressure_grew(const struct memory_pressure *before, const struct memory_pressure *now);

/* The same for a machine whose files are below `root` ("" for this one); for tests. */
struct memory_pressure memory_pressure_of(const char *root);

#endif
