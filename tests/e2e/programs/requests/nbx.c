/* Nonblocking consensus (Hoefler et al., 2010): ranks exchange messages without knowing from whom
 * they will get any. A rank polls for messages until a barrier is over, which each rank enters when
 * its own sends are complete. With synchronous sends all messages are received. With -DBUG they are
 * standard ones: rank 1 may leave before it has seen its message. */
#include <mpi.h>

#ifdef BUG
#define SEND MPI_Isend
#else
#define SEND MPI_Issend
#endif

int main(int argc, char **argv)
{
	int rank, size, sent = 0, found = 0, done = 0, sends, data = 7, in;
	MPI_Request send = MPI_REQUEST_NULL, barrier = MPI_REQUEST_NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	sends = rank == 0;
	if (sends)
		SEND(&data, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, &send);
	while (!done) {
		MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
		if (found) {
			MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			found = 0;
		}
		if (sent) {
			MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
			continue;
		}
		MPI_Test(&send, &sent, MPI_STATUS_IGNORE);
		if (sent)
			MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
	}
	MPI_Finalize();
	return 0;
}
