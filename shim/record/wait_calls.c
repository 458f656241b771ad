/* Waiting for requests, testing, starting and freeing them (MPI 3.1, sections 3.7 and 3.9). */
#include <stdlib.h>
#include <string.h>

#include "matches.h"
#include "requests.h"
#include "shim/mpi/abi.h"
#include "wrapper.h"

static bool is_in_status(int code)
{
	return abi_error_class(code) == MPI_ERR_IN_STATUS;
}

/* What was given to a call for several requests. MPI replaces the handles: those that were given
 * are needed to find what they stood for. */
struct given {
	MPI_Request *requests; /* owned: a copy */
	MPI_Status *statuses;  /* where MPI puts them */
	void *own;             /* they, where the program wants none */
};

static struct given given_begin(struct record_call *call, int count, MPI_Request *requests,
                                MPI_Status *statuses)
{
	struct given given = {.statuses = statuses};
	const size_t many = count > 0 ? (size_t)count : 0;
	const bool ignored = statuses == MPI_STATUSES_IGNORE;
	const size_t size = many * sizeof(*requests);
	const size_t room = ignored ? many * sizeof(*statuses) : 0;

	given.requests = malloc(size + 1);
	given.own = calloc(1, room + 1);
	if (!given.requests || !given.own)
		record_refuse("out of memory");
	memcpy(given.requests, requests, size);
	if (ignored)
		given.statuses = given.own;
	record_in(call, "the count", count);
	for (size_t i = 0; i < many; i++)
		record_in_handle(call, "a request", RECORD_REQUEST, (uint32_t)requests[i]);
	return given;
}

static void given_end(const struct given *given)
{
	free(given->requests);
	free(given->own);
}

static void complete(struct record_call *call, const struct given *given, int at,
                     MPI_Status *status)
{
	struct pending *pending = requests_find(given->requests[at]);

	record_out_status(status);
	if (is_in_status(call->result))
		record_out_number(&status->MPI_ERROR, sizeof(int));
	matches_completed(given->requests, at, status, false);
	requests_complete(pending, status);
}

static void complete_one(MPI_Request was, MPI_Request *request, MPI_Status *status)
{
	record_out_handle(RECORD_REQUEST, request);
	record_out_status(status);
	matches_completed(&was, 0, status, false);
	requests_complete(requests_find(was), status);
}

WRAPPER(int, Wait, (MPI_Request * request, MPI_Status *status))
{
	struct record_call call;
	MPI_Status own = {0};
	MPI_Request was;

	ENTER_OR_PASS(&call, Wait, (request, status));
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	was = *request;
	record_in_handle(&call, "request", RECORD_REQUEST, (uint32_t)was);
	RUN(&call, Wait, (request, status));
	complete_one(was, request, status);
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]))
{
	struct record_call call;
	struct given given;

	ENTER_OR_PASS(&call, Waitall, (count, requests, statuses));
	given = given_begin(&call, count, requests, statuses);
	RUN(&call, Waitall, (count, requests, given.statuses));
	for (int i = 0; i < count; i++) {
		record_out_handle(RECORD_REQUEST, &requests[i]);
		complete(&call, &given, i, &given.statuses[i]);
	}
	given_end(&given);
	record_leave(&call);
	return call.result;
}

/* What Waitany and Testany have chosen. */
static void complete_any(int count, int *chosen, MPI_Request *requests, const MPI_Request *was,
                         MPI_Status *status)
{
	record_out_number(chosen, sizeof(*chosen));
	if (*chosen < 0 || *chosen >= count) {
		record_out_status(status); /* empty */
		return;
	}
	record_out_handle(RECORD_REQUEST, &requests[*chosen]);
	record_out_status(status);
	matches_completed(was, *chosen, status, false);
	requests_complete(requests_find(was[*chosen]), status);
}

WRAPPER(int, Waitany, (int count, MPI_Request requests[], int *indx, MPI_Status *status))
{
	struct record_call call;
	MPI_Status own = {0};
	struct given given;

	ENTER_OR_PASS(&call, Waitany, (count, requests, indx, status));
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	given = given_begin(&call, count, requests, &own);
	RUN(&call, Waitany, (count, requests, indx, status));
	complete_any(count, indx, requests, given.requests, status);
	given_end(&given);
	record_leave(&call);
	return call.result;
}

static void complete_some(struct record_call *call, const struct given *given, const int *outcount,
                          int *indices, MPI_Request *requests)
{
	for (int i = 0; *outcount != MPI_UNDEFINED && i < *outcount; i++) {
		record_out_number(&indices[i], sizeof(*indices));
		const int at = indices[i];
		record_out_handle(RECORD_REQUEST, &requests[at]);
		complete(call, given, at, &given->statuses[i]);
	}
}

WRAPPER(int, Waitsome,
        (int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]))
{
	struct record_call call;
	struct given given;

	ENTER_OR_PASS(&call, Waitsome, (incount, requests, outcount, indices, statuses));
	given = given_begin(&call, incount, requests, statuses);
	RUN(&call, Waitsome, (incount, requests, outcount, indices, given.statuses));
	record_out_number(outcount, sizeof(*outcount));
	complete_some(&call, &given, outcount, indices, requests);
	given_end(&given);
	record_leave(&call);
	return call.result;
}

