/* A wrong call returns what MPI returns, error class and message, and at the same call: windows,
 * requests, nonblocking and persistent collectives. */
#include "../check.h"

static int in[8], out[8], ones[4] = {1, 1, 1, 1}, bad[4] = {-1, -1, -1, -1}, places[4];
static MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT}, unfinished;

static void show(const char *call, int code)
{
	char text[MPI_MAX_ERROR_STRING] = "no error";
	int class, length;

	MPI_Error_class(code, &class);
	if (code != MPI_SUCCESS)
		MPI_Error_string(class, text, &length);
	printf("%s: %s\n", call, text);
}

#define SHOW(call) show(#call, call)

static void windows(void)
{
	MPI_Win window, none = MPI_WIN_NULL;
	MPI_Group group;
	void *base;
	int flag;

	SHOW(MPI_Win_create(in, -4, 1, MPI_INFO_NULL, WORLD, &window));
	SHOW(MPI_Win_create(in, 4, 0, MPI_INFO_NULL, WORLD, &window));
	SHOW(MPI_Win_allocate(-4, 1, MPI_INFO_NULL, WORLD, &base, &window));
	SHOW(MPI_Win_allocate_shared(4, 0, MPI_INFO_NULL, WORLD, &base, &window));
	SHOW(MPI_Win_create(in, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &window));
	MPI_Win_create(in, sizeof(in), sizeof(int), MPI_INFO_NULL, WORLD, &window);
	MPI_Comm_group(WORLD, &group);
	SHOW(MPI_Win_unlock(rank, window));
	SHOW(MPI_Win_unlock_all(window));
	SHOW(MPI_Win_complete(window));
	SHOW(MPI_Win_wait(window));
	SHOW(MPI_Win_test(window, &flag));
	SHOW(MPI_Win_flush(rank, window));
	SHOW(MPI_Put(out, 1, MPI_INT, rank, 0, 1, MPI_INT, window));
	SHOW(MPI_Win_lock(MPI_LOCK_SHARED, 99, 0, window));
	SHOW(MPI_Win_lock(77, rank, 0, window));
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
	SHOW(MPI_Win_fence(0, window));
	SHOW(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window));
	SHOW(MPI_Win_unlock(99, window));
	MPI_Win_unlock(rank, window);
	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, window);
	SHOW(MPI_Win_lock_all(0, window));
	SHOW(MPI_Win_free(&window));
	MPI_Win_unlock_all(window);
	MPI_Barrier(WORLD);
	SHOW(MPI_Win_start(MPI_GROUP_NULL, 0, window));
	SHOW(MPI_Win_post(MPI_GROUP_NULL, 0, window));
	SHOW(MPI_Win_fence(0, none));
	SHOW(MPI_Win_lock_all(0, none));
	SHOW(MPI_Win_unlock_all(none));
	SHOW(MPI_Win_complete(none));
	SHOW(MPI_Win_wait(none));
	SHOW(MPI_Win_free(&none));
	MPI_Group_free(&group);
	MPI_Win_free(&window);
}

static void requests(void)
{
	MPI_Request request, null = MPI_REQUEST_NULL;
	MPI_Status status, statuses[1];

	MPI_Recv_init(in, 1, MPI_INT, rank, 0, WORLD, &request);
	SHOW(MPI_Cancel(&request));
	SHOW(MPI_Cancel(&null));
	SHOW(MPI_Start(&null));
	MPI_Start(&request);
	SHOW(MPI_Start(&request));
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Request_free(&request);
	SHOW(MPI_Request_free(&null));
	SHOW(MPI_Startall(-1, &null));
	SHOW(MPI_Waitall(-1, &null, statuses));
	SHOW(MPI_Pready(0, null));
	SHOW(MPI_Psend_init(out, -1, 1, MPI_INT, rank, 0, WORLD, MPI_INFO_NULL, &request));
	MPI_Psend_init(out, 2, 1, MPI_INT, rank, 0, WORLD, MPI_INFO_NULL, &request);
	SHOW(MPI_Pready(0, request));
	MPI_Request_free(&request);
}

