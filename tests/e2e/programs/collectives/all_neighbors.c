/* Every neighbourhood collective on a grid, a graph and a distributed graph: blocking, nonblocking
 * and persistent, with small and large counts. */
#include "../all_forms.h"

static void gathered(MPI_Comm comm)
{
	NOW(MPI_Neighbor_allgather(in, 2, MPI_INT, out, 2, MPI_INT, comm));
	NOW(MPI_Neighbor_allgather_c(in, 2, MPI_INT, out, 2, MPI_INT, comm));
	LATER(MPI_Ineighbor_allgather(in, 2, MPI_INT, out, 2, MPI_INT, comm, &request));
	LATER(MPI_Ineighbor_allgather_c(in, 2, MPI_INT, out, 2, MPI_INT, comm, &request));
	AGAIN(MPI_Neighbor_allgather_init(in, 2, MPI_INT, out, 2, MPI_INT, comm, NO_INFO,
	                                  &request));
	AGAIN(MPI_Neighbor_allgather_init_c(in, 2, MPI_INT, out, 2, MPI_INT, comm, NO_INFO,
	                                    &request));
	NOW(MPI_Neighbor_allgatherv(in, 2, MPI_INT, out, two, at, MPI_INT, comm));
	NOW(MPI_Neighbor_allgatherv_c(in, 2, MPI_INT, out, two_c, at_c, MPI_INT, comm));
	LATER(MPI_Ineighbor_allgatherv(in, 2, MPI_INT, out, two, at, MPI_INT, comm, &request));
	LATER(MPI_Ineighbor_allgatherv_c(in, 2, MPI_INT, out, two_c, at_c, MPI_INT, comm,
	                                 &request));
	AGAIN(MPI_Neighbor_allgatherv_init(in, 2, MPI_INT, out, two, at, MPI_INT, comm, NO_INFO,
	                                   &request));
	AGAIN(MPI_Neighbor_allgatherv_init_c(in, 2, MPI_INT, out, two_c, at_c, MPI_INT, comm,
	                                     NO_INFO, &request));
}

static void exchanged(MPI_Comm comm)
{
	NOW(MPI_Neighbor_alltoall(in, 2, MPI_INT, out, 2, MPI_INT, comm));
	NOW(MPI_Neighbor_alltoall_c(in, 2, MPI_INT, out, 2, MPI_INT, comm));
	LATER(MPI_Ineighbor_alltoall(in, 2, MPI_INT, out, 2, MPI_INT, comm, &request));
	LATER(MPI_Ineighbor_alltoall_c(in, 2, MPI_INT, out, 2, MPI_INT, comm, &request));
	AGAIN(MPI_Neighbor_alltoall_init(in, 2, MPI_INT, out, 2, MPI_INT, comm, NO_INFO, &request));
	AGAIN(MPI_Neighbor_alltoall_init_c(in, 2, MPI_INT, out, 2, MPI_INT, comm, NO_INFO,
	                                   &request));
	NOW(MPI_Neighbor_alltoallv(in, two, at, MPI_INT, out, two, at, MPI_INT, comm));
	NOW(MPI_Neighbor_alltoallv_c(in, two_c, at_c, MPI_INT, out, two_c, at_c, MPI_INT, comm));
	LATER(MPI_Ineighbor_alltoallv(in, two, at, MPI_INT, out, two, at, MPI_INT, comm, &request));
	LATER(MPI_Ineighbor_alltoallv_c(in, two_c, at_c, MPI_INT, out, two_c, at_c, MPI_INT, comm,
	                                &request));
	AGAIN(MPI_Neighbor_alltoallv_init(in, two, at, MPI_INT, out, two, at, MPI_INT, comm,
	                                  NO_INFO, &request));
	AGAIN(MPI_Neighbor_alltoallv_init_c(in, two_c, at_c, MPI_INT, out, two_c, at_c, MPI_INT,
	                                    comm, NO_INFO, &request));
	NOW(MPI_Neighbor_alltoallw(in, two, bytes_c, types, out, two, bytes_c, types, comm));
	NOW(MPI_Neighbor_alltoallw_c(in, two_c, bytes_c, types, out, two_c, bytes_c, types, comm));
	LATER(MPI_Ineighbor_alltoallw(in, two, bytes_c, types, out, two, bytes_c, types, comm,
	                              &request));
	LATER(MPI_Ineighbor_alltoallw_c(in, two_c, bytes_c, types, out, two_c, bytes_c, types, comm,
	                                &request));
	AGAIN(MPI_Neighbor_alltoallw_init(in, two, bytes_c, types, out, two, bytes_c, types, comm,
	                                  NO_INFO, &request));
	AGAIN(MPI_Neighbor_alltoallw_init_c(in, two_c, bytes_c, types, out, two_c, bytes_c, types,
	                                    comm, NO_INFO, &request));
}

static void grid(void)
{
	const int sizes[] = {3}, periodic[] = {1};
	MPI_Comm comm;

	MPI_Cart_create(WORLD, 1, sizes, periodic, 0, &comm);
	gathered(comm);
	exchanged(comm);
	MPI_Comm_free(&comm);
}

/* Each rank is a neighbour of both others. */
static void graph(void)
{
	const int ends[] = {2, 4, 6}, neighbors[] = {1, 2, 0, 2, 0, 1};
	MPI_Comm comm;

	MPI_Graph_create(WORLD, 3, ends, neighbors, 0, &comm);
	gathered(comm);
	exchanged(comm);
	MPI_Comm_free(&comm);
}

/* From the left to the right. */
static void distributed_graph(void)
{
	const int left = (rank + 2) % 3, right = (rank + 1) % 3;
	MPI_Comm comm;

	MPI_Dist_graph_create_adjacent(WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
	                               NO_INFO, 0, &comm);
	gathered(comm);
	exchanged(comm);
	MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	grid();
	graph();
	distributed_graph();
	MPI_Finalize();
	return 0;
}
