/* Error handlers: their arguments and order, and what the calls return, are the same as without
 * matchpoint. */
#include "../check.h"

static int error_class(int code)
{
	int class;

	MPI_Error_class(code, &class);
	return class;
}

/* Handlers may call MPI. */
static void say(const char *who, MPI_Comm *comm, int *code)
{
	char text[MPI_MAX_ERROR_STRING];
	int length, members = 0;

	if (comm)
		MPI_Comm_size(*comm, &members);
	MPI_Error_string(error_class(*code), text, &length);
	printf("%s: class %d (%s), of %d\n", who, error_class(*code), text, members);
}

static void first(MPI_Comm *comm, int *code, ...)
{
	say("first handler", comm, code);
}

static void second(MPI_Comm *comm, int *code, ...)
{
	say("second handler", comm, code);
}

static void of_file(MPI_File *file, int *code, ...)
{
	CHECK(file);
	say("the file's handler", NULL, code);
}

static void of_window(MPI_Win *window, int *code, ...)
{
	CHECK(*window != MPI_WIN_NULL);
	say("the window's handler", NULL, code);
}

static void result(const char *what, int code)
{
	printf("%s returns class %d\n", what, error_class(code));
}

/* A few wrong calls that do not communicate. */
static void wrong(MPI_Comm comm)
{
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Comm made = MPI_COMM_NULL;
	int value = 0;

	result("MPI_Send", MPI_Send(&value, 1, MPI_INT, 99, 0, comm));
	result("MPI_Isend", MPI_Isend(&value, -1, MPI_INT, 0, 0, comm, &request));
	result("MPI_Recv", MPI_Recv(&value, 1, MPI_INT, 0, -7, comm, IGNORE));
	result("MPI_Bcast", MPI_Bcast(&value, 1, MPI_INT, 99, comm));
	result("MPI_Ibcast", MPI_Ibcast(&value, -1, MPI_INT, 0, comm, &request));
	result("MPI_Reduce", MPI_Reduce(&value, &value, 1, MPI_INT, MPI_SUM, 99, comm));
	result("MPI_Recv_init", MPI_Recv_init(&value, 1, MPI_INT, 99, 0, comm, &request));
	result("MPI_Comm_split", MPI_Comm_split(comm, -5, 0, &made));
	if (made != MPI_COMM_NULL) /* MPICH 4.0.2 takes any color */
		MPI_Comm_free(&made);
	result("MPI_Comm_rank", MPI_Comm_rank(comm, NULL));
	result("MPI_Cart_coords", MPI_Cart_coords(comm, 0, 1, &value));
	result("MPI_Send, no communicator", MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
}

/* Receives a message that is too long, in every way that there is. */
static void truncated(MPI_Comm comm)
{
	int value, index, flag = 0, count;
	MPI_Request request;
	MPI_Message message;
	MPI_Status status;

	result("MPI_Recv", MPI_Recv(&value, 1, MPI_INT, 0, 0, comm, IGNORE));
	result("MPI_Sendrecv", MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1,
	                                    MPI_INT, 0, 0, comm, IGNORE));
	MPI_Mprobe(0, 0, comm, &message, IGNORE);
	result("MPI_Mrecv", MPI_Mrecv(&value, 1, MPI_INT, &message, IGNORE));
	MPI_Irecv(&value, 1, MPI_INT, 0, 0, comm, &request);
	result("MPI_Wait", MPI_Wait(&request, &status));
	MPI_Irecv(&value, 1, MPI_INT, 0, 0, comm, &request);
	result("MPI_Waitall", MPI_Waitall(1, &request, &status));
	result("its status", status.MPI_ERROR);
	MPI_Irecv(&value, 1, MPI_INT, 0, 0, comm, &request);
	result("MPI_Waitany", MPI_Waitany(1, &request, &index, &status));
	MPI_Irecv(&value, 1, MPI_INT, 0, 0, comm, &request);
	result("MPI_Waitsome", MPI_Waitsome(1, &request, &count, &index, &status));
	result("its status", status.MPI_ERROR);
	MPI_Irecv(&value, 1, MPI_INT, 0, 0, comm, &request);
	while (!flag)
		count = MPI_Test(&request, &flag, &status);
	result("MPI_Test", count);
	MPI_Recv_init(&value, 1, MPI_INT, 0, 0, comm, &request);
	MPI_Start(&request);
	result("MPI_Wait", MPI_Wait(&request, &status));
	MPI_Start(&request);
	result("MPI_Waitany", MPI_Waitany(1, &request, &index, &status));
	MPI_Start(&request);
	result("MPI_Waitall", MPI_Waitall(1, &request, &status));
	MPI_Start(&request);
	do
		count = MPI_Testany(1, &request, &index, &flag, &status);
	while (!flag);
	result("MPI_Testany", count);
	MPI_Start(&request);
	do
		count = MPI_Test(&request, &flag, &status);
	while (!flag);
	result("MPI_Test", count);
	MPI_Request_free(&request);
}

