/* The MPI library behind the shim, found at run time: nothing here makes the dynamic linker load an
 * MPI library, and RTLD_NEXT would not find one that was loaded with RTLD_LOCAL (Python). */
#ifndef MATCHPOINT_SHIM_MPI_REAL_H
#define MATCHPOINT_SHIM_MPI_REAL_H

#include <stdbool.h>

#include "mpi_functions.h"

/* Looks for libmpich.so.12 or libmpi.so.12 among the libraries that are loaded. 0, or -1: the
 * program has no MPI library that the shim can drive. Cheap when done before. */
int real_find(void);

/* The library's PMPI functions: real_mpi()->Recv(...). Finds them at the first use; a process that
 * calls MPI without such a library is ended by MPI_Init, see startup.c. */
extern struct real_mpi real_table;
extern bool real_found;
static inline const struct real_mpi *real_mpi(void)
{
	if (__builtin_expect(!real_found, 0))
		real_find();
	return &real_table;
}

/* Any symbol of the library, or NULL. */
void *real_symbol(const char *name);

/* The first line of MPI_Get_library_version (MPI 3.1, 8.1.1); empty where there is none. */
void real_version_line(char ret_line[MPI_MAX_LIBRARY_VERSION_STRING]);
/* Of an MPICH, major * 100 + minor ("MPICH Version: 4.2.1" is 402), otherwise 0: for what its
 * releases do differently. */
int real_version(void);

/* Whether this address lies in the code of the MPI library proper; of its Fortran bindings, which
 * stand between the program and the shim; of the shim itself. */
bool real_is_library(const void *address);
/* A call that returns there is not the program's: library or shim (in MPICH some functions jump to
 * others: PMPI_Type_struct to PMPI_Type_create_struct, which returns to the former's wrapper). */
bool real_is_own(const void *return_address);
bool real_is_binding(const void *address);
bool real_is_shim(const void *address);

/* Return addresses of the calling thread outside the shim, the MPI library and its bindings,
 * innermost first. Returns how many were stored. */
int real_backtrace(void **ret_frames, int most);

/* For who is called by the library: "MPI_File_read" or "PMPI_File_read", the function of it that
 * the program has called, and where; "" and NULL where that is not known. */
const char *real_called(void **ret_site);

#endif
