/* Rank 1 polls for a message that is never sent: rank 0 ends, or aborts; or rank 1 has a limit. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, value, flag = 0;
	const char *what = argc > 1 ? argv[1] : "ends";
	long polls = 0, most = strcmp(what, "counts") == 0 ? 8000 : -1;
	double begin, limit = strcmp(what, "waits") == 0 ? 0.7 : 0;
	MPI_Request request;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		if (strcmp(what, "aborts") == 0)
			MPI_Abort(MPI_COMM_WORLD, 3);
	} else {
		MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
		begin = limit > 0 ? MPI_Wtime() : 0;
		while (!flag && polls++ != most && (limit <= 0 || MPI_Wtime() < begin + limit))
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		MPI_Cancel(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
