/* Persistent sends and receives. They are entirely the shim's own: each start is like a nonblocking
 * call. Also the starts of persistent collectives (collective_persistent.c) and of partitioned
 * communication (partitioned.c). */
#include <stdlib.h>

#include "collective.h"
#include "partitioned.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/error.h"
#include "shim/request/request.h"
#include "shim/request/transfer.h"

static int prepare(void *site, unsigned function, const struct transfer *transfer,
                   MPI_Request *ret_handle)
{
	struct wire_call call = gate_call(function, site);
	struct request *request;

	gate_report(&call);
	int code = transfer_new(transfer, &request);
	if (code == MPI_SUCCESS) {
		code = transfer_keep_arguments(request);
		if (code != MPI_SUCCESS)
			request_release(request);
	}
	if (code == MPI_SUCCESS) {
		request_make_persistent(request);
		*ret_handle = request_handle(request);
	}
	return error_check(transfer->comm, code, (enum mpi_call)function, site);
}

int shim_MPI_Send_init(void *site, const void *buf, int count, MPI_Datatype datatype, int dest,
                       int tag, MPI_Comm comm, MPI_Request *request)
{
	struct transfer transfer = transfer_sending(WIRE_STANDARD, buf, count, datatype, dest, tag,
	                                            comm);
	return prepare(site, MPI_CALL_Send_init, &transfer, request);
}

int shim_MPI_Ssend_init(void *site, const void *buf, int count, MPI_Datatype datatype, int dest,
                        int tag, MPI_Comm comm, MPI_Request *request)
{
	struct transfer transfer = transfer_sending(WIRE_SYNCHRONOUS, buf, count, datatype, dest,
	                                            tag, comm);
	return prepare(site, MPI_CALL_Ssend_init, &transfer, request);
}

int shim_MPI_Bsend_init(void *site, const void *buf, int count, MPI_Datatype datatype, int dest,
                        int tag, MPI_Comm comm, MPI_Request *request)
{
	struct transfer transfer = transfer_sending(WIRE_BUFFERED, buf, count, datatype, dest, tag,
	                                            comm);
	return prepare(site, MPI_CALL_Bsend_init, &transfer, request);
}

int shim_MPI_Rsend_init(void *site, const void *buf, int count, MPI_Datatype datatype, int dest,
                        int tag, MPI_Comm comm, MPI_Request *request)
{
	struct transfer transfer = transfer_sending(WIRE_READY, buf, count, datatype, dest, tag,
	                                            comm);
	return prepare(site, MPI_CALL_Rsend_init, &transfer, request);
}

int shim_MPI_Recv_init(void *site, void *buf, int count, MPI_Datatype datatype, int source, int tag,
                       MPI_Comm comm, MPI_Request *request)
{
	struct transfer transfer = transfer_receiving(buf, count, datatype, source, tag, comm);
	return prepare(site, MPI_CALL_Recv_init, &transfer, request);
}

/* MPI's code. */
static int start_one(MPI_Request *handle, struct wire_call *call, uint32_t sub)
{
	struct request *request = request_find(*handle);

	if (!request)
		return real_mpi()->Start(handle);
	if (!request_may_start(request))
		return MPI_ERR_REQUEST;
	if (request_kind_of(request) == REQUEST_COLLECTIVE)
		return collective_plan_start(request, (struct wire_name){call->call, sub},
		                             &call->ops[call->op_count++]);
	if (request_kind_of(request) == REQUEST_PARTITIONED)
		return partitioned_start(request, call, sub);
	int code = transfer_start(request, (struct wire_name){call->call, sub});
	if (code != MPI_SUCCESS)
		request_retire(request);
	else if (!request_is_local(request)) {
		transfer_checksum(request);
		transfer_add_nonblocking(call, request);
	}
	return code;
}

static int start_all(void *site, unsigned function, int count, MPI_Request *handles)
{
	struct wire_call call = gate_call(function, site);
	struct wire_op few[8];
	int code = MPI_SUCCESS;
	MPI_Comm comm = MPI_COMM_WORLD;

	call.ops = few;
	if (count > (int)(sizeof(few) / sizeof(few[0])))
		call.ops = calloc((size_t)count, sizeof(*call.ops));
	if (!call.ops)
		return error_check(comm, MPI_ERR_NO_MEM, (enum mpi_call)function, site);
	for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
		const struct request *request = request_find(handles[i]);
		comm = request ? request_comm(request) : MPI_COMM_WORLD;
		code = start_one(&handles[i], &call, (uint32_t)i);
	}
	gate_report(&call);
	if (call.ops != few)
		free(call.ops);
	return error_check(comm, code, (enum mpi_call)function, site);
}

int shim_MPI_Start(void *site, MPI_Request *request)
{
	return start_all(site, MPI_CALL_Start, 1, request);
}

int shim_MPI_Startall(void *site, int count, MPI_Request array_of_requests[])
{
	if (count < 0)
		return error_check(MPI_COMM_WORLD, real_mpi()->Startall(count, array_of_requests),
		                   MPI_CALL_Startall, site);
	return start_all(site, MPI_CALL_Startall, count, array_of_requests);
}
