/* Functions of the program that MPI calls: what it was called with goes into the log, so that the
 * replayer can call it again. A call of MPI may contain some, and they may call MPI. */
#ifndef MATCHPOINT_SHIM_RECORD_CALLBACKS_H
#define MATCHPOINT_SHIM_RECORD_CALLBACKS_H

#include <stdint.h>

#include <mpi.h>

/* Replaying: the log has a call of this kind. */
void callbacks_repeat(uint64_t kind);

/* Functions for MPI, in place of the program's. The same ones, in the same order, at replay. */
MPI_User_function *callbacks_operation(MPI_User_function *function);
/* Of communicators; the program's function has variable arguments. */
MPI_Comm_errhandler_function *callbacks_error_handler(MPI_Comm_errhandler_function *function);
MPI_File_errhandler_function *callbacks_file_handler(MPI_File_errhandler_function *function);

/* Of attributes. `types`: of datatypes, else of communicators. `ret_*` are for MPI. */
struct callbacks_attribute {
	int (*copy)(int object, int keyval, void *extra, void *in, void *out, int *flag);
	int (*delete)(int object, int keyval, void *value, void *extra);
};
void callbacks_attribute(const struct callbacks_attribute *programs, void *extra,
                         struct callbacks_attribute *ret_functions, void **ret_extra);

#endif
