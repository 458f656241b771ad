/* Type signatures (MPI 3.1, section 4.1): the sequence of basic types that a message consists of.
 * Most messages consist of one basic type, whatever their type map. The others are described by
 * runs. */
#ifndef MATCHPOINT_SHIM_TYPES_SIGNATURE_H
#define MATCHPOINT_SHIM_TYPES_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "common/wire.h"

/* The signature of any number of elements of `type`. The runs live until the process ends. All
 * zero: not known (MPI_PACKED, too many runs, an invalid type); such a signature is not
 * compared. */
struct wire_types signature_of(MPI_Datatype type);

/* Bytes of one element; 0: none, or an invalid type. */
uint64_t type_size(MPI_Datatype type);

/* Whether MPI itself has made the type. */
bool type_is_predefined(MPI_Datatype type);
/* Frees a type that MPI has handed out, as MPI_Type_get_contents does, unless it is predefined. */
void type_release(MPI_Datatype *type);

#endif
