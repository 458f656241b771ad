/* Lengths of arrays that only MPI knows; they are in the log. */
#ifndef MATCHPOINT_SHIM_RECORD_KNOWN_H
#define MATCHPOINT_SHIM_RECORD_KNOWN_H

#include <stdint.h>

#include <mpi.h>

/* Of a Cartesian topology. */
int64_t known_dimensions(MPI_Comm comm);

#endif
