#include "error_report.h"

#include <stdio.h>

#include "gate.h"
#include "shim/mpi/next.h"
#include "shim/mpi/real.h"
#include "shim/process/above.h"

static void report_error(const struct error_call *failed, int code, bool fatal, bool refused,
                         char *text)
{
	int class = MPI_ERR_UNKNOWN;

	real_mpi()->Error_class(code, &class);
	const struct wire_message message = {
		.type = WIRE_ERROR,
		.error = {.call = failed->call,
	                  .started = failed->started,
	                  .function = (uint16_t)failed->function,
	                  .site = (uintptr_t)failed->site,
	                  .error_class = class,
	                  .fatal = fatal,
	                  .refused = refused,
	                  .text = text},
	};
	gate_send(&message);
}

void error_report_code(int code, const struct error_call *failed, bool fatal)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length = 0, why = failed->why != MPI_SUCCESS ? failed->why : code;

	if (real_mpi()->Error_string(why, text, &length) != MPI_SUCCESS)
		snprintf(text, sizeof(text), "MPI error code %d", why);
	report_error(failed, why, fatal, false, text);
}

void error_fatal(int code, const struct error_call *failed)
{
	error_report_code(code, failed, true);
	gate_wait_for_end();
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
	report_error(&(struct error_call){gate_current_call(), function, site, 0, 0},
	             MPI_ERR_UNSUPPORTED_OPERATION, true, true, sentence);
	gate_wait_for_end();
}

above_refuse_function matchpoint_refuse_above;

EXPORTED void matchpoint_refuse_above(const void *site, const char *text)
{
	char sentence[256];

	snprintf(sentence, sizeof(sentence), "%s", text);
	report_error(&(struct error_call){gate_current_call(), MPI_CALL_Abort, site, 0, 0},
	             MPI_ERR_UNSUPPORTED_OPERATION, true, true, sentence);
	gate_wait_for_end();
}

void error_out_of_order(enum mpi_call function, const void *site, const char *when)
{
	char sentence[128];

	snprintf(sentence, sizeof(sentence), "%s is called %s", mpi_call_name(function), when);
	report_error(&(struct error_call){0, function, site, 0, 0}, MPI_ERR_OTHER, true, false,
	             sentence);
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
	gate_send_apart(&message);
	gate_wait_apart();
}

void error_refuse_thread(const void *site)
{
	report_error(&(struct error_call){gate_current_call(), MPI_CALL_NONE, site, 0, 0},
	             MPI_ERR_UNSUPPORTED_OPERATION, true, true,
	             "a thread that neither pthread_create nor thrd_create made calls MPI, "
	             "which matchpoint cannot control");
	gate_wait_for_end();
}

int error_refused(const void *site, enum mpi_call function)
{
	error_refused_for(site, function, "");
}
