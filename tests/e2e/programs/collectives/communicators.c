/* Messages on different communicators never match each other. Uses dup, split, create,
 * create_group, split_type, idup, cart and intercommunicators, each for a receive with
 * MPI_ANY_SOURCE. */
#include "../check.h"

/* Each rank except 0 sends its rank in `comm` to 0, which receives in any order. */
static void gather(MPI_Comm comm)
{
	int me, members, value, sum = 0;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &members);
	if (me == 0) {
		for (int i = 1; i < members; i++) {
			MPI_Status status;

			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &status);
			CHECK(status.MPI_SOURCE == value);
			sum += value;
		}
		CHECK(sum == members * (members - 1) / 2);
	} else {
		MPI_Send(&me, 1, MPI_INT, 0, 3, comm);
	}
	MPI_Barrier(comm);
}

static void crossed(MPI_Comm one, MPI_Comm other)
{
	int first = 1, second = 2, value;

	if (rank == 1) {
		MPI_Request requests[2];

		MPI_Isend(&first, 1, MPI_INT, 0, 0, one, &requests[0]);
		MPI_Isend(&second, 1, MPI_INT, 0, 0, other, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	} else if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, IGNORE);
		CHECK(value == 2);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, one, IGNORE);
		CHECK(value == 1);
	}
}

static void groups(void)
{
	MPI_Group all, some;
	MPI_Comm comm;
	int members[] = {2, 0};

	MPI_Comm_group(WORLD, &all);
	MPI_Group_incl(all, 2, members, &some);
	MPI_Comm_create(WORLD, some, &comm);
	if (comm != MPI_COMM_NULL) {
		gather(comm);
		MPI_Comm_free(&comm);
	}
	if (rank == 0 || rank == 2) {
		MPI_Comm_create_group(WORLD, some, 9, &comm);
		gather(comm);
		MPI_Comm_free(&comm);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&some);
}

/* {0} and {1, 2}, joined; rank 0 receives from any of the others. */
static void between(void)
{
	MPI_Comm half, inter, merged;
	int value, sum = 0;

	MPI_Comm_split(WORLD, rank > 0, rank, &half);
	MPI_Intercomm_create(half, 0, WORLD, rank > 0 ? 0 : 1, 4, &inter);
	if (rank == 0) {
		for (int i = 0; i < 2; i++) {
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, inter, IGNORE);
			sum += value;
		}
		CHECK(sum == 3);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, inter);
	}
	MPI_Intercomm_merge(inter, rank > 0, &merged);
	MPI_Barrier(merged);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	MPI_Comm one, other, part, grid;
	MPI_Request request;
	int dimensions[] = {3}, periods[] = {1};

	start(&argc, &argv);
	MPI_Comm_dup(WORLD, &one);
	MPI_Comm_idup(WORLD, &other, &request);
	MPI_Wait(&request, IGNORE);
	crossed(one, other);
	MPI_Comm_split(WORLD, 0, -rank, &part);
	gather(part);
	MPI_Comm_free(&part);
	MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &part);
	MPI_Barrier(part);
	MPI_Comm_free(&part);
	MPI_Cart_create(WORLD, 1, dimensions, periods, 0, &grid);
	MPI_Barrier(grid);
	MPI_Comm_free(&grid);
	groups();
	between();
	MPI_Comm_free(&one);
	MPI_Comm_free(&other);
	MPI_Finalize();
	return 0;
}
