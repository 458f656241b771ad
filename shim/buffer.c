#include "buffer.h"

#include "error.h"
#include "gate.h"
#include "real.h"
#include "request.h"

static struct {
	size_t size, taken;
	bool attached;
} buffer;

size_t buffer_take(size_t bytes)
{
	enum { PATIENCE = 3000 };
	size_t wanted = bytes + MPI_BSEND_OVERHEAD;

	for (unsigned round = 0; round < PATIENCE; round++) {
		if (buffer.attached && wanted <= buffer.size - buffer.taken) {
			buffer.taken += wanted;
			return wanted;
		}
		if (!buffer.attached || wanted > buffer.size)
			return 0;
		request_progress();
		gate_yield(round);
	}
	return 0;
}

void buffer_give_back(size_t taken)
{
	buffer.taken -= taken < buffer.taken ? taken : buffer.taken;
}

/* Attached to MPI as well, which sends nothing from it: what it says of it is as without us. */
int shim_MPI_Buffer_attach(void *site, void *address, int size)
{
	int code = real_mpi()->Buffer_attach(address, size);

	if (code != MPI_SUCCESS)
		return error_check(MPI_COMM_WORLD, code, MPI_CALL_Buffer_attach, site);
	buffer.size = (size_t)size;
	buffer.taken = 0;
	buffer.attached = true;
	return MPI_SUCCESS;
}

int shim_MPI_Buffer_detach(void *site, void *ret_address, int *ret_size)
{
	int code = real_mpi()->Buffer_detach(ret_address, ret_size);

	buffer.size = 0;
	buffer.attached = false;
	return error_check(MPI_COMM_WORLD, code, MPI_CALL_Buffer_detach, site);
}
