/* The C library counts how often a process and those before it have been forked, for
 * pthread_once. The program does not see that, but copies of a rank differ in it by how deeply
 * their snapshots are nested. */
#ifndef MATCHPOINT_SHIM_STATE_STATE_FORK_H
#define MATCHPOINT_SHIM_STATE_STATE_FORK_H

#include <stdbool.h>

#include "heap.h"

/* Where that is, found by trying: the one word of the C library's data that is four more in a
 * child. Once, with one thread of the program's. false: it cannot be told, and copies merge
 * less. */
bool state_fork_find(struct memory_range *ret);

#endif
