/* Shared by the test programs: a check that ends the job, and the usual first lines of main. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                        \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			MPI_Abort(MPI_COMM_WORLD, 9);                                           \
		}                                                                               \
	} while (0)

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static int rank, size;

static inline void start(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* How many times longer than on an idle machine things may take now (run_program.py). */
static inline double slowness(void)
{
	const char *text = getenv("MATCHPOINT_TEST_SLOWNESS");

	return text ? atof(text) : 1;
}

#endif
