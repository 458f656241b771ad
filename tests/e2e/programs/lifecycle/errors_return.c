/* A program that asks for error codes, or has its own handler, gets them, and nothing is found. */
#include "../check.h"

static int handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	handled++;
}

int main(int argc, char **argv)
{
	MPI_Errhandler mine, got;
	int small, code, class;

	start(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_get_errhandler(WORLD, &got);
	CHECK(got == MPI_ERRORS_RETURN);
	code = MPI_Send(&rank, 1, MPI_INT, size, 0, WORLD);
	MPI_Error_class(code, &class);
	CHECK(class == MPI_ERR_RANK);
	if (rank == 0) {
		int pair[2] = {1, 2};

		MPI_Send(pair, 2, MPI_INT, 1, 0, WORLD);
	} else if (rank == 1) {
		code = MPI_Recv(&small, 1, MPI_INT, 0, 0, WORLD, IGNORE);
		MPI_Error_class(code, &class);
		CHECK(class == MPI_ERR_TRUNCATE);
	}
	MPI_Comm_create_errhandler(handler, &mine);
	MPI_Comm_set_errhandler(WORLD, mine);
	MPI_Errhandler_free(&mine);
	MPI_Send(&rank, -1, MPI_INT, 0, 0, WORLD);
	CHECK(handled == 1);
	MPI_Finalize();
	return 0;
}
