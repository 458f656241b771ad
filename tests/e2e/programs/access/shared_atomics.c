/* Ranks of a shared window order themselves by memory: with atomic instructions, or with
 * MPI_Win_sync and loads. Without either (`plain`), nothing orders them. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct shared {
	atomic_int flag, counter;
	int data, sum;
};

static int is(const char *one, const char *two)
{
	return strcmp(one, two) == 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "flag";
	struct shared *mine, *first;
	int rank, unit;
	MPI_Aint size;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate_shared(rank == 0 ? sizeof(struct shared) : 0, 1, MPI_INFO_NULL,
	                        MPI_COMM_WORLD, &mine, &win);
	MPI_Win_shared_query(win, 0, &size, &unit, &first);
	if (rank == 0)
		memset((void *)first, 0, sizeof(*first));
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	MPI_Win_sync(win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (is(what, "flag") && rank == 0) {
		first->data = 5;
		atomic_store_explicit(&first->flag, 1, memory_order_release);
	} else if (is(what, "flag")) {
		while (!atomic_load_explicit(&first->flag, memory_order_acquire))
			;
		first->data += 1;
	} else if (is(what, "counter")) {
		atomic_fetch_add(&first->counter, 1);
	} else if (is(what, "spinlock")) {
		while (atomic_exchange(&first->flag, 1))
			;
		first->sum += rank; /* update */
		atomic_store(&first->flag, 0);
	} else if (is(what, "plain")) {
		first->sum += rank; /* update */
	} else if (is(what, "mixed")) {
		if (rank == 0)
			atomic_fetch_add(&first->counter, 1); /* update */
		else
			*(int *)&first->counter = 1; /* update */
	}
	MPI_Win_sync(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(win);
	if (rank == 0)
		printf("%d\n", first->data + (is(what, "plain") ? 0 : first->sum));
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
