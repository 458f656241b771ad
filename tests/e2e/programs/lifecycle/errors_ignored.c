/* Errors are to be returned. The argument names the call that fails. What it returns is looked at
 * only with a second argument: the program then ends. */
#include "../check.h"

static int buffer[4], two;
static MPI_Request requests[2];

static void on_error(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
}

static int truncated(int way)
{
	MPI_Status statuses[2];

	if (rank == 0) {
		MPI_Send(buffer, 4, MPI_INT, 1, 0, WORLD);
		MPI_Send(buffer, 2, MPI_INT, 1, 1, WORLD);
	}
	if (rank != 1)
		return MPI_SUCCESS;
	MPI_Irecv(&two, 1, MPI_INT, 0, 0, WORLD, &requests[0]);
	MPI_Irecv(buffer, 2, MPI_INT, 0, 1, WORLD, &requests[1]);
	if (way == 2)
		return MPI_Waitall(2, requests, statuses);
	return MPI_Wait(&requests[0], IGNORE) | MPI_Wait(&requests[1], IGNORE);
}

static int with_handler(void)
{
	MPI_Errhandler handler;

	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Comm_set_errhandler(WORLD, handler);
	MPI_Errhandler_free(&handler);
	return MPI_Send(buffer, -1, MPI_INT, 0, 0, WORLD);
}

static int on_window(void)
{
	MPI_Win window;
	int code;

	MPI_Win_create(buffer, sizeof(buffer), sizeof(int), MPI_INFO_NULL, WORLD, &window);
	MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
	MPI_Win_lock_all(0, window);
	code = MPI_Put(buffer, -1, MPI_INT, 0, 0, 1, MPI_INT, window);
	MPI_Win_unlock_all(window);
	MPI_Win_free(&window);
	return code;
}

/* Errors on files are returned by default. */
static int on_file(void)
{
	MPI_File file;

	return MPI_File_open(WORLD, "no such file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

static int fail(const char *how)
{
	if (!strcmp(how, "wait") || !strcmp(how, "waitall"))
		return truncated(strcmp(how, "wait") ? 2 : 1);
	if (!strcmp(how, "handler"))
		return with_handler();
	if (!strcmp(how, "window"))
		return on_window();
	if (!strcmp(how, "file"))
		return on_file();
	if (!strcmp(how, "passed"))
		return MPI_Comm_size(MPI_COMM_NULL, &two);
	if (!strcmp(how, "collective"))
		return MPI_Bcast(buffer, 1, MPI_INT, 99, WORLD);
	/* These are no errors of the program's. */
	MPI_File_delete("no such file", MPI_INFO_NULL);
	MPI_Comm_call_errhandler(WORLD, MPI_ERR_OTHER);
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int code;

	start(&argc, &argv);
	CHECK(argc >= 2);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	code = fail(argv[1]);
	if (argc > 2 && code != MPI_SUCCESS)
		MPI_Abort(WORLD, 3);
	MPI_Finalize();
	return 0;
}
