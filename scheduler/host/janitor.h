/* A small process that outlives this one, should it be killed before it can clean up: it then ends
 * every process of the run, puts back the program's files and removes the run directory, as the
 * next start would.
 *
 * What belongs to the run is known by the run directory: named in its environment, or something is
 * open there. */
#ifndef MATCHPOINT_SCHEDULER_HOST_JANITOR_H
#define MATCHPOINT_SCHEDULER_HOST_JANITOR_H

#include <glib.h>

struct janitor;

/* To be called while this process has one thread and no job yet; `place` is where journals of the
 * program's files stand. NULL: none could be started, and the next start cleans up. */
struct janitor *janitor_start(const char *place);

/* All is clean: it may go. NULL is legal. */
void janitor_end(struct janitor *janitor);

#endif
