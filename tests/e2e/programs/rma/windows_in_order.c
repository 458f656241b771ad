/* Every way to order one-sided accesses, each used correctly: nothing conflicts. With an argument:
 * atomic operations, and the ways in which a rank learns from memory what others have done. */
#include "../check.h"

#define ROOM 64

static int *memory, buffer[ROOM];
static MPI_Win win;

static int next(void)
{
	return (rank + 1) % size;
}

static void put(int value, int target, int at)
{
	buffer[at] = value;
	MPI_Put(&buffer[at], 1, MPI_INT, target, at, 1, MPI_INT, win);
}

static void get(int target, int at)
{
	MPI_Get(&buffer[at], 1, MPI_INT, target, at, 1, MPI_INT, win);
}

static void fences(void)
{
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	put(1, next(), rank);
	MPI_Win_fence(0, win);
	get(next(), rank);
	MPI_Win_fence(0, win);
	put(2, 0, rank);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Barrier(WORLD);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	put(3, 0, (rank + 1) % size);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

/* Ranks 1 and 2 access rank 0: first both concurrently, then one after the other. */
static void exposures(void)
{
	MPI_Group all, origins, target, one[2];
	int both[2] = {1, 2}, none = 0;

	MPI_Comm_group(WORLD, &all);
	MPI_Group_incl(all, 2, both, &origins);
	MPI_Group_incl(all, 1, &none, &target);
	MPI_Group_incl(all, 1, &both[0], &one[0]);
	MPI_Group_incl(all, 1, &both[1], &one[1]);
	if (rank == 0) {
		MPI_Win_post(origins, 0, win);
		MPI_Win_wait(win);
		for (int i = 0; i < 2; i++) {
			MPI_Win_post(one[i], 0, win);
			MPI_Win_wait(win);
		}
	} else {
		MPI_Win_start(target, 0, win);
		put(rank, 0, rank);
		MPI_Win_complete(win);
		MPI_Win_start(target, 0, win);
		put(rank, 0, 5);
		MPI_Win_complete(win);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&origins);
	MPI_Group_free(&target);
	MPI_Group_free(&one[0]);
	MPI_Group_free(&one[1]);
	MPI_Barrier(WORLD);
}

static void locks(void)
{
	if (rank > 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		put(rank, 0, 7);
		MPI_Win_unlock(0, win);
		MPI_Win_lock(MPI_LOCK_SHARED, next(), 0, win);
		put(rank, next(), rank);
		MPI_Win_flush_local(next(), win);
		put(rank, next(), rank + 10);
		MPI_Win_flush(next(), win);
		put(rank, next(), rank);
		MPI_Win_unlock(next(), win);
	}
	MPI_Barrier(WORLD);
}

/* What one rank has flushed the next may read, after a message, a broadcast or a barrier. */
static void flushes(void)
{
	MPI_Request request;

	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		put(4, 2, 20);
		MPI_Win_flush(2, win);
		MPI_Send(NULL, 0, MPI_INT, 1, 0, WORLD);
	} else if (rank == 1) {
		MPI_Recv(NULL, 0, MPI_INT, 0, 0, WORLD, IGNORE);
		get(2, 20);
		MPI_Win_flush_all(win);
	}
	MPI_Barrier(WORLD);
	put(rank, next(), 20);
	MPI_Win_flush_all(win);
	MPI_Ibarrier(WORLD, &request);
	MPI_Wait(&request, IGNORE);
	get(0, 20);
	MPI_Win_flush_all(win);
	MPI_Barrier(WORLD);
	if (rank == 0) {
		put(9, 1, 20);
		MPI_Win_flush(1, win);
	}
	MPI_Bcast(buffer, 1, MPI_INT, 0, WORLD);
	get(1, 20);
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
}

