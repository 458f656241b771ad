/* Messages that are read from their senders' memory, whose contents depend on earlier receives. A
 * rank that was put back must read its senders' present contents. All bytes are checked.
 *   (nothing)  wildcards, exchanges, synchronous and buffered sends, derived types, collectives
 *   crashed    rank 1 crashes while rank 0 waits for its message
 *   killed     the same, and it is gone at once (check_lost_sender.py) */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 100000, ROUNDS = 2 };

static int rank, size;
static unsigned known; /* of what was received so far */

static void fill(unsigned *words, unsigned seed)
{
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = seed * 2654435761u + i * 40503u;
}

static void look(const unsigned *words, unsigned seed, const char *what)
{
	for (unsigned i = 0; i < WORDS; i++) {
		if (words[i] == seed * 2654435761u + i * 40503u)
			continue;
		printf("rank %d: %s: word %u is %u\n", rank, what, i, words[i]);
		fflush(stdout);
		MPI_Abort(MPI_COMM_WORLD, 3);
	}
}

static unsigned seed_of(int of, unsigned after)
{
	return (unsigned)of + 1 + 16 * after;
}

/* Each rank sends what it knows; rank 0 sends the order of arrival to all. */
static void gather(unsigned *words)
{
	MPI_Status status;
	unsigned after = known;

	if (rank > 0) {
		fill(words, seed_of(rank, known));
		MPI_Send(words, WORDS, MPI_UNSIGNED, 0, 1, MPI_COMM_WORLD);
	}
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(words, WORDS, MPI_UNSIGNED, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
		look(words, seed_of(status.MPI_SOURCE, known), "gather");
		after = after * 8 + (unsigned)status.MPI_SOURCE;
	}
	MPI_Bcast(&after, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
	known = after;
}

static void exchange(unsigned *words, unsigned *others)
{
	int next = (rank + 1) % size, previous = (rank + size - 1) % size;
	MPI_Request requests[2];
	MPI_Datatype every_second;

	fill(words, seed_of(rank, known));
	MPI_Sendrecv(words, WORDS, MPI_UNSIGNED, next, 2, others, WORDS, MPI_UNSIGNED, previous, 2,
	             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	look(others, seed_of(previous, known), "Sendrecv");

	memset(others, 0, WORDS * sizeof(*others));
	MPI_Irecv(others, WORDS, MPI_UNSIGNED, previous, 3, MPI_COMM_WORLD, &requests[0]);
	MPI_Issend(words, WORDS, MPI_UNSIGNED, next, 3, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	look(others, seed_of(previous, known), "Issend");

	/* The first half of `others` as every second word, and back. */
	MPI_Type_vector(WORDS / 2, 1, 2, MPI_UNSIGNED, &every_second);
	MPI_Type_commit(&every_second);
	memset(others, 0, WORDS * sizeof(*others));
	MPI_Irecv(others, 1, every_second, previous, 4, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(words, 1, every_second, next, 4, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	fill(words, seed_of(previous, known));
	for (unsigned i = 1; i < WORDS; i += 2)
		others[i] = words[i];
	look(others, seed_of(previous, known), "a derived type");
	MPI_Type_free(&every_second);
}

static void collect(unsigned *words, unsigned *others)
{
	int root = (int)(known % (unsigned)size);

	if (rank == root)
		fill(words, seed_of(rank, known));
	MPI_Bcast(words, WORDS, MPI_UNSIGNED, root, MPI_COMM_WORLD);
	look(words, seed_of(root, known), "Bcast");
	fill(words, seed_of(rank, known));
	MPI_Reduce(words, others, WORDS, MPI_UNSIGNED, MPI_BXOR, root, MPI_COMM_WORLD);
	for (int i = 0; rank == root && i < size; i++) {
		fill(words, seed_of(i, known));
		for (unsigned j = 0; j < WORDS; j++)
			others[j] ^= words[j];
	}
	for (unsigned i = 0; rank == root && i < WORDS; i++)
		if (others[i] != 0)
			MPI_Abort(MPI_COMM_WORLD, 4);
}

static void lose(unsigned *words, int how)
{
	MPI_Request request;

	if (rank == 1) {
		MPI_Isend(words, WORDS, MPI_UNSIGNED, 0, 5, MPI_COMM_WORLD, &request);
		raise(how);
	}
	if (rank == 0)
		MPI_Recv(words, WORDS, MPI_UNSIGNED, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	unsigned *words = malloc(WORDS * sizeof(*words)), *others = malloc(WORDS * sizeof(*others));

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; argc < 2 && i < ROUNDS; i++) {
		gather(words);
		exchange(words, others);
		collect(words, others);
	}
	if (argc > 1) {
		gather(words);
		lose(words, strcmp(argv[1], "killed") == 0 ? SIGKILL : SIGSEGV);
	}
	if (rank == 0)
		printf("%o\n", known);
	MPI_Finalize();
	free(words);
	free(others);
	return 0;
}
