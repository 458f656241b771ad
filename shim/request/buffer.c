#include "buffer.h"

#include <stdlib.h>

#include "request.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/error.h"

static struct {
	size_t size, taken;
	bool attached;
	uint32_t times;         /* number of attachments */
	struct wire_name *held; /* sends since the last attachment */
	uint32_t held_count, held_room;
} buffer;

/* Makes room for one more name. */
static bool reserve(void)
{
	uint32_t room = 2 * buffer.held_room + 16;
	struct wire_name *held;

	if (buffer.held_count < buffer.held_room)
		return true;
	held = realloc(buffer.held, room * sizeof(*held));
	if (!held)
		return false;
	buffer.held = held;
	buffer.held_room = room;
	return true;
}

void buffer_hold(struct wire_name send)
{
	buffer.held[buffer.held_count++] = send;
}

uint64_t buffer_attached(void)
{
	_Static_assert(WIRE_BUFFER_OVERHEAD <= MPI_BSEND_OVERHEAD, "more would be asked for");
	return buffer.attached ? (uint64_t)buffer.times << 32 | buffer.size : 0;
}

struct buffer_room buffer_take(size_t bytes)
{
	enum { ROUNDS_MAX = 3000 };
	const struct buffer_room none = {0};
	size_t wanted = bytes + MPI_BSEND_OVERHEAD;

	if (!reserve())
		return none;
	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		if (buffer.attached && wanted <= buffer.size - buffer.taken) {
			buffer.taken += wanted;
			return (struct buffer_room){wanted, buffer.times};
		}
		if (!buffer.attached || wanted > buffer.size)
			return none;
		request_progress();
		gate_yield(round);
	}
	return none;
}

void buffer_give_back(struct buffer_room room)
{
	if (room.attached == buffer.times)
		buffer.taken -= room.bytes;
}

/* The buffer is attached to MPI as well, so that MPI checks the calls. MPI sends nothing from
 * it. */
int shim_MPI_Buffer_attach(void *site, void *address, int size)
{
	int code = real_mpi()->Buffer_attach(address, size);

	if (code != MPI_SUCCESS)
		return error_check(MPI_COMM_WORLD, code, MPI_CALL_Buffer_attach, site);
	buffer.size = (size_t)size;
	buffer.taken = 0;
	buffer.attached = true;
	buffer.times++;
	return MPI_SUCCESS;
}

int shim_MPI_Buffer_detach(void *site, void *ret_address, int *ret_size)
{
	struct wire_call call = gate_call(MPI_CALL_Buffer_detach, site);
	int code;

	if (buffer.held_count > 0) {
		call.wait = WIRE_WAIT_TAKEN;
		call.waited = buffer.held;
		call.waited_count = buffer.held_count;
		gate_wait(&call);
	} else {
		gate_report(&call);
	}
	code = real_mpi()->Buffer_detach(ret_address, ret_size);
	if (code != MPI_SUCCESS)
		return error_raise(MPI_COMM_WORLD, code, call.call, MPI_CALL_Buffer_detach, site);
	buffer.attached = false;
	buffer.held_count = 0;
	return MPI_SUCCESS;
}
