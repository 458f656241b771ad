/* The MPI library that programs are run with here, as it describes itself. */
#ifndef MATCHPOINT_SCHEDULER_HOST_MPI_LIBRARY_H
#define MATCHPOINT_SCHEDULER_HOST_MPI_LIBRARY_H

/* What it is and where, unless a program brings one of its own: "MPICH 4.0.2
 * (/usr/lib/libmpich.so.12)"; NULL: there is none. Free with g_free. */
char *mpi_library_describe(void);

/* The first line of MPI_Get_library_version (MPI 3.1, section 8.1.1) in few words:
 * "MPICH Version:      4.0.2" is "MPICH 4.0.2". Free with g_free. */
char *mpi_library_shorten(const char *version);

#endif
