/* Rank 0 prints what a one-sided call fetches, before or after the call is complete (MPI 3.1,
 * section 11.3). Before that, the buffer may have the old content or the new.
 *
 * Arguments: WINDOW EPOCH CALL COMPLETION. If COMPLETION is "nothing", the data is printed inside
 * of the epoch; with "store", it is overwritten there instead. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 8 };

static int rank, size, target, *memory;
static MPI_Win window;
static MPI_Group everyone;

static bool is(const char *one, const char *other)
{
	return strcmp(one, other) == 0;
}

static void make_window(const char *kind)
{
	static int own[CELLS];
	MPI_Aint bytes = sizeof(own), address;

	if (is(kind, "create")) {
		memory = own;
		MPI_Win_create(own, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	} else if (is(kind, "allocate")) {
		MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
		                 &window);
	} else if (is(kind, "shared")) {
		MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
		                        &window);
	} else {
		memory = own;
		MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
		MPI_Win_attach(window, own, bytes);
	}
	for (int i = 0; i < CELLS; i++)
		memory[i] = 100 * (rank + 1) + i;
	MPI_Get_address(memory, &address);
	MPI_Win_get_group(window, &everyone);
	MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Aint first_cell(const char *kind)
{
	MPI_Aint address = 0;

	if (!is(kind, "dynamic"))
		return 0;
	MPI_Get_address(memory, &address);
	MPI_Bcast(&address, 1, MPI_AINT, target, MPI_COMM_WORLD);
	return address;
}

static void begin(const char *epoch)
{
	if (is(epoch, "fence"))
		MPI_Win_fence(0, window);
	else if (is(epoch, "post")) {
		MPI_Win_post(everyone, 0, window);
		MPI_Win_start(everyone, 0, window);
	} else if (rank == 0 && is(epoch, "lock"))
		MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
	else if (rank == 0 && is(epoch, "exclusive"))
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
	else if (rank == 0)
		MPI_Win_lock_all(0, window);
}

static void end(const char *epoch)
{
	if (is(epoch, "fence"))
		MPI_Win_fence(0, window);
	else if (is(epoch, "post")) {
		MPI_Win_complete(window);
		MPI_Win_wait(window);
	} else if (rank == 0 && is(epoch, "all"))
		MPI_Win_unlock_all(window);
	else if (rank == 0)
		MPI_Win_unlock(target, window);
}

static void fetch(const char *call, MPI_Aint at, int *local, MPI_Request *request)
{
	static const int one = 1, expected = 201, none[2];
	MPI_Datatype every_other;

	if (is(call, "get"))
		MPI_Get(local, 2, MPI_INT, target, at, 2, MPI_INT, window);
	else if (is(call, "rget"))
		MPI_Rget(local, 2, MPI_INT, target, at, 2, MPI_INT, window, request);
	else if (is(call, "get_accumulate"))
		MPI_Get_accumulate(&one, 1, MPI_INT, local, 1, MPI_INT, target, at, 1, MPI_INT,
		                   MPI_SUM, window);
	else if (is(call, "get_no_op"))
		MPI_Get_accumulate(none, 2, MPI_INT, local, 2, MPI_INT, target, at, 2, MPI_INT,
		                   MPI_NO_OP, window);
	else if (is(call, "rget_accumulate"))
		MPI_Rget_accumulate(&one, 1, MPI_INT, local, 1, MPI_INT, target, at, 1, MPI_INT,
		                    MPI_REPLACE, window, request);
	else if (is(call, "fetch_and_op"))
		MPI_Fetch_and_op(&one, local, MPI_INT, target, at, MPI_SUM, window);
	else if (is(call, "compare_and_swap"))
		MPI_Compare_and_swap(&one, &expected, local, MPI_INT, target, at, window);
	else if (is(call, "nothing"))
		MPI_Get(local, 0, MPI_INT, target, at, 0, MPI_INT, window);
	else if (is(call, "null"))
		MPI_Get(local, 2, MPI_INT, MPI_PROC_NULL, at, 2, MPI_INT, window);
	else {
		MPI_Type_vector(2, 1, 2, MPI_INT, &every_other);
		MPI_Type_commit(&every_other);
		MPI_Get(local, 1, every_other, target, at, 1, every_other, window);
		MPI_Type_free(&every_other);
	}
}

static void complete(const char *completion, MPI_Request *request)
{
	int done = 0, index;

	if (is(completion, "flush"))
		MPI_Win_flush(target, window);
	else if (is(completion, "flush_other"))
		MPI_Win_flush((target + 1) % size, window);
	else if (is(completion, "flush_local"))
		MPI_Win_flush_local(target, window);
	else if (is(completion, "flush_all"))
		MPI_Win_flush_all(window);
	else if (is(completion, "flush_local_all"))
		MPI_Win_flush_local_all(window);
	else if (is(completion, "sync"))
		MPI_Win_sync(window);
	else if (is(completion, "wait"))
		MPI_Wait(request, MPI_STATUS_IGNORE);
	else if (is(completion, "waitany"))
		MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
	else if (is(completion, "waitall"))
		MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
	else if (is(completion, "test"))
		while (!done)
			MPI_Test(request, &done, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int local[4] = {-1, -1, -1, -1};
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Aint at;

	if (argc < 5)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	target = argc > 5 ? atoi(argv[5]) : 1;
	make_window(argv[1]);
	at = first_cell(argv[1]);
	begin(argv[2]);
	if (rank == 0) {
		fetch(argv[3], at, local, &request);
		complete(argv[4], &request);
		if (is(argv[4], "store"))
			local[0] = 5;
		else if (!is(argv[4], "end"))
			printf("%d %d %d\n", local[0], local[1], local[2]);
	}
	end(argv[2]);
	if (rank == 0 && !is(argv[4], "store"))
		printf("%d %d %d\n", local[0], local[1], local[2]);
	if (request != MPI_REQUEST_NULL)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Group_free(&everyone);
	if (is(argv[1], "dynamic")) {
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Win_detach(window, memory);
	}
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
