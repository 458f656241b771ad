/* Bcast, Scatter, Scatterv, Gather, Gatherv. A root that begins leaves as soon as its messages
 * are on the way, and a member that only contributes likewise; each member depends on nobody but
 * the root then, as the standard has it (MPI 3.1, section 5.1), and not on the members of a
 * tree. */
#include <stdlib.h>

#include "background.h"
#include "collective.h"
#include "error.h"
#include "gate.h"
#include "real.h"

/* Where a rooted call moves its data, and how. */
struct rooted {
	struct communicator *communicator;
	MPI_Comm shadow;
	int root;
	int tag; /* on the shadow: the function */
};

/* The part of one member in the root's buffer, or a member's own buffer. */
struct part {
	void *data;
	int count;
	MPI_Datatype type;
};

/* Whether data goes by single messages; otherwise the library's own algorithm is as good: everybody
 * waits for all, or the communicator is an intercommunicator or has one member. */
static bool goes_singly(struct rooted *rooted, MPI_Comm comm, int root, enum mpi_call function)
{
	struct communicator *communicator = communicator_find(comm);

	*rooted = (struct rooted){ communicator, communicator->shadow, root, (int)function };
	return communicator->shadow != MPI_COMM_NULL && !gate_welcome()->synchronous_collectives;
}

static bool is_root(const struct rooted *rooted)
{
	return rooted->communicator->rank == rooted->root;
}

static struct part part_at(const void *data, MPI_Aint place, int count, MPI_Datatype type)
{
	MPI_Aint lower = 0, extent = 0;

	real_mpi()->Type_get_extent(type, &lower, &extent);
	return (struct part){ (char *)(uintptr_t)data + place * extent, count, type };
}

static int receive_part(const struct rooted *rooted, int source, const struct part *part)
{
	MPI_Request request;
	int code = real_mpi()->Irecv(part->data, part->count, part->type, source, rooted->tag,
	                             rooted->shadow, &request);

	return code == MPI_SUCCESS ? gate_complete(&request, MPI_STATUS_IGNORE) : code;
}

/* Leaves the program's buffer at once. Adds the bytes to *bytes. */
static int send_part(const struct rooted *rooted, int destination, const struct part *part,
                     size_t *bytes)
{
	struct packed *packed;
	int code = packed_new(part->data, part->count, part->type, rooted->shadow, &packed);

	if (code != MPI_SUCCESS)
		return code;
	code = background_send(packed, destination, rooted->tag, rooted->shadow);
	*bytes += (size_t)packed->size;
	packed_release(packed);
	return code;
}

/* The root's own part. */
static int copy_part(const struct rooted *rooted, const struct part *from, const struct part *to)
{
	size_t bytes = 0;
	int code = send_part(rooted, rooted->root, from, &bytes);

	return code == MPI_SUCCESS ? receive_part(rooted, rooted->root, to) : code;
}

static int bcast(const struct rooted *rooted, const struct part *part)
{
	unsigned before = request_incomplete();
	struct packed *packed;
	int code;

	if (!is_root(rooted))
		return receive_part(rooted, rooted->root, part);
	code = packed_new(part->data, part->count, part->type, rooted->shadow, &packed);
	if (code != MPI_SUCCESS)
		return code;
	for (int i = 0; code == MPI_SUCCESS && i < rooted->communicator->size; i++) {
		if (i != rooted->root)
			code = background_send(packed, i, rooted->tag, rooted->shadow);
	}
	background_linger(before, (size_t)packed->size * (size_t)rooted->communicator->size);
	packed_release(packed);
	return code;
}

int shim_MPI_Bcast(void *site, void *buffer, int count, MPI_Datatype datatype, int root,
                   MPI_Comm comm)
{
	const struct part part = { buffer, count, datatype };
	struct rooted rooted;
	MPI_Request request;
	int code;

	if (!collective_enter(site, MPI_CALL_Bcast, comm, root,
	                      collective_sign_data(comm, count, datatype))) {
		code = real_mpi()->Bcast(buffer, count, datatype, root, comm);
	} else if (goes_singly(&rooted, comm, root, MPI_CALL_Bcast)) {
		code = bcast(&rooted, &part);
	} else {
		code = real_mpi()->Ibcast(buffer, count, datatype, root, comm, &request);
		if (code == MPI_SUCCESS)
			code = gate_complete(&request, MPI_STATUS_IGNORE);
	}
	return error_check(comm, code, MPI_CALL_Bcast, site);
}

/* Part i stands at displacements[i], or all have equal_count elements and stand one after
 * another. */
static struct part part_of(const void *data, int i, int equal_count, const int *counts,
                           const int *displacements, MPI_Datatype type)
{
	if (!counts)
		return part_at(data, (MPI_Aint)i * equal_count, equal_count, type);
	return part_at(data, displacements[i], counts[i], type);
}

/* `counts` and `displacements` are NULL for Scatter; `own` is what this rank receives. */
static int scatter(const struct rooted *rooted, const void *data, int equal_count,
                   const int *counts, const int *displacements, MPI_Datatype type,
                   const struct part *own)
{
	unsigned before = request_incomplete();
	size_t bytes = 0;
	int code = MPI_SUCCESS;

	if (!is_root(rooted))
		return receive_part(rooted, rooted->root, own);
	for (int i = 0; code == MPI_SUCCESS && i < rooted->communicator->size; i++) {
		struct part part = part_of(data, i, equal_count, counts, displacements, type);

		if (i != rooted->root)
			code = send_part(rooted, i, &part, &bytes);
		else if (own->data != MPI_IN_PLACE)
			code = copy_part(rooted, &part, own);
	}
	background_linger(before, bytes);
	return code;
}

