/* Rank 0 takes two messages in any order. Which one came first decides what it does to a window
 * (argv[1]); then it forgets that. After a second round rank 3 prints the contents of its window,
 * or another access shows whether it is ordered. A search that takes the states in between for
 * equal would find one outcome of two.
 *
 * Cases that end in "-2" swap the roles of ranks 1 and 2. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static char way[64];
static int rank, swapped, value;
static int memory[2], *found = memory;
static MPI_Win win;

static int is(const char *word)
{
	return strcmp(way, word) == 0;
}

static int has_fences(void)
{
	return is("fence") || is("fence-nobody");
}

/* Whether this rank puts something under a lock. */
static int locks(void)
{
	return !has_fences() && !is("exposed") && !is("shared")
	       && (rank == 0 || (rank == (swapped ? 2 : 1) && is("before"))
	           || (rank == 2 && is("later")));
}

static void make_window(void)
{
	MPI_Aint size = rank == 3 ? sizeof memory : 0;
	int unit;

	if (is("allocated"))
		MPI_Win_allocate(size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &found, &win);
	else if (is("shared"))
		MPI_Win_allocate_shared(size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &found,
		                        &win);
	else
		MPI_Win_create(memory, size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (is("shared") && rank != 3)
		MPI_Win_shared_query(win, 3, &size, &unit, &found);
	if (has_fences())
		MPI_Win_fence(0, win);
	else if (locks())
		MPI_Win_lock(MPI_LOCK_SHARED, 3, 0, win);
}

static void put(int what)
{
	value = what;
	MPI_Put(&value, 1, MPI_INT, 3, 0, 1, MPI_INT, win);
	if (!is("under-way") && !has_fences() && !is("exposed"))
		MPI_Win_flush(3, win);
}

static int take(int tag)
{
	MPI_Status status;
	int nothing;

	MPI_Recv(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
	return swapped ? 3 - status.MPI_SOURCE : status.MPI_SOURCE;
}

static void expose(int first)
{
	MPI_Group all, other;
	int member = rank == 0 ? 3 : 0;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &member, &other);
	if (rank == 0) {
		MPI_Win_start(other, 0, win);
		put(first);
		MPI_Win_complete(win);
	} else {
		MPI_Win_post(other, 0, win);
		MPI_Win_wait(win);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&other);
}

/* Rank 0, when it knows which rank came first. */
static void hide(int first)
{
	int token = 0;

	if (is("created") || is("allocated") || is("under-way") || is("fence"))
		put(first);
	else if (is("nobody") || is("fence-nobody"))
		put(5);
	else if (is("overwritten")) {
		put(first);
		put(0);
	} else if (is("shared"))
		*found = first;
	else if (is("exposed"))
		expose(first);
	else if (is("later") && first == 1) {
		put(5);
		MPI_Send(&token, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
	} else if (is("later")) {
		MPI_Send(&token, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
		put(5);
	}
}

static void collect(void)
{
	int first = take(0);

	/* A put of rank 1 before its message is ordered with this access if that message came
	 * first. */
	if (is("before"))
		put(5);
	take(0);
	hide(first);
	if (!is("under-way") && !has_fences())
		value = 0;
}

int main(int argc, char **argv)
{
	int number = 7, length;

	snprintf(way, sizeof way, "%s", argc > 1 ? argv[1] : "nobody");
	length = (int)strlen(way);
	swapped = length > 2 && strcmp(way + length - 2, "-2") == 0;
	if (swapped)
		way[length - 2] = '\0';
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	make_window();
	if (rank == 0)
		collect();
	if (rank == (swapped ? 2 : 1) && is("before"))
		put(5);
	if (rank == 1 || rank == 2)
		MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (rank == 3 && is("exposed"))
		expose(0);
	if (has_fences()) {
		MPI_Win_fence(0, win);
		value = 0;
	}
	if (rank == 1 || rank == 2)
		MPI_Send(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < 2; i++)
		take(1);
	if (rank == 2 && is("later")) {
		MPI_Recv(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		put(5);
	}
	if (has_fences())
		MPI_Win_fence(0, win);
	else if (locks())
		MPI_Win_unlock(3, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 3)
		printf("found %d\n", *found);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
