/* Each rank asks its neighbour, and takes questions until all have been taken (nonblocking
 * consensus). The receive that is left over is cancelled: nothing can match it any more. */
#include <mpi.h>

static MPI_Request taking, asking, consensus = MPI_REQUEST_NULL;
static int question;

static void take(void)
{
	MPI_Irecv(&question, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &taking);
}

static int is_done(MPI_Request *request)
{
	int done;

	MPI_Test(request, &done, MPI_STATUS_IGNORE);
	return done;
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	take();
	MPI_Issend(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &asking);
	for (int over = 0; !over;) {
		if (is_done(&taking))
			take();
		if (consensus != MPI_REQUEST_NULL)
			over = is_done(&consensus);
		else if (is_done(&asking))
			MPI_Ibarrier(MPI_COMM_WORLD, &consensus);
	}
	MPI_Cancel(&taking);
	MPI_Wait(&taking, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
