/* Errors that the standard forbids and MPICH does not report: freeing or cancelling a pending
 * collective; one-sided calls with a request where no lock is held; one-sided calls whose origin
 * data does not match the target's. The argument names the case; "allowed": similar correct
 * calls. */
#include "../check.h"

static int data[4], result[4], memory[4];
static MPI_Win window;

static void gives_up_collective(void)
{
	MPI_Request request;

	MPI_Iallreduce(data, result, 4, MPI_INT, MPI_SUM, WORLD, &request);
	MPI_Request_free(&request);
	MPI_Barrier(WORLD);
}

static void cancels_collective(void)
{
	MPI_Request request;

	MPI_Ibarrier(WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, IGNORE);
}

static void puts_in_fence(void)
{
	MPI_Request request;

	MPI_Win_fence(0, window);
	MPI_Rput(data, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window, &request);
	MPI_Wait(&request, IGNORE);
	MPI_Win_fence(0, window);
}

static void puts_other_types(void)
{
	float floats[2] = {1, 2};

	MPI_Win_fence(0, window);
	MPI_Put(floats, 2, MPI_FLOAT, 1 - rank, 0, 2, MPI_INT, window);
	MPI_Win_fence(0, window);
}

static void gets_too_much(void)
{
	MPI_Win_lock_all(0, window);
	MPI_Get(data, 1, MPI_INT, 1 - rank, 0, 2, MPI_INT, window);
	MPI_Win_unlock_all(window);
}

/* MPICH reports this one, in a message with a blank at its end. */
static void puts_outside(void)
{
	MPI_Put(data, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
}

static void allowed(void)
{
	MPI_Request request;
	MPI_Datatype pair;

	MPI_Allreduce_init(data, result, 4, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request);
	MPI_Start(&request);
	MPI_Wait(&request, IGNORE);
	MPI_Request_free(&request);
	MPI_Isend(data, 1, MPI_INT, 1 - rank, 0, WORLD, &request);
	MPI_Request_free(&request);
	MPI_Recv(result, 1, MPI_INT, 1 - rank, 0, WORLD, IGNORE);
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
	MPI_Rput(data, 1, pair, 1 - rank, 0, 2, MPI_INT, window, &request);
	MPI_Wait(&request, IGNORE);
	MPI_Put(data, 4, MPI_BYTE, 1 - rank, 2, 1, MPI_INT, window);
	MPI_Put(data, 1, MPI_INT, 1 - rank, 3, 1, MPI_INT32_T, window);
	MPI_Win_unlock(1 - rank, window);
	MPI_Win_lock_all(0, window);
	MPI_Rget(result, 1, pair, 1 - rank, 0, 1, pair, window, &request);
	MPI_Wait(&request, IGNORE);
	MPI_Win_unlock_all(window);
	MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*does)(void);
	} parts[] = {
		{"free", gives_up_collective}, {"cancel", cancels_collective},
		{"fence", puts_in_fence},      {"types", puts_other_types},
		{"much", gets_too_much},       {"outside", puts_outside},
		{"allowed", allowed},
	};

	start(&argc, &argv);
	MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, WORLD, &window);
	for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			parts[i].does();
	MPI_Barrier(WORLD);
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
