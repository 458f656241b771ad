/* For pthread_once, the C library counts the forks from which a process descends. The program
 * cannot see this number, but copies of a rank differ in it if their snapshots are nested
 * differently. */
#ifndef MATCHPOINT_SHIM_STATE_STATE_FORK_H
#define MATCHPOINT_SHIM_STATE_STATE_FORK_H

#include <stdbool.h>

#include "heap.h"

/* Finds the number by experiment: the only word in the C library's data that is four more in a
 * child. Call once, while the program has one thread. false: not found; fewer states are then
 * equal. */
bool state_fork_find(struct memory_range *ret);

#endif
