#include "collective_buffers.h"

#include "shim/mpi/neighbors.h"
#include "shim/mpi/real.h"

/* --- what only MPI knows ---------------------------------------------------------------------- */

/* The members that a rank exchanges data with: of its group, or of the other one. */
static int members(MPI_Comm comm)
{
	int is_inter = 0, count = 0;

	if (!log_replaying) {
		real_mpi()->Comm_test_inter(comm, &is_inter);
		if (is_inter)
			real_mpi()->Comm_remote_size(comm, &count);
		else
			real_mpi()->Comm_size(comm, &count);
	}
	return (int)record_known(count);
}

enum role { NOTHING, MEMBER, ROOT, ROOT_AND_MEMBER };

static enum role role_in(MPI_Comm comm, int root)
{
	int is_inter = 0, rank = 0;
	enum role role = MEMBER;

	if (!log_replaying) {
		real_mpi()->Comm_test_inter(comm, &is_inter);
		real_mpi()->Comm_rank(comm, &rank);
		if (is_inter)
			role = root == MPI_ROOT ? ROOT : root == MPI_PROC_NULL ? NOTHING : MEMBER;
		else if (rank == root)
			role = ROOT_AND_MEMBER;
	}
	return (enum role)record_known(role);
}

static bool is_root(enum role role)
{
	return role == ROOT || role == ROOT_AND_MEMBER;
}

static bool is_member(enum role role)
{
	return role == MEMBER || role == ROOT_AND_MEMBER;
}

static void neighbors(MPI_Comm comm, int *ret_in, int *ret_out)
{
	*ret_in = *ret_out = 0;
	if (!log_replaying)
		neighbors_count(comm, ret_in, ret_out);
	*ret_in = (int)record_known(*ret_in);
	*ret_out = (int)record_known(*ret_out);
}

/* --- parts of a buffer ------------------------------------------------------------------------ */

static int64_t number_at(struct record_vector vector, int i)
{
	if (vector.size == sizeof(int))
		return ((const int *)vector.numbers)[i];
	return ((const int64_t *)vector.numbers)[i];
}

static int64_t extent_of(MPI_Datatype type)
{
	struct layout *layout;
	int64_t extent;

	if (type == MPI_DATATYPE_NULL)
		return 0;
	layout = layouts_hold(type);
	extent = layouts_extent(layout);
	layouts_release(layout);
	return extent;
}

typedef void give_part(struct record_call *call, const void *at, int64_t count, MPI_Datatype type);

static void receive(struct record_call *call, const void *at, int64_t count, MPI_Datatype type)
{
	record_receive(call, (void *)(uintptr_t)at, count, type);
}

/* Parts with counts and displacements in elements of a type. */
static void parts(struct record_call *call, give_part *give, const void *buffer,
                  struct record_vector counts, struct record_vector displacements,
                  MPI_Datatype type, int many)
{
	const int64_t extent = buffer == MPI_IN_PLACE ? 0 : extent_of(type);

	for (int i = 0; buffer != MPI_IN_PLACE && i < many; i++) {
		const int64_t place = number_at(displacements, i);

		record_in(call, "a displacement", place);
		give(call, (const char *)buffer + place * extent, number_at(counts, i), type);
	}
}

/* The same in bytes, with a type for each. */
static void typed_parts(struct record_call *call, give_part *give, const void *buffer,
                        struct record_vector counts, struct record_vector displacements,
                        const MPI_Datatype *types, int many)
{
	for (int i = 0; buffer != MPI_IN_PLACE && i < many; i++) {
		const int64_t place = number_at(displacements, i);

		record_in(call, "a displacement", place);
		give(call, (const char *)buffer + place, number_at(counts, i), types[i]);
	}
}

static void send_own(struct record_call *call, const void *buffer, int64_t count, MPI_Datatype type)
{
	if (buffer != MPI_IN_PLACE)
		record_send(call, buffer, count, type);
}

/* --- the operations --------------------------------------------------------------------------- */

void record_bcast(struct record_call *call, void *buffer, int64_t count, MPI_Datatype type,
                  int root, MPI_Comm comm)
{
	const enum role role = role_in(comm, root);

	if (is_root(role))
		record_send(call, buffer, count, type);
	else if (is_member(role))
		record_receive(call, buffer, count, type);
}

void record_gather(struct record_call *call, const void *sendbuf, int64_t sendcount,
                   MPI_Datatype sendtype, void *recvbuf, int64_t recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm)
{
	const enum role role = role_in(comm, root);

	if (is_member(role))
		send_own(call, sendbuf, sendcount, sendtype);
	if (is_root(role))
		record_receive(call, recvbuf, recvcount * members(comm), recvtype);
}

