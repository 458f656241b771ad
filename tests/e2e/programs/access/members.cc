// A C++ program: members and algorithms of the standard library.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

struct cell {
	virtual ~cell() = default;
	int value = 0;
};

int main(int argc, char **argv)
{
	const bool wrong = argc > 1 && std::strcmp(argv[1], "wrong") == 0;
	std::vector<cell> cells(4);
	std::vector<int> buffer(64);
	MPI_Request request;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Isend(buffer.data(), 64, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		for (cell &one : cells)
			one.value++;
		if (wrong)
			std::fill(buffer.begin() + 60, buffer.end(), 3); // fill
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Irecv(buffer.data(), 64, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		std::printf("%d\n", *std::max_element(buffer.begin(), buffer.begin() + 60));
	}
	MPI_Finalize();
	return 0;
}
