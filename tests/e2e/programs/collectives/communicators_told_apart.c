/* Two communicators, made in the same way by the call named first. Odd ranks use them in the other
 * order, unless the second argument is "right". */
#include <mpi.h>
#include <string.h>

static const char *how;
static int rank, size;

static int is(const char *name)
{
	return strcmp(how, name) == 0;
}

static MPI_Comm from_group(int which, int swapped)
{
	MPI_Group all;
	MPI_Comm made;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	if (is("create_group"))
		MPI_Comm_create_group(MPI_COMM_WORLD, all, 10 + (which ^ swapped), &made);
	else
		MPI_Comm_create_from_group(
			all, which ^ swapped ? "org.example.io" : "org.example.solver",
			MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
	MPI_Group_free(&all);
	return made;
}

static MPI_Comm make(int which)
{
	MPI_Comm made = MPI_COMM_NULL, half;
	MPI_Request request;

	if (is("dup") || is("named") || is("persistent") || is("requests") || is("receive")) {
		MPI_Comm_dup(MPI_COMM_WORLD, &made);
	} else if (is("idup")) {
		MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (is("split")) {
		MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &made);
	} else if (is("cart")) {
		MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){0}, 0, &made);
	} else if (is("inter")) {
		MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
		MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, which, &made);
		MPI_Comm_free(&half);
	} else {
		made = from_group(which, 0);
	}
	if (is("named"))
		MPI_Comm_set_name(made, which ? "ocean" : "atmosphere");
	return made;
}

static void use(MPI_Comm comm, int turn)
{
	MPI_Request request;
	int value = 0, got;

	if (is("persistent")) {
		MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
	} else if (is("requests")) {
		MPI_Ibarrier(comm, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (is("receive")) {
		MPI_Sendrecv(&value, 1, MPI_INT, rank ^ 1, turn, &got, 1, MPI_INT, rank ^ 1, turn,
		             comm, MPI_STATUS_IGNORE);
	} else {
		MPI_Barrier(comm);
	}
}

int main(int argc, char **argv)
{
	MPI_Comm comms[2];
	int other;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	how = argv[1];
	other = rank % 2 && strcmp(argv[2], "right") != 0;
	if (strncmp(how, "create_", 7) == 0) /* in the other order: the calls do not meet */
		for (int i = 0; i < 2; i++)
			comms[i] = from_group(i, other);
	else
		for (int i = 0; i < 2; i++)
			comms[i] = make(i);
	for (int i = 0; i < 2; i++)
		use(comms[i ^ other], i);
	for (int i = 0; i < 2; i++)
		MPI_Comm_free(&comms[i]);
	MPI_Finalize();
	return 0;
}