void record_gatherv(struct record_call *call, const void *sendbuf, int64_t sendcount,
                    MPI_Datatype sendtype, void *recvbuf, struct record_vector recvcounts,
                    struct record_vector displs, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	const enum role role = role_in(comm, root);

	if (is_member(role))
		send_own(call, sendbuf, sendcount, sendtype);
	if (is_root(role))
		parts(call, receive, recvbuf, recvcounts, displs, recvtype, members(comm));
}

void record_scatter(struct record_call *call, const void *sendbuf, int64_t sendcount,
                    MPI_Datatype sendtype, void *recvbuf, int64_t recvcount, MPI_Datatype recvtype,
                    int root, MPI_Comm comm)
{
	const enum role role = role_in(comm, root);

	if (is_root(role))
		record_send(call, sendbuf, sendcount * members(comm), sendtype);
	if (is_member(role) && recvbuf != MPI_IN_PLACE)
		record_receive(call, recvbuf, recvcount, recvtype);
}

void record_scatterv(struct record_call *call, const void *sendbuf, struct record_vector sendcounts,
                     struct record_vector displs, MPI_Datatype sendtype, void *recvbuf,
                     int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	const enum role role = role_in(comm, root);

	if (is_root(role))
		parts(call, record_send, sendbuf, sendcounts, displs, sendtype, members(comm));
	if (is_member(role) && recvbuf != MPI_IN_PLACE)
		record_receive(call, recvbuf, recvcount, recvtype);
}

void record_allgather(struct record_call *call, const void *sendbuf, int64_t sendcount,
                      MPI_Datatype sendtype, void *recvbuf, int64_t recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm)
{
	send_own(call, sendbuf, sendcount, sendtype);
	record_receive(call, recvbuf, recvcount * members(comm), recvtype);
}

void record_allgatherv(struct record_call *call, const void *sendbuf, int64_t sendcount,
                       MPI_Datatype sendtype, void *recvbuf, struct record_vector recvcounts,
                       struct record_vector displs, MPI_Datatype recvtype, MPI_Comm comm)
{
	const int many = members(comm);

	send_own(call, sendbuf, sendcount, sendtype);
	parts(call, receive, recvbuf, recvcounts, displs, recvtype, many);
	/* MPICH 4.0 ignores the displacement if there is one member. */
	if (many == 1 && sendbuf != MPI_IN_PLACE && number_at(displs, 0) > 0)
		record_receive(call, recvbuf, number_at(recvcounts, 0), recvtype);
}

void record_alltoall(struct record_call *call, const void *sendbuf, int64_t sendcount,
                     MPI_Datatype sendtype, void *recvbuf, int64_t recvcount, MPI_Datatype recvtype,
                     MPI_Comm comm)
{
	const int many = members(comm);

	if (sendbuf == MPI_IN_PLACE)
		record_send(call, recvbuf, recvcount * many, recvtype);
	else
		record_send(call, sendbuf, sendcount * many, sendtype);
	record_receive(call, recvbuf, recvcount * many, recvtype);
}

void record_alltoallv(struct record_call *call, const void *sendbuf,
                      struct record_vector sendcounts, struct record_vector sdispls,
                      MPI_Datatype sendtype, void *recvbuf, struct record_vector recvcounts,
                      struct record_vector rdispls, MPI_Datatype recvtype, MPI_Comm comm)
{
	const int many = members(comm);

	if (sendbuf == MPI_IN_PLACE)
		parts(call, record_send, recvbuf, recvcounts, rdispls, recvtype, many);
	else
		parts(call, record_send, sendbuf, sendcounts, sdispls, sendtype, many);
	parts(call, receive, recvbuf, recvcounts, rdispls, recvtype, many);
}

void record_alltoallw(struct record_call *call, const void *sendbuf,
                      struct record_vector sendcounts, struct record_vector sdispls,
                      const MPI_Datatype *sendtypes, void *recvbuf, struct record_vector recvcounts,
                      struct record_vector rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm)
{
	const int many = members(comm);

	if (sendbuf == MPI_IN_PLACE)
		typed_parts(call, record_send, recvbuf, recvcounts, rdispls, recvtypes, many);
	else
		typed_parts(call, record_send, sendbuf, sendcounts, sdispls, sendtypes, many);
	typed_parts(call, receive, recvbuf, recvcounts, rdispls, recvtypes, many);
}

static void send_operand(struct record_call *call, const void *sendbuf, const void *recvbuf,
                         int64_t count, MPI_Datatype type)
{
	record_send(call, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type);
}

void record_reduce(struct record_call *call, const void *sendbuf, void *recvbuf, int64_t count,
                   MPI_Datatype type, int root, MPI_Comm comm)
{
	const enum role role = role_in(comm, root);

	if (is_member(role))
		send_operand(call, sendbuf, recvbuf, count, type);
	if (is_root(role))
		record_receive(call, recvbuf, count, type);
}

