/* What the heap library asks of the library that it is a part of: alone (heap_alone.c), or in the
 * recorder (shim/record/memory.c). */
#ifndef MATCHPOINT_SHIM_STATE_HEAP_PLACE_H
#define MATCHPOINT_SHIM_STATE_HEAP_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this thread is inside MPI, whoever calls: what is allocated then is MPI's. */
bool heap_is_inside(void);

/* Whether a library that is loaded later is examined before it allocates anything. */
bool heap_follows_loading(void);

/* Whether the caller with this return address is one of MPI's libraries, even if it was loaded
 * since the last examination (heap.c). */
bool heap_is_mpis(const void *site);

/* Whether a block is MPI's: it lies in the mapping that is separate from the program's memory. */
bool heap_is_apart(const void *block);

/* Where the program's next mapping of `size` bytes is to lie; NULL: anywhere. */
void *heap_place(size_t size);

/* Whether it answers this system call itself, which the caller with this return address makes by
 * its number. */
bool heap_answers(const void *site, long number, const long arguments[6], long *ret_given);

#endif
