/* For check_proven.py: large messages that are received late, in another order, by receives of all
 * kinds, or wrongly. argv[1]: which; argv[2]: the seed of "random". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INTS = 40000, SMALL = 4 }; /* 160,000 bytes: a large message */

static int rank, size;
static int out[INTS], in[INTS], more[INTS];

static void verify(int holds, int line)
{
	if (!holds) {
		fprintf(stderr, "rank %d: wrong data, line %d\n", rank, line);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

static void fill(int *values, int with)
{
	for (int i = 0; i < INTS; i++)
		values[i] = with + i;
}

static void check(const int *values, int count, int with, int line)
{
	for (int i = 0; i < count; i++)
		verify(values[i] == with + i, line);
}
#define CHECK(values, count, with) check(values, count, with, __LINE__)

static void exchange(int to, int send_tag, int from, int receive_tag)
{
	MPI_Sendrecv(out, INTS, MPI_INT, to, send_tag, in, INTS, MPI_INT, from, receive_tag,
	             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive(int *into, int from, int tag)
{
	MPI_Recv(into, INTS, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(int count, int to, int tag)
{
	MPI_Send(out, count, MPI_INT, to, tag, MPI_COMM_WORLD);
}

/* A message is received only after a later one. */
static void late(void)
{
	if (rank == 0) {
		fill(out, 1);
		exchange(1, 5, 1, 6);
		CHECK(in, INTS, 2);
		fill(out, 3);
		send(INTS, 1, 7);
	} else if (rank == 1) {
		fill(out, 2);
		send(INTS, 0, 6);
		receive(in, 0, 7);
		CHECK(in, INTS, 3);
		receive(in, 0, 5);
		CHECK(in, INTS, 1);
	}
}

/* A small message of the same tag comes first: it is the one that rank 1 waits for. */
static void small_first(void)
{
	for (int round = 0; round < 20; round++) {
		fill(out, round);
		if (rank == 0) {
			send(SMALL, 1, 0);
			exchange(1, 0, 1, 1);
			send(SMALL, 1, 2);
		} else if (rank == 1) {
			send(INTS, 0, 1);
			receive(in, 0, 0);
			CHECK(in, SMALL, round);
			receive(in, 0, 2);
			receive(in, 0, 0);
			CHECK(in, INTS, round);
		}
	}
}

/* Several large messages of one tag are under way. */
static void several(void)
{
	MPI_Request requests[3];
	MPI_Status statuses[3];

	for (int round = 0; round < 10; round++) {
		int other = 1 - rank;

		fill(out, round);
		MPI_Irecv(in, INTS, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(more, INTS, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[1]);
		MPI_Isend(out, INTS, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[2]);
		MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
		fill(out, round + 1000);
		MPI_Isend(out, INTS, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[2]);
		MPI_Waitall(3, requests, statuses);
		CHECK(in, INTS, round);
		CHECK(more, INTS, round + 1000);
	}
}

/* Receives from any source, or of any tag, come before those that name their message. */
static void any(void)
{
	MPI_Request request;
	MPI_Status status;

	for (int round = 0; round < 10; round++) {
		fill(out, round);
		if (rank == 0) {
			exchange(1, 0, 1, 1);
			fill(out, round + 1000);
			exchange(1, 0, 1, 1);
		} else if (rank == 1) {
			MPI_Irecv(more, INTS, MPI_INT, round % 2 ? 0 : MPI_ANY_SOURCE,
			          round % 2 ? MPI_ANY_TAG : 0, MPI_COMM_WORLD, &request);
			send(INTS, 0, 1);
			exchange(0, 1, 0, 0);
			CHECK(in, INTS, round + 1000);
			MPI_Wait(&request, &status);
			CHECK(more, INTS, round);
		}
	}
}

/* MPI_Mprobe takes messages, too. */
static void probed(void)
{
	MPI_Message message;

	for (int round = 0; round < 10; round++) {
		fill(out, round);
		if (rank == 0) {
			exchange(1, 0, 1, 1);
			fill(out, round + 1000);
			exchange(1, 0, 1, 1);
		} else if (rank == 1) {
			send(INTS, 0, 1);
			MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
			exchange(0, 1, 0, 0);
			CHECK(in, INTS, round + 1000);
			MPI_Mrecv(more, INTS, MPI_INT, &message, MPI_STATUS_IGNORE);
			CHECK(more, INTS, round);
		}
	}
}

/* All ways to send and to receive, on two communicators and with a rank itself. */
static void ways(void)
{
	int up = (rank + 1) % size, down = (rank + size - 1) % size, own;
	MPI_Request requests[2];
	MPI_Status statuses[2];
	MPI_Comm other;

	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other); /* the other way round */
	MPI_Comm_rank(other, &own);
	MPI_Send_init(out, INTS, MPI_INT, up, 3, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv_init(in, INTS, MPI_INT, down, 3, MPI_COMM_WORLD, &requests[1]);
	for (int round = 0; round < 10; round++) {
		fill(out, round + rank);
		exchange(up, 0, down, 0);
		CHECK(in, INTS, round + down);
		exchange(rank, 1, rank, 1);
		CHECK(in, INTS, round + rank);
		exchange(MPI_PROC_NULL, 0, MPI_PROC_NULL, 0);
		MPI_Sendrecv(out, INTS, MPI_INT, (own + 1) % size, 0, in, INTS, MPI_INT,
		             (own + size - 1) % size, 0, other, MPI_STATUS_IGNORE);
		CHECK(in, INTS, round + up);
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, statuses);
		CHECK(in, INTS, round + down);
		memcpy(more, out, sizeof(more));
		MPI_Sendrecv_replace(more, INTS, MPI_INT, up, 4, down, 4, MPI_COMM_WORLD,
		                     MPI_STATUS_IGNORE);
		CHECK(more, INTS, round + down);
		if (rank % 2 == 0 && up != 0)
			MPI_Ssend(out, INTS, MPI_INT, up, 5, MPI_COMM_WORLD);
		else if (rank % 2 == 1)
			receive(in, down, 5);
		exchange(up, 6, down, 6);
		CHECK(in, INTS, round + down);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	MPI_Comm_free(&other);
}

/* Messages that do not fit. */
static void wrong(const char *what)
{
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	fill(out, 1);
	if (strcmp(what, "long") == 0 && rank == 1) {
		int code = MPI_Sendrecv(out, INTS, MPI_INT, 0, 0, in, INTS / 2, MPI_INT, 0, 0,
		                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("%d\n", code != MPI_SUCCESS);
	} else if (strcmp(what, "type") == 0 && rank == 1) {
		MPI_Sendrecv(out, INTS, MPI_INT, 0, 0, in, INTS, MPI_FLOAT, 0, 0, MPI_COMM_WORLD,
		             MPI_STATUS_IGNORE);
	} else if (strcmp(what, "tag") == 0 && rank == 1) {
		exchange(0, 0, 0, 1);
	} else if (strcmp(what, "never") == 0 && rank == 1) {
		receive(in, 0, 0);
	} else if (strcmp(what, "gone") == 0 && rank == 1) {
		abort();
	} else {
		exchange(1 - rank, 0, 1 - rank, 0);
	}
	exchange(1 - rank, 8, 1 - rank, 8);
}

/* Under zero buffering nobody goes on. */
static void heads_on(void)
{
	fill(out, rank);
	send(INTS, 1 - rank, 0);
	receive(in, 1 - rank, 0);
	CHECK(in, INTS, 1 - rank);
}

/* A receive is pending that nobody waits for: under zero buffering its data arrives with the match,
 * and the rank shows it. */
static void pending(void)
{
	int early[1] = {0};
	MPI_Request request;

	for (int round = 1; round <= 5; round++) {
		fill(out, round);
		if (rank == 0) {
			exchange(1, 0, 1, 0);
			early[0] = round;
			usleep(3000); /* a rank that does not wait for this goes on before */
			MPI_Send(early, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
		} else if (rank == 1) {
			MPI_Irecv(early, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
			exchange(0, 0, 0, 0);
			printf("%d\n", *(volatile int *)early);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		}
	}
}

/* --- random ----------------------------------------------------------------------------------- */

/* Message i is sent at time i, and received at a later time. Sends do not wait, so no rank waits
 * for a rank that waits. Each is received by a receive that names it, or by one from any source,
 * since only one rank uses its tag. */
enum { MESSAGES = 300, TAGS = 2, LATEST = 12 };

static struct message {
	int from, to, tag, comm, count, taken_at, number;
} messages[MESSAGES];

static unsigned state;

static int chance(int below)
{
	state = state * 1103515245u + 12345u;
	return (int)((state >> 16) % (unsigned)below);
}

static int same_kind(const struct message *one, const struct message *other)
{
	return one->from == other->from && one->to == other->to && one->tag == other->tag
	       && one->comm == other->comm;
}

static void invent(unsigned seed)
{
	state = seed;
	for (int i = 0; i < MESSAGES; i++) {
		struct message *message = &messages[i];

		message->from = chance(size);
		message->to = chance(size);
		message->tag = message->from * TAGS + chance(TAGS);
		message->comm = chance(2);
		message->count = chance(4) == 0 ? SMALL : INTS - chance(1000);
		message->taken_at = i + 1 + chance(LATEST);
		for (int j = 0; j < i; j++)
			if (same_kind(message, &messages[j])
			    && message->taken_at < messages[j].taken_at)
				message->taken_at = messages[j].taken_at;
	}
}

static void random_messages(unsigned seed)
{
	MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_NULL};
	MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;

	MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
	invent(seed);
	state += (unsigned)rank;
	for (int now = 0; now < MESSAGES + LATEST + 1; now++) {
		const struct message *send = now < MESSAGES ? &messages[now] : NULL;

		for (int i = 0; i < now && i < MESSAGES; i++) {
			const struct message *take = &messages[i];
			int any = chance(3) == 0;

			if (take->taken_at != now || take->to != rank)
				continue;
			memset(in, 0, sizeof(in));
			if (send && send->from == rank && send->comm == take->comm
			    && chance(2) == 0) {
				MPI_Wait(&sent, MPI_STATUS_IGNORE);
				fill(out, now);
				MPI_Sendrecv(out, send->count, MPI_INT, send->to, send->tag, in,
				             INTS, MPI_INT, any ? MPI_ANY_SOURCE : take->from,
				             take->tag, comms[take->comm], MPI_STATUS_IGNORE);
				send = NULL;
			} else {
				MPI_Irecv(in, INTS, MPI_INT, any ? MPI_ANY_SOURCE : take->from,
				          take->tag, comms[take->comm], &received);
				MPI_Wait(&received, MPI_STATUS_IGNORE);
			}
			CHECK(in, take->count, i);
		}
		if (!send || send->from != rank)
			continue;
		MPI_Wait(&sent, MPI_STATUS_IGNORE);
		fill(out, now);
		if (chance(2) == 0)
			MPI_Send(out, send->count, MPI_INT, send->to, send->tag, comms[send->comm]);
		else
			MPI_Isend(out, send->count, MPI_INT, send->to, send->tag, comms[send->comm],
			          &sent);
	}
	MPI_Wait(&sent, MPI_STATUS_IGNORE);
	MPI_Comm_free(&comms[1]);
}

int main(int argc, char **argv)
{
	const char *what = argv[1];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(what, "late") == 0)
		late();
	else if (strcmp(what, "small") == 0)
		small_first();
	else if (strcmp(what, "several") == 0)
		several();
	else if (strcmp(what, "any") == 0)
		any();
	else if (strcmp(what, "probed") == 0)
		probed();
	else if (strcmp(what, "ways") == 0)
		ways();
	else if (strcmp(what, "heads_on") == 0)
		heads_on();
	else if (strcmp(what, "pending") == 0)
		pending();
	else if (strcmp(what, "random") == 0)
		random_messages((unsigned)atoi(argv[2]));
	else
		wrong(what);
	printf("%d ends\n", rank);
	MPI_Finalize();
	return 0;
}
