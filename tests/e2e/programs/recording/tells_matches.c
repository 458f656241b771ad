/* For reports of recordings (check_record_reports.py). Each message says which call has sent it:
 * its sender and the number of the sender's call, counted as reports count. Each rank prints
 * "match CALL SENDER CALL" for what each of its receives took. With the argument "hangs", rank 0
 * then waits for a message that nobody sends. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD

struct message {
	int sender, call;
};

static int rank, size, calls; /* communication calls so far */

/* A communication call: it counts. */
#define CALL(call) (calls++, (call))

static struct message now(void)
{
	return (struct message){rank, calls + 1};
}

static void tell(int call, const struct message *got)
{
	printf("match %d %d %d\n", call, got->sender, got->call);
}

static void send_to(int to, int tag, MPI_Comm comm)
{
	struct message out = now();

	CALL(MPI_Send(&out, 2, MPI_INT, to, tag, comm));
}

static void receive(int from, int tag, MPI_Comm comm)
{
	struct message in;

	CALL(MPI_Recv(&in, 2, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE));
	tell(calls, &in);
}

/* Two messages with one tag: their order is all that tells them apart. */
static void exchange_requests(void)
{
	struct message in[2], out[2];
	MPI_Request requests[4];
	int begun[2];
	const int left = (rank + size - 1) % size, right = (rank + 1) % size;

	for (int i = 0; i < 2; i++) {
		CALL(MPI_Irecv(&in[i], 2, MPI_INT, left, 1, WORLD, &requests[i]));
		begun[i] = calls;
	}
	for (int i = 0; i < 2; i++) {
		out[i] = now();
		CALL(MPI_Isend(&out[i], 2, MPI_INT, right, 1, WORLD, &requests[2 + i]));
	}
	/* The second one is waited for first. */
	CALL(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
	CALL(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
	tell(begun[0], &in[0]);
	tell(begun[1], &in[1]);
}

/* Rank 0 takes what comes first, by a receive, a probe, or a request that it polls. */
static void take_any(void)
{
	struct message in;
	MPI_Message message;
	MPI_Request request;
	int begun, flag = 0;

	if (rank > 0) {
		for (int i = 0; i < 3; i++)
			send_to(0, 2 + i, WORLD);
		return;
	}
	for (int i = 1; i < size; i++)
		receive(MPI_ANY_SOURCE, 2, WORLD);
	for (int i = 1; i < size; i++) {
		CALL(MPI_Mprobe(MPI_ANY_SOURCE, 3, WORLD, &message, MPI_STATUS_IGNORE));
		begun = calls;
		CALL(MPI_Mrecv(&in, 2, MPI_INT, &message, MPI_STATUS_IGNORE));
		tell(begun, &in);
	}
	for (int i = 1; i < size; i++) {
		CALL(MPI_Irecv(&in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &request));
		begun = calls;
		for (flag = 0; !flag;)
			CALL(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
		tell(begun, &in);
	}
}

static void exchange_both_ways(void)
{
	struct message in, out = now();
	MPI_Request requests[2];

	CALL(MPI_Sendrecv(&out, 2, MPI_INT, (rank + 1) % size, 5, &in, 2, MPI_INT,
	                  (rank + size - 1) % size, 5, WORLD, MPI_STATUS_IGNORE));
	tell(calls, &in);
	CALL(MPI_Send_init(&out, 2, MPI_INT, (rank + 1) % size, 6, WORLD, &requests[0]));
	CALL(MPI_Recv_init(&in, 2, MPI_INT, (rank + size - 1) % size, 6, WORLD, &requests[1]));
	for (int i = 0; i < 2; i++) {
		out = now();
		CALL(MPI_Startall(2, requests));
		const int begun = calls;
		CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
		tell(begun, &in);
	}
	CALL(MPI_Request_free(&requests[0]));
	CALL(MPI_Request_free(&requests[1]));
}

/* The handle of a communicator that was freed stands for another one later. */
static void exchange_in_parts(void)
{
	for (int i = 0; i < 2; i++) {
		MPI_Comm part, twin;
		int own, count, sum = 0;

		CALL(MPI_Comm_split(WORLD, i ? rank / 2 : rank % 2, -rank, &part));
		CALL(MPI_Comm_dup(part, &twin));
		MPI_Comm_rank(part, &own);
		MPI_Comm_size(part, &count);
		if (own + 1 < count)
			send_to(own + 1, 7, part);
		if (own + 1 < count)
			send_to(own + 1, 7, twin);
		if (own > 0)
			receive(own - 1, 7, twin);
		if (own > 0)
			receive(MPI_ANY_SOURCE, 7, part);
		CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part));
		CALL(MPI_Bcast(&sum, 1, MPI_INT, count - 1, twin));
		CALL(MPI_Comm_free(&part));
		CALL(MPI_Comm_free(&twin));
	}
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	CALL(MPI_Init(&argc, &argv));
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	exchange_requests();
	take_any();
	CALL(MPI_Barrier(WORLD)); /* what comes later, rank 0 must not take */
	exchange_both_ways();
	exchange_in_parts();
	CALL(MPI_Barrier(WORLD));
	if (argc > 1 && strcmp(argv[1], "hangs") == 0 && rank == 0)
		receive(1, 77, WORLD);
	if (argc > 1 && strcmp(argv[1], "hangs") == 0)
		CALL(MPI_Barrier(WORLD));
	CALL(MPI_Finalize());
	printf("calls %d\n", calls);
	return 0;
}
