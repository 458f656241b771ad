/* Probes, and receives of the messages that they took. A probe is an operation with a name, like a
 * receive. BIND names the one message that it is to report; after GO the probe looks for that
 * message. A message that a matched probe took keeps the probe's name until it is received: then
 * the scheduler lets its sender go on (MPI 3.1, sections 3.4 and 3.8.3). */
#include <stdlib.h>

#include "messages.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator.h"
#include "shim/objects/error.h"
#include "shim/request/request_internal.h"
#include "shim/request/transfer.h"
#include "shim/types/signature.h"

struct probe {
	unsigned function;
	uint8_t op_kind; /* WIRE_PROBE, WIRE_MPROBE */
	uint8_t wait;
	int source, tag;
	MPI_Comm comm;
};

/* A message that a matched probe took and that is not received yet. */
struct taken_message {
	MPI_Message handle;
	struct wire_name name; /* of the probe */
	struct taken_message *next;
};

enum { TAKEN_BUCKETS = 256 };

static struct taken_message *taken[TAKEN_BUCKETS];

static struct taken_message **find_taken(MPI_Message handle)
{
	struct taken_message **place = &taken[abi_number(handle) % TAKEN_BUCKETS];

	while (*place && (*place)->handle != handle)
		place = &(*place)->next;
	return place;
}

static void keep_taken(struct taken_message *message, MPI_Message handle, struct wire_name name)
{
	struct taken_message **bucket = &taken[abi_number(handle) % TAKEN_BUCKETS];

	*message = (struct taken_message){handle, name, *bucket};
	*bucket = message;
}

/* Reports the call, which has room for `count` elements. MPI_MESSAGE_NO_PROC has no sender. */
static void report_receive(unsigned function, const void *site, MPI_Message handle, int count,
                           MPI_Datatype type)
{
	struct wire_call call = gate_call(function, site);
	struct taken_message **place = find_taken(handle), *message = *place;
	struct wire_name name;

	if (message) {
		name = message->name;
		*place = message->next;
		free(message);
		call.wait = WIRE_FETCH;
		call.waited = &name;
		call.waited_count = 1;
		call.room = count > 0 ? type_size(type) * (uint64_t)count : 0;
		call.room_types = signature_of(type);
	}
	gate_report(&call);
}

static struct probe probing(unsigned function, int source, int tag, MPI_Comm comm)
{
	bool takes = mpi_call_makes(function) == MPI_CALL_MAKES_MESSAGE;
	bool waits = !mpi_call_asks(function);

	return (struct probe){
		.function = function,
		.op_kind = takes ? WIRE_MPROBE : WIRE_PROBE,
		.wait = waits ? WIRE_WAIT_ALL : WIRE_TEST_ALL,
		.source = source,
		.tag = tag,
		.comm = comm,
	};
}

/* Checks the arguments with MPI. MPI's code. */
static int check_probe(const struct probe *probe)
{
	const struct transfer empty = {
		.kind = REQUEST_RECEIVE,
		.type = MPI_BYTE,
		.peer = probe->source,
		.tag = probe->tag,
		.comm = probe->comm,
	};
	return transfer_check(&empty);
}

/* Finds the message in MPI. It has been sent, so it will arrive. */
static int find_message(const struct request *request, MPI_Message *ret_message, MPI_Status *status)
{
	int found = 0;

	for (unsigned round = 0;; round++) {
		int code;
		if (ret_message)
			code = real_mpi()->Improbe(request->bound_peer, request->bound_tag,
			                           request->comm, &found, ret_message, status);
		else
			code = real_mpi()->Iprobe(request->bound_peer, request->bound_tag,
			                          request->comm, &found, status);
		if (code != MPI_SUCCESS || found)
			return code;
		request_progress();
		gate_yield(round);
	}
}

static bool ask(struct wire_call *call, const struct probe *probe, const struct request *request)
{
	struct wire_op op = {
		.name = request->name,
		.kind = probe->op_kind,
		.comm = communicator_number(probe->comm),
		.peer = probe->source == MPI_ANY_SOURCE ? WIRE_ANY : probe->source,
		.tag = probe->tag == MPI_ANY_TAG ? WIRE_ANY : probe->tag,
	};

	struct gate_answer answer = gate_wait_for(call, &op, (enum wire_wait)probe->wait);
	return probe->wait == WIRE_WAIT_ALL || answer.count > 0;
}

/* MPI's code; *ret_found: whether there was a message. */
static int look_for_message(void *site, const struct probe *probe, int *ret_found,
                            MPI_Message *ret_message, MPI_Status *status)
{
	struct wire_call call = gate_call(probe->function, site);
	const struct wire_name name = {call.call, 0};
	struct request *request = NULL;
	struct taken_message *taking = NULL;

	int code = check_probe(probe);
	if (code == MPI_SUCCESS) {
		request = request_new(REQUEST_PROBE, name, probe->comm);
		taking = ret_message ? malloc(sizeof(*taking)) : NULL;
		code = request && (taking || !ret_message) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
	}
	if (code != MPI_SUCCESS) {
		free(taking);
		if (request)
			request_release(request);
		gate_report(&call);
		return error_check(probe->comm, code, (enum mpi_call)call.function, site);
	}
	*ret_found = 0; /* before the rank's state may be looked at */
	*ret_found = ask(&call, probe, request);
	if (*ret_found) {
		code = find_message(request, ret_message, status);
	}
	if (taking && *ret_found && code == MPI_SUCCESS)
		keep_taken(taking, *ret_message, name);
	else
		free(taking);
	request_release(request);
	return error_check(probe->comm, code, (enum mpi_call)call.function, site);
}

