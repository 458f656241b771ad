/* Errors on files and windows whose error handler is MPI_ERRORS_ARE_FATAL, and errors of calls
 * that the shim does not see. The argument names the case; with "replaced" another handler was
 * set last. */
#include "../check.h"

static MPI_File file;
static int value;

static void open_for_writing(void)
{
	MPI_File_open(WORLD, "errors_fatal.data",
	              MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
	              &file);
}

static void reads_what_it_writes(void)
{
	open_for_writing();
	MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
	if (rank == 1)
		MPI_File_read(file, &value, 1, MPI_INT, IGNORE);
}

static void reads_together(void)
{
	open_for_writing();
	MPI_File_set_errhandler(file, MPI_ERRORS_ABORT);
	MPI_File_read_all(file, &value, 1, MPI_INT, IGNORE);
}

static void opens_none(void)
{
	MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
	MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

static void calls_handler(void)
{
	open_for_writing();
	MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
	MPI_File_call_errhandler(file, MPI_ERR_IO);
}

static void puts_nowhere(void)
{
	MPI_Win window;

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Win_create(&value, sizeof(value), 1, MPI_INFO_NULL, WORLD, &window);
	MPI_Win_set_errhandler(window, MPI_ERRORS_ARE_FATAL);
	MPI_Put(&value, 1, MPI_INT, 99, 0, 1, MPI_INT, window);
}

static void locks_nowhere(void)
{
	MPI_Win window;

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Win_create(&value, sizeof(value), 1, MPI_INFO_NULL, WORLD, &window);
	MPI_Win_set_errhandler(window, MPI_ERRORS_ARE_FATAL);
	MPI_Win_lock(MPI_LOCK_SHARED, 99, 0, window);
}

static void asks_nobody(void)
{
	MPI_Comm_rank(MPI_COMM_NULL, &value);
}

static void replaced(void)
{
	MPI_Errhandler got;
	MPI_Win window;

	open_for_writing();
	MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
	MPI_File_get_errhandler(file, &got);
	CHECK(got == MPI_ERRORS_ARE_FATAL);
	MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
	CHECK(MPI_File_read(file, &value, 1, MPI_INT, IGNORE) != MPI_SUCCESS);
	MPI_File_close(&file);
	MPI_Win_create(&value, sizeof(value), 1, MPI_INFO_NULL, WORLD, &window);
	MPI_Win_set_errhandler(window, MPI_ERRORS_ARE_FATAL); /* with ABORT MPICH 4.0 crashes */
	MPI_Win_get_errhandler(window, &got);
	CHECK(got == MPI_ERRORS_ARE_FATAL);
	MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
	MPI_Win_get_errhandler(window, &got);
	CHECK(got == MPI_ERRORS_RETURN);
	CHECK(MPI_Put(&value, 1, MPI_INT, 99, 0, 1, MPI_INT, window) != MPI_SUCCESS);
	MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*does)(void);
	} parts[] = {
		{"read", reads_what_it_writes}, {"read all", reads_together},
		{"open", opens_none},           {"call", calls_handler},
		{"put", puts_nowhere},          {"lock", locks_nowhere},
		{"ask", asks_nobody},           {"replaced", replaced},
	};

	start(&argc, &argv);
	for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			parts[i].does();
	MPI_Finalize();
	return 0;
}
