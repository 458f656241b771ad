#define _GNU_SOURCE
#include "background.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "request.h"
#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/message_memory.h"
#include "shim/mpi/next.h"
#include "shim/mpi/packing.h"
#include "shim/mpi/real.h"

/* Whether `count` elements are `count` times *ret_size bytes without gaps, from the given address
 * on. */
static bool is_plain(MPI_Datatype type, MPI_Count *ret_size)
{
	MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0;

	if (real_mpi()->Type_size_x(type, ret_size) != MPI_SUCCESS)
		return false;
	real_mpi()->Type_get_extent_x(type, &lower, &extent);
	real_mpi()->Type_get_true_extent_x(type, &true_lower, &true_extent);
	/* Elements of a pair type may have padding, and a derived type may list its parts in any
	 * order. So only basic types are plain for certain. */
	return abi_is_basic(type) && lower == 0 && true_lower == 0 && extent == *ret_size
	       && true_extent == *ret_size;
}

int packed_new(const void *data, int count, MPI_Datatype type, MPI_Comm comm,
               struct packed **ret_packed)
{
	struct packed *packed = calloc(1, sizeof(*packed));
	MPI_Count unit = 0;
	bool plain = is_plain(type, &unit);
	int code = MPI_SUCCESS, size = 0, position = 0;

	if (!packed)
		return MPI_ERR_NO_MEM;
	if (plain)
		size = (int)(unit * count);
	else
		code = real_mpi()->Pack_size(count, type, comm, &size);
	if (plain && unit * count != size)
		code = MPI_ERR_COUNT;
	packed->users = 1;
	packed->bytes = code == MPI_SUCCESS ? message_memory_new((size_t)size) : NULL;
	if (code == MPI_SUCCESS && !packed->bytes)
		code = MPI_ERR_NO_MEM;
	if (code == MPI_SUCCESS && plain && size > 0)
		memcpy(packed->bytes, data, (size_t)size);
	else if (code == MPI_SUCCESS && size > 0)
		code = packing_pack(data, count, type, packed->bytes, size, &position);
	packed->size = plain ? size : position;
	if (code == MPI_SUCCESS)
		*ret_packed = packed;
	else
		packed_release(packed);
	return code;
}

void packed_release(struct packed *packed)
{
	if (!packed || --packed->users > 0)
		return;
	message_memory_free(packed->bytes);
	free(packed);
}

static void message_over(void *closure, int code)
{
	(void)code;
	packed_release(closure);
}

static void memory_over(void *closure, int code)
{
	(void)code;
	free(closure);
}

/* Tests first, because most requests are over at once. */
static void complete_in_background(MPI_Request real, const struct request_actions *actions,
                                   void *closure)
{
	struct request *carrier;
	int done = 0;
	int code = real_mpi()->Test(&real, &done, MPI_STATUS_IGNORE);

	if (done || code != MPI_SUCCESS) {
		actions->over(closure, code);
		return;
	}
	carrier = request_new_collective((struct wire_name){0, 0}, MPI_COMM_NULL, actions, closure);
	if (!carrier) {
		gate_complete(&real, MPI_STATUS_IGNORE);
		actions->over(closure, code);
		return;
	}
	request_carry(carrier, real);
	request_abandon(carrier);
}

static int64_t nanoseconds(void)
{
	struct timespec now;

	NEXT(clock_gettime)(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void background_linger(unsigned before, size_t bytes)
{
	enum { LEAST = 500 * 1000, PER_BYTE = 50 };
	int64_t end = nanoseconds() + LEAST + PER_BYTE * (int64_t)bytes;

	for (unsigned round = 0; request_incomplete() > before; round++) {
		request_progress();
		if (nanoseconds() > end)
			return;
		gate_yield(round);
	}
}

int background_send(struct packed *packed, int destination, int tag, MPI_Comm comm)
{
	static const struct request_actions actions = {.over = message_over};
	MPI_Request real;
	int code = real_mpi()->Isend(packed->bytes, packed->size, MPI_PACKED, destination, tag,
	                             comm, &real);

	if (code != MPI_SUCCESS)
		return code;
	packed->users++;
	complete_in_background(real, &actions, packed);
	return MPI_SUCCESS;
}

void background_finish(MPI_Request real, void *memory)
{
	static const struct request_actions actions = {.over = memory_over};

	complete_in_background(real, &actions, memory);
}

int typed_room(int count, MPI_Datatype type, void **ret_data, void **ret_memory)
{
	MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
	int code = real_mpi()->Type_get_extent(type, &lower, &extent);

	if (code == MPI_SUCCESS)
		code = real_mpi()->Type_get_true_extent(type, &true_lower, &true_extent);
	if (code != MPI_SUCCESS)
		return code;
	MPI_Aint rest = count > 1 ? (MPI_Aint)(count - 1) * extent : 0;
	MPI_Aint start = true_lower + (rest < 0 ? rest : 0);
	size_t length = (size_t)true_extent + (size_t)(rest < 0 ? -rest : rest);
	char *memory = calloc(1, length + 1);
	if (!memory)
		return MPI_ERR_NO_MEM;
	*ret_memory = memory;
	*ret_data = memory - start;
	return MPI_SUCCESS;
}

int typed_move(const void *from, void *to, int count, MPI_Datatype type)
{
	struct packed *packed;
	int code = packed_new(from, count, type, MPI_COMM_SELF, &packed);

	if (code != MPI_SUCCESS)
		return code;
	if (packed->size > 0)
		code = packing_unpack(packed->bytes, packed->size, to, count, type);
	packed_release(packed);
	return code;
}

int typed_copy(const void *data, int count, MPI_Datatype type, void **ret_data, void **ret_memory)
{
	int code = typed_room(count, type, ret_data, ret_memory);

	return code == MPI_SUCCESS ? typed_move(data, *ret_data, count, type) : code;
}
