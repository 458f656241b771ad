/* What the ELF files of a program show before it is run: whether it is linked with an MPI that
 * matchpoint can control, and which MPI functions it and its libraries call. Nothing is executed.
 */
#ifndef MATCHPOINT_SCHEDULER_HOST_PROGRAM_H
#define MATCHPOINT_SCHEDULER_HOST_PROGRAM_H

#include <glib.h>
#include <stdbool.h>

struct mpi_runtime;

enum program_kind {
	/* These can be controlled. */
	PROGRAM_MPI,    /* linked with an MPI library that has a row (mpi_runtime.h) */
	PROGRAM_SCRIPT, /* not ELF: what it starts is known when it runs */
	PROGRAM_LOADER, /* no MPI, but it loads libraries or starts programs (Python, a shell) */
	/* These cannot. */
	PROGRAM_MISSING,
	PROGRAM_DIRECTORY,
	PROGRAM_NOT_EXECUTABLE,
	PROGRAM_UNREADABLE,
	PROGRAM_PRIVILEGED, /* set-user-ID: the linker preloads nothing into it */
	PROGRAM_FOREIGN,    /* another machine or word size */
	PROGRAM_STATIC,     /* MPI, or everything, linked statically */
	PROGRAM_OTHER_MPI,
	PROGRAM_NO_MPI,
};

struct program {
	enum program_kind kind;
	char *path;                        /* what would be executed; NULL: not found */
	char *mpi;                         /* soname of the MPI library, or NULL */
	const struct mpi_runtime *runtime; /* of PROGRAM_MPI, else NULL */
	char *message;         /* what is wrong, and what to do; NULL: can be controlled */
	GPtrArray *missing;    /* char *: libraries that were not found */
	GPtrArray *looking_up; /* char *: its files that find functions by name (dlsym) */
};

/* Inspects the program that mpiexec would find (by PATH if the name has no slash). */
struct program *program_inspect(const char *name);
void program_free(struct program *program);

/* Returns false, with the message in `error`, if the program cannot be controlled. */
bool program_usable(const char *name, GError **error);

/* Whether the file is an ELF file for this machine and word size. */
bool program_is_native(const char *file);

/* An MPI function that is called. `name` is its name in C ("MPI_Send"), or the symbol if the
 * table of MPI calls does not have it. */
struct program_call {
	char *name;
	char *where; /* file that calls it: the program or a library */
};

/* Returns each function once, ordered by name (struct program_call *, owned by the array). */
GPtrArray *program_mpi_calls(const char *path);

/* By MPI call (enum mpi_call): whether the program (found as mpiexec finds it) or one of its
 * libraries calls it. Free with g_free. */
bool *program_calls(const char *name);

/* Calls `look` for the program and each library that it needs, except MPI's. `has_hooks`: it
 * reports its loads and stores (shim/access/hooks.c). */
void program_each_file(const char *path, void (*look)(const char *file, bool has_hooks, void *user),
                       void *user);

/* Whether it polls: it calls MPI_Test, MPI_Iprobe or one of their kin. Also true if it calls no MPI
 * function at all, as a script that loads MPI later. */
bool program_polls(const char *name);

/* Why a process of the program, just before main(), may not stand for every rank, as a clause: a
 * library of its own (neither MPI's nor a compiler's) runs functions when it is loaded, such as
 * constructors of C++ objects; MPI is told its rank by another library; or the C library does not
 * call main(). NULL: it may. Free with g_free. */
char *program_loading_obstacle(const char *name);

/* Whether the program (found as mpiexec finds it) is built with AddressSanitizer. */
bool program_is_sanitized(const char *name);

#define PROGRAM_ERROR (program_error_quark())
GQuark program_error_quark(void);

#endif
