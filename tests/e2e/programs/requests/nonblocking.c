/* Irecv with MPI_ANY_SOURCE, completed together; then every form of send, in both directions. */
#include "../check.h"

#define COUNT 1000

static void exchange(int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                                 MPI_Request *))
{
	int mine[COUNT], theirs[COUNT], right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Request requests[2];
	MPI_Status statuses[2];
	int count;

	for (int i = 0; i < COUNT; i++)
		mine[i] = rank * COUNT + i;
	MPI_Irecv(theirs, COUNT, MPI_INT, left, 5, WORLD, &requests[0]);
	MPI_Barrier(WORLD);
	send(mine, COUNT, MPI_INT, right, 5, WORLD, &requests[1]);
	MPI_Waitall(2, requests, statuses);
	CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
	CHECK(statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == 5);
	MPI_Get_count(&statuses[0], MPI_INT, &count);
	CHECK(count == COUNT && theirs[0] == left * COUNT
	      && theirs[COUNT - 1] == left * COUNT + 999);
}

int main(int argc, char **argv)
{
	int values[2] = {-1, -1};
	MPI_Request requests[2];
	MPI_Status statuses[2];
	char *buffer = malloc(100000);
	int bytes;

	start(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < 2; i++)
			MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD,
			          &requests[i]);
		MPI_Waitall(2, requests, statuses);
		for (int i = 0; i < 2; i++) {
			CHECK(values[i] == statuses[i].MPI_SOURCE);
			CHECK(statuses[i].MPI_TAG == 10 * values[i]);
		}
		CHECK(values[0] + values[1] == 3);
	} else if (rank < 3) {
		MPI_Send(&rank, 1, MPI_INT, 0, 10 * rank, WORLD);
	}
	MPI_Buffer_attach(buffer, 100000);
	exchange(MPI_Isend);
	exchange(MPI_Issend);
	exchange(MPI_Ibsend);
	exchange(MPI_Irsend);
	MPI_Buffer_detach(&buffer, &bytes);
	free(buffer);
	MPI_Finalize();
	return 0;
}
