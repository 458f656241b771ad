/* Rank 0 asks rank 1, who does not know of it. In rounds that end with a collective, each rank
 * looks for questions and whether its own was taken, until all were. With BUG a question counts as
 * taken when it is sent: what comes later is left over. */
#include <mpi.h>

#ifdef BUG
#define ASK MPI_Isend
#else
#define ASK MPI_Issend
#endif

enum { TAG = 9 };

static void take(void)
{
	MPI_Status status;
	int there, question;

	MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
	if (there)
		MPI_Recv(&question, 1, MPI_INT, status.MPI_SOURCE, TAG, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Request asking = MPI_REQUEST_NULL;
	int rank, question = 1, taken, all = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		ASK(&question, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &asking);
	while (!all) {
		take();
		MPI_Test(&asking, &taken, MPI_STATUS_IGNORE);
		MPI_Allreduce(&taken, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
