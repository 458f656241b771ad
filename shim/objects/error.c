#define _GNU_SOURCE
#include "error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "communicator_internal.h"
#include "shim/calls/error_objects.h"
#include "shim/gate/caller.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"

/* What the library calls upon an error on a communicator. */
static MPI_Errhandler telling;

/* By the controlled call that this thread is in. initial-exec as in caller.c. */
static _Thread_local bool raised __attribute__((tls_model("initial-exec")));

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

/* "internal_Comm_rank(74): MPI_Comm_rank(MPI_COMM_NULL, rank=0x7ffc4cc4) failed" */
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

/* Controlled calls look at the code themselves; here come the errors of those that pass through. */
static void on_passed_error(MPI_Comm *comm, int *code, ...)
{
	void *site = NULL;

	if (!caller_is_mpi() && gate_is_active() && !error_is_unmatched(*code)) {
		enum mpi_call function = error_find_call(*code, &site);

		error_raise(*comm, *code, 0, function, site);
	}
}

int error_start(void)
{
	int code = real_mpi()->Comm_create_errhandler(on_passed_error, &telling);

	return code == MPI_SUCCESS ? error_objects_start() : code;
}

static void report_error(uint32_t call, enum mpi_call function, const void *site, int code,
                         bool fatal, bool refused, char *text)
{
	int class = MPI_ERR_UNKNOWN;

	real_mpi()->Error_class(code, &class);
	const struct wire_message message = {
		.type = WIRE_ERROR,
		.error = {.call = call,
	                  .function = (uint16_t)function,
	                  .site = (uintptr_t)site,
	                  .error_class = class,
	                  .fatal = fatal,
	                  .refused = refused,
	                  .text = text},
	};
	gate_tell(&message);
}

/* The program's own handler gets the error from MPI itself, as it would without the shim. */
static void call_handler(struct communicator *communicator, int code)
{
	MPI_Comm comm = communicator->handle;

	real_mpi()->Comm_set_errhandler(comm, communicator->handler);
	struct caller_pause pause = caller_suspend();
	real_mpi()->Comm_call_errhandler(comm, code);
	caller_resume(&pause);
	if (communicator_find(comm))
		real_mpi()->Comm_set_errhandler(comm, telling);
}

static void report_words(uint32_t call, enum mpi_call function, const void *site, int code,
                         bool fatal)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length = 0;

	if (real_mpi()->Error_string(code, text, &length) != MPI_SUCCESS)
		snprintf(text, sizeof(text), "MPI error code %d", code);
	report_error(call, function, site, code, fatal, false, text);
}

_Noreturn void error_fatal(int code, uint32_t call, enum mpi_call function, const void *site)
{
	report_words(call, function, site, code, true);
	gate_wait_for_end();
}

int error_raise(MPI_Comm comm, int code, uint32_t call, enum mpi_call function, const void *site)
{
	struct communicator *communicator = communicator_find(comm);

	if (!communicator)
		communicator = communicator_find(MPI_COMM_WORLD);
	if (!communicator || communicator->handler == MPI_ERRORS_ARE_FATAL
	    || communicator->handler == MPI_ERRORS_ABORT)
		error_fatal(code, call, function, site);
	if (call != 0) /* others may wait for it in that one */
		report_words(call, function, site, code, false);
	if (!is_predefined(communicator->handler))
		call_handler(communicator, code);
	raised = true;
	return code;
}

void error_open(void)
{
	raised = false;
}

int error_settle(int code, MPI_Comm comm, enum mpi_call function, const void *site)
{
	return raised ? code : error_check(comm, code, function, site);
}

int error_settle_window(int code, MPI_Win window, enum mpi_call function, const void *site)
{
	MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;

	if (code == MPI_SUCCESS || raised)
		return code;
	/* A window without one has that of MPI_COMM_WORLD, and MPICH names it so; one for which
	 * errors are fatal has the shim's (error_objects.h). */
	if (real_mpi()->Win_get_errhandler(window, &handler) != MPI_SUCCESS
	    || handler == MPI_ERRORS_ARE_FATAL)
		return error_check(MPI_COMM_WORLD, code, function, site);
	if (!is_predefined(handler))
		real_mpi()->Errhandler_free(&handler);
	report_words(gate_current_call(), function, site, code, false);
	return code;
}

int error_check(MPI_Comm comm, int code, enum mpi_call function, const void *site)
{
	if (code == MPI_SUCCESS)
		return MPI_SUCCESS;
	return error_raise(comm, code, gate_current_call(), function, site);
}

void error_report_call(const void *site, enum mpi_call function)
{
	const struct wire_call call = gate_call(function, site);

	gate_report(&call);
}

