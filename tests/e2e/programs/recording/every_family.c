/* Calls of each family that is recorded. Each rank prints what it got; the replay must print the
 * same. argv[1] = "refused": ends with a call that cannot be recorded. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 4 };
static int rank, size;

/* Neither commutative nor symmetric: the order of the operands shows. */
static void combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
	const int *from = in;
	int *to = inout;

	(void)type;
	for (int i = 0; i < *length; i++)
		to[i] = to[i] * 3 + from[i];
}

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
	long value = (long)in;

	(void)comm, (void)keyval, (void)extra;
	printf("%d: copied %ld\n", rank, value);
	value++;
	memcpy(out, &value, sizeof(value));
	*flag = 1;
	return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int keyval, void *value, void *extra)
{
	(void)comm, (void)keyval, (void)extra;
	printf("%d: deleted %ld\n", rank, (long)value);
	return MPI_SUCCESS;
}

static void handle(MPI_Comm *comm, int *code, ...)
{
	char text[MPI_MAX_ERROR_STRING];
	int length, class;

	(void)comm;
	MPI_Error_class(*code, &class);
	MPI_Error_string(*code, text, &length);
	printf("%d: error %d, %d characters\n", rank, class == MPI_ERR_RANK, length);
}

static void operations(void)
{
	int mine[COUNT] = {rank, rank + 1, rank + 2, rank + 3}, all[COUNT] = {0}, flag = 0;
	MPI_Request request;
	MPI_Op op;

	MPI_Op_create(combine, 0, &op);
	MPI_Allreduce(mine, all, COUNT, MPI_INT, op, MPI_COMM_WORLD);
	printf("%d: %d %d\n", rank, all[0], all[3]);
	MPI_Iallreduce(mine, all, COUNT, MPI_INT, op, MPI_COMM_WORLD, &request);
	while (!flag)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	MPI_Scan(MPI_IN_PLACE, mine, COUNT, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Reduce_local(mine, all, COUNT, MPI_INT, op);
	printf("%d: %d %d\n", rank, all[1], mine[2]);
	MPI_Op_free(&op);
}

static void attributes(void)
{
	MPI_Comm comm;
	MPI_Errhandler handler;
	int keyval, flag, wrong = 0;
	void *value;
	char name[MPI_MAX_OBJECT_NAME];

	MPI_Comm_create_keyval(copy, delete, &keyval, NULL);
	MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, (void *)5L);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_get_attr(comm, keyval, &value, &flag);
	printf("%d: attribute %d %ld\n", rank, flag, (long)value);
	MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &flag);
	printf("%d: tags to %d\n", rank, *(int *)value);
	MPI_Comm_create_errhandler(handle, &handler);
	MPI_Comm_set_errhandler(comm, handler);
	MPI_Send(&wrong, 1, MPI_INT, size + 5, 0, comm);
	MPI_Comm_set_name(comm, "mine");
	MPI_Comm_get_name(comm, name, &flag);
	printf("%d: %s\n", rank, name);
	MPI_Errhandler_free(&handler);
	MPI_Comm_free(&comm);
	MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
	MPI_Comm_free_keyval(&keyval);
}

static void topologies(void)
{
	int dims[2] = {0, 0}, periods[2] = {1, 0}, place[2], around[4] = {-1, -1, -1, -1};
	MPI_Comm cart, half;

	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	MPI_Cart_coords(cart, rank, 2, place);
	MPI_Neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, cart);
	printf("%d: %dx%d (%d %d) %d %d %d %d\n", rank, dims[0], dims[1], place[0], place[1],
	       around[0], around[1], around[2], around[3]);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	MPI_Bcast(place, 2, MPI_INT, 0, half);
	printf("%d: %d %d\n", rank, place[0], place[1]);
	MPI_Comm_free(&half);
	MPI_Comm_free(&cart);
}

