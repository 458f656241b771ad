/* Sends in ready mode, and what guarantees that their receive has been started (MPI 3.1, section
 * 3.4). The argument names it. Wrong: "nothing", and "late", a receive that starts after the
 * message to the sender. Right: a "message", a "barrier", a "synchronous" send, and the program's
 * own order. Also right ("room"): a small buffer for MPI_Bsend, where the receiver reports that
 * there is room again. */
#include "../check.h"

static int number, other;
static MPI_Request request;

static void told(int late)
{
	if (rank == 0) {
		MPI_Recv(&other, 1, MPI_INT, 1, 1, WORLD, IGNORE);
		MPI_Rsend(&number, 1, MPI_INT, 1, 0, WORLD);
	} else if (late) {
		MPI_Send(&number, 1, MPI_INT, 0, 1, WORLD);
		MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	} else {
		MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &request);
		MPI_Send(&rank, 1, MPI_INT, 0, 1, WORLD);
		MPI_Wait(&request, IGNORE);
	}
}

static void message(void)
{
	told(0);
}

static void late(void)
{
	told(1);
}

static void nothing(void)
{
	if (rank == 0)
		MPI_Rsend(&number, 1, MPI_INT, 1, 0, WORLD);
	else
		MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
}

static void barrier(void)
{
	if (rank == 1)
		MPI_Irecv(&number, 1, MPI_INT, 0, 0, WORLD, &request);
	MPI_Barrier(WORLD);
	if (rank == 0)
		MPI_Irsend(&number, 1, MPI_INT, 1, 0, WORLD, &request);
	MPI_Wait(&request, IGNORE);
}

static void synchronous(void)
{
	if (rank == 0) {
		MPI_Ssend(&number, 1, MPI_INT, 1, 1, WORLD);
		MPI_Rsend(&number, 1, MPI_INT, 1, 0, WORLD);
	} else {
		MPI_Irecv(&number, 1, MPI_INT, 0, 0, WORLD, &request);
		MPI_Recv(&other, 1, MPI_INT, 0, 1, WORLD, IGNORE);
		MPI_Wait(&request, IGNORE);
	}
}

static void own(void)
{
	MPI_Irecv(&number, 1, MPI_INT, rank, 0, WORLD, &request);
	MPI_Rsend(&rank, 1, MPI_INT, rank, 0, WORLD);
	MPI_Wait(&request, IGNORE);
}

static void room(void)
{
	char buffer[2 * (sizeof(int) + MPI_BSEND_OVERHEAD)];
	void *back;
	int bytes;

	if (rank == 0)
		MPI_Buffer_attach(buffer, sizeof(buffer));
	for (int i = 0; i < 4; i++) {
		if (rank == 0)
			MPI_Bsend(&number, 1, MPI_INT, 1, 0, WORLD);
		else
			MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
		if (i % 2 == 1)
			MPI_Bcast(&other, 1, MPI_INT, 1, WORLD);
	}
	if (rank == 0)
		MPI_Buffer_detach(&back, &bytes);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*does)(void);
	} parts[] = {
		{"message", message},         {"late", late}, {"nothing", nothing},
		{"barrier", barrier},         {"own", own},   {"room", room},
		{"synchronous", synchronous},
	};

	start(&argc, &argv);
	for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			parts[i].does();
	MPI_Finalize();
	return 0;
}
