/* Two threads of rank 1 wait for different ranks: one for rank 2 alone, the other for rank 0 alone.
 * It is a deadlock if rank 2's message comes to rank 0 first. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static int rank;
static void *sender(void *arg)
{
	int v = 1;
	MPI_Ssend(&v, 1, MPI_INT, 2, 5, MPI_COMM_WORLD);
	return arg;
}
static void *receiver(void *arg)
{
	int v = 1;
	MPI_Recv(&v, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return arg;
}
int main(int argc, char **argv)
{
	int provided, v = 0;
	pthread_t t[2];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		pthread_create(&t[0], NULL, sender, NULL);
		pthread_create(&t[1], NULL, receiver, NULL);
		pthread_join(t[0], NULL);
		pthread_join(t[1], NULL);
	} else if (rank == 0) {
		MPI_Status st;
		MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &st);
		if (st.MPI_SOURCE == 3) { /* good */
			MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &st);
			MPI_Send(&v, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
			MPI_Send(&v, 1, MPI_INT, 2, 7, MPI_COMM_WORLD);
		} else
			MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &st);
	} else if (rank == 2) {
		MPI_Send(&v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Recv(&v, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&v, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else
		MPI_Send(&v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
