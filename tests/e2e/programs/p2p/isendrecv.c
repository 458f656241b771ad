/* MPI_Isendrecv with MPI_ANY_SOURCE, and MPI_Isendrecv_replace around a ring: one request, which is
 * complete when both halves are. */
#include "../check.h"

static void from_anybody(void)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];
	int values[2] = {-1, -1}, next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

	if (rank == 0) {
		MPI_Isendrecv(&rank, 1, MPI_INT, 1, 1, &values[0], 1, MPI_INT, MPI_ANY_SOURCE, 2,
		              WORLD, &requests[0]);
		MPI_Isendrecv(&rank, 1, MPI_INT, 2, 1, &values[1], 1, MPI_INT, MPI_ANY_SOURCE, 2,
		              WORLD, &requests[1]);
		MPI_Waitall(2, requests, statuses);
		for (int i = 0; i < 2; i++)
			CHECK(statuses[i].MPI_SOURCE == values[i] && statuses[i].MPI_TAG == 2);
		CHECK(values[0] + values[1] == 3);
	} else {
		MPI_Isendrecv(&rank, 1, MPI_INT, 0, 2, &values[0], 1, MPI_INT, 0, 1, WORLD,
		              &requests[0]);
		MPI_Wait(&requests[0], &statuses[0]);
		CHECK(values[0] == 0 && statuses[0].MPI_SOURCE == 0);
	}
	CHECK(requests[0] == MPI_REQUEST_NULL);
	MPI_Isendrecv_c(&rank, 1, MPI_INT, next, 3, &values[0], 1, MPI_INT,
	                rank > 0 ? rank - 1 : MPI_PROC_NULL, 3, WORLD, &requests[0]);
	MPI_Wait(&requests[0], &statuses[0]);
	CHECK(statuses[0].MPI_SOURCE == (rank > 0 ? rank - 1 : MPI_PROC_NULL));
	CHECK(rank == 0 || values[0] == rank - 1);
}

static void around(int count)
{
	int *values = malloc(sizeof(int) * (size_t)count), flag = 0, index, done;
	int left = (rank + size - 1) % size;
	MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status status;

	for (int i = 0; i < count; i++)
		values[i] = rank;
	MPI_Isendrecv_replace(values, count, MPI_INT, (rank + 1) % size, 4, left, 4, WORLD,
	                      &requests[1]);
	switch (rank) {
	case 0:
		while (!flag)
			MPI_Test(&requests[1], &flag, &status);
		break;
	case 1:
		MPI_Waitany(2, requests, &index, &status);
		CHECK(index == 1);
		break;
	default: MPI_Waitsome(2, requests, &done, &index, &status); CHECK(done == 1 && index == 1);
	}
	CHECK(requests[1] == MPI_REQUEST_NULL && status.MPI_SOURCE == left);
	CHECK(values[0] == left && values[count - 1] == left);
	free(values);
}

/* The program frees a request that is still active. */
static void freed(void)
{
	static int value = -1;
	MPI_Request request;

	MPI_Isendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 6, &value, 1, MPI_INT,
	              (rank + size - 1) % size, 6, WORLD, &request);
	MPI_Request_free(&request);
	CHECK(request == MPI_REQUEST_NULL);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	from_anybody();
	around(10);
	around(100000);
	freed();
	MPI_Finalize();
	return 0;
}
