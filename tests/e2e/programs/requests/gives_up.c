/* Rank 1 polls for a message that is never sent. It counts its polls and stops at a limit, or it
 * never stops. Where the count is stored makes no difference; a loop without any other effect is
 * recognised because it returns to the same state. */
#include "../check.h"

enum { MOST = 15000 };

static long counted;

static void look(MPI_Request *request, int *ret_flag)
{
	MPI_Test(request, ret_flag, IGNORE);
}

static void poll_counting(const char *where, MPI_Request *request)
{
	long *heap = calloc(1, sizeof(*heap));
	volatile long stack = 0;
	int flag = 0;

	if (strcmp(where, "register") == 0)
		for (register long i = 0; !flag && i < MOST; i++)
			look(request, &flag);
	if (strcmp(where, "stack") == 0)
		for (; !flag && stack < MOST; stack++)
			look(request, &flag);
	if (strcmp(where, "heap") == 0)
		for (; !flag && *heap < MOST; (*heap)++)
			look(request, &flag);
	if (strcmp(where, "never") == 0)
		for (; !flag; counted++)
			look(request, &flag);
	free(heap);
}

static void poll_for_ever(const char *how, MPI_Request *request)
{
	int there = 0, flag = 0;

	while (strcmp(how, "test") == 0 && !flag)
		look(request, &flag);
	while (strcmp(how, "both") == 0 && !there && !flag) {
		MPI_Iprobe(0, 1, WORLD, &there, IGNORE);
		look(request, &flag);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "test";
	MPI_Request request;
	int value;

	start(&argc, &argv);
	if (rank == 1) {
		MPI_Irecv(&value, 1, MPI_INT, 0, 0, WORLD, &request);
		poll_counting(how, &request);
		poll_for_ever(how, &request);
		MPI_Cancel(&request);
		MPI_Wait(&request, IGNORE);
	}
	MPI_Finalize();
	return 0;
}
