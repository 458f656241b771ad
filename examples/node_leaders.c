/* A message of another node is taken for one of the own node.
 *
 * The ranks of a node send their numbers to its leader, then the leaders send the sums to rank 0.
 * Both steps use MPI_COMM_WORLD and the same tag. So rank 0 may take the sum of another node for a
 * number of its own. On one node there is no other leader, and nothing is wrong: it shows with
 * --nodes 2. The first step should use the node's communicator, or each step a tag of its own. */
#include <mpi.h>
#include <stdio.h>

/* Receives `count` numbers, and adds them up. */
static int receive(int count)
{
	int number, sum = 0;

	for (int i = 0; i < count; i++) {
		MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		sum += number;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rank, here, on_node, is_leader, nodes, sum;
	MPI_Comm node;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &here);
	MPI_Comm_size(node, &on_node);
	is_leader = here == 0;
	MPI_Allreduce(&is_leader, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (is_leader) {
		sum = rank + receive(on_node - 1);
		if (rank == 0)
			printf("node 0: %d\n", sum);
		if (rank == 0)
			printf("all nodes: %d\n", sum + receive(nodes - 1));
		else
			MPI_Send(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	} else {
		MPI_Send(&rank, 1, MPI_INT, rank - here, 0, MPI_COMM_WORLD);
	}
	MPI_Comm_free(&node);
	MPI_Finalize();
	return 0;
}