static void report_without_operations(unsigned function, const void *site)
{
	struct wire_call call = gate_call(function, site);
	gate_report(&call);
}

int shim_MPI_Probe(void *site, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	const struct probe probe = probing(MPI_CALL_Probe, source, tag, comm);
	int found;

	if (source == MPI_PROC_NULL) {
		report_without_operations(MPI_CALL_Probe, site);
		return error_check(comm, real_mpi()->Probe(source, tag, comm, status),
		                   MPI_CALL_Probe, site);
	}
	return look_for_message(site, &probe, &found, NULL, status);
}

int shim_MPI_Iprobe(void *site, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	const struct probe probe = probing(MPI_CALL_Iprobe, source, tag, comm);

	if (source == MPI_PROC_NULL) {
		report_without_operations(MPI_CALL_Iprobe, site);
		return error_check(comm, real_mpi()->Iprobe(source, tag, comm, flag, status),
		                   MPI_CALL_Iprobe, site);
	}
	return look_for_message(site, &probe, flag, NULL, status);
}

int message_look(void *site, unsigned function, int tag, MPI_Comm comm, int *ret_found,
                 MPI_Status *status)
{
	struct probe probe = probing(function, MPI_ANY_SOURCE, tag, comm);

	probe.wait = WIRE_TEST_ALL;
	return look_for_message(site, &probe, ret_found, NULL, status);
}

int shim_MPI_Mprobe(void *site, int source, int tag, MPI_Comm comm, MPI_Message *message,
                    MPI_Status *status)
{
	const struct probe probe = probing(MPI_CALL_Mprobe, source, tag, comm);
	int found;

	if (source == MPI_PROC_NULL) {
		report_without_operations(MPI_CALL_Mprobe, site);
		return error_check(comm, real_mpi()->Mprobe(source, tag, comm, message, status),
		                   MPI_CALL_Mprobe, site);
	}
	return look_for_message(site, &probe, &found, message, status);
}

int shim_MPI_Improbe(void *site, int source, int tag, MPI_Comm comm, int *flag,
                     MPI_Message *message, MPI_Status *status)
{
	const struct probe probe = probing(MPI_CALL_Improbe, source, tag, comm);

	if (source == MPI_PROC_NULL) {
		report_without_operations(MPI_CALL_Improbe, site);
		return error_check(comm,
		                   real_mpi()->Improbe(source, tag, comm, flag, message, status),
		                   MPI_CALL_Improbe, site);
	}
	return look_for_message(site, &probe, flag, message, status);
}

/* The scheduler has matched the message already, so only MPI is waited for. */
int shim_MPI_Mrecv(void *site, void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
                   MPI_Status *status)
{
	struct staging staging;
	MPI_Request request;
	MPI_Status received;

	report_receive(MPI_CALL_Mrecv, site, *message, count, datatype);
	staging_begin(&staging, buf, count, datatype, false);
	int code = real_mpi()->Imrecv(staging_data(&staging), staging_count(&staging),
	                              staging_type(&staging), message, &request);
	if (code == MPI_SUCCESS) {
		code = gate_complete(&request, &received);
		staging_over(&staging, &received);
		request_store_status(status, &received);
	} else {
		staging_over(&staging, NULL);
	}
	return error_check(MPI_COMM_WORLD, code, MPI_CALL_Mrecv, site);
}

int shim_MPI_Imrecv(void *site, void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
                    MPI_Request *ret_handle)
{
	const struct wire_name none = {0, 0};
	struct request *request = request_new(REQUEST_RECEIVE, none, MPI_COMM_WORLD);
	int code = MPI_ERR_NO_MEM;

	report_receive(MPI_CALL_Imrecv, site, *message, count, datatype);
	if (request) {
		struct staging *staging = &request->staging;

		request->local = true;
		request->type = datatype;
		staging_begin(staging, buf, count, datatype, false);
		code = staging->packed ? transfer_keep_arguments(request) : MPI_SUCCESS;
		if (code == MPI_SUCCESS)
			code = real_mpi()->Imrecv(staging_data(staging), staging_count(staging),
			                          staging_type(staging), message, &request->real);
		if (code == MPI_SUCCESS) {
			request_posted(request, code);
		} else {
			staging_over(staging, NULL);
			request_release(request);
		}
	}
	if (code == MPI_SUCCESS)
		*ret_handle = request_handle(request);
	return error_check(MPI_COMM_WORLD, code, MPI_CALL_Imrecv, site);
}
