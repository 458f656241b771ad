/* Collectives in which one rank sends something other than another expects of it. The first
 * argument names the case. Everything else is correct. */
#include "../check.h"

static int data[64], more[64];
static const int one[] = {1, 1}, two[] = {2, 2}, at[] = {0, 8}, bytes[] = {0, 32};
static int second[] = {1, 1}; /* rank 1 takes two of rank 0 */
static const MPI_Datatype ints[] = {MPI_INT, MPI_INT};
static MPI_Datatype mixed[] = {MPI_INT, MPI_INT}; /* rank 1 sends a float to rank 0 */
static MPI_Request request;

static int pick(int other, int usual)
{
	return rank == 1 ? other : usual;
}

static void finish(void)
{
	MPI_Wait(&request, IGNORE);
}

static void start_and_finish(void)
{
	MPI_Start(&request);
	finish();
	MPI_Request_free(&request);
}

static void among_all(const char *what)
{
	if (!strcmp(what, "allgather"))
		MPI_Allgather(data, 1, MPI_INT, more, pick(2, 1), MPI_INT, WORLD);
	else if (!strcmp(what, "allgatherv"))
		MPI_Allgatherv(data, 1, MPI_INT, more, second, at, MPI_INT, WORLD);
	else if (!strcmp(what, "alltoall"))
		MPI_Alltoall(data, 1, MPI_INT, more, 1, rank == 1 ? MPI_FLOAT : MPI_INT, WORLD);
	else if (!strcmp(what, "alltoallv"))
		MPI_Alltoallv(data, one, at, MPI_INT, more, second, at, MPI_INT, WORLD);
	else if (!strcmp(what, "in place"))
		MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, more, rank == 1 ? two : one, at,
		              MPI_INT, WORLD);
	else if (!strcmp(what, "alltoallw"))
		MPI_Alltoallw(data, one, bytes, mixed, more, one, bytes, ints, WORLD);
}

static void rooted(const char *what)
{
	if (!strcmp(what, "gather"))
		MPI_Gather(data, 1, MPI_INT, more, 2, MPI_INT, 0, WORLD);
	else if (!strcmp(what, "gatherv"))
		MPI_Gatherv(rank == 0 ? MPI_IN_PLACE : data, 1, MPI_INT, more, two, at, MPI_INT, 0,
		            WORLD);
	else if (!strcmp(what, "scatterv"))
		MPI_Scatterv(data, two, at, MPI_INT, rank == 0 ? MPI_IN_PLACE : more, 1, MPI_INT, 0,
		             WORLD);
	else if (!strcmp(what, "to itself"))
		MPI_Scatter(data, 2, MPI_INT, more, 1, MPI_INT, 0, WORLD);
}

static void later(const char *what)
{
	if (!strcmp(what, "ialltoallw")) {
		MPI_Ialltoallw(data, one, bytes, mixed, more, one, bytes, ints, WORLD, &request);
		finish();
	} else if (!strcmp(what, "igatherv")) {
		MPI_Igatherv(data, 1, MPI_INT, more, rank == 0 ? two : NULL, at, MPI_INT, 0, WORLD,
		             &request);
		finish();
	} else if (!strcmp(what, "allgatherv_init")) {
		MPI_Allgatherv_init(data, 1, MPI_INT, more, second, at, MPI_INT, WORLD,
		                    MPI_INFO_NULL, &request);
		start_and_finish();
	} else if (!strcmp(what, "alltoallv_init")) {
		MPI_Alltoallv_init(data, one, at, MPI_INT, more, second, at, MPI_INT, WORLD,
		                   MPI_INFO_NULL, &request);
		start_and_finish();
	}
}

/* A line of ranks. */
static void between_neighbors(const char *what)
{
	const int sizes[] = {size}, periodic[] = {0}, other[] = {1 - rank};
	MPI_Comm line;

	if (!strcmp(what, "neighbours")) { /* rank 1 does not expect rank 0 */
		MPI_Dist_graph_create_adjacent(WORLD, rank == 0, other, MPI_UNWEIGHTED, 1, other,
		                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &line);
		MPI_Neighbor_allgather(data, 1, MPI_INT, more, 1, MPI_INT, line);
	} else {
		MPI_Cart_create(WORLD, 1, sizes, periodic, 0, &line);
		if (!strcmp(what, "neighbor_alltoallv"))
			MPI_Neighbor_alltoallv(data, one, at, MPI_INT, more, second, at, MPI_INT,
			                       line);
		else if (!strcmp(what, "neighbor types"))
			MPI_Neighbor_alltoall(data, 1, rank == 0 ? MPI_DOUBLE : MPI_INT, more, 1,
			                      MPI_INT, line);
		else
			MPI_Ineighbor_allgather(data, 1, MPI_INT, more, pick(2, 1), MPI_INT, line,
			                        &request);
		if (!strcmp(what, "ineighbor_allgather"))
			finish();
	}
	MPI_Comm_free(&line);
}

static void between_groups(const char *what)
{
	MPI_Comm inter;

	MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, 1 - rank, 3, &inter);
	if (!strcmp(what, "inter bcast"))
		MPI_Bcast(data, pick(2, 1), MPI_INT, rank == 1 ? 0 : MPI_ROOT, inter);
	else if (!strcmp(what, "inter alltoall"))
		MPI_Alltoall(data, 1, MPI_INT, more, pick(2, 1), MPI_INT, inter);
	else
		MPI_Allreduce(data, more, pick(2, 1), MPI_INT, MPI_SUM, inter);
	MPI_Comm_free(&inter);
}

/* Ranks 0 and 1 against 2 and 3. The root is rank 0, except for the rank that is wrong. */
static void between_pairs(const char *what)
{
	const int roots[] = {MPI_ROOT, MPI_PROC_NULL, 0, 0};
	const char *case_of = strchr(what, ' ') + 1;
	MPI_Comm pair, inter;
	int root = roots[rank];

	MPI_Comm_split(WORLD, rank / 2, 0, &pair);
	MPI_Intercomm_create(pair, 0, WORLD, rank < 2 ? 2 : 0, 3, &inter);
	if (!strcmp(case_of, "other") && rank == 3)
		root = 1;
	else if (!strcmp(case_of, "two") && rank == 1)
		root = MPI_ROOT;
	else if (!strcmp(case_of, "nobody") && rank == 0)
		root = MPI_PROC_NULL;
	else if (!strcmp(case_of, "sides"))
		root = 0;
	else if (!strcmp(case_of, "null") && rank == 3)
		root = MPI_PROC_NULL;
	if (what[0] == 'b') {
		MPI_Bcast(data, 1, MPI_INT, root, inter);
	} else if (what[0] == 'r') {
		MPI_Reduce(data, more, 1, MPI_INT, MPI_SUM, root, inter);
	} else if (what[0] == 'i') {
		MPI_Iscatterv(data, one, at, MPI_INT, more, 1, MPI_INT, root, inter, &request);
		finish();
	} else {
		MPI_Gather_init(data, 1, MPI_INT, more, 1, MPI_INT, root, inter, MPI_INFO_NULL,
		                &request);
		start_and_finish();
	}
	MPI_Comm_free(&inter);
	MPI_Comm_free(&pair);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	start(&argc, &argv);
	second[0] = pick(2, 1);
	if (rank == 1)
		mixed[0] = MPI_FLOAT;
	if (size == 4)
		between_pairs(what);
	else if (strstr(what, "inter"))
		between_groups(what);
	else if (strstr(what, "neighbo"))
		between_neighbors(what);
	among_all(what);
	rooted(what);
	later(what);
	MPI_Finalize();
	return 0;
}
