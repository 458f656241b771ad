/* For checkpoints on disk: SECONDS until the first choice (it sleeps, so that other processes do
 * not matter), MEGABYTES of memory in each rank. Rank 0 receives from all others in any order,
 * again and again. In between each rank writes to one page in a hundred, to others each time. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAGE = 4096, ROUNDS = 30 };

int main(int argc, char **argv)
{
	size_t size = (size_t)atol(argv[2]) << 20;
	int rank, ranks, value, rounds = argc > 3 ? atoi(argv[3]) : ROUNDS;
	double *memory = malloc(size);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (size_t i = 0; i < size / sizeof(*memory); i++)
		memory[i] = (double)i * 1.1 + rank;
	usleep((useconds_t)(atof(argv[1]) * 1e6));
	for (int round = 0; round < rounds; round++) {
		for (int i = 1; rank == 0 && i < ranks; i++)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		if (rank > 0)
			MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		for (size_t page = (size_t)round % 100; page < size / PAGE; page += 100)
			memory[page * PAGE / sizeof(*memory)] += 1;
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
