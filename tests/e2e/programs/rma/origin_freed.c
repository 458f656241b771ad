/* Rank 0 gives back the memory that a one-sided call uses at its origin: the first argument names
 * the call, the second one how the memory is given back ("scope": the function whose variable it is
 * returns), and the third one "early", or "late" for after the completion. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/mman.h>

#include "../check.h"

enum { COUNT = 2000, BYTES = COUNT * sizeof(int) };

static MPI_Win window;
static MPI_Request request = MPI_REQUEST_NULL;

static void begin(const char *call, int *own)
{
	if (!strcmp(call, "put"))
		MPI_Put(own, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, window); /* begins */
	else if (!strcmp(call, "rput"))
		MPI_Rput(own, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, window, &request); /* begins */
	else if (!strcmp(call, "accumulate"))
		MPI_Accumulate(own, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, MPI_SUM,
		               window); /* begins */
	else if (!strcmp(call, "get"))
		MPI_Get(own, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, window); /* begins */
	else if (!strcmp(call, "fetch"))
		MPI_Fetch_and_op(NULL, own, MPI_INT, 1, 0, MPI_NO_OP, window); /* begins */
}

static void finish(void)
{
	if (request != MPI_REQUEST_NULL)
		MPI_Wait(&request, IGNORE);
	MPI_Win_flush_local(1, window);
}

static void in_a_frame(const char *call, bool late)
{
	int own[COUNT] = {0};

	begin(call, own);
	if (late)
		finish();
}

static void in_memory(const char *call, bool late, bool mapped)
{
	int *own = mapped ? mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                         -1, 0)
	                  : malloc(BYTES);

	memset(own, 0, BYTES);
	begin(call, own);
	if (late)
		finish();
	if (mapped)
		munmap(own, BYTES);
	else
		free(own);
}

int main(int argc, char **argv)
{
	int *memory;

	start(&argc, &argv);
	MPI_Win_allocate(BYTES, sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
	MPI_Win_lock_all(0, window);
	if (rank == 0) {
		bool late = !strcmp(argv[3], "late");

		if (!strcmp(argv[2], "scope"))
			in_a_frame(argv[1], late);
		else
			in_memory(argv[1], late, !strcmp(argv[2], "munmap"));
		finish();
	}
	MPI_Win_unlock_all(window);
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
