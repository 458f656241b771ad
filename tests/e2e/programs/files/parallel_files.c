/* MPI-IO of every kind, between choices: collective and independent, views, split, nonblocking,
 * shared file pointers. */
#include "../check.h"

enum { N = 1000 };
static int values[N], got[N];

static void race(void)
{
	int value;
	MPI_Barrier(WORLD);
	if (rank) {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	} else {
		for (int i = 1; i < size; i++)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	}
	MPI_Barrier(WORLD);
}

static void views(MPI_File file)
{
	MPI_Datatype type;
	MPI_Request request;

	MPI_Type_vector(N, 1, size, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, type, "native",
	                  MPI_INFO_NULL);
	MPI_File_write_all(file, values, N, MPI_INT, IGNORE);
	race();
	MPI_File_seek(file, 0, MPI_SEEK_SET);
	MPI_File_read_all(file, got, N, MPI_INT, IGNORE);
	CHECK(memcmp(values, got, sizeof(got)) == 0);
	MPI_File_seek(file, 0, MPI_SEEK_SET);
	MPI_File_read(file, got, N, MPI_INT, IGNORE);
	CHECK(memcmp(values, got, sizeof(got)) == 0);
	MPI_File_write_at_all_begin(file, 0, values, N, MPI_INT);
	MPI_File_write_at_all_end(file, values, IGNORE);
	MPI_File_read_at_all(file, 0, got, N, MPI_INT, IGNORE);
	CHECK(memcmp(values, got, sizeof(got)) == 0);
	memset(got, 0, sizeof(got));
	MPI_File_iread_at_all(file, 0, got, N, MPI_INT, &request);
	race();
	MPI_Wait(&request, IGNORE);
	CHECK(memcmp(values, got, sizeof(got)) == 0);
	MPI_File_iwrite_at_all(file, 0, values, N, MPI_INT, &request);
	race();
	MPI_Wait(&request, IGNORE);
	MPI_Type_free(&type);
}

static void shared(MPI_File file)
{
	int letter = 'a' + rank, sum = 0, all;
	MPI_Offset at;

	MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_set_size(file, 0);
	MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
	MPI_File_write_shared(file, &letter, 1, MPI_INT, IGNORE);
	race();
	MPI_File_write_shared(file, &letter, 1, MPI_INT, IGNORE);
	MPI_Barrier(WORLD);
	MPI_File_get_position_shared(file, &at);
	CHECK(at == 2 * size);
	MPI_Barrier(WORLD);
	MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
	for (int i = 0; i < 2; i++) {
		int one;
		MPI_File_read_shared(file, &one, 1, MPI_INT, IGNORE);
		sum += one;
	}
	MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK(all == 2 * (size * 'a' + size * (size - 1) / 2));
	MPI_File_write_ordered(file, &letter, 1, MPI_INT, IGNORE);
	race();
	MPI_File_seek_shared(file, -size, MPI_SEEK_CUR);
	MPI_File_read_ordered(file, &sum, 1, MPI_INT, IGNORE);
	CHECK(sum == letter);
}

int main(int argc, char **argv)
{
	MPI_File file;

	start(&argc, &argv);
	for (int i = 0; i < N; i++)
		values[i] = rank * N + i;
	MPI_File_open(WORLD, "parallel_files.data",
	              MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
	              &file);
	views(file);
	shared(file);
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