/* --- polls ------------------------------------------------------------------------------------ */

#define ASK(call, name, values) \
	record_result(call, record_ask(call) ? below_mpi()->name values : MPI_SUCCESS)

WRAPPER(int, Test, (MPI_Request * request, int *flag, MPI_Status *status))
{
	struct record_call call;
	MPI_Status own = {0};
	MPI_Request was;

	ENTER_OR_PASS(&call, Test, (request, flag, status));
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	was = *request;
	record_in_handle(&call, "request", RECORD_REQUEST, (uint32_t)was);
	ASK(&call, Test, (request, flag, status));
	if (record_answer(&call, flag) && *flag) {
		complete_one(was, request, status);
	}
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]))
{
	struct record_call call;
	struct given given;

	ENTER_OR_PASS(&call, Testall, (count, requests, flag, statuses));
	given = given_begin(&call, count, requests, statuses);
	ASK(&call, Testall, (count, requests, flag, given.statuses));
	const bool is_written = record_answer(&call, flag);
	for (int i = 0; is_written && (*flag || is_in_status(call.result)) && i < count; i++) {
		record_out_handle(RECORD_REQUEST, &requests[i]);
		complete(&call, &given, i, &given.statuses[i]);
	}
	given_end(&given);
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Testany, (int count, MPI_Request requests[], int *indx, int *flag, MPI_Status *status))
{
	struct record_call call;
	MPI_Status own = {0};
	struct given given;

	ENTER_OR_PASS(&call, Testany, (count, requests, indx, flag, status));
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	given = given_begin(&call, count, requests, &own);
	ASK(&call, Testany, (count, requests, indx, flag, status));
	if (record_answer(&call, flag) && *flag)
		complete_any(count, indx, requests, given.requests, status);
	else if (!*flag)
		*indx = MPI_UNDEFINED;
	given_end(&given);
	record_leave(&call);
	return call.result;
}

/* "Not yet" is 0 of them. */
WRAPPER(int, Testsome,
        (int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]))
{
	struct record_call call;
	struct given given;
	int flag = 0;

	ENTER_OR_PASS(&call, Testsome, (incount, requests, outcount, indices, statuses));
	given = given_begin(&call, incount, requests, statuses);
	if (!log_replaying)
		*outcount = 0;
	ASK(&call, Testsome, (incount, requests, outcount, indices, given.statuses));
	flag = !log_replaying && *outcount != 0;
	if (record_answer(&call, &flag) && flag) {
		record_out_number(outcount, sizeof(*outcount));
		complete_some(&call, &given, outcount, indices, requests);
	} else if (!flag) {
		*outcount = 0;
	}
	given_end(&given);
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Request_get_status, (MPI_Request request, int *flag, MPI_Status *status))
{
	struct record_call call;
	MPI_Status own = {0};

	ENTER_OR_PASS(&call, Request_get_status, (request, flag, status));
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	record_in_handle(&call, "request", RECORD_REQUEST, (uint32_t)request);
	ASK(&call, Request_get_status, (request, flag, status));
	if (record_answer(&call, flag) && *flag) {
		struct pending *pending = requests_find(request);

		record_out_status(status);
		matches_completed(&request, 0, status, true);
		/* What it has brought is in the buffer from now on. */
		requests_show(pending, status);
	}
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Iprobe, (source, tag, comm, flag, status));
	record_in(&call, "source", source);
	record_in(&call, "tag", tag);
	record_in_handle(&call, "comm", RECORD_COMM, (uint32_t)comm);
	ASK(&call, Iprobe, (source, tag, comm, flag, status));
	if (record_answer(&call, flag) && *flag)
		record_out_status(status);
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Improbe,
        (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Improbe, (source, tag, comm, flag, message, status));
	record_in(&call, "source", source);
	record_in(&call, "tag", tag);
	record_in_handle(&call, "comm", RECORD_COMM, (uint32_t)comm);
	ASK(&call, Improbe, (source, tag, comm, flag, message, status));
	if (record_answer(&call, flag) && *flag) {
		record_out_handle(RECORD_MESSAGE, message);
		record_out_status(status);
	}
	record_leave(&call);
	return call.result;
}

/* --- persistent requests ---------------------------------------------------------------------- */

static void in_start(struct record_call *call, MPI_Request request)
{
	record_in_handle(call, "request", RECORD_REQUEST, (uint32_t)request);
	requests_start(call, request);
}

WRAPPER(int, Start, (MPI_Request * request))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Start, (request));
	in_start(&call, *request);
	RUN(&call, Start, (request));
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Startall, (int count, MPI_Request requests[]))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Startall, (count, requests));
	record_in(&call, "count", count);
	for (int i = 0; i < count; i++)
		in_start(&call, requests[i]);
	RUN(&call, Startall, (count, requests));
	record_leave(&call);
	return call.result;
}

WRAPPER(int, Request_free, (MPI_Request * request))
{
	struct record_call call;

	ENTER_OR_PASS(&call, Request_free, (request));
	record_in_handle(&call, "request", RECORD_REQUEST, (uint32_t)*request);
	if (!requests_free(*request))
		record_refuse(
			"a request that is freed before its data has come cannot be recorded");
	RUN(&call, Request_free, (request));
	record_out_handle(RECORD_REQUEST, request);
	record_leave(&call);
	return call.result;
}
