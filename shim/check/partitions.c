#include "partitions.h"

#include <stdlib.h>

#include "direct.h"
#include "overlap.h"
#include "shim/mpi/real.h"

/* A partition's part of the buffer. */
struct place {
	struct bytes *bytes; /* owned; NULL: out of memory */
	struct overlap_use *use;
};

struct partitions {
	int count;
	struct place places[];
};

struct partitions *partitions_new(bool sends, const void *buffer, int count, MPI_Count each,
                                  MPI_Datatype type)
{
	const uint8_t role = sends ? WIRE_PART_READ : WIRE_PART_WRITTEN;
	MPI_Aint low = 0, extent = 0;
	struct partitions *partitions;

	if (!direct_is_used() || count <= 0
	    || real_mpi()->Type_get_extent(type, &low, &extent) != MPI_SUCCESS)
		return NULL;
	partitions = calloc(1, sizeof(*partitions) + (size_t)count * sizeof(struct place));
	if (!partitions)
		return NULL;
	partitions->count = count;
	for (int i = 0; i < count; i++)
		partitions->places[i].bytes = bytes_of(
			role, (const char *)buffer + i * each * (MPI_Count)extent, each, type);
	return partitions;
}

void partitions_free(struct partitions *partitions)
{
	if (!partitions)
		return;
	partitions_end_all(partitions);
	for (int i = 0; i < partitions->count; i++)
		bytes_release(partitions->places[i].bytes);
	free(partitions);
}

void partitions_begin(struct partitions *partitions, int partition, const struct wire_user *user)
{
	struct place *place = partitions ? &partitions->places[partition] : NULL;

	if (!place || !place->bytes || place->bytes->count == 0 || place->use)
		return;
	direct_flush(); /* the call need not have a number yet */
	place->use = overlap_begin(user, place->bytes, false);
}

void partitions_end(struct partitions *partitions, int partition)
{
	struct place *place = partitions ? &partitions->places[partition] : NULL;

	if (!place || !place->use)
		return;
	overlap_end(place->use);
	place->use = NULL;
}

void partitions_begin_all(struct partitions *partitions, const struct wire_user *user)
{
	for (int i = 0; partitions && i < partitions->count; i++)
		partitions_begin(partitions, i, user);
}

void partitions_end_all(struct partitions *partitions)
{
	for (int i = 0; partitions && i < partitions->count; i++)
		partitions_end(partitions, i);
}
