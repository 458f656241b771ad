/* Which bytes of memory a datatype covers (MPI 3.1, section 4.1). */
#ifndef MATCHPOINT_SHIM_TYPES_LAYOUT_H
#define MATCHPOINT_SHIM_TYPES_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"

/* Appends parts with that role to *parts: what `count` elements of the type at `start` (an address
 * or an offset) cover. *parts has *part_count entries; it is malloc'ed and grown with realloc.
 * false: the type is too irregular or too large, or memory is out. Then nothing is appended. */
bool layout_append(struct wire_part **parts, uint32_t *part_count, uint8_t role, int64_t start,
                   MPI_Count count, MPI_Datatype type);

/* Whether `count` elements of the type have a byte twice (MPI 3.1, section 4.1.11); false if that
 * is not known. Each derived type is examined once. */
bool layout_overlaps(MPI_Count count, MPI_Datatype type);

#endif
