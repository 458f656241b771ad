/* Requests as the program sees them: their status, the call that made them, persistence. Also the
 * accessors of request.h. */
#include <string.h>

#include "request_internal.h"
#include "shim/mpi/real.h"

MPI_Status request_empty_status(void)
{
	MPI_Status status;

	memset(&status, 0, sizeof(status));
	status.MPI_SOURCE = MPI_ANY_SOURCE;
	status.MPI_TAG = MPI_ANY_TAG;
	status.MPI_ERROR = MPI_SUCCESS;
	return status;
}

void request_store_status(MPI_Status *ret, const MPI_Status *status)
{
	if (ret == MPI_STATUS_IGNORE)
		return;
	int error = ret->MPI_ERROR;
	*ret = *status;
	ret->MPI_ERROR = error;
}

void request_store_empty(MPI_Status *ret)
{
	MPI_Request none = MPI_REQUEST_NULL;

	real_mpi()->Wait(&none, ret);
}

void request_store_result(MPI_Status *ret, const struct request *request)
{
	int cancelled = 0;

	if (ret == MPI_STATUS_IGNORE)
		return;
	if (request->kind != REQUEST_SEND) {
		request_store_status(ret, &request->status);
		return;
	}
	real_mpi()->Test_cancelled(&request->status, &cancelled);
	real_mpi()->Status_set_cancelled(ret, cancelled);
}

void request_note_maker(struct request *request, enum mpi_call function, const void *site)
{
	request->made_by = (uint16_t)function;
	request->made_at = (uintptr_t)site;
}

void request_make_persistent(struct request *request)
{
	request->persistent = true;
	request->active = false;
}

int request_start(struct request *request, struct wire_name name)
{
	if (request_rename(request, name) < 0)
		return -1;
	request->active = true;
	return 0;
}

bool request_is_local(const struct request *request)
{
	return request->local;
}

enum request_kind request_kind_of(const struct request *request)
{
	return request->kind;
}

MPI_Comm request_comm(const struct request *request)
{
	return request->comm;
}

bool request_may_start(const struct request *request)
{
	return request->persistent && !request->active;
}

void *request_closure(const struct request *request)
{
	return request->closure;
}

struct memory_range request_memory(const struct request *request)
{
	return (struct memory_range){(uintptr_t)request, (uintptr_t)request + sizeof(*request)};
}
