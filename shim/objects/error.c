#define _GNU_SOURCE
#include "error.h"

#include <stdbool.h>
#include <string.h>

#include "communicator_internal.h"
#include "shim/gate/caller.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/process/process.h"

/* The handler that MPI calls on an error of a communicator. */
static MPI_Errhandler reporting_handler;

static bool is_predefined(MPI_Errhandler handler)
{
	return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN
	       || handler == MPI_ERRORS_ABORT || handler == MPI_ERRHANDLER_NULL;
}

bool error_is_unmatched(int code)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length = 0;

	return real_mpi()->Error_string(code, text, &length) == MPI_SUCCESS
	       && strstr(text, "unmatched message");
}

/* Parses "internal_Comm_rank(74): MPI_Comm_rank(MPI_COMM_NULL, rank=0x7ffc4cc4) failed". */
static enum mpi_call function_in_words(int code)
{
	char text[MPI_MAX_ERROR_STRING] = "", *start;
	int length = 0;

	if (real_mpi()->Error_string(code, text, &length) != MPI_SUCCESS
	    || !(start = strstr(text, ": MPI_")))
		return MPI_CALL_NONE;
	start += strlen(": ");
	start[strcspn(start, "(\n")] = '\0';
	return mpi_call_by_name(start);
}

enum mpi_call error_find_call(int code, void **ret_site)
{
	enum mpi_call function = mpi_call_by_name(real_called(ret_site));

	return function != MPI_CALL_NONE ? function : function_in_words(code);
}

/* Gets errors of calls that pass through. Controlled calls check their code themselves. */
static void on_passed_error(MPI_Comm *comm, int *code, ...)
{
	void *site = NULL;

	if (!process_is_in_call() && process_is_controlled() && !error_is_unmatched(*code)) {
		enum mpi_call function = error_find_call(*code, &site);

		error_raise(*comm, *code, 0, function, site);
	}
}

int error_start(void)
{
	return real_mpi()->Comm_create_errhandler(on_passed_error, &reporting_handler);
}

/* MPI calls the program's own handler, as it would without the shim, with the handle that the
 * program knows. */
static void call_handler(struct communicator *communicator, int code)
{
	MPI_Comm comm = communicator->handle == communicator_world ? MPI_COMM_WORLD
	                                                           : communicator->handle;

	real_mpi()->Comm_set_errhandler(comm, communicator->handler);
	struct caller_pause pause = caller_suspend();
	real_mpi()->Comm_call_errhandler(comm, code);
	caller_resume(&pause);
	if (communicator_find(comm))
		real_mpi()->Comm_set_errhandler(comm, reporting_handler);
}

int error_raise(MPI_Comm comm, int code, uint32_t call, enum mpi_call function, const void *site)
{
	return error_raise_for(comm, code, &(struct error_call){call, function, site, 0, 0});
}

int error_raise_for(MPI_Comm comm, int code, const struct error_call *failed)
{
	struct communicator *communicator = communicator_find(communicator_of_program(comm));

	if (!communicator)
		communicator = communicator_find(communicator_world);
	if (!communicator || communicator->handler == MPI_ERRORS_ARE_FATAL
	    || communicator->handler == MPI_ERRORS_ABORT)
		error_fatal(code, failed);
	if (failed->call != 0) /* others may wait for the rank in that call */
		error_report_code(code, failed, false);
	if (!is_predefined(communicator->handler))
		call_handler(communicator, code);
	caller_note_error();
	return code;
}

int error_settle(int code, MPI_Comm comm, enum mpi_call function, const void *site)
{
	return caller_has_noted_error() ? code : error_check(comm, code, function, site);
}

int error_settle_window(int code, MPI_Win window, enum mpi_call function, const void *site)
{
	MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;

	if (code == MPI_SUCCESS || caller_has_noted_error())
		return code;
	/* A window without its own handler uses that of MPI_COMM_WORLD; MPICH then returns
	 * MPI_ERRORS_ARE_FATAL. A window whose errors are fatal has the shim's
	 * (error_objects.h). */
	if (real_mpi()->Win_get_errhandler(window, &handler) != MPI_SUCCESS
	    || handler == MPI_ERRORS_ARE_FATAL)
		return error_check(MPI_COMM_WORLD, code, function, site);
	if (!is_predefined(handler))
		real_mpi()->Errhandler_free(&handler);
	error_report_code(code, &(struct error_call){gate_current_call(), function, site, 0, 0},
	                  false);
	return code;
}

/* To delete a file that may not exist is usual: the error is the answer. */
static bool is_usual(int code, enum mpi_call function)
{
	int class = MPI_SUCCESS;

	real_mpi()->Error_class(code, &class);
	return function == MPI_CALL_File_delete && class == MPI_ERR_NO_SUCH_FILE;
}

void error_returned(int code, enum mpi_call function, const void *site)
{
	if (process_is_controlled() && !caller_has_noted_error() && !is_usual(code, function))
		error_report_code(code, &(struct error_call){0, function, site, 0, 0}, false);
}

void error_passed(int code, enum mpi_call function, void *site)
{
	if (process_is_controlled() && caller_is_program(site) && !error_is_unmatched(code)
	    && !is_usual(code, function))
		error_report_code(
			code, &(struct error_call){0, function, site_of_caller(site), 0, 0}, false);
}

int error_check(MPI_Comm comm, int code, enum mpi_call function, const void *site)
{
	if (code == MPI_SUCCESS)
		return MPI_SUCCESS;
	return error_raise(comm, code, gate_current_call(), function, site);
}

/* MPI holds a reference for each communicator with the handler. Comm_get_errhandler adds one, which
 * the shim keeps. */
int error_set_handler(struct communicator *communicator, MPI_Errhandler handler)
{
	MPI_Errhandler own = handler;
	int code = real_mpi()->Comm_set_errhandler(communicator->handle, handler);

	if (code != MPI_SUCCESS)
		return code;
	if (!is_predefined(handler))
		code = real_mpi()->Comm_get_errhandler(communicator->handle, &own);
	real_mpi()->Comm_set_errhandler(communicator->handle, reporting_handler);
	if (code == MPI_SUCCESS) {
		error_release_handler(communicator);
		communicator->handler = own;
	}
	return code;
}

int error_get_handler(const struct communicator *communicator, MPI_Errhandler *ret_handler)
{
	int code;

	if (ret_handler && is_predefined(communicator->handler)) {
		*ret_handler = communicator->handler;
		return MPI_SUCCESS;
	}
	real_mpi()->Comm_set_errhandler(communicator->handle, communicator->handler);
	code = real_mpi()->Comm_get_errhandler(communicator->handle, ret_handler);
	real_mpi()->Comm_set_errhandler(communicator->handle, reporting_handler);
	return code;
}

void error_watch(struct communicator *communicator, bool watches)
{
	real_mpi()->Comm_set_errhandler(communicator->handle,
	                                watches ? reporting_handler : MPI_ERRORS_RETURN);
}

void error_release_handler(struct communicator *communicator)
{
	if (!is_predefined(communicator->handler))
		real_mpi()->Errhandler_free(&communicator->handler);
	communicator->handler = MPI_ERRORS_ARE_FATAL;
}
