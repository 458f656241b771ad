/* Partitioned communication: two rounds around a ring, with partitions marked ready one by one,
 * as a list and as a range, and received in other portions. Between them receives with
 * MPI_ANY_SOURCE. */
#include "../check.h"

enum { PARTS = 4, RECEIVED = 2, EACH = 1000 };

static int out[PARTS * EACH], in[PARTS * EACH];

static void ready(MPI_Request *sending, int round)
{
	int some[2] = {3, 0};

	if (round == 0) {
		MPI_Pready_list(2, some, *sending);
		MPI_Pready_range(1, 2, *sending);
	} else {
		for (int i = PARTS; i-- > 0;)
			MPI_Pready(i, *sending);
	}
}

static void from_anybody(void)
{
	int value;

	if (rank == 0) {
		for (int i = 1; i < size; i++)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
}

/* With itself, and with MPI_PROC_NULL. */
static void alone(void)
{
	int sent[2] = {rank, 5}, received[2] = {-1, -1}, flag = 0, peers[] = {0, MPI_PROC_NULL};
	MPI_Request requests[2];
	MPI_Status statuses[2];

	for (int i = 0; i < 2; i++) {
		MPI_Precv_init(received, 1, 2, MPI_INT, peers[i], 0, MPI_COMM_SELF, MPI_INFO_NULL,
		               &requests[0]);
		MPI_Psend_init(sent, 2, 1, MPI_INT, peers[i], 0, MPI_COMM_SELF, MPI_INFO_NULL,
		               &requests[1]);
		MPI_Startall(2, requests);
		if (peers[i] != MPI_PROC_NULL)
			MPI_Test(&requests[1], &flag, &statuses[1]);
		CHECK(!flag);
		MPI_Pready_range(0, 1, requests[1]);
		MPI_Waitall(2, requests, statuses);
		MPI_Parrived(requests[0], 0, &flag);
		CHECK(flag);
		flag = 0;
		CHECK(received[0] == rank && received[1] == 5);
		CHECK(statuses[0].MPI_SOURCE == peers[i]);
		MPI_Request_free(&requests[0]);
		MPI_Request_free(&requests[1]);
	}
}

int main(int argc, char **argv)
{
	MPI_Request requests[2];
	int left, flag;

	start(&argc, &argv);
	alone();
	left = (rank + size - 1) % size;
	MPI_Psend_init(out, PARTS, EACH, MPI_INT, (rank + 1) % size, 7, WORLD, MPI_INFO_NULL,
	               &requests[0]);
	MPI_Precv_init(in, RECEIVED, PARTS / RECEIVED * EACH, MPI_INT, left, 7, WORLD,
	               MPI_INFO_NULL, &requests[1]);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < PARTS * EACH; i++)
			out[i] = 100 * round + rank;
		MPI_Startall(2, requests);
		if (round == 0)
			from_anybody();
		ready(&requests[0], round);
		if (rank == 0) {
			for (int i = 0; i < RECEIVED; i++) {
				for (flag = 0; !flag;)
					MPI_Parrived(requests[1], i, &flag);
			}
		}
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
		for (int i = 0; i < PARTS * EACH; i++)
			CHECK(in[i] == 100 * round + left);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	MPI_Finalize();
	return 0;
}
