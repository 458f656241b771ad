/* The buffer of an operation on a file that is not complete. The first argument names the call, the
 * second one what the program does meanwhile: "changed" it stores into the buffer, "free" and
 * "munmap" give it back, "scope" the function whose variable it is returns, "twice" a receive uses
 * it too. "late": all of that after the completion. "looks": MPI_Test, and then a wait for several,
 * complete it. "window": the buffer lies in a window, where others may write. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/mman.h>

#include "../check.h"

enum { COUNT = 2000, BYTES = COUNT * sizeof(int) };

static MPI_File file;
static const char *call;
static MPI_Request request = MPI_REQUEST_NULL;

static bool is(const char *name)
{
	return !strcmp(call, name);
}

static void begin(int *own)
{
	MPI_Offset at = (MPI_Offset)rank * BYTES;

	if (is("iwrite"))
		MPI_File_iwrite(file, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("iwrite_c"))
		MPI_File_iwrite_c(file, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("iwrite_at"))
		MPI_File_iwrite_at(file, at, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("iwrite_all"))
		MPI_File_iwrite_all(file, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("iwrite_at_all"))
		MPI_File_iwrite_at_all(file, at, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("iwrite_shared"))
		MPI_File_iwrite_shared(file, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("iread"))
		MPI_File_iread(file, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("iread_at"))
		MPI_File_iread_at(file, at, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("iread_all"))
		MPI_File_iread_all(file, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("iread_at_all"))
		MPI_File_iread_at_all(file, at, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("iread_shared"))
		MPI_File_iread_shared(file, own, COUNT, MPI_INT, &request); /* begins */
	else if (is("write_all"))
		MPI_File_write_all_begin(file, own, COUNT, MPI_INT); /* begins */
	else if (is("write_at_all"))
		MPI_File_write_at_all_begin(file, at, own, COUNT, MPI_INT); /* begins */
	else if (is("write_ordered"))
		MPI_File_write_ordered_begin(file, own, COUNT, MPI_INT); /* begins */
	else if (is("read_all"))
		MPI_File_read_all_begin(file, own, COUNT, MPI_INT); /* begins */
	else if (is("read_at_all"))
		MPI_File_read_at_all_begin(file, at, own, COUNT, MPI_INT); /* begins */
	else if (is("read_ordered"))
		MPI_File_read_ordered_begin(file, own, COUNT, MPI_INT); /* begins */
	else
		CHECK(!"a call");
}

static void finish(int *own)
{
	if (is("write_all"))
		MPI_File_write_all_end(file, own, IGNORE); /* completes */
	else if (is("write_at_all"))
		MPI_File_write_at_all_end(file, own, IGNORE); /* completes */
	else if (is("write_ordered"))
		MPI_File_write_ordered_end(file, own, IGNORE); /* completes */
	else if (is("read_all"))
		MPI_File_read_all_end(file, own, IGNORE); /* completes */
	else if (is("read_at_all"))
		MPI_File_read_at_all_end(file, own, IGNORE); /* completes */
	else if (is("read_ordered"))
		MPI_File_read_ordered_end(file, own, IGNORE); /* completes */
	else
		MPI_Wait(&request, IGNORE); /* completes */
}

/* Far from other frames, since MPI still writes there. */
static int *in_a_frame(bool late)
{
	struct {
		int own[COUNT];
		char rest[1 << 18];
	} frame;
	int *where = frame.own;

	memset(&frame, 0, sizeof(frame));
	begin(where);
	if (late)
		finish(where);
	return where;
}

static void change(int *own)
{
	own[COUNT / 2]++;
}

/* Another operation in the same bytes. */
static void use_twice(int *own)
{
	MPI_Sendrecv(&rank, 1, MPI_INT, rank, 0, own, 1, MPI_INT, rank, 0, WORLD, IGNORE);
}

static void look(int *own)
{
	MPI_Request all[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status statuses[2];
	int done = 0;

	begin(own);
	while (!done)
		MPI_Test(&request, &done, IGNORE);
	change(own);
	begin(own);
	all[1] = request;
	MPI_Waitall(2, all, statuses);
	change(own);
}

static void in_a_window(void)
{
	MPI_Win window;
	int *own, *part;

	MPI_Win_allocate(BYTES, sizeof(int), MPI_INFO_NULL, WORLD, &own, &window);
	part = own;
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
	part[COUNT / 2] = 5;
	begin(part);
	finish(part);
	MPI_Win_unlock(rank, window);
	MPI_Win_free(&window);
}

static int *map(int *where)
{
	return mmap(where, BYTES, PROT_READ | PROT_WRITE,
	            MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0);
}

/* MPI may read or write the memory after the program has given it back. So it is mapped again. */
static void in_memory(const char *way, bool late)
{
	bool mapped = !strcmp(way, "munmap");
	int *own = mapped ? map(NULL) : malloc(BYTES);

	memset(own, 0, BYTES);
	begin(own);
	if (late)
		finish(own);
	if (mapped) {
		munmap(own, BYTES);
		map(own);
	} else if (!strcmp(way, "free")) {
		free(own);
	} else if (!strcmp(way, "changed")) {
		change(own);
	} else {
		use_twice(own);
	}
	if (!late)
		finish(own);
	if (!mapped && strcmp(way, "free") != 0)
		free(own);
}

int main(int argc, char **argv)
{
	static int other[COUNT];
	const char *way;
	bool late;

	call = argv[1];
	way = argv[2];
	late = argc > 3;
	start(&argc, &argv);
	MPI_File_open(WORLD, "file_buffers.out",
	              MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
	              &file);
	MPI_File_set_size(file, (MPI_Offset)BYTES * size);
	if (!strcmp(way, "looks")) {
		look(other);
	} else if (!strcmp(way, "window")) {
		in_a_window();
	} else if (!strcmp(way, "scope")) {
		int *left = in_a_frame(late);

		if (!late)
			finish(left);
	} else {
		in_memory(way, late);
	}
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
