/* Communicators of every kind are made and freed while receives with MPI_ANY_SOURCE are pending;
 * neighbourhood, user-defined, in-place and large collectives between choices. */
#include "../check.h"

enum { BIG = 10 << 20 };
static int copies, deletions;

static int copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
	(void)comm;
	(void)key;
	(void)state;
	*(void **)out = in;
	*flag = 1;
	copies++;
	return MPI_SUCCESS;
}
static int drop(MPI_Comm comm, int key, void *value, void *state)
{
	(void)comm;
	(void)key;
	(void)value;
	(void)state;
	deletions++;
	return MPI_SUCCESS;
}
static void worst(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] = 2 * ((int *)in)[i] + ((int *)inout)[i];
}
static void send_all(void)
{
	if (rank)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
}
static void creations(void)
{
	MPI_Comm dup, idup, half, shared, cart, graph, made, group_made, inter, merged, sub;
	MPI_Request requests[8], request;
	MPI_Group world, group;
	int got[8], dims[2] = {0, 0}, periods[2] = {1, 0}, key, v = rank, flag, n, *p;
	int right = (rank + 1) % size, left = (rank + size - 1) % size;

	for (int i = 0; rank == 0 && i < size - 1; i++)
		MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &requests[i]);
	MPI_Comm_create_keyval(copy, drop, &key, NULL);
	MPI_Comm_set_attr(WORLD, key, &v);
	MPI_Comm_dup(WORLD, &dup);
	MPI_Comm_idup(WORLD, &idup, &request);
	MPI_Wait(&request, IGNORE);
	MPI_Comm_get_attr(idup, key, &p, &flag);
	CHECK(flag && p == &v && copies == 2);
	MPI_Comm_split(dup, rank % 2, -rank, &half);
	MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
	MPI_Comm_size(shared, &n);
	CHECK(n == size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(WORLD, 2, dims, periods, 1, &cart);
	MPI_Cart_sub(cart, (int[]){1, 0}, &sub);
	MPI_Dist_graph_create_adjacent(WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
	                               MPI_INFO_NULL, 0, &graph);
	MPI_Comm_group(WORLD, &world);
	MPI_Group_incl(world, 1, (int[]){0}, &group);
	MPI_Comm_create(WORLD, group, &made);
	CHECK((made == MPI_COMM_NULL) == (rank != 0));
	if (rank == 0)
		MPI_Comm_create_group(WORLD, group, 5, &group_made);
	MPI_Intercomm_create(half, 0, WORLD, rank % 2 ? (size - 1) / 2 * 2 : (size / 2) * 2 - 1, 7,
	                     &inter);
	MPI_Intercomm_merge(inter, rank % 2, &merged);
	int sum = 0, remote;
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
	remote = 0;
	for (int i = 0; i < size; i++)
		if (i % 2 != rank % 2)
			remote += i;
	CHECK(sum == remote);
	int nb[4] = {-1, -1, -1, -1}, s;
	MPI_Neighbor_allgather(&rank, 1, MPI_INT, nb, 1, MPI_INT, cart);
	MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &s, 1, MPI_INT, graph);
	CHECK(s == left);
	MPI_Ineighbor_allgather(&rank, 1, MPI_INT, &s, 1, MPI_INT, graph, &request);
	send_all();
	if (rank == 0)
		MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
	MPI_Wait(&request, IGNORE);
	CHECK(s == left);
	MPI_Comm *all[] = {&dup, &idup, &half, &shared, &cart, &graph, &inter, &merged, &sub};
	for (int i = 0; i < 9; i++)
		MPI_Comm_free(all[i]);
	if (rank == 0) {
		MPI_Comm_free(&made);
		MPI_Comm_free(&group_made);
	}
	CHECK(deletions == copies);
	MPI_Comm_delete_attr(WORLD, key);
	MPI_Comm_free_keyval(&key);
	MPI_Group_free(&world);
	MPI_Group_free(&group);
}
static void collectives(void)
{
	char *big = malloc(BIG), *other = malloc((size_t)BIG);
	MPI_Op op;
	MPI_Request r[4];
	int a[3] = {rank, 1, 2}, b[3], v, got[8];

	MPI_Op_create(worst, 0, &op);
	MPI_Allreduce(a, b, 3, MPI_INT, op, WORLD);
	MPI_Scan(MPI_IN_PLACE, a, 3, MPI_INT, op, WORLD);
	MPI_Reduce(rank == 1 ? MPI_IN_PLACE : a, rank == 1 ? a : NULL, 3, MPI_INT, op, 1, WORLD);
	got[rank] = rank;
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, 1, MPI_INT, WORLD);
	for (int i = 0; i < size; i++)
		CHECK(got[i] == i);
	MPI_Gather(rank == 0 ? MPI_IN_PLACE : &rank, 1, MPI_INT, got, 1, MPI_INT, 0, WORLD);
	memset(big, rank == 0 ? 'x' : 0, BIG);
	MPI_Bcast(big, BIG, MPI_CHAR, 0, WORLD);
	CHECK(big[BIG - 1] == 'x');
	if (rank == 1)
		MPI_Send(&rank, 1, MPI_INT, 2, 3, WORLD);
	if (rank == 0)
		MPI_Send(&rank, 1, MPI_INT, 2, 3, WORLD);
	if (rank == 2) {
		MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 3, WORLD, IGNORE);
		MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 3, WORLD, IGNORE);
	}
	MPI_Ibcast(big, BIG, MPI_CHAR, 1, WORLD, &r[0]);
	MPI_Iallreduce(MPI_IN_PLACE, a, 3, MPI_INT, op, WORLD, &r[1]);
	MPI_Irecv(&v, 1, MPI_INT, (rank + 1) % size, 4, WORLD, &r[2]);
	MPI_Isend(&rank, 1, MPI_INT, (rank + size - 1) % size, 4, WORLD, &r[3]);
	MPI_Waitall(2, r + 2, MPI_STATUSES_IGNORE);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Alltoall(big, BIG / size, MPI_CHAR, other, BIG / size, MPI_CHAR, WORLD);
	MPI_Reduce(big, other, BIG / 4, MPI_INT, MPI_SUM, 0, WORLD);
	MPI_Op_free(&op);
	free(big);
	free(other);
}
int main(int argc, char **argv)
{
	start(&argc, &argv);
	creations();
	collectives();
	MPI_Finalize();
	return 0;
}
