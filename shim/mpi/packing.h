/* Packs and unpacks elements of any type (MPI 3.1, section 4.2), also at absolute addresses:
 * MPICH's MPI_Pack and MPI_Unpack reject MPI_BOTTOM. */
#ifndef MATCHPOINT_SHIM_MPI_PACKING_H
#define MATCHPOINT_SHIM_MPI_PACKING_H

#include <mpi.h>

/* *ret_size: bytes used of the `room` bytes. MPI's code. */
int packing_pack(const void *data, int count, MPI_Datatype type, void *bytes, int room,
                 int *ret_size);

/* `bytes` must hold `count` elements. MPI's code. */
int packing_unpack(const void *bytes, int size, void *data, int count, MPI_Datatype type);

#endif
