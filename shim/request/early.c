#include "early.h"

#include <stdlib.h>

#include "request.h"
#include "shim/gate/blocking_call.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"

bool early_applies(unsigned function, MPI_Comm comm)
{
	const struct communicator *communicator = communicator_find_even_freed(comm);

	switch (mpi_call_order(function)) {
	case MPI_CALL_ORDER_ROOT_FIRST:
	case MPI_CALL_ORDER_ROOT_LAST:
	case MPI_CALL_ORDER_LOWER:
		return !mpi_call_is_whole(function) && communicator
		       && communicator->shadow != MPI_COMM_NULL
		       && !gate_welcome()->synchronous_collectives;
	default: return false;
	}
}

void early_begin(struct early *early, MPI_Comm comm, int tag)
{
	struct communicator *communicator = communicator_find_even_freed(comm);

	communicator->uses_shadow = true;
	*early = (struct early){
		.communicator = communicator,
		.tag = tag,
		.before = request_incomplete(),
	};
}

int early_plan_tag(struct communicator *communicator)
{
	enum { LEAST_TAG_UB = 32767, TAGS = LEAST_TAG_UB - MPI_CALL_COUNT };

	return (int)(MPI_CALL_COUNT + communicator->plans++ % TAGS);
}

int early_reserve(struct early *early, int count)
{
	early->posts = calloc((size_t)count + 1, sizeof(*early->posts));
	return early->posts ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void early_add(struct early *early, MPI_Request request)
{
	early->posts[early->count++].request = request;
}

int early_receive(struct early *early, void *data, int count, MPI_Datatype type, int source)
{
	struct staging *staging = &early->posts[early->count].staging;
	MPI_Request request;
	int code;

	staging_begin(staging, data, count, type, false);
	code = real_mpi()->Irecv(staging_data(staging), staging_count(staging),
	                         staging_type(staging), source, early->tag,
	                         early->communicator->shadow, &request);
	if (code == MPI_SUCCESS)
		early_add(early, request);
	else
		staging_over(staging, NULL);
	return code;
}

int early_send(struct early *early, struct packed *packed, int destination)
{
	early->bytes += (size_t)packed->size;
	return background_send(packed, destination, early->tag, early->communicator->shadow);
}

int early_advance(struct early *early, int code, const MPI_Status *status, MPI_Request *ret_real)
{
	if (early->next > 0)
		staging_over(&early->posts[early->next - 1].staging, status);
	if (early->code == MPI_SUCCESS)
		early->code = code;
	*ret_real = MPI_REQUEST_NULL;
	if (early->next < early->count) {
		*ret_real = early->posts[early->next++].request;
		return MPI_SUCCESS;
	}
	if (early->code == MPI_SUCCESS && early->finish) {
		struct wire_blocking_call before =
			blocking_call_drive(); /* calls functions of the program */

		early->code = early->finish(early->state);
		blocking_call_driven(&before);
	}
	if (early->release)
		early->release(early->state);
	early->release = NULL;
	free(early->posts);
	early->posts = NULL;
	return early->code;
}

int early_complete(struct early *early, int code)
{
	MPI_Status status = request_empty_status();
	MPI_Request real;

	for (;;) {
		code = early_advance(early, code, &status, &real);
		if (real == MPI_REQUEST_NULL)
			break;
		code = gate_complete(&real, &status);
	}
	if (early->bytes > 0)
		background_linger(early->before, early->bytes);
	return code;
}
