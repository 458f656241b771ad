/* Large messages whose sender waits: each arrives complete, in any order, and for any kind of
 * receive or probe. With an argument, rank 0 continues and reuses its buffer before the message is
 * received. */
#include "../check.h"

#define COUNT 50000 /* 200 kB */

static int numbers[2 * COUNT], received[2 * COUNT];

static void fill(int first)
{
	for (int i = 0; i < 2 * COUNT; i++) {
		numbers[i] = first + i;
		received[i] = -1;
	}
}

static void check_received(int first)
{
	for (int i = 0; i < COUNT; i++)
		CHECK(received[i] == first + i);
	CHECK(received[COUNT] == -1);
}

static void exchange(void)
{
	int peer = (rank + 1) % size, other = (rank + size - 1) % size;

	fill(rank);
	MPI_Sendrecv(numbers, COUNT, MPI_INT, peer, 0, received, COUNT, MPI_INT, other, 0, WORLD,
	             MPI_STATUS_IGNORE);
	check_received(other);
	fill(rank + 10);
	MPI_Sendrecv(numbers, COUNT, MPI_INT, rank, 1, received, COUNT, MPI_INT, rank, 1, WORLD,
	             MPI_STATUS_IGNORE);
	check_received(rank + 10);
	fill(rank + 20);
	MPI_Sendrecv(numbers, COUNT, MPI_INT, peer, 2, received, COUNT, MPI_INT, MPI_ANY_SOURCE, 2,
	             WORLD, MPI_STATUS_IGNORE);
	check_received(other + 20);
}

/* Both halves of a Sendrecv, with only every second number sent. */
static void exchange_gaps(void)
{
	MPI_Datatype every_second;

	fill(rank);
	MPI_Type_vector(COUNT, 1, 2, MPI_INT, &every_second);
	MPI_Type_commit(&every_second);
	MPI_Sendrecv(numbers, 1, every_second, (rank + 1) % size, 3, received, COUNT, MPI_INT,
	             (rank + size - 1) % size, 3, WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < COUNT; i++)
		CHECK(received[i] == (rank + size - 1) % size + 2 * i);
	MPI_Type_free(&every_second);
}

static void look(void)
{
	MPI_Message message;
	MPI_Status status;
	MPI_Request request;
	int count, flag = 0;

	fill(rank);
	if (rank == 0) {
		MPI_Send(numbers, COUNT, MPI_INT, 1, 4, WORLD);
		MPI_Ssend(numbers, COUNT, MPI_INT, 1, 5, WORLD);
		MPI_Send(numbers, COUNT, MPI_INT, 1, 6, WORLD);
		MPI_Sendrecv(numbers, COUNT, MPI_INT, 1, 7, &count, 1, MPI_INT, 1, 8, WORLD,
		             MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Probe(0, 4, WORLD, &status);
		MPI_Get_count(&status, MPI_INT, &count);
		CHECK(count == COUNT);
		MPI_Recv(received, COUNT, MPI_INT, 0, 4, WORLD, MPI_STATUS_IGNORE);
		check_received(0);
		MPI_Mprobe(0, 5, WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(received, COUNT, MPI_INT, &message, MPI_STATUS_IGNORE);
		check_received(0);
		while (!flag)
			MPI_Iprobe(0, 6, WORLD, &flag, MPI_STATUS_IGNORE);
		MPI_Irecv(received, COUNT, MPI_INT, 0, 6, WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		check_received(0);
		MPI_Mprobe(0, 7, WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Send(&count, 1, MPI_INT, 0, 8, WORLD);
		MPI_Mrecv(received, COUNT, MPI_INT, &message, MPI_STATUS_IGNORE);
		check_received(0);
	}
}

/* Rank 0 has long continued when its message is received. */
static void go_on(void)
{
	int word = 0;

	fill(rank);
	if (rank == 0) {
		MPI_Sendrecv(numbers, COUNT, MPI_INT, 1, 9, &word, 1, MPI_INT, 1, 10, WORLD,
		             MPI_STATUS_IGNORE);
		fill(1000);
		MPI_Send(&word, 1, MPI_INT, 1, 11, WORLD);
	} else if (rank == 1) {
		MPI_Send(&word, 1, MPI_INT, 0, 10, WORLD);
		MPI_Recv(&word, 1, MPI_INT, 0, 11, WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(received, COUNT, MPI_INT, 0, 9, WORLD, MPI_STATUS_IGNORE);
		check_received(0);
	}
}

static void race(void)
{
	MPI_Status status;

	fill(rank);
	for (int i = 1; rank == 0 && i < size; i++) {
		received[COUNT] = -1;
		MPI_Recv(received, COUNT, MPI_INT, MPI_ANY_SOURCE, 12, WORLD, &status);
		check_received(status.MPI_SOURCE);
	}
	if (rank > 0)
		MPI_Send(numbers, COUNT, MPI_INT, 0, 12, WORLD);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	exchange();
	exchange_gaps();
	if (argc > 1)
		go_on();
	else
		look();
	race();
	MPI_Finalize();
	return 0;
}
