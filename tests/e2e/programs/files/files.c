/* What one interleaving writes to a file is not visible to the next, nor is its file offset. */
#include "../check.h"

int main(int argc, char **argv)
{
	FILE *file = NULL;
	int value;
	char line[64], name[64];

	start(&argc, &argv);
	if (rank == 0) {
		snprintf(name, sizeof(name), "%s", argc > 1 ? argv[1] : "written.txt");
		file = fopen(name, "w+");
		CHECK(file);
		fprintf(file, "start\n");
		fflush(file);
		for (int i = 1; i < size; i++) {
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
			fprintf(file, "%d\n", value);
			fflush(file);
		}
		rewind(file);
		while (fgets(line, sizeof(line), file))
			fputs(line, stdout);
		fclose(file);
		CHECK(remove(name) == 0);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
