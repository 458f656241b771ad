/* Two ranks use one file by MPI-IO: the same bytes or others, in some order or in none, as the
 * first argument says. With a second one each rank opens it alone. */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64, BYTES = COUNT * sizeof(int) };

static MPI_File file;
static MPI_Request request;
static int rank, data[COUNT], other;

static void write_at(int where)
{
	MPI_File_write_at(file, (MPI_Offset)where * BYTES, data, COUNT, MPI_INT, MPI_STATUS_IGNORE);
}

static void read_at(int where)
{
	MPI_File_read_at(file, (MPI_Offset)where * BYTES, data, COUNT, MPI_INT, MPI_STATUS_IGNORE);
}

/* Of blocks of four integers, every second one from `first` on. */
static void set_view(int first)
{
	MPI_Datatype blocks, type;

	MPI_Type_contiguous(4, MPI_INT, &blocks);
	MPI_Type_create_resized(blocks, 0, 8 * sizeof(int), &type);
	MPI_Type_commit(&type);
	MPI_File_set_view(file, (MPI_Offset)first * 4 * (MPI_Offset)sizeof(int), MPI_INT, type,
	                  "native", MPI_INFO_NULL);
	MPI_Type_free(&blocks);
	MPI_Type_free(&type);
}

static void pass_a_message(void)
{
	if (rank == 0)
		MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void use(const char *how)
{
	if (!strcmp(how, "same")) {
		write_at(0);
	} else if (!strcmp(how, "others")) {
		write_at(rank);
	} else if (!strcmp(how, "read")) {
		rank == 0 ? write_at(0) : read_at(0);
	} else if (!strcmp(how, "only_read")) {
		read_at(0);
	} else if (!strcmp(how, "message")) {
		if (rank == 0)
			write_at(0);
		pass_a_message();
		if (rank == 1)
			read_at(0);
	} else if (!strcmp(how, "late_message")) {
		pass_a_message();
		write_at(0);
	} else if (!strcmp(how, "barrier")) {
		write_at(rank);
		MPI_Barrier(MPI_COMM_WORLD);
		read_at(1 - rank);
	} else if (!strcmp(how, "no_barrier")) {
		write_at(rank);
		read_at(1 - rank);
	} else if (!strcmp(how, "pointer")) {
		MPI_File_seek(file, rank == 0 ? 0 : BYTES / 2, MPI_SEEK_SET);
		MPI_File_write(file, data, COUNT, MPI_INT, MPI_STATUS_IGNORE);
	} else if (!strcmp(how, "view")) {
		set_view(rank);
		write_at(0);
	} else if (!strcmp(how, "same_view")) {
		set_view(1);
		write_at(0);
	} else if (!strcmp(how, "begun")) {
		MPI_File_iwrite_at(file, 0, data, COUNT, MPI_INT, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (!strcmp(how, "together")) {
		MPI_File_write_at_all(file, (MPI_Offset)rank * BYTES, data, COUNT, MPI_INT,
		                      MPI_STATUS_IGNORE);
	} else if (!strcmp(how, "same_together")) {
		MPI_File_write_at_all(file, 0, data, COUNT, MPI_INT, MPI_STATUS_IGNORE);
	} else {
		abort();
	}
}

int main(int argc, char **argv)
{
	bool alone = argc > 2;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < COUNT; i++)
		data[i] = 7;
	if (alone && rank == 0) {
		MPI_File_open(MPI_COMM_SELF, "accessed", MPI_MODE_CREATE | MPI_MODE_RDWR,
		              MPI_INFO_NULL, &file);
		MPI_File_close(&file);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_open(alone ? MPI_COMM_SELF : MPI_COMM_WORLD, "accessed",
	              MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	use(argv[1]);
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