static void requests(void)
{
	int in = 0, out = 0, count, indices[2];
	MPI_Request pair[2], request;
	MPI_Status statuses[2], status;
	MPI_Message message;

	MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &pair[0]);
	MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &pair[1]);
	for (int i = 0; i < 3; i++) {
		out = i * 10 + rank;
		MPI_Startall(2, pair);
		for (int done = 0; done < 2;) {
			MPI_Testsome(2, pair, &count, indices, statuses);
			done += count;
		}
		printf("%d: %d\n", rank, in);
	}
	MPI_Request_free(&pair[0]);
	MPI_Request_free(&pair[1]);
	MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD, &request);
	MPI_Mprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &message, &status);
	MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	printf("%d: %d from %d\n", rank, in, status.MPI_SOURCE);
}

static void types(void)
{
	struct pair {
		char letter;
		double number;
	} mine = {(char)('a' + rank), rank * 1.5}, *all = calloc((size_t)size, sizeof(*all));
	const int lengths[2] = {1, 1};
	const MPI_Aint places[2] = {0, 8};
	const MPI_Datatype members[2] = {MPI_CHAR, MPI_DOUBLE};
	MPI_Datatype type, column;
	char packed[64];
	int position = 0, matrix[16], numbers[COUNT] = {1, 2, 3, 4};

	MPI_Type_create_struct(2, lengths, places, members, &type);
	MPI_Type_commit(&type);
	MPI_Gather(&mine, 1, type, all, 1, type, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < size; i++)
		printf("%d: %c %g\n", rank, all[i].letter, all[i].number);
	MPI_Type_free(&type);
	for (int i = 0; i < 16; i++)
		matrix[i] = rank * 100 + i;
	MPI_Type_vector(4, 1, 4, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv_replace(matrix + 1, 1, column, (rank + 1) % size, 4, (rank + size - 1) % size,
	                     4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	printf("%d: %d %d %d\n", rank, matrix[1], matrix[5], matrix[6]);
	MPI_Type_free(&column);
	MPI_Pack(numbers, COUNT, MPI_INT, packed, sizeof(packed), &position, MPI_COMM_WORLD);
	position = 4;
	MPI_Unpack(packed, sizeof(packed), &position, numbers, 2, MPI_INT, MPI_COMM_WORLD);
	printf("%d: %d %d\n", rank, numbers[0], position);
	free(all);
}

static void others(void)
{
	MPI_Info info;
	MPI_Group group, first;
	MPI_Comm parent = MPI_COMM_WORLD;
	const int zero = 0;
	int flag, in_group;
	char value[16] = "";
	double *memory;
	struct timespec now;

	MPI_Info_create(&info);
	MPI_Info_set(info, "a", "bc");
	MPI_Info_get(info, "a", sizeof(value) - 1, value, &flag);
	MPI_Info_free(&info);
	MPI_Comm_group(MPI_COMM_WORLD, &group);
	MPI_Group_incl(group, 1, &zero, &first);
	MPI_Group_rank(first, &in_group);
	MPI_Group_free(&first);
	MPI_Group_free(&group);
	MPI_Comm_get_parent(&parent);
	printf("%d: %s\n", rank, parent == MPI_COMM_NULL ? "no parent" : "a parent");
	MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory);
	clock_gettime(CLOCK_REALTIME, &now);
	printf("%d: %s %d %d at %ld.%09ld, process %d, %f\n", rank, value, flag, in_group,
	       (long)now.tv_sec, now.tv_nsec, (int)getpid(), MPI_Wtime());
	printf("%d: addresses %p %p %p\n", rank, (void *)memory, malloc(1 << 20), (void *)&now);
	MPI_Free_mem(memory);
}

int main(int argc, char **argv)
{
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("%d: level %d\n", rank, level == MPI_THREAD_SERIALIZED);
	operations();
	attributes();
	topologies();
	requests();
	types();
	others();
	if (argc > 1 && strcmp(argv[1], "refused") == 0) {
		MPI_Win window;
		void *memory;

		MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
	}
	MPI_Finalize();
	return 0;
}
