/* Every collective call on files, with small and large counts, between independent ones. What is
 * read back is printed. */
#include "../check.h"

enum { MOST = 8 };

static MPI_File file;
static MPI_Status status;
static int values[MOST], got[MOST];

#define DO(call)                              \
	do {                                  \
		fill();                       \
		CHECK((call) == MPI_SUCCESS); \
		show(#call);                  \
	} while (0)

static void fill(void)
{
	for (int i = 0; i < MOST; i++) {
		values[i] = 100 * (rank + 1) + i;
		got[i] = -1;
	}
}

static void show(const char *call)
{
	MPI_Offset size_now, place, shared;

	MPI_File_sync(file);
	MPI_Barrier(WORLD); /* all have written before the first reads */
	MPI_File_get_size(file, &size_now);
	MPI_File_get_position(file, &place);
	MPI_File_get_position_shared(file, &shared);
	printf("%.*s: %d %d %d, size %d, at %d, shared at %d\n", (int)strcspn(call, "("), call,
	       got[0], got[1], got[2], (int)size_now, (int)place, (int)shared);
	MPI_Barrier(WORLD);
}

/* Each rank has two numbers of every six. */
static void set_view(void)
{
	MPI_Datatype part, filetype;

	MPI_Type_contiguous(2, MPI_INT, &part);
	MPI_Type_create_resized(part, 0, (MPI_Aint)sizeof(int) * 2 * size, &filetype);
	MPI_Type_commit(&filetype);
	DO(MPI_File_set_view(file, (MPI_Offset)sizeof(int) * 2 * rank, MPI_INT, filetype, "native",
	                     MPI_INFO_NULL));
	MPI_Type_free(&filetype);
	MPI_Type_free(&part);
}

static void of_the_file(void)
{
	MPI_Info info;
	MPI_Group group;
	int mode, atomic, members;

	DO(MPI_File_preallocate(file, 4));
	DO(MPI_File_set_size(file, 0));
	DO(MPI_File_set_atomicity(file, 1));
	MPI_File_get_atomicity(file, &atomic);
	CHECK(atomic);
	DO(MPI_File_set_atomicity(file, 0));
	MPI_File_get_info(file, &info);
	DO(MPI_File_set_info(file, info));
	MPI_Info_free(&info);
	MPI_File_get_amode(file, &mode);
	CHECK(mode & MPI_MODE_RDWR);
	MPI_File_get_group(file, &group);
	MPI_Group_size(group, &members);
	CHECK(members == size);
	MPI_Group_free(&group);
}

static void together(void)
{
	DO(MPI_File_seek(file, 0, MPI_SEEK_SET));
	DO(MPI_File_write_all(file, values, 4, MPI_INT, &status));
	DO(MPI_File_write_all_c(file, values, 2, MPI_INT, &status));
	DO(MPI_File_seek(file, 0, MPI_SEEK_SET));
	DO(MPI_File_read_all(file, got, 3, MPI_INT, &status));
	DO(MPI_File_read_all_c(file, got, 3, MPI_INT, &status));
	DO(MPI_File_write_at_all(file, 1, values, 2, MPI_INT, &status));
	DO(MPI_File_write_at_all_c(file, 2, values, 2, MPI_INT, &status));
	DO(MPI_File_read_at_all(file, 0, got, 3, MPI_INT, &status));
	DO(MPI_File_read_at_all_c(file, 1, got, 3, MPI_INT, &status));
}

static void in_two_parts(void)
{
	DO(MPI_File_seek(file, 0, MPI_SEEK_SET));
	DO(MPI_File_write_all_begin(file, values, 2, MPI_INT)
	   || MPI_File_write_all_end(file, values, &status));
	DO(MPI_File_write_all_begin_c(file, values, 2, MPI_INT)
	   || MPI_File_write_all_end(file, values, &status));
	DO(MPI_File_seek(file, 0, MPI_SEEK_SET));
	DO(MPI_File_read_all_begin(file, got, 2, MPI_INT)
	   || MPI_File_read_all_end(file, got, &status));
	DO(MPI_File_read_all_begin_c(file, got, 2, MPI_INT)
	   || MPI_File_read_all_end(file, got, &status));
	DO(MPI_File_write_at_all_begin(file, 1, values, 2, MPI_INT)
	   || MPI_File_write_at_all_end(file, values, &status));
	DO(MPI_File_write_at_all_begin_c(file, 2, values, 2, MPI_INT)
	   || MPI_File_write_at_all_end(file, values, &status));
	DO(MPI_File_read_at_all_begin(file, 0, got, 3, MPI_INT)
	   || MPI_File_read_at_all_end(file, got, &status));
	DO(MPI_File_read_at_all_begin_c(file, 1, got, 3, MPI_INT)
	   || MPI_File_read_at_all_end(file, got, &status));
}

static void later(void)
{
	MPI_Request request;

	DO(MPI_File_seek(file, 0, MPI_SEEK_SET));
	DO(MPI_File_iwrite_all(file, values, 2, MPI_INT, &request) || MPI_Wait(&request, &status));
	DO(MPI_File_iwrite_all_c(file, values, 2, MPI_INT, &request)
	   || MPI_Wait(&request, &status));
	DO(MPI_File_seek(file, 0, MPI_SEEK_SET));
	DO(MPI_File_iread_all(file, got, 2, MPI_INT, &request) || MPI_Wait(&request, &status));
	DO(MPI_File_iread_all_c(file, got, 2, MPI_INT, &request) || MPI_Wait(&request, &status));
	DO(MPI_File_iwrite_at_all(file, 1, values, 2, MPI_INT, &request)
	   || MPI_Wait(&request, &status));
	DO(MPI_File_iwrite_at_all_c(file, 1, values, 2, MPI_INT, &request)
	   || MPI_Wait(&request, &status));
	DO(MPI_File_iread_at_all(file, 0, got, 2, MPI_INT, &request)
	   || MPI_Wait(&request, &status));
	DO(MPI_File_iread_at_all_c(file, 0, got, 2, MPI_INT, &request)
	   || MPI_Wait(&request, &status));
}

static void in_order(void)
{
	DO(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	DO(MPI_File_set_size(file, 0));
	DO(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
	DO(MPI_File_write_ordered(file, values, rank + 1, MPI_INT, &status));
	DO(MPI_File_write_ordered_c(file, values, rank + 1, MPI_INT, &status));
	DO(MPI_File_write_ordered_begin(file, values, 1, MPI_INT)
	   || MPI_File_write_ordered_end(file, values, &status));
	DO(MPI_File_write_ordered_begin_c(file, values, 1, MPI_INT)
	   || MPI_File_write_ordered_end(file, values, &status));
	DO(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
	DO(MPI_File_read_ordered(file, got, rank + 1, MPI_INT, &status));
	DO(MPI_File_read_ordered_c(file, got, rank + 1, MPI_INT, &status));
	DO(MPI_File_read_ordered_begin(file, got, 1, MPI_INT)
	   || MPI_File_read_ordered_end(file, got, &status));
	DO(MPI_File_read_ordered_begin_c(file, got, 1, MPI_INT)
	   || MPI_File_read_ordered_end(file, got, &status));
}

/* One rank at a time, so that the result is the same without matchpoint. */
static void alone(void)
{
	MPI_Request request;

	for (int turn = 0; turn < size; turn++) {
		if (rank == turn) {
			fill();
			MPI_File_write_shared(file, values, 1, MPI_INT, &status);
			MPI_File_iwrite_shared(file, values, 1, MPI_INT, &request);
			MPI_Wait(&request, &status);
			MPI_File_write_at(file, 0, values, 1, MPI_INT, &status);
			MPI_File_iread_at(file, 1, got, 2, MPI_INT, &request);
			MPI_Wait(&request, &status);
		}
		show("alone");
	}
}

int main(int argc, char **argv)
{
	const char name[] = "all_files.data";

	start(&argc, &argv);
	CHECK(MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file)
	      == MPI_SUCCESS);
	of_the_file();
	set_view();
	together();
	in_two_parts();
	later();
	in_order();
	alone();
	CHECK(MPI_File_close(&file) == MPI_SUCCESS);
	CHECK(file == MPI_FILE_NULL);
	MPI_Barrier(WORLD);
	if (rank == 0)
		CHECK(MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS);
	MPI_Finalize();
	return 0;
}
