/* Which of the libraries that are loaded are MPI's (heap.h), by what each is linked with. */
#ifndef MATCHPOINT_SHIM_STATE_HEAP_MODULES_H
#define MATCHPOINT_SHIM_STATE_HEAP_MODULES_H

#include <stdbool.h>

#include "heap.h"

/* Looks at what is loaded now. `guest` and `own` are addresses in two libraries that count as
 * MPI's, though nothing is linked with them. false: no MPI library is loaded. */
bool heap_modules_know(const void *guest, const void *own);

/* Whether the address lies in code of one of them. */
bool heap_modules_contain(const void *address);

/* Where they keep their data: of those known. How many; -1: more than `most`. */
int heap_modules_data(struct memory_range *ranges, int most);

#endif
