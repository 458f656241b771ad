/* A small process that outlives the scheduler. If the scheduler is killed before it can clean up,
 * the janitor ends every process of the run, puts the program's files back, and removes the run
 * directory, as the next start would.
 *
 * A process belongs to the run if the run directory is in its environment, or if it has a file
 * open there for writing. */
#ifndef MATCHPOINT_SCHEDULER_HOST_JANITOR_H
#define MATCHPOINT_SCHEDULER_HOST_JANITOR_H

#include <glib.h>
#include <sys/types.h>

struct janitor;

/* Starts the janitor. Call it while this process has one thread and no job. `place`: the
 * directory of the journals of the program's files. Returns NULL if it could not be started; then
 * the next start cleans up. */
struct janitor *janitor_start(const char *place);
/* The same for a run directory with the number of another process in its name. `place` may be NULL:
 * there are no journals here. */
struct janitor *janitor_start_for(pid_t owner, const char *place);

/* Reports that everything is cleaned up, and waits for the janitor's end. NULL is legal. */
void janitor_end(struct janitor *janitor);

#endif
