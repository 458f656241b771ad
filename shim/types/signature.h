/* Type signatures (MPI 3.1, section 4.1): of which basic types, in which order, a message consists.
 * Most messages are of one basic type, whatever their type map; the others are told as runs. */
#ifndef MATCHPOINT_SHIM_TYPES_SIGNATURE_H
#define MATCHPOINT_SHIM_TYPES_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"

/* Of one element of `type`, or of any number of them. The runs live until the process ends. What
 * cannot be told (MPI_PACKED, very many runs, no valid type) is all zero: not to be compared. */
struct wire_types signature_of(MPI_Datatype type);

/* A predefined type other than those of MPI_MINLOC and MPI_MAXLOC, in MPICH's ABI. */
static inline bool type_is_basic(MPI_Datatype type)
{
	return ((uint32_t)type & 0xffff0000u) == 0x4c000000u;
}

#endif
