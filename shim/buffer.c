#include "buffer.h"

#include <string.h>

#include "error.h"
#include "gate.h"
#include "real.h"
#include "request.h"

static struct {
	void *address;
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

int shim_MPI_Buffer_attach(void *site, void *address, int size)
{
	if (buffer.attached)
		return error_check(MPI_COMM_WORLD, MPI_ERR_BUFFER, MPI_CALL_Buffer_attach, site);
	if (size < 0)
		return error_check(MPI_COMM_WORLD, MPI_ERR_ARG, MPI_CALL_Buffer_attach, site);
	buffer.address = address;
	buffer.size = (size_t)size;
	buffer.taken = 0;
	buffer.attached = true;
	return MPI_SUCCESS;
}

int shim_MPI_Buffer_detach(void *site, void *ret_address, int *ret_size)
{
	(void)site;
	memcpy(ret_address, &buffer.address, sizeof(buffer.address));
	*ret_size = (int)buffer.size;
	buffer.address = NULL;
	buffer.size = 0;
	buffer.attached = false;
	return MPI_SUCCESS;
}
