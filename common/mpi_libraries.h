/* Names (DT_SONAME) of the MPI libraries that the shim can stand before: those of MPICH's ABI,
 * which shim/mpi/abi.h knows. */
#ifndef MATCHPOINT_COMMON_MPI_LIBRARIES_H
#define MATCHPOINT_COMMON_MPI_LIBRARIES_H

/* The usual one first. As the contents of an initialiser. */
#define MPI_LIBRARIES "libmpich.so.12", "libmpi.so.12"

#endif
