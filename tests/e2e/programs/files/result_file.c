/* A result that is only in a file: with `wrong` in the order of arrival, else by rank. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value, order[8] = {0};
	MPI_Status status;
	FILE *file;

	start(&argc, &argv);
	if (rank == 0) {
		for (int i = 1; i < size; i++) {
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &status);
			order[argc > 1 ? i : status.MPI_SOURCE] = value;
		}
		file = fopen("result.txt", "w");
		CHECK(file && fprintf(file, "results\n") > 0);
		for (int i = 1; i < size; i++)
			CHECK(fprintf(file, "%d\n", order[i]) > 0);
		CHECK(fclose(file) == 0);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