static void too_long(MPI_Comm comm)
{
	const int two[2] = {1, 2};

	if (rank == 1)
		truncated(comm);
	for (int i = 0; rank == 0 && i < 13; i++)
		MPI_Send(two, 2, MPI_INT, 1, 0, comm);
}

static void buffers(void)
{
	char buffer[MPI_BSEND_OVERHEAD + 8];
	void *back;
	int data[100] = {0}, bytes, got;

	result("MPI_Bsend without a buffer", MPI_Bsend(data, 1, MPI_INT, rank, 0, WORLD));
	MPI_Buffer_attach(buffer, sizeof(buffer));
	result("MPI_Buffer_attach again", MPI_Buffer_attach(buffer, sizeof(buffer)));
	result("MPI_Bsend of too much", MPI_Bsend(data, 100, MPI_INT, rank, 0, WORLD));
	data[0] = 5;
	result("MPI_Bsend", MPI_Bsend(data, 1, MPI_INT, rank, 0, WORLD));
	MPI_Recv(&got, 1, MPI_INT, rank, 0, WORLD, IGNORE);
	MPI_Buffer_detach(&back, &bytes);
	printf("%d, buffer %d\n", got, back == buffer && bytes == sizeof(buffer));
}

static void called(MPI_Comm comm, MPI_Errhandler one, MPI_Errhandler other)
{
	MPI_Errhandler got;
	MPI_Comm copy;

	MPI_Comm_set_errhandler(comm, one);
	MPI_Comm_dup(comm, &copy); /* inherits the handler */
	MPI_Comm_set_errhandler(comm, other);
	wrong(copy);
	too_long(copy);
	result("MPI_Comm_call_errhandler", MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER));
	MPI_Comm_get_errhandler(copy, &got);
	CHECK(got == one);
	MPI_Errhandler_free(&got);
	MPI_Errhandler_get(comm, &got);
	CHECK(got == other);
	MPI_Errhandler_free(&got);
	MPI_Errhandler_set(copy, other);
	MPI_Comm_call_errhandler(copy, MPI_ERR_TAG);
	MPI_Comm_free(&copy);
}

static void own_codes(void)
{
	int class, code;
	char text[MPI_MAX_ERROR_STRING];
	int length;

	MPI_Add_error_class(&class);
	MPI_Add_error_code(class, &code);
	MPI_Add_error_string(code, "an error of ours");
	MPI_Error_string(code, text, &length);
	CHECK(error_class(code) == class);
	printf("%s\n", text);
	CHECK(MPI_Comm_call_errhandler(WORLD, code) == MPI_SUCCESS);
}

static void others(void)
{
	MPI_Errhandler for_files, for_windows, got;
	MPI_File file;
	MPI_Win window;
	int value = 0;

	result("MPI_File_open",
	       MPI_File_open(WORLD, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
	MPI_File_create_errhandler(of_file, &for_files);
	MPI_File_set_errhandler(MPI_FILE_NULL, for_files);
	result("MPI_File_open",
	       MPI_File_open(WORLD, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
	MPI_File_open(WORLD, "all_error_handlers.data",
	              MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
	              &file);
	MPI_File_set_errhandler(file, for_files);
	MPI_File_get_errhandler(file, &got);
	CHECK(got == for_files);
	result("MPI_File_write", MPI_File_write(file, &value, -1, MPI_INT, IGNORE));
	result("MPI_File_read_all", MPI_File_read_all(file, &value, -1, MPI_INT, IGNORE));
	result("MPI_File_call_errhandler", MPI_File_call_errhandler(file, MPI_ERR_IO));
	MPI_File_close(&file);
	MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
	MPI_Errhandler_free(&for_files);

	MPI_Win_create(&value, sizeof(value), 1, MPI_INFO_NULL, WORLD, &window);
	MPI_Win_create_errhandler(of_window, &for_windows);
	MPI_Win_set_errhandler(window, for_windows);
	result("MPI_Put", MPI_Put(&value, 1, MPI_INT, 99, 0, 1, MPI_INT, window));
	result("MPI_Win_call_errhandler", MPI_Win_call_errhandler(window, MPI_ERR_WIN));
	MPI_Win_free(&window);
	MPI_Errhandler_free(&for_windows);
}

int main(int argc, char **argv)
{
	MPI_Errhandler one, other;

	start(&argc, &argv);
	MPI_Comm_create_errhandler(first, &one);
	MPI_Errhandler_create(second, &other);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	wrong(WORLD);
	too_long(WORLD);
	buffers();
	called(WORLD, one, other);
	own_codes();
	MPI_Comm_set_errhandler(WORLD, one);
	buffers();
	others();
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&one);
	MPI_Errhandler_free(&other);
	MPI_Finalize();
	return 0;
}
