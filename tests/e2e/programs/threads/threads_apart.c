/* Two threads of each rank, each with its own communicator: there is no choice. */
#include <pthread.h>

#include "../check.h"

enum { ROUNDS = 5 };

static MPI_Comm comms[2];

static void *exchange(void *pointer)
{
	MPI_Comm comm = *(MPI_Comm *)pointer;
	int value = rank, sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 0) {
			MPI_Send(&value, 1, MPI_INT, 1, i, comm);
			MPI_Recv(&value, 1, MPI_INT, 1, i, comm, IGNORE);
		} else {
			MPI_Recv(&value, 1, MPI_INT, 0, i, comm, IGNORE);
			value++;
			MPI_Send(&value, 1, MPI_INT, 0, i, comm);
		}
		MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
		CHECK(sum == 2 * (i + 1));
	}
	return pointer;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(WORLD, &comms[i]);
	pthread_create(&thread, NULL, exchange, &comms[1]);
	exchange(&comms[0]);
	pthread_join(thread, NULL);
	for (int i = 0; i < 2; i++)
		MPI_Comm_free(&comms[i]);
	MPI_Finalize();
	return 0;
}
