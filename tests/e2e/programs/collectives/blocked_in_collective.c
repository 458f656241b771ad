/* Collectives executed by MPI, with all members inside. "hints": the ranks differ in an argument
 * that MPI does not compare, so MPI itself never returns. Otherwise it returns after a long time:
 * the disk is slow, or a function of the program that MPI calls computes. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

enum { PIECES = 25, PIECE = 64 };

static void wait_a_moment(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
}

/* MPI's own calls come here: simulates a slow disk, which takes a piece at a time. */
ssize_t pwrite(int file, const void *data, size_t count, off_t offset)
{
	size_t done = 0;

	while (done < count) {
		size_t piece = count - done < PIECE ? count - done : PIECE;
		long written = syscall(SYS_pwrite64, file, (const char *)data + done, piece,
		                       offset + (off_t)done);

		if (written < 0)
			return -1;
		done += (size_t)written;
		wait_a_moment();
	}
	return (ssize_t)done;
}

static int copy_slowly(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
	(void)comm;
	(void)key;
	(void)extra;
	for (int i = 0; i < PIECES; i++)
		wait_a_moment();
	*(void **)copy = value;
	*flag = 1;
	return MPI_SUCCESS;
}

static void duplicate_slowly(void)
{
	MPI_Comm copy;
	int key;

	MPI_Comm_create_keyval(copy_slowly, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(WORLD, key, NULL);
	MPI_Comm_dup(WORLD, &copy);
	MPI_Comm_free(&copy);
	MPI_Comm_delete_attr(WORLD, key);
	MPI_Comm_free_keyval(&key);
}

static void write_together(MPI_Info info)
{
	static char data[PIECES * PIECE];
	MPI_File file;

	CHECK(MPI_File_open(WORLD, "blocking_call_collective.data",
	                    MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file)
	      == MPI_SUCCESS);
	MPI_File_write_at_all(file, (MPI_Offset)rank * sizeof(data), data, sizeof(data), MPI_BYTE,
	                      IGNORE);
	MPI_File_close(&file);
}

int main(int argc, char **argv)
{
	int differ = argc > 1 && strcmp(argv[1], "hints") == 0;
	MPI_Info info;

	start(&argc, &argv);
	MPI_Info_create(&info);
	if (differ)
		MPI_Info_set(info, "romio_cb_write", rank ? "enable" : "disable");
	write_together(info);
	MPI_Info_free(&info);
	if (!differ)
		duplicate_slowly();
	MPI_Finalize();
	return 0;
}
