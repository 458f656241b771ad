/* Collective calls whose arguments differ from rank to rank, in ways that the standard allows. */
#include "../check.h"

#define N 4

static int data[64], more[64];

static void take_first(void *in, void *inout, int *length, MPI_Datatype *type)
{
	(void)type;
	memcpy(inout, in, (size_t)*length * sizeof(int));
}

static void rooted(MPI_Datatype pair)
{
	/* not significant where not used (MPI 3.1, sections 5.5 and 5.6) */
	int junk = rank == 0 ? 2 : 17;
	MPI_Datatype odd = rank == 0 ? MPI_INT : MPI_DOUBLE;
	MPI_Request request;

	MPI_Bcast(data, rank == 0 ? 2 : 1, rank == 0 ? MPI_INT : pair, 0, WORLD);
	MPI_Bcast(data, rank == 0 ? 8 : 2, rank == 0 ? MPI_BYTE : MPI_INT, 0, WORLD);
	MPI_Gather(data, 2, MPI_INT, more, junk, odd, 0, WORLD);
	MPI_Gather(rank == 0 ? MPI_IN_PLACE : data, rank == 0 ? 99 : 2,
	           rank == 0 ? MPI_DATATYPE_NULL : MPI_INT, more, junk, odd, 0, WORLD);
	MPI_Scatter(data, junk, odd, more, 1, pair, 0, WORLD);
	MPI_Scatter(data, junk, odd, rank == 0 ? MPI_IN_PLACE : more, rank == 0 ? 99 : 2, MPI_INT,
	            0, WORLD);
	MPI_Igather(data, 1, pair, more, junk, odd, 0, WORLD, &request);
	MPI_Wait(&request, IGNORE);
	MPI_Reduce(rank == 0 ? MPI_IN_PLACE : data, data, 2, MPI_INT, MPI_SUM, 0, WORLD);
}

static void uneven(void)
{
	int counts[N], places[N], total = 0;

	for (int i = 0; i < size; i++) {
		counts[i] = i;
		places[i] = total;
		total += i;
	}
	MPI_Gatherv(data, rank, MPI_INT, more, counts, places, MPI_INT, 0, WORLD);
	MPI_Scatterv(data, counts, places, MPI_INT, more, rank, MPI_INT, 0, WORLD);
	MPI_Allgatherv(data, rank, MPI_INT, more, counts, places, MPI_INT, WORLD);
	MPI_Reduce_scatter(data, more, counts, MPI_INT, MPI_SUM, WORLD);
}

static void alike(MPI_Datatype pair)
{
	MPI_Op own, again;
	MPI_Request request;

	MPI_Allgather(data, rank == 1 ? 1 : 2, rank == 1 ? pair : MPI_INT, more, 2, MPI_INT, WORLD);
	MPI_Alltoall(data, 2, MPI_INT, more, 1, pair, WORLD);
	MPI_Alltoall(rank == 1 ? MPI_IN_PLACE : data, rank == 1 ? 0 : 2, MPI_INT, more, 2, MPI_INT,
	             WORLD);
	MPI_Bcast(NULL, 0, rank == 0 ? MPI_INT : MPI_DOUBLE, 0, WORLD);
	/* each rank has its own handles for the same function */
	MPI_Op_create(take_first, 1, &again);
	MPI_Op_create(take_first, 1, &own);
	MPI_Allreduce(data, more, 2, MPI_INT, rank == 0 ? own : again, WORLD);
	MPI_Iallreduce(data, more, 2, MPI_INT, MPI_SUM, WORLD, &request);
	MPI_Wait(&request, IGNORE);
	MPI_Op_free(&own);
	MPI_Op_free(&again);
}

/* The roots of an intercommunicator's groups are not ranks of the local group. */
static void between(void)
{
	MPI_Comm half, inter;
	int low = rank < size / 2, root = low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;

	MPI_Comm_split(WORLD, low, rank, &half);
	MPI_Intercomm_create(half, 0, WORLD, low ? size / 2 : 0, 5, &inter);
	MPI_Bcast(data, low && rank > 0 ? 7 : 3, MPI_INT, root, inter);
	MPI_Allreduce(data, more, 2, MPI_INT, MPI_SUM, inter);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	MPI_Datatype pair;

	start(&argc, &argv);
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	rooted(pair);
	uneven();
	alike(pair);
	between();
	MPI_Type_free(&pair);
	MPI_Finalize();
	return 0;
}
