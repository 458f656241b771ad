/* Errors, and the program's error handlers. MPI itself never acts on an error: on every
 * communicator it has a handler of the shim's, which only reports. The program's handler is kept
 * here. */
#ifndef MATCHPOINT_SHIM_OBJECTS_ERROR_H
#define MATCHPOINT_SHIM_OBJECTS_ERROR_H

#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"
#include "shim/gate/error_report.h"

struct communicator;

/* Called once, after MPI's initialisation. MPI's code. */
int error_start(void);

/* A call has failed with the MPI error `code`. Reports it and acts as the program's error handler
 * for `comm` requires (MPI_COMM_WORLD's if `comm` is not known). `call` 0: a call that is not
 * reported to the scheduler. Returns `code`. Does not return if the handler is MPI_ERRORS_ARE_FATAL
 * or MPI_ERRORS_ABORT. */
int error_raise(MPI_Comm comm, int code, uint32_t call, enum mpi_call function, const void *site);
/* The same for a call that completes the operation of another one. */
int error_raise_for(MPI_Comm comm, int code, const struct error_call *failed);

/* For a handler that MPI calls: the call of the program that the error is from, and its return
 * address. MPI_CALL_NONE and NULL: not known. */
enum mpi_call error_find_call(int code, void **ret_site);

/* error_raise for the call opened last (gate_current_call). MPI_SUCCESS is returned unchanged. */
int error_check(MPI_Comm comm, int code, enum mpi_call function, const void *site);

/* The end of a controlled call: raises an error that the call itself has not raised. Returns
 * `code`. */
int error_settle(int code, MPI_Comm comm, enum mpi_call function, const void *site);
/* The same for a call on a window. If the window has its own handler, MPI has called it already. */
int error_settle_window(int code, MPI_Win window, enum mpi_call function, const void *site);

/* The end of a call on a file or a session, whose error handler MPI has called: reports the error
 * that the call returns. */
void error_returned(int code, enum mpi_call function, const void *site);
/* The same for a call that passes to MPI; `site` is its wrapper's return address. */
void error_passed(int code, enum mpi_call function, void *site);

/* Makes `handler` the program's error handler of a communicator, and the shim's handler that of
 * MPI. Takes a reference of its own. MPI's code. */
int error_set_handler(struct communicator *communicator, MPI_Errhandler handler);
void error_release_handler(struct communicator *communicator);
/* The program's handler, with a reference for the caller. MPI's code. */
int error_get_handler(const struct communicator *communicator, MPI_Errhandler *ret_handler);
/* Whether the error is that MPICH 4.2 does not free a communicator with a message that was not
 * received. Its moment depends on time, and the unreceived message is reported in any case. */
bool error_is_unmatched(int code);
/* Whether errors on the communicator are reported when they occur inside MPI; otherwise the call
 * returns them. */
void error_watch(struct communicator *communicator, bool watches);

#endif
