#include "landing.h"

#include <limits.h>
#include <string.h>

#include "message_memory.h"
#include "packing.h"
#include "real.h"
#include "signature.h"

/* Bytes: smaller messages come in one piece. */
enum { LEAST_PACKED = 4 << 10 };

static MPI_Count size_of(MPI_Datatype type)
{
	MPI_Count size = 0;

	return real_mpi()->Type_size_x(type, &size) == MPI_SUCCESS ? size : 0;
}

void landing_begin(struct landing *landing, void *data, int count, MPI_Datatype type, bool apart)
{
	MPI_Count bytes;

	*landing = (struct landing){.data = data, .count = count, .type = type};
	if (count <= 0 || (type_is_basic(type) && !apart))
		return;
	bytes = size_of(type);
	if (bytes <= 0 || bytes > INT_MAX / count)
		return;
	bytes *= count;
	apart = apart && bytes <= LANDING_MAX;
	if (!apart && (type_is_basic(type) || bytes < LEAST_PACKED))
		return;
	landing->packed = message_memory_new((size_t)bytes);
}

void *landing_data(const struct landing *landing)
{
	return landing->packed ? landing->packed : landing->data;
}

int landing_count(const struct landing *landing)
{
	return landing->packed ? (int)(size_of(landing->type) * landing->count) : landing->count;
}

MPI_Datatype landing_type(const struct landing *landing)
{
	return landing->packed ? MPI_PACKED : landing->type;
}

/* The first bytes of an element; the others stay as they are. */
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

static void place_message(const struct landing *landing, int bytes)
{
	int size = (int)size_of(landing->type), whole = bytes / size;
	MPI_Aint low = 0, extent = 0;

	if (type_is_basic(landing->type)) {
		memcpy(landing->data, landing->packed, (size_t)bytes);
		return;
	}
	if (whole > 0)
		packing_unpack(landing->packed, bytes, landing->data, whole, landing->type);
	if (bytes % size == 0)
		return;
	real_mpi()->Type_get_extent(landing->type, &low, &extent);
	place_part((char *)landing->packed + whole * size, bytes % size,
	           (char *)landing->data + whole * extent, landing->type, size);
}

void landing_over(struct landing *landing, const MPI_Status *status)
{
	int bytes = 0;

	if (!landing->packed)
		return;
	if (status && real_mpi()->Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS
	    && bytes != MPI_UNDEFINED)
		place_message(landing,
		              bytes < landing_count(landing) ? bytes : landing_count(landing));
	message_memory_free(landing->packed);
	landing->packed = NULL;
}
