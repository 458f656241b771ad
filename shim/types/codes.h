/* The codes of common/mpi_codes.h for the MPI library's own numbers. The tables are made of the
 * names in mpi.h, so a number cannot be wrong. Pure. */
#ifndef MATCHPOINT_SHIM_TYPES_CODES_H
#define MATCHPOINT_SHIM_TYPES_CODES_H

#include <stdint.h>

#include <mpi.h>

/* The code of a basic type (abi_is_basic). A pair of one basic type is two elements of it (MPI 3.1,
 * section 5.9.4): MPI_2INT has the code of MPI_INT. 0: it is not compared, like MPI_PACKED, or has
 * no data. */
uint16_t codes_of_type(MPI_Datatype type);

/* The code of an operation (enum op_code); of one that is not predefined: OP_OWN. */
uint8_t codes_of_op(MPI_Op op);

#endif
