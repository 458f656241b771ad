/* Elements of any type as bytes one after another (MPI 3.1, section 4.2), also those at absolute
 * addresses: MPICH's MPI_Pack and MPI_Unpack take MPI_BOTTOM for a mistake. */
#ifndef MATCHPOINT_SHIM_MPI_PACKING_H
#define MATCHPOINT_SHIM_MPI_PACKING_H

#include <mpi.h>

/* *ret_size: how many of the `room` bytes are used. MPI's code. */
int packing_pack(const void *data, int count, MPI_Datatype type, void *bytes, int room,
                 int *ret_size);

/* There are enough bytes for so many elements. MPI's code. */
int packing_unpack(const void *bytes, int size, void *data, int count, MPI_Datatype type);

#endif
