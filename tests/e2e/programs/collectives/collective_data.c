/* Every collective that moves data, in all its forms: with contiguous and spaced types, in place
 * and not, with each rank as the root. Each rank prints what it received. On MPI_COMM_WORLD and,
 * with the argument "self", on MPI_COMM_SELF. */
#include "../check.h"

enum { ROOM = 256, MOST = 8 };

enum form { BLOCKING, NONBLOCKING, PERSISTENT };

static int in[ROOM], out[ROOM];
static MPI_Comm comm;
static int me, members; /* of comm */
static MPI_Request request;
static const char *about; /* type and root, for the output */

/* The number of elements that a member sends to each other, or to one; their positions, in elements
 * and bytes. */
static int counts[MOST], places[MOST], bytes[MOST], equal[MOST], spread[MOST];
static MPI_Aint far[MOST];
static MPI_Datatype types[MOST];

static void fill(void)
{
	for (int i = 0; i < ROOM; i++) {
		in[i] = 1000 * (rank + 1) + i;
		out[i] = -i - 1;
	}
}

static unsigned digest(const int *data)
{
	unsigned hash = 2166136261u;

	for (int i = 0; i < ROOM; i++)
		hash = (hash ^ (unsigned)data[i]) * 16777619u;
	return hash;
}

static void finish(void)
{
	CHECK(MPI_Wait(&request, IGNORE) == MPI_SUCCESS);
}

static void start_and_finish(void)
{
	CHECK(MPI_Start(&request) == MPI_SUCCESS);
	finish();
	CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
}

static void show(const char *name, enum form form)
{
	static const char *const forms[] = {"now", "later", "again"};

	printf("%s %s %s: %d %08x, %d %08x\n", name, forms[form], about, in[0], digest(in), out[0],
	       digest(out));
}

