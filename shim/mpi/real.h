/* The MPI library behind the shim, found at run time. The shim never makes the dynamic linker load
 * an MPI library. RTLD_NEXT would not find one that was loaded with RTLD_LOCAL (Python). */
#ifndef MATCHPOINT_SHIM_MPI_REAL_H
#define MATCHPOINT_SHIM_MPI_REAL_H

#include <stdbool.h>

#include "mpi_functions.h"

/* Looks for a library of common/mpi_libraries.h among the loaded ones. 0; -1: the program has no
 * MPI library that the shim can drive. Cheap if called again. */
int real_find(void);

/* MPI's PMPI functions: real_mpi()->Recv(...). Looked up at the first use. Without such a library,
 * MPI_Init ends the process (startup.c). */
extern struct real_mpi real_table;
extern bool real_found;
static inline const struct real_mpi *real_mpi(void)
{
	if (__builtin_expect(!real_found, 0))
		real_find();
	return &real_table;
}

/* Any symbol of the MPI library; NULL: none. */
void *real_symbol(const char *name);

/* The first line of MPI_Get_library_version (MPI 3.1, section 8.1.1); empty: none. */
void real_version_line(char ret_line[MPI_MAX_LIBRARY_VERSION_STRING]);
/* Of MPICH: major * 100 + minor ("MPICH Version: 4.2.1" is 402); else 0. For differences between
 * its releases. */
int real_version(void);

/* Whether an address lies in the code of: the MPI library proper; its Fortran bindings, which stand
 * between the program and the shim; the shim. */
bool real_is_library(const void *address);
/* Whether a call with this return address is not the program's: it is in MPI or in the shim. (Some
 * MPICH functions jump to others: PMPI_Type_struct to PMPI_Type_create_struct, which returns to the
 * wrapper of the former.) */
bool real_is_own(const void *return_address);
bool real_is_binding(const void *address);
/* Whether the program has called the shim through MPI's C++ bindings. */
bool real_called_by_cxx(void);
bool real_is_shim(const void *address);

/* Stores return addresses of the calling thread that lie outside the shim, MPI and its bindings,
 * innermost first. Returns their number. */
int real_backtrace(void **ret_frames, int most);

/* For functions that MPI calls: the MPI function that the program has called, as "MPI_File_read" or
 * "PMPI_File_read", and where. "" and NULL: unknown. */
const char *real_called(void **ret_site);

#endif
