/* Which loaded libraries are MPI's (heap.h), according to what each is linked with. */
#ifndef MATCHPOINT_SHIM_STATE_HEAP_MODULES_H
#define MATCHPOINT_SHIM_STATE_HEAP_MODULES_H

#include <stdbool.h>

#include "heap.h"

/* Examines the loaded libraries. `guest` and `own` are addresses in two libraries that count as
 * MPI's, though nothing is linked with them. false: no MPI library is loaded. */
bool heap_modules_know(const void *guest, const void *own);

/* Whether the address lies in the code of one of MPI's libraries. */
bool heap_modules_contain(const void *address);

/* Whether the address lies in none of the libraries that were examined. */
bool heap_modules_miss(const void *address);

/* As heap_modules_contain, for a caller that maps memory. UCX's libucm does not count: it puts
 * itself before the C library's mmap, and passes on what the program and its malloc ask for. */
bool heap_modules_map(const void *address);

/* Stores the ranges of their data and returns how many there are; -1: more than `most`. */
int heap_modules_data(struct memory_range *ranges, int most);

#endif