static void messages(void)
{
	MPI_Request request;
	MPI_Status status;
	int flag;

	SHOW(MPI_Isend(out, -1, MPI_INT, 0, 0, WORLD, &request));
	SHOW(MPI_Isend(out, 1, MPI_INT, 99, 0, WORLD, &request));
	SHOW(MPI_Isend(out, 1, MPI_INT, 0, -5, WORLD, &request));
	SHOW(MPI_Isend(out, 1, unfinished, 0, 0, WORLD, &request));
	SHOW(MPI_Irecv(in, 1, MPI_DATATYPE_NULL, 0, 0, WORLD, &request));
	SHOW(MPI_Irecv(NULL, 1, MPI_INT, 0, 0, WORLD, &request));
	SHOW(MPI_Send_init(out, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &request));
	SHOW(MPI_Bsend(out, 1, MPI_INT, 0, 0, WORLD));
	SHOW(MPI_Probe(99, 0, WORLD, &status));
	SHOW(MPI_Iprobe(0, -7, WORLD, &flag, &status));
}

static void nonblocking(void)
{
	MPI_Request request;

	SHOW(MPI_Ibarrier(MPI_COMM_NULL, &request));
	SHOW(MPI_Ibcast(in, -1, MPI_INT, 0, WORLD, &request));
	SHOW(MPI_Ibcast(in, 1, MPI_INT, 99, WORLD, &request));
	SHOW(MPI_Ibcast(in, 1, MPI_DATATYPE_NULL, 0, WORLD, &request));
	SHOW(MPI_Ibcast(in, 1, unfinished, 0, WORLD, &request));
	SHOW(MPI_Igather(out, -1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_SELF, &request));
	SHOW(MPI_Igather(out, 1, unfinished, in, 1, MPI_INT, 0, MPI_COMM_SELF, &request));
	SHOW(MPI_Iscatter(out, 1, MPI_INT, in, -1, MPI_INT, 0, MPI_COMM_SELF, &request));
	SHOW(MPI_Igatherv(out, 1, unfinished, in, ones, places, MPI_INT, 0, MPI_COMM_SELF,
	                  &request));
	SHOW(MPI_Iallgather(out, -1, MPI_INT, in, 1, MPI_INT, WORLD, &request));
	SHOW(MPI_Iallgatherv(out, 1, MPI_INT, in, bad, places, MPI_INT, WORLD, &request));
	SHOW(MPI_Ialltoall(out, 1, MPI_INT, in, -1, MPI_INT, WORLD, &request));
	SHOW(MPI_Ialltoallv(out, bad, places, MPI_INT, in, ones, places, MPI_INT, WORLD, &request));
	SHOW(MPI_Ialltoallw(out, bad, places, types, in, ones, places, types, WORLD, &request));
	SHOW(MPI_Ireduce(out, in, -1, MPI_INT, MPI_SUM, 0, WORLD, &request));
	SHOW(MPI_Ireduce(out, in, 1, MPI_FLOAT, MPI_BAND, 0, WORLD, &request));
	SHOW(MPI_Iallreduce(out, in, 1, MPI_INT, MPI_OP_NULL, WORLD, &request));
	SHOW(MPI_Iallreduce(out, in, 1, MPI_INT, MPI_REPLACE, WORLD, &request));
	SHOW(MPI_Iallreduce(out, out, 1, MPI_INT, MPI_SUM, WORLD, &request));
	SHOW(MPI_Iscan(out, in, 1, unfinished, MPI_SUM, WORLD, &request));
	SHOW(MPI_Iexscan(out, in, 1, MPI_DOUBLE, MPI_BXOR, WORLD, &request));
	SHOW(MPI_Ireduce_scatter_block(out, in, -1, MPI_INT, MPI_SUM, WORLD, &request));
	SHOW(MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, WORLD, &request));
	SHOW(MPI_Bcast_init(in, -1, MPI_INT, 0, WORLD, MPI_INFO_NULL, &request));
	SHOW(MPI_Allreduce_init(out, in, 1, MPI_INT, MPI_OP_NULL, WORLD, MPI_INFO_NULL, &request));
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Type_contiguous(2, MPI_INT, &unfinished);
	windows();
	requests();
	messages();
	nonblocking();
	MPI_Type_free(&unfinished);
	MPI_Finalize();
	return 0;
}
