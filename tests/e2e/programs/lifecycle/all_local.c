/* Local operations work as without matchpoint: generalised requests, statuses, user-defined
 * operations, packing, groups, info objects, names, large types, MPI_Pcontrol. */
#include <stddef.h>

#include "../check.h"

static int query(void *state, MPI_Status *status)
{
	printf("query %s\n", (char *)state);
	MPI_Status_set_elements(status, MPI_INT, 3);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = 5;
	status->MPI_TAG = 6;
	return MPI_SUCCESS;
}

static int release(void *state)
{
	printf("free %s\n", (char *)state);
	return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
	printf("cancel %s, %d\n", (char *)state, complete);
	return MPI_SUCCESS;
}

static void generalised(void)
{
	char one[] = "one", two[] = "two";
	MPI_Request requests[2];
	MPI_Status status;
	int count, flag, index;

	MPI_Grequest_start(query, release, cancel, one, &requests[0]);
	MPI_Grequest_start(query, release, cancel, two, &requests[1]);
	MPI_Testany(2, requests, &index, &flag, &status);
	CHECK(!flag);
	MPI_Cancel(&requests[1]);
	MPI_Grequest_complete(requests[1]);
	MPI_Waitany(2, requests, &index, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	printf("request %d from %d tag %d count %d\n", index, status.MPI_SOURCE, status.MPI_TAG,
	       count);
	MPI_Grequest_complete(requests[0]);
	MPI_Request_get_status(requests[0], &flag, &status);
	CHECK(flag);
	MPI_Request_free(&requests[0]);
	CHECK(requests[0] == MPI_REQUEST_NULL);
}

/* Not commutative: the matrix product of {1, a; 0, b} and {1, c; 0, d}. */
static void product(void *in, void *inout, int *count, MPI_Datatype *type)
{
	const int *left = in;
	int *right = inout;

	CHECK(*type != MPI_DATATYPE_NULL);
	for (int i = 0; i < *count; i++, left += 2, right += 2) {
		right[0] += left[0] * right[1];
		right[1] *= left[1];
	}
}

static void large_product(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
	int few = (int)*count;

	product(in, inout, &few, type);
}

static void operations(void)
{
	const int mine[] = {rank + 1, rank + 2};
	int all[2] = {0, 0}, commutes;
	MPI_Datatype pair;
	MPI_Op op;

	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Op_create(product, 0, &op);
	MPI_Op_commutative(op, &commutes);
	CHECK(!commutes);
	MPI_Allreduce(mine, all, 1, pair, op, WORLD);
	printf("product %d %d\n", all[0], all[1]);
	MPI_Scan(mine, all, 1, pair, op, WORLD);
	printf("up to here %d %d\n", all[0], all[1]);
	MPI_Reduce_local(mine, all, 1, pair, op);
	printf("and here %d %d\n", all[0], all[1]);
	MPI_Op_free(&op);
	CHECK(op == MPI_OP_NULL);
	MPI_Op_create_c(large_product, 0, &op);
	MPI_Reduce(mine, all, 1, pair, op, 0, WORLD);
	printf("product %d %d\n", rank == 0 ? all[0] : 0, rank == 0 ? all[1] : 0);
	MPI_Op_free(&op);
	MPI_Type_free(&pair);
}

struct particle {
	double place[3];
	int kind;
	char name[5];
};

static MPI_Datatype particle_type(void)
{
	const int lengths[] = {3, 1, 5};
	const MPI_Aint places[] = {offsetof(struct particle, place),
	                           offsetof(struct particle, kind),
	                           offsetof(struct particle, name)};
	const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
	MPI_Datatype bare, type;

	MPI_Type_create_struct(3, lengths, places, types, &bare);
	MPI_Type_create_resized(bare, 0, sizeof(struct particle), &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&bare);
	return type;
}

/* The message is shorter than the receive, so that elements and counts differ. */
static void derived(void)
{
	struct particle sent[2] = {{{1, 2, 3}, 4, "five"}, {{6, 7, 8}, 9, "ten"}}, got[3];
	MPI_Datatype type = particle_type();
	MPI_Status status;
	int count, elements;
	MPI_Count large;
	double three[3];

	memset(got, 0, sizeof(got));
	MPI_Sendrecv(sent, 2, type, rank, 0, got, 3, type, rank, 0, WORLD, &status);
	MPI_Get_count(&status, type, &count);
	MPI_Get_elements(&status, type, &elements);
	printf("%d of %d elements, %s %g\n", count, elements, got[1].name, got[1].place[2]);
	MPI_Type_free(&type);
	MPI_Type_contiguous(2, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	MPI_Sendrecv(sent[0].place, 3, MPI_DOUBLE, rank, 0, three, 2, type, rank, 0, WORLD,
	             &status);
	MPI_Get_count(&status, type, &count);
	MPI_Get_elements_x(&status, type, &large);
	printf("undefined %d, %d elements\n", count == MPI_UNDEFINED, (int)large);
	MPI_Type_free(&type);
}

static void packed(void)
{
	char room[100];
	int at = 0, numbers[] = {1, 2, 3}, got[3], needed;
	double half = 0.5, got_half;

	MPI_Pack_size(3, MPI_INT, WORLD, &needed);
	CHECK(needed >= 12);
	MPI_Pack(numbers, 3, MPI_INT, room, sizeof(room), &at, WORLD);
	MPI_Pack(&half, 1, MPI_DOUBLE, room, sizeof(room), &at, WORLD);
	MPI_Sendrecv_replace(room, sizeof(room), MPI_PACKED, rank, 0, rank, 0, WORLD, IGNORE);
	at = 0;
	MPI_Unpack(room, sizeof(room), &at, got, 3, MPI_INT, WORLD);
	MPI_Unpack(room, sizeof(room), &at, &got_half, 1, MPI_DOUBLE, WORLD);
	printf("unpacked %d %d %d %g, %d bytes\n", got[0], got[1], got[2], got_half, at);
}

/* A message of 12 bytes whose type extends over 6 GB. */
static void far_apart(void)
{
	const int lengths[] = {1, 1, 1};
	const MPI_Aint places[] = {0, 3000000000, 6000000000};
	static int data[3] = {1, 2, 3}, got[3];
	MPI_Datatype type, huge;
	MPI_Aint low, extent;
	MPI_Count bytes;

	MPI_Type_create_hindexed(3, lengths, places, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Type_get_extent(type, &low, &extent);
	printf("extent %ld\n", (long)extent);
	if (rank == 0)
		MPI_Send(data, 3, MPI_INT, 1, 0, WORLD);
	if (rank == 1) {
		char *memory = calloc(1, 7000000000); /* written at three places only */
		CHECK(memory);
		MPI_Recv(memory, 1, type, 0, 0, WORLD, IGNORE);
		for (int i = 0; i < 3; i++)
			memcpy(&got[i], memory + places[i], sizeof(int));
		free(memory);
	}
	printf("far apart: %d %d %d\n", got[0], got[1], got[2]);
	MPI_Type_free(&type);
	MPI_Type_contiguous_c(5000000000, MPI_INT, &huge);
	MPI_Type_size_c(huge, &bytes);
	printf("size %lld\n", (long long)bytes);
	MPI_Type_free(&huge);
}

static void groups(void)
{
	int ranges[1][3] = {{0, size - 1, 2}}, members, mine, result;
	MPI_Group all, even, odd, both;

	MPI_Comm_group(WORLD, &all);
	MPI_Group_range_incl(all, 1, ranges, &even);
	MPI_Group_difference(all, even, &odd);
	MPI_Group_union(even, odd, &both);
	MPI_Group_compare(all, both, &result);
	MPI_Group_size(odd, &members);
	MPI_Group_rank(odd, &mine);
	printf("%d odd ones, rank %d, similar %d\n", members, mine, result == MPI_SIMILAR);
	MPI_Group_free(&all);
	MPI_Group_free(&even);
	MPI_Group_free(&odd);
	MPI_Group_free(&both);
}

static void named(void)
{
	char name[MPI_MAX_OBJECT_NAME], value[20];
	int length, flag;
	MPI_Comm copy;
	MPI_Info info;

	MPI_Comm_get_name(WORLD, name, &length);
	printf("%s\n", name);
	MPI_Comm_dup(WORLD, &copy);
	MPI_Comm_set_name(copy, "mine");
	MPI_Comm_get_name(copy, name, &length);
	printf("%s\n", name);
	MPI_Comm_free(&copy);
	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "value");
	MPI_Info_get(info, "key", sizeof(value) - 1, value, &flag);
	printf("%s %d\n", value, flag);
	MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
	MPI_Status status;
	MPI_Fint fortran[MPI_F_STATUS_SIZE];
	int cancelled;

	start(&argc, &argv);
	MPI_Pcontrol(1);
	generalised();
	operations();
	derived();
	packed();
	far_apart();
	groups();
	named();
	MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, WORLD, &status);
	MPI_Status_c2f(&status, fortran);
	MPI_Status_f2c(fortran, &status);
	MPI_Test_cancelled(&status, &cancelled);
	printf("%d %d\n", status.MPI_SOURCE == MPI_PROC_NULL, cancelled);
	MPI_Pcontrol(0, "with", "more");
	MPI_Finalize();
	return 0;
}
