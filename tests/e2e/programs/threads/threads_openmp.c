/* OpenMP: each thread of a rank exchanges a message with its twin in the other rank. */
#include <omp.h>

#include "../check.h"

enum { THREADS = 3 };

int main(int argc, char **argv)
{
	int level, sum = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
		{
			int own = omp_get_thread_num(), other;

			MPI_Sendrecv(&own, 1, MPI_INT, 1 - rank, own, &other, 1, MPI_INT, 1 - rank,
			             own, WORLD, IGNORE);
#pragma omp barrier
			sum += other;
		}
		MPI_Barrier(WORLD);
	}
	CHECK(sum == 3 * (0 + 1 + 2));
	MPI_Finalize();
	return 0;
}
