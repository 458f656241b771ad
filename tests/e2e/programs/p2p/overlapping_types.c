/* Receives into datatypes that contain a byte twice (MPI 3.1, section 4.1.11), with each kind of
 * receive. The argument names it. "right": similar correct types, and sends of such types. */
#include "../check.h"

static int in[16], out[16];
static MPI_Datatype twice, beside, column;
static MPI_Win window;

static void receives(void)
{
	if (rank == 1)
		MPI_Send(out, 4, MPI_INT, 0, 0, WORLD);
	else
		MPI_Recv(in, 1, twice, 1, 0, WORLD, IGNORE);
}

/* Each element is valid, but two of them overlap. */
static void receives_two(void)
{
	MPI_Request request;

	if (rank == 1) {
		MPI_Send(out, 4, MPI_INT, 0, 0, WORLD);
		return;
	}
	MPI_Irecv(in, 2, beside, MPI_ANY_SOURCE, 0, WORLD, &request); /* two */
	MPI_Wait(&request, IGNORE);
}

static void gathers(void)
{
	MPI_Gather(out, 4, MPI_INT, in, 1, twice, 1, WORLD);
}

static void exchanges(void)
{
	const int places[2] = {0, 0}, displacements[2] = {0, 16};
	const MPI_Datatype sent[2] = {MPI_INT, MPI_INT};
	const MPI_Datatype types[2] = {rank == 0 ? twice : MPI_INT, MPI_INT};
	const int counts[2] = {rank == 0 ? 1 : 4, 4}, sends[2] = {4, 4};

	MPI_Alltoallw(out, sends, places, sent, in, counts, displacements, types, WORLD);
}

static void broadcasts(void)
{
	if (rank == 0)
		MPI_Bcast(out, 4, MPI_INT, 0, WORLD);
	else
		MPI_Bcast(in, 1, twice, 0, WORLD); /* not the root */
}

static void gets(void)
{
	MPI_Win_fence(0, window);
	if (rank == 0)
		MPI_Get(in, 1, twice, 1, 0, 4, MPI_INT, window);
	MPI_Win_fence(0, window);
}

static void right(void)
{
	if (rank == 1) {
		MPI_Send(out, 1, twice, 0, 0, WORLD);
		MPI_Send(out, 2, beside, 0, 0, WORLD);
		MPI_Send(out, 8, MPI_INT, 0, 0, WORLD);
	} else {
		MPI_Recv(in, 4, MPI_INT, 1, 0, WORLD, IGNORE);
		MPI_Recv(in, 4, MPI_INT, 1, 0, WORLD, IGNORE);
		MPI_Recv(in, 2, column, 1, 0, WORLD, IGNORE); /* between each other */
	}
	MPI_Gather(out, 4, MPI_INT, in, 4, rank == 0 ? MPI_INT : twice, 0, WORLD);
	MPI_Recv(in, 1, twice, MPI_PROC_NULL, 0, WORLD, IGNORE);
	MPI_Bcast(out, 1, twice, 0, MPI_COMM_SELF); /* the root */
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*does)(void);
	} parts[] = {
		{"receive", receives},   {"two", receives_two},     {"gather", gathers},
		{"exchange", exchanges}, {"broadcast", broadcasts}, {"get", gets},
		{"right", right},
	};
	const int lengths[2] = {2, 2}, places[2] = {0, 1};
	MPI_Datatype vector;

	start(&argc, &argv);
	MPI_Type_indexed(2, lengths, places, MPI_INT, &twice);
	MPI_Type_create_resized(MPI_2INT, 0, sizeof(int), &beside);
	MPI_Type_vector(4, 1, 2, MPI_INT, &vector);
	MPI_Type_create_resized(vector, 0, sizeof(int), &column);
	MPI_Type_commit(&twice);
	MPI_Type_commit(&beside);
	MPI_Type_commit(&column);
	MPI_Win_create(out, sizeof(out), sizeof(int), MPI_INFO_NULL, WORLD, &window);
	for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			parts[i].does();
	MPI_Win_free(&window);
	MPI_Type_free(&vector);
	MPI_Type_free(&twice);
	MPI_Type_free(&beside);
	MPI_Type_free(&column);
	MPI_Finalize();
	return 0;
}
