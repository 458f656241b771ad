/* Two OpenMP threads of a rank in collectives on one communicator at the same time: wrong (MPI 3.1,
 * section 12.4.3), also where MPI happens to match them as meant. The argument says in what: "same"
 * in two sums, "two" in a sum and a barrier, "critical" one after the other, in any order. */
#include <omp.h>

#include "../check.h"

enum { THREADS = 2 };

static void reduce(void)
{
	int sum, one = 1;

	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, WORLD); /* the sum */
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "same";
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
#pragma omp parallel num_threads(THREADS)
	{
		if (strcmp(which, "critical") == 0) {
#pragma omp critical
			reduce();
		} else if (strcmp(which, "same") == 0 || omp_get_thread_num() == 0) {
			reduce();
		} else {
			MPI_Barrier(WORLD);
		}
	}
	MPI_Finalize();
	return 0;
}
