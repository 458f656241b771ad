/* Calls a collective in one of its forms, and prints its name and this rank's buffers
 * afterwards. */
#ifndef ALL_FORMS_H
#define ALL_FORMS_H

#include "check.h"

#define NO_INFO MPI_INFO_NULL

enum { ROOM = 12 };

static int in[ROOM], out[ROOM];
static MPI_Request request;

/* Counts and displacements for three members that send or receive 1, 2, 3 or two each. */
static const int n[] = {1, 2, 3}, ones[] = {1, 1, 1}, two[] = {2, 2, 2}, at[] = {0, 3, 6},
		 bytes[] = {0, 12, 24};
static const MPI_Count n_c[] = {1, 2, 3}, two_c[] = {2, 2, 2};
static const MPI_Aint at_c[] = {0, 3, 6}, bytes_c[] = {0, 12, 24};
static const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};

static inline void fill(void)
{
	for (int i = 0; i < ROOM; i++) {
		in[i] = 100 * (rank + 1) + i;
		out[i] = -1;
	}
	/* Not every program uses all of them. */
	(void)n, (void)ones, (void)two, (void)at, (void)bytes;
	(void)n_c, (void)two_c, (void)at_c, (void)bytes_c, (void)types;
}

static inline void show(const char *call)
{
	printf("%.*s:", (int)strcspn(call, "("), call);
	for (int i = 0; i < ROOM; i++)
		printf(" %d", in[i]);
	printf(" /");
	for (int i = 0; i < ROOM; i++)
		printf(" %d", out[i]);
	printf("\n");
}

#define NOW(call)                             \
	do {                                  \
		fill();                       \
		CHECK((call) == MPI_SUCCESS); \
		show(#call);                  \
	} while (0)

#define LATER(call)                                               \
	do {                                                      \
		fill();                                           \
		CHECK((call) == MPI_SUCCESS);                     \
		CHECK(MPI_Wait(&request, IGNORE) == MPI_SUCCESS); \
		show(#call);                                      \
	} while (0)

#define AGAIN(call)                                                       \
	do {                                                              \
		CHECK((call) == MPI_SUCCESS);                             \
		for (int time = 0; time < 2; time++) {                    \
			fill();                                           \
			CHECK(MPI_Start(&request) == MPI_SUCCESS);        \
			CHECK(MPI_Wait(&request, IGNORE) == MPI_SUCCESS); \
			show(#call);                                      \
		}                                                         \
		CHECK(MPI_Request_free(&request) == MPI_SUCCESS);         \
	} while (0)

/* For collectives that MPICH 4.0.2 can start only once, with the data at initialisation. */
#define ONCE(call)                                                \
	do {                                                      \
		fill();                                           \
		CHECK((call) == MPI_SUCCESS);                     \
		CHECK(MPI_Start(&request) == MPI_SUCCESS);        \
		CHECK(MPI_Wait(&request, IGNORE) == MPI_SUCCESS); \
		show(#call);                                      \
		CHECK(MPI_Request_free(&request) == MPI_SUCCESS); \
	} while (0)

#endif
