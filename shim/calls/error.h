/* Errors, and the program's error handlers. MPI itself never acts on an error: on every
 * communicator it has a handler of the shim's, which only reports. The program's handler is kept
 * here. */
#ifndef MATCHPOINT_SHIM_CALLS_ERROR_H
#define MATCHPOINT_SHIM_CALLS_ERROR_H

#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"

struct communicator;

/* Called once, after MPI's initialisation. MPI's code. */
int error_start(void);

/* A call has failed with the MPI error `code`. Reports it and acts as the program's error handler
 * for `comm` requires (MPI_COMM_WORLD's if `comm` is not known). `call` 0: a call that is not
 * reported to the scheduler. Returns `code`. Does not return if the handler is MPI_ERRORS_ARE_FATAL
 * or MPI_ERRORS_ABORT. */
int error_raise(MPI_Comm comm, int code, uint32_t call, enum mpi_call function, const void *site);

/* The same if the handler is known to be one of these two. */
_Noreturn void error_fatal(int code, uint32_t call, enum mpi_call function, const void *site);

/* For a handler that MPI calls: the call of the program that the error is from, and its return
 * address. MPI_CALL_NONE and NULL: not known. */
enum mpi_call error_find_call(int code, void **ret_site);

/* error_raise for the call opened last (gate_current_call). MPI_SUCCESS is returned unchanged. */
int error_check(MPI_Comm comm, int code, enum mpi_call function, const void *site);

/* Begin and end of a controlled call: error_settle raises an error that the call itself has not
 * raised. Returns `code`. */
void error_open(void);
int error_settle(int code, MPI_Comm comm, enum mpi_call function, const void *site);
/* The same for a call on a window. If the window has its own handler, MPI has called it already. */
int error_settle_window(int code, MPI_Win window, enum mpi_call function, const void *site);

/* Reports a call that starts no operation, because MPI will refuse it. */
void error_report_call(const void *site, enum mpi_call function);

/* Reports a call that matchpoint cannot control, which ends the exploration. */
_Noreturn int error_refused(const void *site, enum mpi_call function);
/* The same for a call of a thread that the shim does not know. */
_Noreturn void error_refuse_thread(const void *site);
/* The same if the arguments are the reason. `why` follows the call's name: " with ...". */
_Noreturn int error_refused_for(const void *site, enum mpi_call function, const char *why);

/* A call of a thread that may not call MPI at this level of thread support. Another thread may be
 * inside the shim: this thread does nothing more, and threads that call later come here, too. */
_Noreturn void error_wrong_thread(const void *site, const char *why);

/* A call before MPI_Init or after MPI_Finalize (`when`). MPI would end the program, and there is no
 * error handler. */
_Noreturn void error_out_of_order(enum mpi_call function, const void *site, const char *when);

/* Makes `handler` the program's error handler of a communicator, and the shim's handler that of
 * MPI. Takes a reference of its own. MPI's code. */
int error_set_handler(struct communicator *communicator, MPI_Errhandler handler);
void error_release_handler(struct communicator *communicator);
/* Whether the error is that MPICH 4.2 does not free a communicator with a message that was not
 * received. Its moment depends on time, and the unreceived message is reported in any case. */
bool error_is_unmatched(int code);
/* Whether errors on the communicator are reported when they occur inside MPI; otherwise the call
 * returns them. */
void error_watch(struct communicator *communicator, bool watches);

#endif
