/* Every collective between the two groups of an intercommunicator, {0} and {1, 2}. */
#include "../all_forms.h"

static MPI_Comm inter;
static int members, others; /* number of members on this side and on the other */

static int leader; /* world rank of the root, the first of its side */

/* The root argument. The others of the root's side take no part. */
static int root(void)
{
	if (rank == leader)
		return MPI_ROOT;
	return rank > 0 && leader > 0 ? MPI_PROC_NULL : 0;
}

/* The number of elements that this rank sends to the root or gets from it: one for the first of a
 * side. */
static int share(void)
{
	return rank == 0 ? 1 : rank;
}

static void from_one(void)
{
	NOW(MPI_Bcast(in, 3, MPI_INT, root(), inter));
	LATER(MPI_Ibcast(in, 3, MPI_INT, root(), inter, &request));
	NOW(MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root(), inter));
	LATER(MPI_Iscatter(in, 2, MPI_INT, out, 2, MPI_INT, root(), inter, &request));
	NOW(MPI_Scatterv(in, n, at, MPI_INT, out, share(), MPI_INT, root(), inter));
	LATER(MPI_Iscatterv(in, n, at, MPI_INT, out, share(), MPI_INT, root(), inter, &request));
}

static void to_one(void)
{
	NOW(MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root(), inter));
	LATER(MPI_Igather(in, 2, MPI_INT, out, 2, MPI_INT, root(), inter, &request));
	NOW(MPI_Gatherv(in, share(), MPI_INT, out, n, at, MPI_INT, root(), inter));
	LATER(MPI_Igatherv(in, share(), MPI_INT, out, n, at, MPI_INT, root(), inter, &request));
	NOW(MPI_Reduce(in, out, 3, MPI_INT, MPI_SUM, root(), inter));
	LATER(MPI_Ireduce(in, out, 3, MPI_INT, MPI_SUM, root(), inter, &request));
}

static void all_to_all(void)
{
	NOW(MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, inter));
	LATER(MPI_Iallgather(in, 2, MPI_INT, out, 2, MPI_INT, inter, &request));
	NOW(MPI_Allgatherv(in, 2, MPI_INT, out, two, at, MPI_INT, inter));
	LATER(MPI_Iallgatherv(in, 2, MPI_INT, out, two, at, MPI_INT, inter, &request));
	NOW(MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, inter));
	LATER(MPI_Ialltoall(in, 2, MPI_INT, out, 2, MPI_INT, inter, &request));
	NOW(MPI_Alltoallv(in, two, at, MPI_INT, out, two, at, MPI_INT, inter));
	LATER(MPI_Ialltoallv(in, two, at, MPI_INT, out, two, at, MPI_INT, inter, &request));
	NOW(MPI_Alltoallw(in, two, bytes, types, out, two, bytes, types, inter));
	LATER(MPI_Ialltoallw(in, two, bytes, types, out, two, bytes, types, inter, &request));
}

static void reduced(void)
{
	NOW(MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, inter));
	LATER(MPI_Iallreduce(in, out, 4, MPI_INT, MPI_SUM, inter, &request));
	NOW(MPI_Reduce_scatter_block(in, out, 2 / members, MPI_INT, MPI_SUM, inter));
	LATER(MPI_Ireduce_scatter_block(in, out, 2 / members, MPI_INT, MPI_SUM, inter, &request));
	NOW(MPI_Reduce_scatter(in, out, members == 1 ? two : ones, MPI_INT, MPI_SUM, inter));
	LATER(MPI_Ireduce_scatter(in, out, members == 1 ? two : ones, MPI_INT, MPI_SUM, inter,
	                          &request));
	NOW(MPI_Barrier(inter));
	LATER(MPI_Ibarrier(inter, &request));
}

int main(int argc, char **argv)
{
	MPI_Comm half;

	start(&argc, &argv);
	MPI_Comm_split(WORLD, rank > 0, rank, &half);
	MPI_Intercomm_create(half, 0, WORLD, rank > 0 ? 0 : 1, 4, &inter);
	MPI_Comm_size(inter, &members);
	MPI_Comm_remote_size(inter, &others);
	CHECK(members + others == size);
	for (leader = 0; leader < 2; leader++) {
		from_one();
		to_one();
	}
	all_to_all();
	reduced();
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
