/* A library of its own (libmatchpoint-heap.so), preloaded beside the shim where states are
 * compared: it answers malloc, and gives MPI's libraries and the shim blocks of a mapping apart.
 * What these keep there depends on the past in ways that make no difference to the program, and
 * is left out of a state (state.h). Who asks is told by the address that the call returns to;
 * who frees a block makes no difference. All others get what the C library gives.
 *
 * MPI's libraries are the MPI library and what it alone is linked with: a library that anything
 * else is linked with is the program's. */
#ifndef MATCHPOINT_SHIM_STATE_HEAP_H
#define MATCHPOINT_SHIM_STATE_HEAP_H

#include <stdbool.h>

#include "shim/process/memory_range.h"

/* By these names the shim finds them (dlsym): it works without that library.
 *
 * heap_know: looks at the libraries that are loaded now; `guest` is an address in the shim's code.
 * false: there is no MPI library among them, or no mapping apart.
 * heap_left_out: where MPI's libraries, the shim and this library keep their data, thread-local
 * data of the calling thread among it, and the mapping apart; how many; -1: more than `most`. */
#define HEAP_KNOW "matchpoint_heap_know"
#define HEAP_LEFT_OUT "matchpoint_heap_left_out"
typedef bool heap_know_function(const void *guest);
typedef int heap_left_out_function(struct memory_range *ranges, int most);

#endif
