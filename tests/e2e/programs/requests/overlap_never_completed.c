/* Buffers of operations overlap, and the program completes none of them. By the first argument,
 * wrong: "irecv" then a send of the same bytes; "isend" the other way round; "two" receives;
 * "start" persistent; "iallreduce"; "part" with the end of the receive. Not reported: "deadlock"
 * nobody goes on. Right: "short" the message does not reach the bytes that are sent; "apart";
 * "unmatched" no message comes. */
#include "../check.h"

static int data[8], result[4];

static void leave_pending(const char *what, int peer)
{
	MPI_Request requests[3];

	if (!strcmp(what, "isend"))
		MPI_Isend(data, 4, MPI_INT, peer, 0, WORLD, &requests[1]);
	if (!strcmp(what, "start")) {
		MPI_Recv_init(data, 4, MPI_INT, peer, 0, WORLD, &requests[0]);
		MPI_Send_init(data, 4, MPI_INT, peer, 0, WORLD, &requests[1]);
		MPI_Startall(2, requests);
		return;
	}
	MPI_Irecv(data, 4, MPI_INT, peer, 0, WORLD, &requests[0]);
	if (!strcmp(what, "two")) {
		MPI_Irecv(data + 1, 4, MPI_INT, peer, 0, WORLD, &requests[2]);
		for (int i = 0; i < 2; i++)
			MPI_Send(result, 4, MPI_INT, peer, 0, WORLD);
	} else if (!strcmp(what, "iallreduce")) {
		MPI_Iallreduce(data, result, 4, MPI_INT, MPI_SUM, WORLD, &requests[1]);
		MPI_Send(data + 4, 4, MPI_INT, peer, 0, WORLD);
	} else if (!strcmp(what, "short")) {
		MPI_Isend(data + 2, 2, MPI_INT, peer, 0, WORLD, &requests[1]);
	} else if (!strcmp(what, "part")) {
		MPI_Isend(data + 3, 4, MPI_INT, peer, 0, WORLD, &requests[1]);
	} else if (!strcmp(what, "apart")) {
		MPI_Isend(data + 4, 4, MPI_INT, peer, 0, WORLD, &requests[1]);
	} else if (!strcmp(what, "unmatched")) {
		MPI_Isend(data, 4, MPI_INT, peer, 1, WORLD, &requests[1]);
	} else if (strcmp(what, "isend") != 0) {
		MPI_Isend(data, 4, MPI_INT, peer, 0, WORLD, &requests[1]);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	start(&argc, &argv);
	leave_pending(what, 1 - rank);
	if (!strcmp(what, "deadlock"))
		MPI_Recv(result, 1, MPI_INT, 1 - rank, 9, WORLD, IGNORE);
	MPI_Finalize();
	return 0;
}
