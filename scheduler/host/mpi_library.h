/* The MPI library that programs use here, as it describes itself. */
#ifndef MATCHPOINT_SCHEDULER_HOST_MPI_LIBRARY_H
#define MATCHPOINT_SCHEDULER_HOST_MPI_LIBRARY_H

/* Returns its version and path: "MPICH 4.0.2 (/usr/lib/libmpich.so.12)". A program may bring
 * another library of its own. NULL: there is none. Free with g_free. */
char *mpi_library_describe(void);

/* Shortens the first line of MPI_Get_library_version (MPI 3.1, section 8.1.1): "MPICH Version:
 * 4.0.2" becomes "MPICH 4.0.2". Free with g_free. */
char *mpi_library_shorten(const char *version);

#endif
