/* Sends and receives that are one call each. */
#include <string.h>

#include "messages.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/error.h"
#include "shim/request/buffer_checksum.h"
#include "shim/request/proven.h"
#include "shim/request/receiving.h"
#include "shim/request/request.h"
#include "shim/request/transfer.h"

/* The call counts although MPI refuses it: it is reported without operations. */
static int refuse_call(const struct wire_call *call, MPI_Comm comm, int code)
{
	gate_report(call);
	return error_raise(comm, code, call->call, (enum mpi_call)call->function,
	                   (const void *)(uintptr_t)call->site);
}

static int finish_call(const struct wire_call *call, MPI_Comm comm, int code)
{
	if (code == MPI_SUCCESS)
		return MPI_SUCCESS;
	return error_raise(comm, code, call->call, (enum mpi_call)call->function,
	                   (const void *)(uintptr_t)call->site);
}

/* Checks and starts. MPI's code; *ret_request is set only on MPI_SUCCESS. */
static int begin_transfer(const struct transfer *transfer, struct wire_name name,
                          struct request **ret_request)
{
	struct request *request;
	int code = transfer_new(transfer, &request);

	if (code != MPI_SUCCESS)
		return code;
	code = transfer_start(request, name);
	if (code != MPI_SUCCESS) {
		request_release(request);
		return code;
	}
	*ret_request = request;
	return MPI_SUCCESS;
}

/* Whether the call is known to return, so that it needs no order. If the program holds other
 * requests, it does: the scheduler decides when their data appears. */
static bool may_go_ahead(struct request *const *requests, uint32_t count)
{
	if (!gate_may_go_ahead() || request_attended() != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!request_is_local(requests[i]) && !transfer_may_go_ahead(requests[i]))
			return false;
	return true;
}

static void go_ahead(struct wire_call *call, struct request **requests, uint32_t count)
{
	gate_report_ahead(call);
	for (uint32_t i = 0; i < count; i++)
		if (request_kind_of(requests[i]) == REQUEST_RECEIVE
		    && !request_is_local(requests[i]))
			receiving_go_ahead(requests[i]);
	for (uint32_t i = 0; i < count; i++) {
		transfer_let_go(requests[i]);
		request_complete(requests[i]);
	}
	gate_completed_ahead();
}

/* Reports a blocking call with these requests. Waits for all of them, unless `credit`: a send that
 * returns at once. */
static void report_blocking(struct wire_call *call, struct request **requests, uint32_t count,
                            bool credit)
{
	struct wire_op ops[2];
	struct wire_name names[2];
	bool ahead = may_go_ahead(requests, count);

	call->ops = ops;
	call->waited = names;
	for (uint32_t i = 0; i < count; i++) {
		if (request_is_local(requests[i]))
			continue;
		ops[call->op_count++] = transfer_op(requests[i]);
		names[call->waited_count++] = ops[call->op_count - 1].name;
	}
	if (credit || call->op_count == 0)
		call->waited_count = 0;
	else
		call->wait = WIRE_WAIT_ALL;
	if (ahead) {
		go_ahead(call, requests, count);
		return;
	}
	if (call->wait == WIRE_WAIT_NONE) {
		gate_report(call);
		return;
	}
	if (proven_blocking(requests, count)) {
		gate_report_ahead(call);
		gate_completed_ahead();
		return;
	}
	receiving_post_ahead();
	gate_wait(call);
	for (uint32_t i = 0; i < count; i++)
		transfer_let_go(requests[i]);
}

static int send_blocking(void *site, unsigned function, struct transfer *transfer)
{
	struct wire_call call = gate_call(function, site);
	struct request *request;

	transfer->held = !transfer_copies(transfer->mode);
	transfer->synchronous = transfer->held;
	int code = begin_transfer(transfer, (struct wire_name){call.call, 0}, &request);
	if (code != MPI_SUCCESS)
		return refuse_call(&call, transfer->comm, code);
	buffer_checksum_blocking_send(request);
	report_blocking(&call, &request, 1, transfer_returns(transfer->mode));
	code = request_complete(request);
	request_retire(request);
	return finish_call(&call, transfer->comm, code);
}

static int start_nonblocking(void *site, unsigned function, const struct transfer *transfer,
                             MPI_Request *ret_handle)
{
	struct wire_call call = gate_call(function, site);
	struct wire_op op;
	struct request *request;

	int code = begin_transfer(transfer, (struct wire_name){call.call, 0}, &request);
	if (code == MPI_SUCCESS && transfer->kind == REQUEST_RECEIVE
	    && !request_is_local(request)) {
		code = transfer_keep_arguments(request);
		if (code != MPI_SUCCESS)
			request_release(request);
	}
	if (code != MPI_SUCCESS)
		return refuse_call(&call, transfer->comm, code);
	transfer_checksum(request);
	call.ops = &op;
	if (!request_is_local(request))
		transfer_add_nonblocking(&call, request);
	gate_report(&call);
	*ret_handle = request_handle(request);
	return MPI_SUCCESS;
}

