/* No choices: a ring and a reduction, many times. */
#include "../check.h"

int main(int argc, char **argv)
{
	int value, sum = 0;

	start(&argc, &argv);
	for (int i = 0; i < 50; i++) {
		MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, i, &value, 1, MPI_INT,
		             (rank + size - 1) % size, i, WORLD, IGNORE);
		CHECK(value == (rank + size - 1) % size);
		MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD);
		CHECK(sum == size * (size - 1) / 2);
	}
	printf("%d\n", sum);
	MPI_Finalize();
	return 0;
}
