/* Every way to make and free a communicator, including topologies and intercommunicators, and
 * attributes with their callbacks. Each communicator is used, and its properties are printed. */
#include "../check.h"

static int keyval;

/* Prints all properties of a communicator, and the sum of its members' world ranks. */
static void show(const char *what, MPI_Comm comm)
{
	int members, me, remote = -1, inter, topology, sum = -1;

	if (comm == MPI_COMM_NULL) {
		printf("%s: none\n", what);
		return;
	}
	MPI_Comm_size(comm, &members);
	MPI_Comm_rank(comm, &me);
	MPI_Comm_test_inter(comm, &inter);
	if (inter)
		MPI_Comm_remote_size(comm, &remote);
	MPI_Topo_test(comm, &topology);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
	printf("%s: rank %d of %d, remote %d, topology %d, sum %d\n", what, me, members, remote,
	       topology, sum);
}

static void show_and_free(const char *what, MPI_Comm *comm)
{
	show(what, *comm);
	if (*comm != MPI_COMM_NULL)
		MPI_Comm_free(comm);
	CHECK(*comm == MPI_COMM_NULL);
}

static void duplicates(void)
{
	MPI_Comm comm;
	MPI_Request request;
	MPI_Info info;
	int result;

	MPI_Comm_dup(WORLD, &comm);
	MPI_Comm_compare(WORLD, comm, &result);
	CHECK(result == MPI_CONGRUENT);
	show_and_free("MPI_Comm_dup", &comm);
	MPI_Info_create(&info);
	MPI_Info_set(info, "colour", "blue");
	MPI_Comm_dup_with_info(WORLD, info, &comm);
	show_and_free("MPI_Comm_dup_with_info", &comm);
	MPI_Comm_idup(WORLD, &comm, &request);
	MPI_Wait(&request, IGNORE);
	show_and_free("MPI_Comm_idup", &comm);
	MPI_Comm_idup_with_info(WORLD, info, &comm, &request);
	MPI_Wait(&request, IGNORE);
	show("MPI_Comm_idup_with_info", comm);
	MPI_Comm_disconnect(&comm);
	CHECK(comm == MPI_COMM_NULL);
	MPI_Info_free(&info);
}

static void parts(void)
{
	const int odd[] = {1, 3};
	MPI_Group all, some;
	MPI_Comm comm;

	MPI_Comm_split(WORLD, rank % 2, -rank, &comm);
	show_and_free("MPI_Comm_split", &comm);
	MPI_Comm_split(WORLD, rank == 2 ? MPI_UNDEFINED : 0, 0, &comm);
	show_and_free("MPI_Comm_split, undefined", &comm);
	MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
	show_and_free("MPI_Comm_split_type", &comm);
	MPI_Comm_group(WORLD, &all);
	MPI_Group_incl(all, 2, odd, &some);
	MPI_Comm_create(WORLD, some, &comm);
	show_and_free("MPI_Comm_create", &comm);
	if (rank % 2 == 1) {
		MPI_Comm_create_group(WORLD, some, 3, &comm);
		show_and_free("MPI_Comm_create_group", &comm);
	}
	MPI_Comm_create(WORLD, MPI_GROUP_EMPTY, &comm);
	show_and_free("MPI_Comm_create, empty", &comm);
	MPI_Group_free(&some);
	MPI_Group_free(&all);
}

static void topologies(void)
{
	const int sizes[] = {2, 2}, periodic[] = {0, 1}, remain[] = {1, 0};
	const int ends[] = {1, 2, 3, 4}, edges[] = {1, 0, 3, 2}, all[] = {0, 0};
	const int next = (rank + 1) % 4, previous = (rank + 3) % 4, one = 1, weight = 7;
	int place[2], source, destination;
	MPI_Comm grid, line, comm;

	MPI_Cart_create(WORLD, 2, sizes, periodic, 1, &grid);
	MPI_Cart_coords(grid, rank, 2, place);
	MPI_Cart_shift(grid, 0, 1, &source, &destination);
	printf("at %d %d, from %d to %d\n", place[0], place[1], source, destination);
	show("MPI_Cart_create", grid);
	MPI_Cart_sub(grid, remain, &line);
	show_and_free("MPI_Cart_sub", &line);
	MPI_Cart_sub(grid, all, &line);
	show_and_free("MPI_Cart_sub to a point", &line);
	MPI_Comm_free(&grid);
	MPI_Cart_create(WORLD, 1, sizes, periodic, 0, &comm);
	show_and_free("MPI_Cart_create of 2", &comm);
	MPI_Graph_create(WORLD, 4, ends, edges, 0, &comm);
	show_and_free("MPI_Graph_create", &comm);
	MPI_Dist_graph_create(WORLD, 1, &rank, &one, &next, &weight, MPI_INFO_NULL, 0, &comm);
	show_and_free("MPI_Dist_graph_create", &comm);
	MPI_Dist_graph_create_adjacent(WORLD, 1, &previous, &weight, 1, &next, &weight,
	                               MPI_INFO_NULL, 0, &comm);
	show_and_free("MPI_Dist_graph_create_adjacent", &comm);
}

