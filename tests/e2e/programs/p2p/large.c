/* 4 MB messages from two ranks, with a derived type, arrive complete in any order. */
#include "../check.h"

#define COUNT (1 << 20)

int main(int argc, char **argv)
{
	int *numbers = malloc(2 * COUNT * sizeof(int));
	MPI_Datatype every_second;
	MPI_Status status;

	start(&argc, &argv);
	MPI_Type_vector(COUNT, 1, 2, MPI_INT, &every_second);
	MPI_Type_commit(&every_second);
	for (int i = 0; i < 2 * COUNT; i++)
		numbers[i] = rank == 0 ? -1 : rank + i / 2;
	if (rank == 0) {
		for (int message = 0; message < 2; message++) {
			MPI_Recv(numbers, 1, every_second, MPI_ANY_SOURCE, 0, WORLD, &status);
			for (int i = 0; i < COUNT; i++) {
				CHECK(numbers[2 * i] == status.MPI_SOURCE + i);
				CHECK(numbers[2 * i + 1] == -1);
			}
		}
	} else {
		MPI_Send(numbers, 1, every_second, 0, 0, WORLD);
	}
	MPI_Type_free(&every_second);
	MPI_Finalize();
	free(numbers);
	return 0;
}