int shim_MPI_Send(void *site, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm)
{
	struct transfer transfer = transfer_sending(WIRE_STANDARD, buf, count, datatype, dest, tag,
	                                            comm);
	return send_blocking(site, MPI_CALL_Send, &transfer);
}

int shim_MPI_Ssend(void *site, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm)
{
	struct transfer transfer = transfer_sending(WIRE_SYNCHRONOUS, buf, count, datatype, dest,
	                                            tag, comm);
	return send_blocking(site, MPI_CALL_Ssend, &transfer);
}

int shim_MPI_Bsend(void *site, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm)
{
	struct transfer transfer = transfer_sending(WIRE_BUFFERED, buf, count, datatype, dest, tag,
	                                            comm);
	return send_blocking(site, MPI_CALL_Bsend, &transfer);
}

int shim_MPI_Rsend(void *site, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm)
{
	struct transfer transfer = transfer_sending(WIRE_READY, buf, count, datatype, dest, tag,
	                                            comm);
	return send_blocking(site, MPI_CALL_Rsend, &transfer);
}

int shim_MPI_Isend(void *site, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request *request)
{
	struct transfer transfer = transfer_sending(WIRE_STANDARD, buf, count, datatype, dest, tag,
	                                            comm);
	return start_nonblocking(site, MPI_CALL_Isend, &transfer, request);
}

int shim_MPI_Issend(void *site, const void *buf, int count, MPI_Datatype datatype, int dest,
                    int tag, MPI_Comm comm, MPI_Request *request)
{
	struct transfer transfer = transfer_sending(WIRE_SYNCHRONOUS, buf, count, datatype, dest,
	                                            tag, comm);
	return start_nonblocking(site, MPI_CALL_Issend, &transfer, request);
}

int shim_MPI_Ibsend(void *site, const void *buf, int count, MPI_Datatype datatype, int dest,
                    int tag, MPI_Comm comm, MPI_Request *request)
{
	struct transfer transfer = transfer_sending(WIRE_BUFFERED, buf, count, datatype, dest, tag,
	                                            comm);
	return start_nonblocking(site, MPI_CALL_Ibsend, &transfer, request);
}

int shim_MPI_Irsend(void *site, const void *buf, int count, MPI_Datatype datatype, int dest,
                    int tag, MPI_Comm comm, MPI_Request *request)
{
	struct transfer transfer = transfer_sending(WIRE_READY, buf, count, datatype, dest, tag,
	                                            comm);
	return start_nonblocking(site, MPI_CALL_Irsend, &transfer, request);
}

int shim_MPI_Irecv(void *site, void *buf, int count, MPI_Datatype datatype, int source, int tag,
                   MPI_Comm comm, MPI_Request *request)
{
	struct transfer transfer = transfer_receiving(buf, count, datatype, source, tag, comm);
	return start_nonblocking(site, MPI_CALL_Irecv, &transfer, request);
}

static int receive_blocking(void *site, unsigned function, struct transfer *transfer,
                            MPI_Status *status)
{
	struct wire_call call = gate_call(function, site);
	struct request *request;

	int code = begin_transfer(transfer, (struct wire_name){call.call, 0}, &request);
	if (code != MPI_SUCCESS)
		return refuse_call(&call, transfer->comm, code);
	report_blocking(&call, &request, 1, false);
	code = request_complete(request);
	request_store_result(status, request);
	request_retire(request);
	return finish_call(&call, transfer->comm, code);
}

int shim_MPI_Recv(void *site, void *buf, int count, MPI_Datatype datatype, int source, int tag,
                  MPI_Comm comm, MPI_Status *status)
{
	struct transfer transfer = transfer_receiving(buf, count, datatype, source, tag, comm);

	return receive_blocking(site, MPI_CALL_Recv, &transfer, status);
}

/* One call with two operations: sub 0 is the send, sub 1 the receive. MPI's code; the requests are
 * set only on MPI_SUCCESS. */
static int begin_both(const struct wire_call *call, const struct transfer *send,
                      const struct transfer *receive, struct request **requests)
{
	int code = transfer_check(receive);

	if (code == MPI_SUCCESS)
		code = begin_transfer(send, (struct wire_name){call->call, 0}, &requests[0]);
	if (code != MPI_SUCCESS)
		return code;
	code = begin_transfer(receive, (struct wire_name){call->call, 1}, &requests[1]);
	if (code != MPI_SUCCESS)
		request_abandon(requests[0]);
	return code;
}