static void accumulates(void)
{
	int one = 1;

	MPI_Win_fence(0, win);
	for (int i = rank; i < 2; i++)
		MPI_Accumulate(&one, 1, MPI_INT, 0, 30, 1, MPI_INT, MPI_SUM, win);
	MPI_Accumulate(&one, 1, MPI_INT, next(), 31, 1, MPI_INT, MPI_REPLACE, win);
	MPI_Accumulate(&one, 1, MPI_INT, next(), 31, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_fence(0, win);
}

static void atomics(void)
{
	int one = 1, before, zero = 0;

	MPI_Win_fence(0, win);
	if (rank < 2)
		MPI_Accumulate(&one, 1, MPI_INT, 0, 34, 1, MPI_INT, MPI_SUM, win);
	if (rank == 0)
		MPI_Get_accumulate(NULL, 0, MPI_INT, &before, 1, MPI_INT, 0, 34, 1, MPI_INT,
		                   MPI_NO_OP, win);
	MPI_Win_fence(0, win);
	MPI_Win_lock_all(0, win);
	if (rank < 2)
		MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 32, MPI_SUM, win);
	MPI_Win_flush(0, win);
	if (rank == 0)
		MPI_Fetch_and_op(NULL, &before, MPI_INT, 0, 32, MPI_NO_OP, win);
	MPI_Win_flush(0, win);
	if (rank < 2)
		MPI_Compare_and_swap(&one, &zero, &before, MPI_INT, 0, 33, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
}

/* The program's own spin lock guards what is put and got. */
static void spin(void)
{
	int one = 1, zero = 0, held = 1;

	MPI_Win_lock_all(0, win);
	if (rank > 0) {
		while (held) {
			MPI_Compare_and_swap(&one, &zero, &held, MPI_INT, 0, 40, win);
			MPI_Win_flush(0, win);
		}
		get(0, 41);
		MPI_Win_flush(0, win);
		put(buffer[41] + 1, 0, 41);
		MPI_Win_flush(0, win);
		MPI_Accumulate(&zero, 1, MPI_INT, 0, 40, 1, MPI_INT, MPI_REPLACE, win);
		MPI_Win_flush(0, win);
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
}

static void requests(void)
{
	MPI_Request request[2];
	MPI_Status statuses[2];

	MPI_Win_lock_all(0, win);
	MPI_Rput(&buffer[50], 1, MPI_INT, next(), 50, 1, MPI_INT, win, &request[0]);
	MPI_Rget(&buffer[51], 1, MPI_INT, next(), 51, 1, MPI_INT, win, &request[1]);
	MPI_Waitall(2, request, statuses);
	MPI_Get(&buffer[50], 1, MPI_INT, next(), 52, 1, MPI_INT, win);
	MPI_Put(&buffer[51], 1, MPI_INT, next(), 51, 1, MPI_INT, win);
	MPI_Put(NULL, 0, MPI_INT, next(), 50, 0, MPI_INT, win);
	MPI_Put(&buffer[50], 1, MPI_INT, MPI_PROC_NULL, 50, 1, MPI_INT, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
}

/* Columns of a matrix, and pairs with a gap that another one uses. */
static void layouts(void)
{
	MPI_Datatype column, pieces, wide;
	int lengths[2] = {1, 2}, places[2] = {0, 12};

	MPI_Type_vector(8, 1, size, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Type_indexed(2, lengths, places, MPI_INT, &pieces);
	MPI_Type_commit(&pieces);
	MPI_Type_create_resized(MPI_INT, 0, 4 * size, &wide);
	MPI_Type_commit(&wide);
	MPI_Win_fence(0, win);
	MPI_Put(buffer, 8, MPI_INT, 0, rank, 1, column, win);
	MPI_Win_fence(0, win);
	MPI_Put(buffer, 3, MPI_INT, 0, 2 * rank, 1, pieces, win);
	MPI_Win_fence(0, win);
	MPI_Put(buffer, 8, MPI_INT, 0, rank, 8, wide, win);
	MPI_Win_fence(0, win);
	MPI_Type_free(&column);
	MPI_Type_free(&pieces);
	MPI_Type_free(&wide);
}

static void shared_memory(void)
{
	int *mine;
	MPI_Win shared;

	MPI_Win_allocate_shared(4 * ROOM, 4, MPI_INFO_NULL, WORLD, &mine, &shared);
	MPI_Win_lock_all(0, shared);
	mine[0] = rank;
	MPI_Win_sync(shared);
	MPI_Barrier(WORLD);
	MPI_Win_sync(shared);
	MPI_Put(&rank, 1, MPI_INT, next(), 1, 1, MPI_INT, shared);
	MPI_Get(&buffer[0], 1, MPI_INT, next(), 0, 1, MPI_INT, shared);
	MPI_Win_unlock_all(shared);
	MPI_Win_free(&shared);
}

static void attached(void)
{
	static int own[4];
	MPI_Aint place, places[8];
	MPI_Win dynamic;

	MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &dynamic);
	MPI_Win_attach(dynamic, own, sizeof(own));
	MPI_Get_address(own, &place);
	MPI_Allgather(&place, 1, MPI_AINT, places, 1, MPI_AINT, WORLD);
	MPI_Win_lock_all(0, dynamic);
	MPI_Put(&rank, 1, MPI_INT, 0, MPI_Aint_add(places[0], 4 * rank), 1, MPI_INT, dynamic);
	MPI_Win_unlock_all(dynamic);
	MPI_Barrier(WORLD);
	MPI_Win_detach(dynamic, own);
	MPI_Win_free(&dynamic);
}

/* Rank 1 learns from its own memory that rank 0 is done with rank 2's. */
static void flag(void)
{
	int one = 1;

	memory[60] = 0;
	MPI_Win_lock_all(0, win);
	MPI_Win_sync(win);
	MPI_Barrier(WORLD);
	if (rank == 0) {
		put(5, 2, 61);
		MPI_Win_flush(2, win);
		MPI_Put(&one, 1, MPI_INT, 1, 60, 1, MPI_INT, win);
		MPI_Win_flush(1, win);
	} else if (rank == 1) {
		/* only calls that are not counted: the number of reads depends on time */
		do {
			MPI_Win_flush(rank, win);
			MPI_Win_sync(win);
		} while (!((volatile int *)memory)[60]);
		get(2, 61);
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	MPI_Win_allocate(4 * ROOM, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	memset(memory, 0, 4 * ROOM);
	MPI_Barrier(WORLD);
	if (argc > 1 && !strcmp(argv[1], "atomics")) {
		atomics();
	} else if (argc > 1) {
		spin();
		flag();
	} else {
		fences();
		exposures();
		locks();
		flushes();
		accumulates();
		requests();
		layouts();
		shared_memory();
		attached();
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
