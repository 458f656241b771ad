/* Files that MPICH makes in /dev/shm while it starts and unlinks a moment later: a job that is
 * killed in that moment leaves them behind, and they are ours to remove. */
#ifndef MATCHPOINT_SCHEDULER_STRAYS_H
#define MATCHPOINT_SCHEDULER_STRAYS_H

#include <glib.h>

/* Names of those that are there now, before a job of ours starts. What a killed predecessor has
 * left (some seconds old, this user's, mapped by no process) is removed first. */
GHashTable *strays_list(void);

/* Removes those that have come since, belong to this user, and that no process has mapped. */
void strays_remove(GHashTable *before);

#endif
