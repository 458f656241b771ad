/* What can be told of a program before it is run, from its ELF files alone: whether it is linked
 * with an MPI that matchpoint can drive, and which MPI functions it and its libraries call.
 * Nothing is executed. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PROGRAM_H
#define MATCHPOINT_SCHEDULER_HOST_PROGRAM_H

#include <glib.h>
#include <stdbool.h>

enum program_kind {
	/* Can be controlled. */
	PROGRAM_MPICH,  /* linked with MPICH, or another library of its ABI */
	PROGRAM_SCRIPT, /* not ELF: what it starts shows when it runs */
	PROGRAM_LOADER, /* no MPI, but it loads libraries or starts programs (Python, a shell) */
	/* Cannot. */
	PROGRAM_MISSING,
	PROGRAM_DIRECTORY,
	PROGRAM_NOT_EXECUTABLE,
	PROGRAM_UNREADABLE,
	PROGRAM_PRIVILEGED, /* set-user-ID: nothing is preloaded into it */
	PROGRAM_FOREIGN,    /* another machine or word size */
	PROGRAM_STATIC,     /* MPI, or everything, linked statically */
	PROGRAM_OPEN_MPI,
	PROGRAM_OTHER_MPI,
	PROGRAM_NO_MPI,
};

struct program {
	enum program_kind kind;
	char *path;    /* what would be executed; NULL when nothing was found */
	char *mpi;     /* soname of the MPI library, or NULL */
	char *message; /* what is wrong, on what, and what to do; NULL when it can be controlled */
	GPtrArray *missing;    /* of char *: libraries that were not found */
	GPtrArray *looking_up; /* of char *: which of its files find functions by name (dlsym) */
};

/* Looks at the program as mpiexec would find it (PATH when the name has no slash). */
struct program *program_inspect(const char *name);
void program_free(struct program *program);

/* false with `error` set to the message when it cannot be controlled. */
bool program_usable(const char *name, GError **error);

/* Whether the file is an ELF file of this machine and word size. */
bool program_is_native(const char *file);

/* A function of MPI that is called, under its name in C ("MPI_Send"), or as the symbol is when
 * it is none of the table's. */
struct program_call {
	char *name;
	char *where; /* file that calls it: the program itself or one of its libraries */
};

/* Each function once, ordered by name (struct program_call *, owned by the array). */
GPtrArray *program_mpi_calls(const char *path);

/* Whether the program (found as mpiexec finds it) or one of its libraries calls this function of
 * MPI.
 */
bool program_calls(const char *name, const char *function);

#define PROGRAM_ERROR (program_error_quark())
GQuark program_error_quark(void);

#endif