void record_allreduce(struct record_call *call, const void *sendbuf, void *recvbuf, int64_t count,
                      MPI_Datatype type, MPI_Comm comm)
{
	(void)comm;
	send_operand(call, sendbuf, recvbuf, count, type);
	record_receive(call, recvbuf, count, type);
}

/* The first member's result is undefined: MPI leaves the buffer alone, which may not even exist. */
void record_exscan(struct record_call *call, const void *sendbuf, void *recvbuf, int64_t count,
                   MPI_Datatype type, MPI_Comm comm)
{
	int rank = 0;

	if (!log_replaying)
		real_mpi()->Comm_rank(comm, &rank);
	send_operand(call, sendbuf, recvbuf, count, type);
	if (record_known(rank) > 0)
		record_receive(call, recvbuf, count, type);
}

static int own_rank(MPI_Comm comm)
{
	int rank = 0;

	if (!log_replaying)
		real_mpi()->Comm_rank(comm, &rank);
	return (int)record_known(rank);
}

static int own_size(MPI_Comm comm)
{
	int size = 0;

	if (!log_replaying)
		real_mpi()->Comm_size(comm, &size);
	return (int)record_known(size);
}

/* The counts are those of the own group, also of an intercommunicator (MPI 3.1, section 5.10.1). */
void record_reduce_scatter(struct record_call *call, const void *sendbuf, void *recvbuf,
                           struct record_vector recvcounts, MPI_Datatype type, MPI_Comm comm)
{
	const int rank = own_rank(comm), size = own_size(comm);
	int64_t all = 0;

	for (int i = 0; i < size; i++)
		all += number_at(recvcounts, i);
	send_operand(call, sendbuf, recvbuf, all, type);
	record_receive(call, recvbuf, number_at(recvcounts, rank), type);
}

void record_reduce_scatter_block(struct record_call *call, const void *sendbuf, void *recvbuf,
                                 int64_t recvcount, MPI_Datatype type, MPI_Comm comm)
{
	send_operand(call, sendbuf, recvbuf, recvcount * own_size(comm), type);
	record_receive(call, recvbuf, recvcount, type);
}

/* --- on the neighbors of a topology ----------------------------------------------------------- */

void record_neighbor_allgather(struct record_call *call, const void *sendbuf, int64_t sendcount,
                               MPI_Datatype sendtype, void *recvbuf, int64_t recvcount,
                               MPI_Datatype recvtype, MPI_Comm comm)
{
	int in, out;

	neighbors(comm, &in, &out);
	record_send(call, sendbuf, sendcount, sendtype);
	record_receive(call, recvbuf, recvcount * in, recvtype);
}

void record_neighbor_allgatherv(struct record_call *call, const void *sendbuf, int64_t sendcount,
                                MPI_Datatype sendtype, void *recvbuf,
                                struct record_vector recvcounts, struct record_vector displs,
                                MPI_Datatype recvtype, MPI_Comm comm)
{
	int in, out;

	neighbors(comm, &in, &out);
	record_send(call, sendbuf, sendcount, sendtype);
	parts(call, receive, recvbuf, recvcounts, displs, recvtype, in);
}

void record_neighbor_alltoall(struct record_call *call, const void *sendbuf, int64_t sendcount,
                              MPI_Datatype sendtype, void *recvbuf, int64_t recvcount,
                              MPI_Datatype recvtype, MPI_Comm comm)
{
	int in, out;

	neighbors(comm, &in, &out);
	record_send(call, sendbuf, sendcount * out, sendtype);
	record_receive(call, recvbuf, recvcount * in, recvtype);
}

void record_neighbor_alltoallv(struct record_call *call, const void *sendbuf,
                               struct record_vector sendcounts, struct record_vector sdispls,
                               MPI_Datatype sendtype, void *recvbuf,
                               struct record_vector recvcounts, struct record_vector rdispls,
                               MPI_Datatype recvtype, MPI_Comm comm)
{
	int in, out;

	neighbors(comm, &in, &out);
	parts(call, record_send, sendbuf, sendcounts, sdispls, sendtype, out);
	parts(call, receive, recvbuf, recvcounts, rdispls, recvtype, in);
}

void record_neighbor_alltoallw(struct record_call *call, const void *sendbuf,
                               struct record_vector sendcounts, struct record_vector sdispls,
                               const MPI_Datatype *sendtypes, void *recvbuf,
                               struct record_vector recvcounts, struct record_vector rdispls,
                               const MPI_Datatype *recvtypes, MPI_Comm comm)
{
	int in, out;

	neighbors(comm, &in, &out);
	typed_parts(call, record_send, sendbuf, sendcounts, sdispls, sendtypes, out);
	typed_parts(call, receive, recvbuf, recvcounts, rdispls, recvtypes, in);
}