/* Makes an intercommunicator of {0, 2} and {1, 3}. */
static void between(void)
{
	MPI_Comm half, inter, merged, copy, part;
	MPI_Request request;

	MPI_Comm_split(WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 5, &inter);
	show("MPI_Intercomm_create", inter);
	MPI_Intercomm_merge(inter, rank % 2, &merged);
	show_and_free("MPI_Intercomm_merge", &merged);
	MPI_Intercomm_merge(inter, 1 - rank % 2, &merged);
	show_and_free("MPI_Intercomm_merge, the other way", &merged);
	MPI_Comm_dup(inter, &copy);
	show_and_free("MPI_Comm_dup between", &copy);
	MPI_Comm_idup(inter, &copy, &request);
	MPI_Wait(&request, IGNORE);
	show_and_free("MPI_Comm_idup between", &copy);
	MPI_Comm_split(inter, rank / 2, 0, &part);
	show_and_free("MPI_Comm_split between", &part);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

static int copied(MPI_Comm comm, int key, void *state, void *value, void *ret_value, int *ret_flag)
{
	int members;

	MPI_Comm_size(comm, &members); /* callbacks may call MPI */
	printf("copied: %d, state %s, of %d\n", *(int *)value, (char *)state, members);
	CHECK(key == keyval);
	*(void **)ret_value = value;
	*ret_flag = 1;
	return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int key, void *value, void *state)
{
	int members;

	MPI_Comm_size(comm, &members);
	printf("deleted: %d, state %s, of %d\n", *(int *)value, (char *)state, members);
	CHECK(key == keyval);
	return MPI_SUCCESS;
}

static void attributes(void)
{
	static int one = 1, two = 2, three = 3;
	char state[] = "state";
	MPI_Comm comm, copy;
	MPI_Request request;
	int *value, flag;

	MPI_Comm_create_keyval(copied, deleted, &keyval, state);
	MPI_Comm_dup(WORLD, &comm);
	MPI_Comm_get_attr(comm, keyval, &value, &flag);
	CHECK(!flag);
	MPI_Comm_set_attr(comm, keyval, &one);
	MPI_Comm_set_attr(comm, keyval, &two);
	MPI_Comm_get_attr(comm, keyval, &value, &flag);
	CHECK(flag && *value == 2);
	MPI_Comm_dup(comm, &copy);
	MPI_Comm_get_attr(copy, keyval, &value, &flag);
	CHECK(flag && *value == 2);
	MPI_Comm_free(&copy);
	MPI_Comm_idup(comm, &copy, &request);
	MPI_Wait(&request, IGNORE);
	MPI_Comm_delete_attr(copy, keyval);
	MPI_Comm_free(&copy);
	MPI_Attr_put(comm, keyval, &three);
	MPI_Attr_get(comm, keyval, &value, &flag);
	CHECK(flag && *value == 3);
	MPI_Attr_delete(comm, keyval);
	MPI_Comm_free(&comm);
	MPI_Comm_free_keyval(&keyval);
}

static int last_words(MPI_Comm comm, int key, void *value, void *state)
{
	int finalized;

	(void)key, (void)value;
	MPI_Finalized(&finalized);
	printf("at the end: %s, %d %d\n", (char *)state, comm == MPI_COMM_SELF, finalized);
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int first, second;

	start(&argc, &argv);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last_words, &first, "set first");
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last_words, &second, "set second");
	MPI_Comm_set_attr(MPI_COMM_SELF, first, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, second, NULL);
	MPI_Comm_free_keyval(&first);
	MPI_Comm_free_keyval(&second);
	duplicates();
	parts();
	topologies();
	between();
	attributes();
	MPI_Finalize();
	return 0;
}
