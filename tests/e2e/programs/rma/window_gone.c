/* A window is used after MPI_Win_free through a copy of its handle. MPICH may accept it and then
 * write into memory that has another use by now. The argument names the call. */
#include "../check.h"

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "fence";
	MPI_Win window, copy;
	int *memory;

	start(&argc, &argv);
	MPI_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &memory, &window);
	copy = window;
	MPI_Win_free(&window);
	CHECK(window == MPI_WIN_NULL);
	if (strcmp(how, "fence") == 0)
		MPI_Win_fence(0, copy);
	else if (strcmp(how, "lock") == 0)
		MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, copy);
	else if (strcmp(how, "put") == 0)
		MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, copy);
	else
		MPI_Win_free(&copy);
	MPI_Finalize();
	return 0;
}
