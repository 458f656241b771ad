/* Rank 0 receives two rounds of messages. The program declares that the order of the first does not
 * matter (MPI 4.0, section 15.2.4). The order of the second matters: the sum is wrong if rank 1's
 * message is not first. With the argument "late" a message of the first round comes only after a
 * choice of other ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int take(void)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return value;
}

static void give(int value, int to)
{
	MPI_Send(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
}

/* Levels without meaning, and a second beginning, before the only end. */
static void begin(void)
{
	MPI_Pcontrol(0);
	MPI_Pcontrol(2, "flush");
	MPI_Pcontrol(0);
	MPI_Pcontrol(-1);
}

static void two_rounds(int rank, int ranks)
{
	int first = 0;

	if (rank > 0)
		give(rank, 0);
	if (rank == 0)
		begin();
	for (int i = 1; rank == 0 && i < ranks; i++)
		take();
	if (rank == 0)
		MPI_Pcontrol(1);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank > 0)
		give(rank, 0);
	for (int i = 1; rank == 0 && i < ranks; i++)
		first = i == 1 ? take() : (take(), first);
	if (rank == 0)
		printf("first %d\n", first);
}

static void late(int rank)
{
	if (rank == 0) {
		MPI_Pcontrol(0);
		take();
		take();
	} else if (rank == 1) {
		give(1, 0);
		give(1, 3);
	} else if (rank == 2) {
		give(2, 3);
	} else if (rank == 3) {
		take();
		take();
		give(3, 0);
	}
}

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc > 1 && strcmp(argv[1], "late") == 0)
		late(rank);
	else
		two_rounds(rank, ranks);
	MPI_Finalize();
	return 0;
}
