/* Members of a collective that differ in one thing, named by the first argument. */
#include "../check.h"

static int one = 1, two = 2, data[8], more[8];

/* The value of rank 1, or that of rank 0. */
static int pick(int other, int usual)
{
	return rank == 1 ? other : usual;
}

static MPI_Datatype pick_type(MPI_Datatype other, MPI_Datatype usual)
{
	return rank == 1 ? other : usual;
}

static void own_reduction(void *in, void *inout, int *length, MPI_Datatype *type)
{
	(void)in;
	(void)inout;
	(void)length;
	(void)type;
}

static void nonblocking(const char *what)
{
	MPI_Request request;

	if (!strcmp(what, "iroot"))
		MPI_Ibcast(data, 1, MPI_INT, pick(1, 0), WORLD, &request);
	else if (!strcmp(what, "icount"))
		MPI_Iallgather(data, pick(2, 1), MPI_INT, more, pick(2, 1), MPI_INT, WORLD,
		               &request);
	else if (rank == 0)
		MPI_Ibcast(data, 1, MPI_INT, 0, WORLD, &request); /* nonblocking and blocking */
	else
		MPI_Bcast(data, 1, MPI_INT, 0, WORLD);
	if (strcmp(what, "blocking") != 0 || rank == 0)
		MPI_Wait(&request, IGNORE);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int counts[2] = {1, 1};
	MPI_Op own;

	start(&argc, &argv);
	MPI_Op_create(own_reduction, 1, &own);
	if (!strcmp(what, "operation") && rank == 1)
		MPI_Reduce(&one, &two, 1, MPI_INT, MPI_SUM, 0, WORLD);
	else if (!strcmp(what, "operation") || !strcmp(what, "root"))
		MPI_Bcast(data, 1, MPI_INT, pick(1, 0), WORLD); /* a broadcast */
	else if (!strcmp(what, "reduction"))
		MPI_Allreduce(&one, &two, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, WORLD);
	else if (!strcmp(what, "own"))
		MPI_Allreduce(&one, &two, 1, MPI_INT, rank == 1 ? own : MPI_SUM, WORLD);
	else if (!strcmp(what, "count"))
		MPI_Gather(data, pick(3, 1), MPI_INT, more, 1, MPI_INT, 0, WORLD);
	else if (!strcmp(what, "type"))
		MPI_Bcast(data, 4, pick_type(MPI_FLOAT, MPI_INT), 0, WORLD);
	else if (!strcmp(what, "several"))
		MPI_Bcast(data, pick(2, 4), pick_type(MPI_FLOAT, MPI_INT), pick(1, 0), WORLD);
	else if (!strcmp(what, "counts")) {
		counts[0] = pick(2, 1);
		MPI_Reduce_scatter(data, more, counts, MPI_INT, MPI_SUM, WORLD);
	} else
		nonblocking(what);
	MPI_Op_free(&own);
	MPI_Finalize();
	return 0;
}
