/* Ranks that repeat an atomic operation until its result changes. */
#include "../check.h"

static MPI_Win win;

static int fetch(int at, int add, MPI_Op op)
{
	int found = -1;

	MPI_Fetch_and_op(&add, &found, MPI_INT, 0, at, op, win);
	MPI_Win_flush(0, win);
	return found;
}

static int swap(int at, int from, int to)
{
	int found = -1;

	MPI_Compare_and_swap(&to, &from, &found, MPI_INT, 0, at, win);
	MPI_Win_flush(0, win);
	return found;
}

/* A lock made of compare and swap, around a counter. */
static int lock(void)
{
	int mine;

	if (rank == 0)
		return 0;
	while (swap(0, 0, rank) != 0)
		;
	mine = fetch(1, 1, MPI_SUM);
	fetch(0, 0, MPI_REPLACE);
	return mine;
}

/* The same, made of replace. */
static int exchange(void)
{
	int mine;

	if (rank == 0)
		return 0;
	while (fetch(0, 1, MPI_REPLACE) != 0)
		;
	mine = fetch(1, 1, MPI_SUM);
	fetch(0, 0, MPI_REPLACE);
	return mine;
}

/* Rank 1 awaits a flag. */
static int flag(void)
{
	if (rank == 0)
		fetch(0, 7, MPI_REPLACE);
	if (rank == 1)
		while (fetch(0, 0, MPI_NO_OP) == 0)
			;
	return 0;
}

/* The same, with a lock for each look. */
static int looks(void)
{
	int found = 0;

	MPI_Win_unlock_all(win);
	while (rank == 1 && found == 0) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		found = fetch(0, 0, MPI_NO_OP);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_lock_all(0, win);
	if (rank == 0)
		fetch(0, 7, MPI_REPLACE);
	return 0;
}

/* A flag that is put. */
static int put(void)
{
	int one = 1;

	if (rank == 0) {
		MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
	}
	if (rank == 1)
		while (fetch(0, 0, MPI_NO_OP) == 0)
			;
	return 0;
}

/* Nobody sets the flag. */
static int endless(void)
{
	while (rank == 1 && fetch(0, 0, MPI_NO_OP) == 0) /* spins */
		;
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} kinds[] = {
	{"lock", lock},   {"exchange", exchange}, {"flag", flag},
	{"looks", looks}, {"put", put},           {"endless", endless},
};

int main(int argc, char **argv)
{
	int *memory;

	start(&argc, &argv);
	MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	memset(memory, 0, 64);
	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, argv[1]))
			printf("rank %d: %d\n", rank, kinds[i].run());
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
