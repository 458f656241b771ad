#include "staging.h"

#include <limits.h>
#include <string.h>

#include "shim/mpi/abi.h"
#include "shim/mpi/message_memory.h"
#include "shim/mpi/packing.h"
#include "shim/mpi/real.h"
#include "shim/types/signature.h"

/* bytes; smaller messages come in one piece */
enum { LEAST_PACKED = 4 << 10 };

void staging_begin(struct staging *staging, void *data, int count, MPI_Datatype type, bool apart)
{
	MPI_Count bytes;

	*staging = (struct staging){.data = data, .count = count, .type = type};
	if (count <= 0 || (abi_is_basic(type) && !apart))
		return;
	bytes = (MPI_Count)type_size(type);
	if (bytes <= 0 || bytes > INT_MAX / count)
		return;
	bytes *= count;
	apart = apart && bytes <= WIRE_STAGED_MOST;
	if (!apart && (abi_is_basic(type) || bytes < LEAST_PACKED))
		return;
	staging->packed = message_memory_new((size_t)bytes);
}

void *staging_data(const struct staging *staging)
{
	return staging->packed ? staging->packed : staging->data;
}

int staging_count(const struct staging *staging)
{
	return staging->packed ? (int)type_size(staging->type) * staging->count : staging->count;
}

MPI_Datatype staging_type(const struct staging *staging)
{
	return staging->packed ? MPI_PACKED : staging->type;
}

/* Writes the first `count` bytes of one element; the others stay as they are. */
static void place_part(const void *bytes, int count, void *data, MPI_Datatype type, int size)
{
	char *element = message_memory_new((size_t)size);
	int packed;

	if (element && packing_pack(data, 1, type, element, size, &packed) == MPI_SUCCESS) {
		memcpy(element, bytes, (size_t)count);
		packing_unpack(element, size, data, 1, type);
	}
	message_memory_free(element);
}

static void place_message(const struct staging *staging, int bytes)
{
	int size = (int)type_size(staging->type), whole = bytes / size;
	MPI_Aint low = 0, extent = 0;

	if (abi_is_basic(staging->type)) {
		memcpy(staging->data, staging->packed, (size_t)bytes);
		return;
	}
	if (whole > 0)
		packing_unpack(staging->packed, bytes, staging->data, whole, staging->type);
	if (bytes % size == 0)
		return;
	real_mpi()->Type_get_extent(staging->type, &low, &extent);
	place_part((char *)staging->packed + whole * size, bytes % size,
	           (char *)staging->data + whole * extent, staging->type, size);
}

void staging_over(struct staging *staging, const MPI_Status *status)
{
	int bytes = 0;

	if (!staging->packed)
		return;
	if (status && real_mpi()->Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS
	    && bytes != MPI_UNDEFINED)
		place_message(staging,
		              bytes < staging_count(staging) ? bytes : staging_count(staging));
	message_memory_free(staging->packed);
	staging->packed = NULL;
}
