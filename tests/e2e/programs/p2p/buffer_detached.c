/* MPI_Buffer_detach waits until all messages in the buffer are received (MPI 3.1, section 3.6).
 * Without an argument the program is correct. "cycle": the receiver waits for what is sent after
 * the detach. "order": a message that can only come after it. "late": the same with one that comes
 * at any time. */
#include "../check.h"

static char room[4096];

static void attach(void)
{
	MPI_Buffer_attach(room, sizeof(room));
}

static void detach(void)
{
	void *back;
	int bytes;

	CHECK(MPI_Buffer_detach(&back, &bytes) == MPI_SUCCESS);
	CHECK(back == room && bytes == (int)sizeof(room));
}

static int refuses(int code)
{
	return code != MPI_SUCCESS;
}

static void right(void)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size, numbers[4] = {0}, bytes;
	MPI_Request request, persistent;
	void *back;

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	printf("%d\n", refuses(MPI_Buffer_detach(&back, &bytes)));
	attach();
	printf("%d\n", refuses(MPI_Buffer_detach(&back, NULL)));
	MPI_Bsend_init(&rank, 1, MPI_INT, to, 2, WORLD, &persistent);
	for (int round = 0; round < 2; round++) {
		MPI_Bsend(&rank, 1, MPI_INT, to, 0, WORLD);
		MPI_Bsend(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
		MPI_Ibsend(&rank, 1, MPI_INT, to, 1, WORLD, &request);
		MPI_Start(&persistent);
		for (int tag = 3; tag-- > 0;)
			MPI_Recv(&numbers[tag], 1, MPI_INT, from, tag, WORLD, IGNORE);
		MPI_Wait(&request, IGNORE);
		MPI_Wait(&persistent, IGNORE);
		detach();
		printf("%d\n", refuses(MPI_Bsend(&rank, 1, MPI_INT, to, 0, WORLD)));
		if (round == 0)
			attach();
	}
	MPI_Request_free(&persistent);
	printf("%d %d %d\n", numbers[0], numbers[1], numbers[2]);
}

static void cycle(void)
{
	int number = 0;

	if (rank == 0) {
		attach();
		MPI_Bsend(&rank, 1, MPI_INT, 1, 1, WORLD);
		detach(); /* stands */
		MPI_Send(&rank, 1, MPI_INT, 1, 2, WORLD);
	} else if (rank == 1) {
		MPI_Recv(&number, 1, MPI_INT, 0, 2, WORLD, IGNORE); /* stands as well */
		MPI_Recv(&number, 1, MPI_INT, 0, 1, WORLD, IGNORE);
	}
}

/* Rank 1's message to rank 2 comes after rank 0's is received; rank 3's at any time. */
static void order(int ranks)
{
	int number = 0;

	if (rank == 0) {
		attach();
		MPI_Bsend(&rank, 1, MPI_INT, 2, 0, WORLD);
		detach();
		MPI_Send(&rank, 1, MPI_INT, 1, 0, WORLD);
	} else if (rank == 1) {
		MPI_Recv(&number, 1, MPI_INT, 0, 0, WORLD, IGNORE);
	}
	if (rank == 1 || (rank == 3 && ranks > 3))
		MPI_Send(&rank, 1, MPI_INT, 2, 0, WORLD);
	for (int i = 1; rank == 2 && i < ranks; i++)
		MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "right";

	start(&argc, &argv);
	if (strcmp(which, "cycle") == 0)
		cycle();
	else if (strcmp(which, "order") == 0)
		order(3);
	else if (strcmp(which, "late") == 0)
		order(4);
	else
		right();
	MPI_Finalize();
	return 0;
}
