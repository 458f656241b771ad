/* Reports of errors to the scheduler, and of calls that end the exploration. These functions call
 * no error handler of the program; objects/error.h does. */
#ifndef MATCHPOINT_SHIM_GATE_ERROR_REPORT_H
#define MATCHPOINT_SHIM_GATE_ERROR_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_calls.h"

/* A call of the program that has failed. */
struct error_call {
	uint32_t call; /* 0: it is not reported to the scheduler */
	enum mpi_call function;
	const void *site;
	uint32_t started; /* the call whose operation failed; 0: this one */
	int why;          /* the code of that operation, if the call returns another: MPI_Waitall
			   * returns MPI_ERR_IN_STATUS; else 0 */
};

/* Reports the MPI error `code` of a call, with MPI's text. `fatal`: the error ends the program. */
void error_report_code(int code, const struct error_call *failed, bool fatal);

/* The same for a fatal error; then waits for END. */
_Noreturn void error_fatal(int code, const struct error_call *failed);

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

#endif
