/* Errors, and the program's error handlers. MPI itself never acts on an error: on every
 * communicator the library has a handler of the shim's, which only tells; the program's own is
 * kept here. */
#ifndef MATCHPOINT_SHIM_OBJECTS_ERROR_H
#define MATCHPOINT_SHIM_OBJECTS_ERROR_H

#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"
#include "shim/gate/error_report.h"

struct communicator;

/* Once, after MPI's initialisation. MPI's code. */
int error_start(void);

/* A call has failed with the MPI error `code`: tells the scheduler and does what the program's
 * error handler for `comm` (MPI_COMM_WORLD's where there is none) asks for. Returns `code`; does
 * not return when the handler is MPI_ERRORS_ARE_FATAL or MPI_ERRORS_ABORT. Call number 0: the
 * scheduler does not know of the call. */
int error_raise(MPI_Comm comm, int code, uint32_t call, enum mpi_call function, const void *site);

/* For a handler that the library calls: which call of the program it is in, and where that is;
 * MPI_CALL_NONE and NULL where it is not known. */
enum mpi_call error_find_call(int code, void **ret_site);

/* error_raise for the call that was opened last (gate_current_call); MPI_SUCCESS is passed on. */
int error_check(MPI_Comm comm, int code, enum mpi_call function, const void *site);

/* The end of a controlled call: an error that the call itself has not raised is raised now. Returns
 * `code`. */
int error_settle(int code, MPI_Comm comm, enum mpi_call function, const void *site);
/* The same for a call on a window: with a handler of its own MPI has asked that already. */
int error_settle_window(int code, MPI_Win window, enum mpi_call function, const void *site);

/* Makes `handler` the program's error handler of a communicator and the shim's that of the library;
 * takes a reference of its own. MPI's code. */
int error_set_handler(struct communicator *communicator, MPI_Errhandler handler);
void error_release_handler(struct communicator *communicator);
/* The program's handler, with a reference for the caller. MPI's code. */
int error_get_handler(const struct communicator *communicator, MPI_Errhandler *ret_handler);
/* MPICH 4.2 does not free a communicator in which a message has come that nobody has received. When
 * it comes is time's; that nobody receives it is told in any case. */
bool error_is_unmatched(int code);
/* Whether an error on it is told as it comes up inside the library; else the call returns it. */
void error_watch(struct communicator *communicator, bool watches);

#endif