static int exchange(void *site, unsigned function, struct transfer *send,
                    const struct transfer *receive, MPI_Status *status)
{
	struct wire_call call = gate_call(function, site);
	struct request *requests[2];

	send->held = true;
	send->synchronous = !transfer_copies(send->mode) && !send->must_copy;
	int code = begin_both(&call, send, receive, requests);
	if (code != MPI_SUCCESS)
		return refuse_call(&call, send->comm, code);
	struct overlap_use *sending = NULL;
	if (send->must_copy)
		buffer_checksum_blocking_send(requests[0]);
	else
		sending = buffer_checksum_joined_send(requests[0]);
	report_blocking(&call, requests, 2, false);
	int sent = request_complete(requests[0]);
	code = request_complete(requests[1]);
	overlap_end(sending);
	request_store_result(status, requests[1]);
	if (function == MPI_CALL_Sendrecv_replace && status != MPI_STATUS_IGNORE)
		status->MPI_ERROR = MPI_SUCCESS; /* as in MPICH */
	request_retire(requests[0]);
	request_retire(requests[1]);
	return finish_call(&call, send->comm, sent != MPI_SUCCESS ? sent : code);
}

int shim_MPI_Sendrecv(void *site, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                      int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                      int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct transfer send = transfer_sending(WIRE_STANDARD, sendbuf, sendcount, sendtype, dest,
	                                        sendtag, comm);
	struct transfer receive = transfer_receiving(recvbuf, recvcount, recvtype, source, recvtag,
	                                             comm);
	return exchange(site, MPI_CALL_Sendrecv, &send, &receive, status);
}

int shim_MPI_Sendrecv_replace(void *site, void *buf, int count, MPI_Datatype datatype, int dest,
                              int sendtag, int source, int recvtag, MPI_Comm comm,
                              MPI_Status *status)
{
	struct transfer send = transfer_sending(WIRE_STANDARD, buf, count, datatype, dest, sendtag,
	                                        comm);
	struct transfer receive = transfer_receiving(buf, count, datatype, source, recvtag, comm);

	send.must_copy = true;
	return exchange(site, MPI_CALL_Sendrecv_replace, &send, &receive, status);
}

/* The program gets one request for both operations, which are marked as joined for the
 * scheduler. */
static int exchange_nonblocking(void *site, unsigned function, const struct transfer *send,
                                const struct transfer *receive, MPI_Request *ret_handle)
{
	struct wire_call call = gate_call(function, site);
	struct request *requests[2], *pair;
	struct wire_op ops[2];

	int code = begin_both(&call, send, receive, requests);
	if (code == MPI_SUCCESS && !request_is_local(requests[1]))
		code = transfer_keep_arguments(requests[1]);
	if (code != MPI_SUCCESS)
		return refuse_call(&call, send->comm, code);
	pair = request_new_pair(requests[0], requests[1]);
	if (!pair)
		return refuse_call(&call, send->comm, MPI_ERR_NO_MEM);
	call.ops = ops;
	for (int i = 0; i < 2; i++) {
		if (request_is_local(requests[i]))
			continue;
		transfer_checksum(requests[i]);
		transfer_add_nonblocking(&call, requests[i]);
		ops[call.op_count - 1].joined = call.op_count > 1;
	}
	gate_report(&call);
	*ret_handle = request_handle(pair);
	return MPI_SUCCESS;
}

int shim_MPI_Isendrecv(void *site, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                       int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                       int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	struct transfer send = transfer_sending(WIRE_STANDARD, sendbuf, sendcount, sendtype, dest,
	                                        sendtag, comm);
	struct transfer receive = transfer_receiving(recvbuf, recvcount, recvtype, source, recvtag,
	                                             comm);
	return exchange_nonblocking(site, MPI_CALL_Isendrecv, &send, &receive, request);
}

int shim_MPI_Isendrecv_replace(void *site, void *buf, int count, MPI_Datatype datatype, int dest,
                               int sendtag, int source, int recvtag, MPI_Comm comm,
                               MPI_Request *request)
{
	struct transfer send = transfer_sending(WIRE_STANDARD, buf, count, datatype, dest, sendtag,
	                                        comm);
	struct transfer receive = transfer_receiving(buf, count, datatype, source, recvtag, comm);

	send.must_copy = true;
	return exchange_nonblocking(site, MPI_CALL_Isendrecv_replace, &send, &receive, request);
}

/* --- messages of other calls ------------------------------------------------------------------ */

int message_send(void *site, unsigned function, const void *data, int bytes, int dest, int tag,
                 MPI_Comm comm)
{
	struct transfer transfer = transfer_sending(WIRE_STANDARD, data, bytes, MPI_BYTE, dest, tag,
	                                            comm);
	return send_blocking(site, function, &transfer);
}

int message_receive(void *site, unsigned function, void *data, int bytes, int source, int tag,
                    MPI_Comm comm, MPI_Status *status)
{
	struct transfer transfer = transfer_receiving(data, bytes, MPI_BYTE, source, tag, comm);

	return receive_blocking(site, function, &transfer, status);
}

int message_leave(void *site, unsigned function, const void *data, int bytes, int dest, int tag,
                  MPI_Comm comm)
{
	struct transfer transfer = transfer_sending(WIRE_STANDARD, data, bytes, MPI_BYTE, dest, tag,
	                                            comm);
	MPI_Request request;
	int code = start_nonblocking(site, function, &transfer, &request);

	return code == MPI_SUCCESS ? shim_MPI_Request_free(site, &request) : code;
}
