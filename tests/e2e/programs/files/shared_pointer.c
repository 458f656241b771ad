/* Ranks write or read a file with the shared file pointer: in any order, or in an order that
 * messages, barriers or MPI_File_write_ordered give. */
#include "../check.h"

static char line[] = "rank 0\n";
static MPI_File file;

static void move(const char *call)
{
	MPI_Request request;
	char read[sizeof(line)];

	if (!strcmp(call, "iwrite")) {
		MPI_File_iwrite_shared(file, line, sizeof(line), MPI_BYTE, &request);
		MPI_Wait(&request, IGNORE);
	} else if (!strcmp(call, "read")) {
		MPI_File_read_shared(file, read, sizeof(read), MPI_BYTE, IGNORE);
	} else if (!strcmp(call, "iread")) {
		MPI_File_iread_shared(file, read, sizeof(read), MPI_BYTE, &request);
		MPI_Wait(&request, IGNORE);
	} else {
		MPI_File_write_shared(file, line, sizeof(line), MPI_BYTE, IGNORE);
	}
}

/* A token goes from rank to rank. */
static void in_turns(const char *call)
{
	if (rank > 0)
		MPI_Recv(&rank, 1, MPI_INT, rank - 1, 0, WORLD, IGNORE);
	move(call);
	if (rank < size - 1)
		MPI_Send(&(int){rank + 1}, 1, MPI_INT, rank + 1, 0, WORLD);
}

static void between_barriers(const char *call)
{
	for (int turn = 0; turn < size; turn++) {
		if (turn == rank)
			move(call);
		MPI_Barrier(WORLD);
	}
}

int main(int argc, char **argv)
{
	MPI_Comm comm;

	start(&argc, &argv);
	CHECK(argc == 3);
	line[5] = (char)('0' + rank);
	comm = strcmp(argv[1], "own") ? WORLD : MPI_COMM_SELF;
	MPI_File_open(comm, comm == WORLD ? "shared.out" : line + 5,
	              MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
	              &file);
	if (!strcmp(argv[1], "turns"))
		in_turns(argv[2]);
	else if (!strcmp(argv[1], "barriers"))
		between_barriers(argv[2]);
	else if (!strcmp(argv[1], "ordered"))
		MPI_File_write_ordered(file, line, sizeof(line), MPI_BYTE, IGNORE);
	else if (strcmp(argv[1], "one") || rank == 1)
		move(argv[2]);
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
