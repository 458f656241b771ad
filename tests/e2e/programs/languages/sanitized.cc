// Built with sanitizers. Rank 0 receives from all others. If rank 2's message comes first, it makes
// the mistake that the argument names.
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>

static volatile int four = 4, two = 2;
static void *volatile kept;

static int down(volatile int *above)
{
	volatile int here[1000];

	here[0] = *above + 1;
	return here[0] > 0 ? down(here) + here[0] : 0; /* stack */
}

static void make_mistake(const char *mistake)
{
	if (!strcmp(mistake, "overflow")) {
		volatile char *block = (volatile char *)malloc(4);
		block[four] = 1; /* overflow */
		free((void *)block);
	} else if (!strcmp(mistake, "freed")) {
		int *block = new int[4];
		kept = block;
		delete[] block;
		printf("%d\n", ((volatile int *)kept)[1]); /* freed */
	} else if (!strcmp(mistake, "local")) {
		volatile int array[4] = {0};
		array[four] = 1; /* local */
	} else if (!strcmp(mistake, "stack")) {
		printf("%d\n", down(&two));
	} else if (!strcmp(mistake, "received")) {
		char *block = (char *)malloc(4);
		MPI_Sendrecv("1234567", 8, MPI_CHAR, 0, 1, block, 8, MPI_CHAR, 0, 1, /* received */
		             MPI_COMM_SELF, MPI_STATUS_IGNORE);
		free(block);
	} else if (!strcmp(mistake, "leak")) {
		kept = malloc(123); /* leak */
		kept = NULL;
	} else if (!strcmp(mistake, "leaks")) {
		/* The place of the first one may be known from a block that was freed. */
		for (int i = 0; i < 10; i++)
			kept = malloc(123); /* leaks */
		kept = NULL;
	} else if (!strcmp(mistake, "undefined")) {
		volatile int most = INT_MAX;
		most = most + two; /* undefined */
	} else if (!strcmp(mistake, "abort")) {
		abort(); /* abort */
	} else if (!strcmp(mistake, "exit")) {
		exit(3);
	}
}

static int free_value(MPI_Comm, int, void *value, void *)
{
	free(value);
	return MPI_SUCCESS;
}

static void add(void *in, void *inout, int *count, MPI_Datatype *)
{
	int *sums = (int *)malloc(sizeof(int) * (size_t)*count);

	memcpy(sums, inout, sizeof(int) * (size_t)*count);
	for (int i = 0; i < *count; i++)
		((int *)inout)[i] = sums[i] + ((int *)in)[i];
	free(sums);
}

/* What MPI keeps of the program's, and what it allocates by itself. */
static void use_much(int rank)
{
	int key, sum, size, *memory;
	void *space = malloc(10000);
	MPI_Comm copy;
	MPI_Op op;
	MPI_Win window;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_value, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_WORLD, key, malloc(20));
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_set_attr(copy, key, malloc(30));
	MPI_Op_create(add, 1, &op);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, copy);
	MPI_Op_free(&op);
	MPI_Buffer_attach(space, 10000);
	MPI_Bsend(&rank, 1, MPI_INT, rank, 0, copy);
	MPI_Recv(&sum, 1, MPI_INT, rank, 0, copy, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&space, &size);
	free(space);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, copy, &memory, &window);
	MPI_Win_fence(0, window);
	MPI_Put(&rank, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
	MPI_Win_fence(0, window);
	MPI_Win_free(&window);
	MPI_Comm_free(&copy);
	MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
	int rank, size, from, first = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (int i = 1; i < size; i++) {
			MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, /* first */
			         MPI_STATUS_IGNORE);
			if (i == 1)
				first = from;
		}
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	use_much(rank);
	if (first == 2)
		make_mistake(argv[1]);
	MPI_Finalize();
	return 0;
}
