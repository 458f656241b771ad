/* The correct twin of examples/sum_by_arrival.c: the parts are added in the order of ranks. The
 * other ranks print at any time. Rank 0 prints values that differ in every run but are no result: a
 * time, a process id, an address. */
#include "../check.h"

#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const double parts[] = {0, 1e16, 1, -1e16};
	double part, stored[4] = {0}, sum = 0;
	struct timespec now;
	MPI_Status status;

	start(&argc, &argv);
	printf("rank %d\n", rank);
	if (rank == 0) {
		for (int i = 1; i < size; i++) {
			MPI_Recv(&part, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, WORLD, &status);
			stored[status.MPI_SOURCE] = part;
		}
		for (int i = 1; i < size; i++)
			sum += stored[i];
		clock_gettime(CLOCK_REALTIME, &now);
		if (argc > 1)
			printf("%lld.%09ld %d %p\n", (long long)now.tv_sec, now.tv_nsec,
			       (int)getpid(), (void *)&sum);
		printf("%g\n", sum);
	} else {
		MPI_Send(&parts[rank], 1, MPI_DOUBLE, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
