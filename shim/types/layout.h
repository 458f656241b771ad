/* Which bytes of memory a datatype covers (MPI 3.1, section 4.1). */
#ifndef MATCHPOINT_SHIM_TYPES_LAYOUT_H
#define MATCHPOINT_SHIM_TYPES_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"

/* What `count` elements of the type at `start` (an address, or an offset) cover, as parts of that
 * role: appended to *parts, of which there are *part_count (malloc'ed; grown with realloc). false:
 * the type is too irregular or too large to be told, or memory is out; then nothing is appended. */
bool layout_append(struct wire_part **parts, uint32_t *part_count, uint8_t role, int64_t start,
                   MPI_Count count, MPI_Datatype type);

/* Whether so many elements have a byte twice (MPI 3.1, section 4.1.11); false where that is not
 * known. Basic types are told at once, others looked at once. */
bool layout_overlaps(MPI_Count count, MPI_Datatype type);

#endif
