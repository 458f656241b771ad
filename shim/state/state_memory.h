/* The private memory of a rank, as part of its state (state.h). */
#ifndef MATCHPOINT_SHIM_STATE_STATE_MEMORY_H
#define MATCHPOINT_SHIM_STATE_STATE_MEMORY_H

#include "common/state_hash.h"
#include "heap.h"

/* Adds all private memory that was ever written, without the ranges `left_out` (which are sorted
 * and changed). Of the stack that contains the address `stack`, adds only the part from there on.
 * `is_brief`: is called often, and only the contents matter. Then mappings are listed again only
 * if their size has changed, or memory was touched for the first time. NULL; or why the memory is
 * unknown. */
const char *state_memory_add(struct state_hash *hash, struct memory_range *left_out, size_t count,
                             uintptr_t stack, bool is_brief);

/* Notes the memory that MPI shares between ranks now, by the names of its files, which copies of a
 * rank do not have any more. Other memory that is shared and writable makes the state unknown.
 * Before the rank is parked, and at MPI_Init. */
void state_memory_note_shared(void);
/* Some of that memory may be gone: a later mapping at its address is something else. */
void state_memory_forget_shared(void);

#endif