int error_refused_for(const void *site, enum mpi_call function, const char *why)
{
	char sentence[256];

	error_report_call(site, function);
	snprintf(sentence, sizeof(sentence),
	         "the program calls %s%s, which matchpoint cannot control", mpi_call_name(function),
	         why);
	report_error(gate_current_call(), function, site, MPI_ERR_UNSUPPORTED_OPERATION, true, true,
	             sentence);
	gate_wait_for_end();
}

void error_out_of_order(enum mpi_call function, const void *site, const char *when)
{
	char sentence[128];

	snprintf(sentence, sizeof(sentence), "%s is called %s", mpi_call_name(function), when);
	report_error(0, function, site, MPI_ERR_OTHER, true, false, sentence);
	gate_wait_for_end();
}

void error_wrong_thread(const void *site, const char *why)
{
	char sentence[256];
	const struct wire_message message = {
		.type = WIRE_ERROR,
		.error = {.call = 0,
	                  .function = MPI_CALL_NONE,
	                  .site = (uintptr_t)site,
	                  .error_class = MPI_ERR_OTHER,
	                  .fatal = true,
	                  .threads = true,
	                  .text = sentence},
	};

	snprintf(sentence, sizeof(sentence), "called MPI %s", why);
	gate_tell_apart(&message);
	gate_wait_apart();
}

_Noreturn void error_refuse_thread(const void *site)
{
	report_error(
		gate_current_call(), MPI_CALL_NONE, site, MPI_ERR_UNSUPPORTED_OPERATION, true, true,
		"a thread calls MPI that was made neither by pthread_create nor by thrd_create, "
		"which matchpoint cannot control");
	gate_wait_for_end();
}

int error_refused(const void *site, enum mpi_call function)
{
	error_refused_for(site, function, "");
}

/* The library holds a reference for each communicator that has the handler, and asking for it gives
 * another, which is the shim's to keep. */
int error_set_handler(struct communicator *communicator, MPI_Errhandler handler)
{
	MPI_Errhandler own = handler;
	int code = real_mpi()->Comm_set_errhandler(communicator->handle, handler);

	if (code != MPI_SUCCESS)
		return code;
	if (!is_predefined(handler))
		code = real_mpi()->Comm_get_errhandler(communicator->handle, &own);
	real_mpi()->Comm_set_errhandler(communicator->handle, telling);
	if (code == MPI_SUCCESS) {
		error_release_handler(communicator);
		communicator->handler = own;
	}
	return code;
}

void error_watch(struct communicator *communicator, bool watches)
{
	real_mpi()->Comm_set_errhandler(communicator->handle,
	                                watches ? telling : MPI_ERRORS_RETURN);
}

void error_release_handler(struct communicator *communicator)
{
	if (!is_predefined(communicator->handler))
		real_mpi()->Errhandler_free(&communicator->handler);
	communicator->handler = MPI_ERRORS_ARE_FATAL;
}

int shim_MPI_Comm_set_errhandler(void *site, MPI_Comm comm, MPI_Errhandler handler)
{
	struct communicator *communicator = communicator_find(comm);
	int code = communicator ? error_set_handler(communicator, handler)
	                        : real_mpi()->Comm_set_errhandler(comm, handler);

	return error_check(comm, code, MPI_CALL_Comm_set_errhandler, site);
}

int shim_MPI_Comm_get_errhandler(void *site, MPI_Comm comm, MPI_Errhandler *handler)
{
	struct communicator *communicator = communicator_find(comm);
	int code;

	if (communicator && handler && is_predefined(communicator->handler)) {
		*handler = communicator->handler;
		return MPI_SUCCESS;
	}
	if (communicator)
		real_mpi()->Comm_set_errhandler(comm, communicator->handler);
	code = real_mpi()->Comm_get_errhandler(comm, handler);
	if (communicator)
		real_mpi()->Comm_set_errhandler(comm, telling);
	return error_check(comm, code, MPI_CALL_Comm_get_errhandler, site);
}

int shim_MPI_Errhandler_set(void *site, MPI_Comm comm, MPI_Errhandler handler)
{
	return shim_MPI_Comm_set_errhandler(site, comm, handler);
}

int shim_MPI_Errhandler_get(void *site, MPI_Comm comm, MPI_Errhandler *handler)
{
	return shim_MPI_Comm_get_errhandler(site, comm, handler);
}

int shim_MPI_Comm_call_errhandler(void *site, MPI_Comm comm, int code)
{
	if (!communicator_find(comm)) {
		code = real_mpi()->Comm_call_errhandler(comm, code);
		return error_check(comm, code, MPI_CALL_Comm_call_errhandler, site);
	}
	error_raise(comm, code, gate_current_call(), MPI_CALL_Comm_call_errhandler, site);
	return MPI_SUCCESS;
}
