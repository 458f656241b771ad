/* One rank fails in a collective while the others are in it. The first argument names the
 * failure. */
#include "../check.h"

static const char *what;
static int data[4], more[4];

/* A callback of an attribute: rank 1 does not return from MPI_Comm_dup. */
static int copied(MPI_Comm comm, int keyval, void *extra, void *value, void *copy, int *flag)
{
	(void)keyval;
	(void)extra;
	(void)value;
	(void)copy;
	*flag = 0;
	if (rank != 1)
		return MPI_SUCCESS;
	if (!strcmp(what, "abort in dup"))
		MPI_Abort(comm, 7);
	if (!strcmp(what, "crash in dup"))
		abort();
	if (!strcmp(what, "exit in dup"))
		exit(3);
	return MPI_SUCCESS;
}

static void duplicate(void)
{
	MPI_Comm copy;
	int keyval;

	MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
	MPI_Comm_set_attr(WORLD, keyval, &keyval);
	MPI_Comm_dup(WORLD, &copy);
	MPI_Comm_free(&copy);
	MPI_Comm_free_keyval(&keyval);
}

/* Rank 1 passes one buffer for both. */
static void same_buffer(void)
{
	void *out = rank == 1 ? data : more;
	MPI_Request request;

	if (strstr(what, "returned"))
		MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	if (strstr(what, "later")) {
		MPI_Iallreduce(data, out, 1, MPI_INT, MPI_SUM, WORLD, &request);
		MPI_Wait(&request, IGNORE);
	} else {
		MPI_Allreduce(data, out, 1, MPI_INT, MPI_SUM, WORLD);
	}
}

static void make(void)
{
	MPI_Comm made = MPI_COMM_NULL, grid;
	const int wide[] = {3, 1}, high[] = {1, 3}, no[] = {0, 0}, first[] = {1, 0},
		  second[] = {0, 1};

	if (!strcmp(what, "groups")) {
		MPI_Group all, own;

		MPI_Comm_group(WORLD, &all);
		MPI_Comm_group(MPI_COMM_SELF, &own);
		MPI_Comm_create(WORLD, rank == 0 ? all : own, &made);
		MPI_Group_free(&all);
		MPI_Group_free(&own);
	} else if (!strcmp(what, "grids")) {
		MPI_Cart_create(WORLD, 2, rank == 1 ? high : wide, no, 0, &made);
	} else if (!strcmp(what, "parts")) {
		MPI_Cart_create(WORLD, 2, wide, no, 0, &grid);
		MPI_Cart_sub(grid, rank == 1 ? first : second, &made);
		MPI_Comm_free(&grid);
	} else if (!strcmp(what, "leaders")) {
		MPI_Comm half;

		MPI_Comm_split(WORLD, rank > 0, rank, &half);
		MPI_Intercomm_create(half, rank == 2, WORLD, rank > 0 ? 0 : 1, 4, &made);
		MPI_Comm_free(&half);
	}
	if (made != MPI_COMM_NULL)
		MPI_Comm_free(&made);
}

/* Disjoint groups may differ. A rank in none passes another one, or an empty one. */
static void make_rightly(void)
{
	MPI_Comm made = MPI_COMM_NULL;
	MPI_Group all, mine;
	const int pair[] = {2, 0};

	MPI_Comm_group(WORLD, &all);
	if (rank == 1)
		MPI_Group_incl(all, 1, &rank, &mine);
	else
		MPI_Group_incl(all, 2, pair, &mine);
	MPI_Comm_create(WORLD, mine, &made);
	MPI_Comm_free(&made);
	MPI_Group_free(&mine);
	MPI_Group_incl(all, 2, pair, &mine);
	MPI_Comm_create(WORLD, mine, &made);
	if (made != MPI_COMM_NULL)
		MPI_Comm_free(&made);
	MPI_Comm_create(WORLD, rank == 1 ? MPI_GROUP_EMPTY : mine, &made);
	if (made != MPI_COMM_NULL)
		MPI_Comm_free(&made);
	MPI_Group_free(&mine);
	MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "";
	start(&argc, &argv);
	make_rightly();
	if (strstr(what, "dup"))
		duplicate();
	else if (strstr(what, "buffer"))
		same_buffer();
	else
		make();
	MPI_Finalize();
	return 0;
}