int shim_MPI_Scatter(void *site, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                     void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	const struct part own = { recvbuf, recvcount, recvtype };
	struct rooted rooted;
	MPI_Request request;
	int code;

	if (!collective_enter(site, MPI_CALL_Scatter, comm, root,
	                      collective_sign_rooted(comm, root, true, sendcount, sendtype,
	                                             recvcount, recvtype))) {
		code = real_mpi()->Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount,
		                           recvtype, root, comm);
	} else if (goes_singly(&rooted, comm, root, MPI_CALL_Scatter)) {
		code = scatter(&rooted, sendbuf, sendcount, NULL, NULL, sendtype, &own);
	} else {
		code = real_mpi()->Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount,
		                            recvtype, root, comm, &request);
		if (code == MPI_SUCCESS)
			code = gate_complete(&request, MPI_STATUS_IGNORE);
	}
	return error_check(comm, code, MPI_CALL_Scatter, site);
}

int shim_MPI_Scatterv(void *site, const void *sendbuf, const int sendcounts[], const int displs[],
                      MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                      int root, MPI_Comm comm)
{
	const struct part own = { recvbuf, recvcount, recvtype };
	struct rooted rooted;
	MPI_Request request;
	int code;

	if (!collective_enter(site, MPI_CALL_Scatterv, comm, root, COLLECTIVE_UNSIGNED)) {
		code = real_mpi()->Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf,
		                            recvcount, recvtype, root, comm);
	} else if (goes_singly(&rooted, comm, root, MPI_CALL_Scatterv)) {
		code = scatter(&rooted, sendbuf, 0, sendcounts, displs, sendtype, &own);
	} else {
		code = real_mpi()->Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf,
		                             recvcount, recvtype, root, comm, &request);
		if (code == MPI_SUCCESS)
			code = gate_complete(&request, MPI_STATUS_IGNORE);
	}
	return error_check(comm, code, MPI_CALL_Scatterv, site);
}

static int gather_at_root(const struct rooted *rooted, const struct part *own, void *data,
                          int equal_count, const int *counts, const int *displacements,
                          MPI_Datatype type)
{
	int size = rooted->communicator->size, code = MPI_SUCCESS;
	MPI_Request *requests = malloc(sizeof(*requests) * (size_t)size);

	if (!requests)
		return MPI_ERR_NO_MEM;
	for (int i = 0; i < size; i++)
		requests[i] = MPI_REQUEST_NULL;
	for (int i = 0; code == MPI_SUCCESS && i < size; i++) {
		struct part part = part_of(data, i, equal_count, counts, displacements, type);

		if (i != rooted->root)
			code = real_mpi()->Irecv(part.data, part.count, part.type, i, rooted->tag,
			                         rooted->shadow, &requests[i]);
		else if (own->data != MPI_IN_PLACE)
			code = copy_part(rooted, own, &part);
	}
	for (int i = 0; i < size; i++) {
		int completed = gate_complete(&requests[i], MPI_STATUS_IGNORE);

		if (code == MPI_SUCCESS)
			code = completed;
	}
	free(requests);
	return code;
}

static int contribute(const struct rooted *rooted, const struct part *own)
{
	unsigned before = request_incomplete();
	size_t bytes = 0;
	int code = send_part(rooted, rooted->root, own, &bytes);

	background_linger(before, bytes);
	return code;
}

int shim_MPI_Gather(void *site, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                    void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	const struct part own = { (void *)(uintptr_t)sendbuf, sendcount, sendtype };
	struct rooted rooted;
	MPI_Request request;
	int code;

	if (!collective_enter(site, MPI_CALL_Gather, comm, root,
	                      collective_sign_rooted(comm, root, false, sendcount, sendtype,
	                                             recvcount, recvtype))) {
		code = real_mpi()->Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount,
		                          recvtype, root, comm);
	} else if (goes_singly(&rooted, comm, root, MPI_CALL_Gather)) {
		code = is_root(&rooted) ? gather_at_root(&rooted, &own, recvbuf, recvcount, NULL,
		                                         NULL, recvtype)
		                        : contribute(&rooted, &own);
	} else {
		code = real_mpi()->Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount,
		                           recvtype, root, comm, &request);
		if (code == MPI_SUCCESS)
			code = gate_complete(&request, MPI_STATUS_IGNORE);
	}
	return error_check(comm, code, MPI_CALL_Gather, site);
}

int shim_MPI_Gatherv(void *site, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                     void *recvbuf, const int recvcounts[], const int displs[],
                     MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	const struct part own = { (void *)(uintptr_t)sendbuf, sendcount, sendtype };
	struct rooted rooted;
	MPI_Request request;
	int code;

	if (!collective_enter(site, MPI_CALL_Gatherv, comm, root, COLLECTIVE_UNSIGNED)) {
		code = real_mpi()->Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
		                           displs, recvtype, root, comm);
	} else if (goes_singly(&rooted, comm, root, MPI_CALL_Gatherv)) {
		code = is_root(&rooted) ? gather_at_root(&rooted, &own, recvbuf, 0, recvcounts,
		                                         displs, recvtype)
		                        : contribute(&rooted, &own);
	} else {
		code = real_mpi()->Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
		                            displs, recvtype, root, comm, &request);
		if (code == MPI_SUCCESS)
			code = gate_complete(&request, MPI_STATUS_IGNORE);
	}
	return error_check(comm, code, MPI_CALL_Gatherv, site);
}
