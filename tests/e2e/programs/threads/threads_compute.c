/* A thread computes for longer than matchpoint waits for it. Rank 0's receives are decided
 * meanwhile, and the verdict says that the thread was not waited for. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static void *compute(void *unused)
{
	int value = 3;

	(void)unused;
	usleep(3 * 1000 * 1000);
	MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	return NULL;
}

int main(int argc, char **argv)
{
	int level, rank, value = 0;
	pthread_t thread;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		pthread_create(&thread, NULL, compute, NULL);
		for (int i = 0; i < 2; i++)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		pthread_join(thread, NULL);
	} else {
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		if (rank == 1)
			MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
