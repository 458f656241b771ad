/* Errors, and the program's error handlers. MPI itself never acts on an error: on every
 * communicator the library has a handler of the shim's, which only tells; the program's own is
 * kept here. */
#ifndef MATCHPOINT_SHIM_OBJECTS_ERROR_H
#define MATCHPOINT_SHIM_OBJECTS_ERROR_H

#include <stdint.h>

#include <mpi.h>

#include "mpi_calls.h"

struct communicator;

/* Once, after MPI's initialisation. MPI's code. */
int error_start(void);

/* A call has failed with the MPI error `code`: tells the scheduler and does what the program's
 * error handler for `comm` (MPI_COMM_WORLD's where there is none) asks for. Returns `code`; does
 * not return when the handler is MPI_ERRORS_ARE_FATAL or MPI_ERRORS_ABORT. */
int error_raise(MPI_Comm comm, int code, uint32_t call, enum mpi_call function, const void *site);

/* The same where the handler is known to be one of these two. The number 0 (of error_raise, too)
 * stands for a call that is not told to the scheduler. */
_Noreturn void error_fatal(int code, uint32_t call, enum mpi_call function, const void *site);

/* For a handler that the library calls: which call of the program it is in, and where that is;
 * MPI_CALL_NONE and NULL where it is not known. */
enum mpi_call error_find_call(int code, void **ret_site);

/* error_raise for the call that was opened last (gate_current_call); MPI_SUCCESS is passed on. */
int error_check(MPI_Comm comm, int code, enum mpi_call function, const void *site);

/* The end of a controlled call, whose beginning was error_open: an error that the call itself has
 * not raised is raised now. Returns `code`. */
void error_open(void);
int error_settle(int code, MPI_Comm comm, enum mpi_call function, const void *site);
/* The same for a call on a window: with a handler of its own MPI has asked that already. */
int error_settle_window(int code, MPI_Win window, enum mpi_call function, const void *site);

/* Reports a call that starts nothing, as MPI is going to refuse it. */
void error_report_call(const void *site, enum mpi_call function);

/* For a call that matchpoint cannot control: says so, which ends the exploration. */
_Noreturn int error_refused(const void *site, enum mpi_call function);
/* The same for a call of a thread that nobody has told of. */
_Noreturn void error_refuse_thread(const void *site);
/* The same where that is due to arguments: `why` stands after the call's name, " with ...". */
_Noreturn int error_refused_for(const void *site, enum mpi_call function, const char *why);

/* For a call of a thread that the level of thread support does not let call MPI now. Another thread
 * may be inside the shim: this one does nothing more, and those that call later come here, too. */
_Noreturn void error_wrong_thread(const void *site, const char *why);

/* For a call that comes before MPI_Init or after MPI_Finalize (`when`): MPI would end the program,
 * and there is no error handler to ask. */
_Noreturn void error_out_of_order(enum mpi_call function, const void *site, const char *when);

/* Makes `handler` the program's error handler of a communicator and the shim's that of the library;
 * takes a reference of its own. MPI's code. */
int error_set_handler(struct communicator *communicator, MPI_Errhandler handler);
void error_release_handler(struct communicator *communicator);
/* MPICH 4.2 does not free a communicator in which a message has come that nobody has received. When
 * it comes is time's; that nobody receives it is told in any case. */
bool error_is_unmatched(int code);
/* Whether an error on it is told as it comes up inside the library; else the call returns it. */
void error_watch(struct communicator *communicator, bool watches);

#endif
