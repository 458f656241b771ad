/* 4 ranks print "RANK gives WHAT" before they give something to others, and "RANK got WHAT from
 * RANK" after they have got it. Givers compute for a while first, so that whoever need not wait is
 * earlier. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

enum { RANKS = 4, TAG = 5 };

static int rank, step;

static void gives(const char *what)
{
	const long times = ((rank * 7 + step++ * 5) % 4 + 1) * 1000000L;

	for (volatile long i = 0; i < times; i++)
		;
	printf("%d gives %s\n", rank, what);
}

static void got(const char *what, int from)
{
	printf("%d got %s from %d\n", rank, what, from);
}

static void got_from_all(const char *what)
{
	for (int other = 0; other < RANKS; other++)
		got(what, other);
}

/* Sends the own rank. */
static void send_to(int other, const char *what)
{
	gives(what);
	MPI_Send(&rank, 1, MPI_INT, other, TAG, MPI_COMM_WORLD);
}

static void wildcards(void)
{
	for (int i = 1; i < RANKS && rank == 0; i++) {
		int value;

		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		got("wildcard", value);
	}
	if (rank != 0)
		send_to(0, "wildcard");
}

static void requests(void)
{
	MPI_Request all[RANKS];
	int values[RANKS], index;

	if (rank != 1) {
		send_to(1, "request");
		return;
	}
	for (int i = 0; i < RANKS; i++)
		MPI_Irecv(&values[i], 1, MPI_INT, i == 1 ? MPI_PROC_NULL : i, TAG, MPI_COMM_WORLD,
		          &all[i]);
	for (int i = 0; i < RANKS; i++) {
		MPI_Waitany(RANKS, all, &index, MPI_STATUS_IGNORE);
		if (index != 1)
			got("request", values[index]);
	}
}

static void polls(void)
{
	MPI_Request request;
	int value, flag = 0;

	if (rank == 3) {
		send_to(2, "test");
		send_to(2, "iprobe");
		send_to(2, "probe");
		send_to(2, "mprobe");
	}
	if (rank != 2)
		return;
	MPI_Irecv(&value, 1, MPI_INT, 3, TAG, MPI_COMM_WORLD, &request);
	while (!flag)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	got("test", value);
	for (flag = 0; !flag;)
		MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	/* Without a status it is not in the log whose message it was. */
	MPI_Recv(&value, 1, MPI_INT, 3, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	got("iprobe", value);
	MPI_Probe(3, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	got("probe", 3);
	MPI_Recv(&value, 1, MPI_INT, 3, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void matched_probe(void)
{
	MPI_Message message;
	int value;

	if (rank != 2)
		return;
	MPI_Mprobe(3, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	got("mprobe", 3);
	MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

static void both_ways(void)
{
	int value;

	gives("sendrecv");
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % RANKS, TAG, &value, 1, MPI_INT,
	             (rank + RANKS - 1) % RANKS, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	got("sendrecv", value);
}

static void persistent(void)
{
	MPI_Request all[2];
	int values[2];

	for (int i = 0; i < 2 && rank == 3; i++)
		MPI_Recv_init(&values[i], 1, MPI_INT, i + 1, TAG, MPI_COMM_WORLD, &all[i]);
	for (int time = 0; time < 2; time++) {
		const char *what = time ? "persistent 1" : "persistent 0";

		if (rank == 1 || rank == 2)
			send_to(3, what);
		if (rank != 3)
			continue;
		MPI_Startall(2, all);
		MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
		got(what, values[0]);
		got(what, values[1]);
	}
	for (int i = 0; i < 2 && rank == 3; i++)
		MPI_Request_free(&all[i]);
}

static void collectives(void)
{
	MPI_Request request;
	int value = rank, sum;

	gives("allreduce");
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	got_from_all("allreduce");
	gives("bcast");
	MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD);
	got("bcast", 2);
	gives("reduce");
	MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
	if (rank == 1)
		got_from_all("reduce");
	gives("scan");
	MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int other = 0; other < rank; other++)
		got("scan", other);
	gives("ibarrier");
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	got_from_all("ibarrier");
}

/* Ranks 2, 0 and 3, 1. */
static void split(void)
{
	const int other = (rank + 2) % RANKS;
	MPI_Comm half;
	int value, sum;

	gives("split");
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	got_from_all("split");
	if (rank >= 2) {
		gives("half");
		MPI_Send(&rank, 1, MPI_INT, 1, TAG, half);
	} else {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, half, MPI_STATUS_IGNORE);
		got("half", value);
	}
	gives("half scan");
	MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
	if (rank < 2)
		got("half scan", other);
	MPI_Comm_free(&half);
}

/* Between ranks 0, 1 and ranks 2, 3. */
static void groups(void)
{
	const bool is_low = rank < 2;
	MPI_Comm own, both;
	int value = rank;

	MPI_Comm_split(MPI_COMM_WORLD, is_low, 0, &own);
	MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, is_low ? 2 : 0, TAG, &both);
	gives("groups");
	MPI_Bcast(&value, 1, MPI_INT, rank == 3 ? MPI_ROOT : !is_low ? MPI_PROC_NULL : 1, both);
	if (is_low)
		got("groups", 3);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, both, MPI_STATUS_IGNORE);
		got("across", value);
	} else if (rank == 3) {
		gives("across");
		MPI_Send(&rank, 1, MPI_INT, 0, TAG, both);
	}
	MPI_Comm_free(&both);
	MPI_Comm_free(&own);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	wildcards();
	requests();
	polls();
	matched_probe();
	both_ways();
	persistent();
	collectives();
	split();
	groups();
	MPI_Finalize();
	return 0;
}