/* The same arguments for all three forms. */
#define ALL(now, later, again, ...)                                                            \
	do {                                                                                   \
		fill();                                                                        \
		CHECK(MPI_##now(__VA_ARGS__, comm) == MPI_SUCCESS);                            \
		show(#now "(" #__VA_ARGS__ ")", BLOCKING);                                     \
		fill();                                                                        \
		CHECK(MPI_##later(__VA_ARGS__, comm, &request) == MPI_SUCCESS);                \
		finish();                                                                      \
		show(#now, NONBLOCKING);                                                       \
		fill();                                                                        \
		CHECK(MPI_##again(__VA_ARGS__, comm, MPI_INFO_NULL, &request) == MPI_SUCCESS); \
		start_and_finish();                                                            \
		show(#now, PERSISTENT);                                                        \
	} while (0)

/* The root's argument in place of its own part. */
#define PLACE(root, data) (me == (root) ? MPI_IN_PLACE : (void *)(data))

static void rooted(MPI_Datatype type, int root)
{
	ALL(Bcast, Ibcast, Bcast_init, in, 3, type, root);
	ALL(Scatter, Iscatter, Scatter_init, in, 2, type, out, 2, type, root);
	ALL(Scatter, Iscatter, Scatter_init, in, 2, type, PLACE(root, out), 2, type, root);
	ALL(Scatterv, Iscatterv, Scatterv_init, in, counts, places, type, out, counts[me], type,
	    root);
	ALL(Scatterv, Iscatterv, Scatterv_init, in, counts, places, type, PLACE(root, out),
	    counts[me], type, root);
	ALL(Gather, Igather, Gather_init, in, 2, type, out, 2, type, root);
	ALL(Gather, Igather, Gather_init, PLACE(root, in), 2, type, out, 2, type, root);
	ALL(Gatherv, Igatherv, Gatherv_init, in, counts[me], type, out, counts, places, type, root);
	ALL(Gatherv, Igatherv, Gatherv_init, PLACE(root, in), counts[me], type, out, counts, places,
	    type, root);
}

static void exchanged(MPI_Datatype type)
{
	ALL(Allgather, Iallgather, Allgather_init, in, 2, type, out, 2, type);
	ALL(Allgather, Iallgather, Allgather_init, MPI_IN_PLACE, 2, type, out, 2, type);
	ALL(Allgatherv, Iallgatherv, Allgatherv_init, in, counts[me], type, out, counts, places,
	    type);
	ALL(Allgatherv, Iallgatherv, Allgatherv_init, MPI_IN_PLACE, 0, type, out, counts, places,
	    type);
	ALL(Alltoall, Ialltoall, Alltoall_init, in, 2, type, out, 2, type);
	ALL(Alltoall, Ialltoall, Alltoall_init, MPI_IN_PLACE, 0, type, out, 2, type);
	/* Each rank sends as much to all as it receives from each. */
	ALL(Alltoallv, Ialltoallv, Alltoallv_init, in, equal, places, type, out, equal, places,
	    type);
	ALL(Alltoallv, Ialltoallv, Alltoallv_init, MPI_IN_PLACE, equal, places, type, out, equal,
	    places, type);
	ALL(Alltoallw, Ialltoallw, Alltoallw_init, in, equal, bytes, types, out, equal, bytes,
	    types);
	ALL(Alltoallw, Ialltoallw, Alltoallw_init, MPI_IN_PLACE, equal, bytes, types, out, equal,
	    bytes, types);
	/* The count grows with the sum of both ranks. */
	for (int i = 0; i < members; i++)
		spread[i] = (i + me) % 3;
	ALL(Alltoallv, Ialltoallv, Alltoallv_init, in, spread, places, type, out, spread, places,
	    type);
}

static void reduced(MPI_Op op)
{
	for (int root = 0; root < members; root++) {
		ALL(Reduce, Ireduce, Reduce_init, in, out, 5, MPI_INT, op, root);
		ALL(Reduce, Ireduce, Reduce_init, PLACE(root, in), out, 5, MPI_INT, op, root);
	}
	ALL(Allreduce, Iallreduce, Allreduce_init, in, out, 5, MPI_INT, op);
	ALL(Allreduce, Iallreduce, Allreduce_init, MPI_IN_PLACE, out, 5, MPI_INT, op);
	ALL(Reduce_scatter, Ireduce_scatter, Reduce_scatter_init, in, out, counts, MPI_INT, op);
	ALL(Reduce_scatter, Ireduce_scatter, Reduce_scatter_init, MPI_IN_PLACE, out, counts,
	    MPI_INT, op);
	ALL(Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init, in, out, 2,
	    MPI_INT, op);
	ALL(Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init, MPI_IN_PLACE,
	    out, 2, MPI_INT, op);
	ALL(Scan, Iscan, Scan_init, in, out, 5, MPI_INT, op);
	ALL(Scan, Iscan, Scan_init, MPI_IN_PLACE, out, 5, MPI_INT, op);
	ALL(Exscan, Iexscan, Exscan_init, in, out, 5, MPI_INT, op);
	ALL(Exscan, Iexscan, Exscan_init, MPI_IN_PLACE, out, 5, MPI_INT, op);
}

/* A ring: each rank has two neighbours, which may be itself. */
static void between_neighbors(MPI_Datatype type)
{
	MPI_Comm whole = comm;
	const int both[] = {(me + 1) % members, (me + members - 1) % members};
	const int back[] = {both[1], both[0]};

	MPI_Dist_graph_create_adjacent(whole, 2, back, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED,
	                               MPI_INFO_NULL, 0, &comm);
	ALL(Neighbor_allgather, Ineighbor_allgather, Neighbor_allgather_init, in, 2, type, out, 2,
	    type);
	ALL(Neighbor_allgatherv, Ineighbor_allgatherv, Neighbor_allgatherv_init, in, 2, type, out,
	    equal, places, type);
	ALL(Neighbor_alltoall, Ineighbor_alltoall, Neighbor_alltoall_init, in, 2, type, out, 2,
	    type);
	ALL(Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init, in, equal, places,
	    type, out, equal, places, type);
	ALL(Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init, in, equal, far, types,
	    out, equal, far, types);
	MPI_Comm_free(&comm);
	comm = whole;
}

static void with_type(const char *name, MPI_Datatype type)
{
	char text[32];
	MPI_Aint lower, extent;

	MPI_Type_get_extent(type, &lower, &extent);
	for (int i = 0; i < MOST; i++) {
		counts[i] = 1 + i % 3;
		equal[i] = 2;
		places[i] = 5 * i;
		far[i] = places[i] * extent;
		bytes[i] = (int)far[i];
		types[i] = type;
	}
	about = name;
	exchanged(type);
	between_neighbors(type);
	for (int root = 0; root < members; root++) {
		snprintf(text, sizeof(text), "%s, root %d", name, root);
		about = text;
		rooted(type, root);
	}
}

/* Does not commute: the result is the later value, with its sign changed. */
static void take_last(void *given, void *result, int *length, MPI_Datatype *type)
{
	const int *one = given;
	int *other = result;

	(void)type;
	for (int i = 0; i < *length; i++)
		other[i] = 3 * one[i] - other[i];
}

int main(int argc, char **argv)
{
	MPI_Datatype spaced;
	MPI_Op own;

	start(&argc, &argv);
	comm = argc > 1 && !strcmp(argv[1], "self") ? MPI_COMM_SELF : WORLD;
	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &members);
	MPI_Type_vector(2, 1, 2, MPI_INT, &spaced);
	MPI_Type_commit(&spaced);
	MPI_Op_create(take_last, 0, &own);
	with_type("int", MPI_INT);
	with_type("spaced", spaced);
	about = "sum";
	reduced(MPI_SUM);
	about = "own";
	reduced(own);
	MPI_Op_free(&own);
	MPI_Type_free(&spaced);
	MPI_Finalize();
	return 0;
}
