/* Anonymous memory that MPI's libraries have mapped themselves, beside what they get from malloc:
 * UCX maps its pools of requests and messages (heap.h). */
#ifndef MATCHPOINT_SHIM_STATE_HEAP_MAPPINGS_H
#define MATCHPOINT_SHIM_STATE_HEAP_MAPPINGS_H

#include <stddef.h>

#include "shim/process/memory_range.h"

/* Addresses are of whole pages; `size` in bytes is rounded up to pages. Not more than 512 ranges
 * are kept: beyond that, heap_mappings_ranges fails. To be called by one thread at a time. */
void heap_mappings_add(uintptr_t start, size_t size);

/* Memory that was unmapped, or mapped anew, no matter by whom. Parts of ranges may go. */
void heap_mappings_remove(uintptr_t start, size_t size);

/* Stores the ranges, in no order, and returns their number; -1: more than `most`, or not all are
 * known. */
int heap_mappings_ranges(struct memory_range *ranges, int most);

#endif
