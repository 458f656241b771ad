/* The private memory of a rank as part of its state (state.h). */
#ifndef MATCHPOINT_SHIM_STATE_STATE_MEMORY_H
#define MATCHPOINT_SHIM_STATE_STATE_MEMORY_H

#include "common/state_hash.h"
#include "heap.h"

/* Adds all private memory that was ever written, without these ranges (sorted here, and changed),
 * and from `stack` on of the stack in which that lies. NULL: done; or why it cannot be told. */
const char *state_memory_add(struct state_hash *hash, struct memory_range *left_out, size_t count,
                             uintptr_t stack);

/* Notes the memory that MPI shares among ranks, as it is now: by the names of its files, which
 * copies of a rank do not have any more. Whatever else is shared and can be written makes it
 * impossible to tell the state. Before the rank is parked, and at MPI_Init. */
void state_memory_note_shared(void);
/* Some of it may not be there any more: what comes to lie there is something else. */
void state_memory_forget_shared(void);

#endif
