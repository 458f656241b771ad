/* The MPI libraries that matchpoint can control: how they are recognised and started, and what
 * their ranks need. A table with a row for each library and its relatives, in a file of its own
 * (mpi_runtime_NAME.c). A library without a row cannot be controlled, and program.h says so.
 *
 * The rest of what varies by library is in the shim: its handles (shim/mpi/abi.h), its names
 * (common/mpi_libraries.h), its quirks. */
#ifndef MATCHPOINT_SCHEDULER_HOST_MPI_RUNTIME_H
#define MATCHPOINT_SCHEDULER_HOST_MPI_RUNTIME_H

#include <stdbool.h>

#include "environment.h"

/* Lists of texts end with NULL. */
struct mpi_runtime {
	const char *name;             /* "MPICH" */
	const char *controlled;       /* what the row is for: "MPICH and libraries of its ABI" */
	const char *const *libraries; /* sonames; the usual one first */
	const char *const *bindings;  /* beginnings of names of its other libraries: Fortran, C++ */
	const char *compiler;         /* that programs are built with */

	const char *launcher;         /* found by PATH; else the one of the build is taken */
	const char *const *launchers; /* all names by which it is called */
	/* What it prints if a process was ended by a signal: a line with `struck`, in which the
	 * signal's number is behind `before_signal`. */
	const char *struck, *before_signal;
	const char *rank_variable; /* tells each process its rank. It speaks PMI 1 (pmi.h) */

	/* LAUNCH, BATCH, FORCED and DEFAULT; the last one has the name NULL. */
	const struct environment_variable *variables;
	/* Instead of those of equal names, if ranks cannot read each other's memory. */
	const struct environment_variable *without_peers;
	/* The same, if they are on several machines. `remote_shell`: name of the variable for the
	 * program that starts its processes there, called as ssh is. */
	const struct environment_variable *on_machines;
	const char *remote_shell;
	/* Beginnings of names: such variables are removed, unless they are in `variables`. */
	const char *const *forbidden;

	const char *shared_files; /* beginning of the paths of files that are gone once all ranks
	                             have started */
};

/* All rows; NULL ends them. */
const struct mpi_runtime *const *mpi_runtimes(void);

/* The row for programs whose library is not known before they run, such as scripts. It is that of
 * all programs, as long as there is one row. */
const struct mpi_runtime *mpi_runtime_usual(void);

/* The row of a library, by its soname. NULL: it cannot be controlled. */
const struct mpi_runtime *mpi_runtime_find(const char *soname);

/* "Open MPI": a library that is known, and cannot be controlled. NULL: it is none of these. */
const char *mpi_runtime_stranger(const char *soname);

/* Whether the name is that of an MPI library, of any version. */
bool mpi_runtime_is_library(const char *soname);
/* The same, or of one of its bindings: no library of the program's. */
bool mpi_runtime_is_part(const char *soname);

/* Whether the name of a program is that of a launcher. */
bool mpi_runtime_is_launcher(const char *program);

/* The sonames of all rows: "libmpich.so.12 and libmpi.so.12". Free with g_free. */
char *mpi_runtime_libraries(const char *between);

/* How launchers tell a process which rank it is, and of how many; also those that have no row. */
struct mpi_launch_variables {
	const char *rank, *size; /* size: NULL if it has none */
};

/* The last one has NULLs. */
const struct mpi_launch_variables *mpi_launch_variables(void);

/* --- the rows --------------------------------------------------------------------------------- */

extern const struct mpi_runtime mpi_runtime_mpich;

#endif
