/* memcpy and its kin, structures and strings in a shared window: all of them are accesses. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

struct block {
	double values[20];
	char text[32];
};

static int is(const char *one, const char *two)
{
	return strcmp(one, two) == 0;
}

static void change(const char *how, struct block *to, const struct block *from)
{
	if (is(how, "memcpy"))
		memcpy(to->values + 3, from->values + 3, 5 * sizeof(double)); /* change */
	else if (is(how, "memmove"))
		memmove(to->values, to->values + 1, 8 * sizeof(double)); /* change */
	else if (is(how, "memset"))
		memset(to, 0, sizeof(*to)); /* change */
	else if (is(how, "strcpy"))
		strcpy(to->text, from->text); /* change */
	else if (is(how, "strncpy"))
		strncpy(to->text, from->text, sizeof(to->text) - 1); /* change */
	else if (is(how, "struct"))
		*to = *from; /* change */
	else
		for (int i = 0; i < 20; i += 2)
			to->values[i] = 1; /* change */
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "memcpy";
	int rank, unit, ordered = argc > 2 && is(argv[2], "ordered");
	struct block *mine, *first, local = {.text = "a text to be copied"};
	MPI_Aint size;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate_shared(rank == 0 ? sizeof(local) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
	                        &mine, &win);
	MPI_Win_shared_query(win, 0, &size, &unit, &first);
	MPI_Win_fence(0, win);
	if (rank == 0)
		change(how, first, &local);
	if (ordered)
		MPI_Win_fence(0, win);
	if (rank == 1) {
		int same = memcmp(first, &local, sizeof(local)); /* compare */

		printf("%d\n", same > 1000);
	}
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
