/* Bcast, Scatter, Scatterv, Gather, Gatherv, as single messages between root and members. */
#include "collective_early.h"
#include "shim/gate/gate.h"
#include "shim/mpi/real.h"
#include "shim/objects/communicator_internal.h"

/* The part of one member in the root's buffer, or a member's own buffer. */
struct part {
	void *data;
	int count;
	MPI_Datatype type;
};

static struct part own_part(const void *data, int count, MPI_Datatype type)
{
	return (struct part){(void *)(uintptr_t)data, count, type};
}

/* Where the parts of all members lie in the root's buffer. */
struct layout {
	const void *data;
	int equal_count; /* without `counts`: elements of each part; the parts are contiguous */
	const int *counts, *displacements;
	MPI_Datatype type;
};

static struct part part_of(const struct layout *layout, int i)
{
	MPI_Aint lower = 0, extent = 0;
	MPI_Aint place = layout->counts ? layout->displacements[i]
	                                : (MPI_Aint)i * layout->equal_count;
	int count = layout->counts ? layout->counts[i] : layout->equal_count;

	real_mpi()->Type_get_extent(layout->type, &lower, &extent);
	return own_part((const char *)layout->data + place * extent, count, layout->type);
}

/* Copies the data, so that the program may reuse its buffer at once. */
static int send_part(struct early *early, int destination, const struct part *part)
{
	struct packed *packed;
	int code = packed_new(part->data, part->count, part->type, early->communicator->shadow,
	                      &packed);

	if (code != MPI_SUCCESS)
		return code;
	code = early_send(early, packed, destination);
	packed_release(packed);
	return code;
}

/* The root's own part is sent by MPI, too, because the types may differ. */
static int copy_part(struct early *early, const struct part *from, const struct part *to)
{
	int self = early->communicator->rank, code;

	code = early_receive(early, to->data, to->count, to->type, self);
	return code == MPI_SUCCESS ? send_part(early, self, from) : code;
}

int early_Bcast(struct early *early, void *buffer, int count, MPI_Datatype datatype, int root)
{
	const struct communicator *communicator = early->communicator;
	struct packed *packed;
	int code = early_reserve(early, 1);

	if (code != MPI_SUCCESS)
		return code;
	if (communicator->rank != root)
		return early_receive(early, buffer, count, datatype, root);
	code = packed_new(buffer, count, datatype, communicator->shadow, &packed);
	if (code != MPI_SUCCESS)
		return code;
	for (int i = 0; code == MPI_SUCCESS && i < communicator->size; i++) {
		if (i != root)
			code = early_send(early, packed, i);
	}
	packed_release(packed);
	return code;
}

static int scatter(struct early *early, const struct layout *layout, const struct part *own,
                   int root)
{
	int code = early_reserve(early, 1);

	if (code != MPI_SUCCESS)
		return code;
	if (early->communicator->rank != root)
		return early_receive(early, own->data, own->count, own->type, root);
	for (int i = 0; code == MPI_SUCCESS && i < early->communicator->size; i++) {
		struct part part = part_of(layout, i);

		if (i != root)
			code = send_part(early, i, &part);
		else if (own->data != MPI_IN_PLACE)
			code = copy_part(early, &part, own);
	}
	return code;
}

int early_Scatter(struct early *early, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int root)
{
	const struct layout layout = {sendbuf, sendcount, NULL, NULL, sendtype};
	const struct part own = own_part(recvbuf, recvcount, recvtype);

	return scatter(early, &layout, &own, root);
}

int early_Scatterv(struct early *early, const void *sendbuf, const int sendcounts[],
                   const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, int root)
{
	const struct layout layout = {sendbuf, 0, sendcounts, displs, sendtype};
	const struct part own = own_part(recvbuf, recvcount, recvtype);

	return scatter(early, &layout, &own, root);
}

static int gather(struct early *early, const struct part *own, const struct layout *layout,
                  int root)
{
	int size = early->communicator->size, code;

	if (early->communicator->rank != root)
		return send_part(early, root, own);
	code = early_reserve(early, size);
	for (int i = 0; code == MPI_SUCCESS && i < size; i++) {
		struct part part = part_of(layout, i);

		if (i != root)
			code = early_receive(early, part.data, part.count, part.type, i);
		else if (own->data != MPI_IN_PLACE)
			code = copy_part(early, own, &part);
	}
	return code;
}

int early_Gather(struct early *early, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int root)
{
	const struct layout layout = {recvbuf, recvcount, NULL, NULL, recvtype};
	const struct part own = own_part(sendbuf, sendcount, sendtype);

	return gather(early, &own, &layout, root);
}

int early_Gatherv(struct early *early, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                  void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                  int root)
{
	const struct layout layout = {recvbuf, 0, recvcounts, displs, recvtype};
	const struct part own = own_part(sendbuf, sendcount, sendtype);

	return gather(early, &own, &layout, root);
}
