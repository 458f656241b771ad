/* A rank reads the buffer of a receive that is not complete: the message may be there already or
 * not (MPI 3.1, section 3.7.4). */
#include "../check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What happens between the receive and the read of its buffer. */
static void meanwhile(const char *what)
{
	int flag, token = 0;

	if (strcmp(what, "barrier") == 0)
		MPI_Barrier(WORLD);
	else if (strcmp(what, "token") == 0)
		MPI_Recv(&token, 1, MPI_INT, 1, 1, WORLD, IGNORE);
	else
		MPI_Iprobe(1, 5, WORLD, &flag, IGNORE);
}

static void receive(const char *what)
{
	struct {
		char kind;
		int value;
	} gapped[2] = {{0}};
	MPI_Datatype type;
	MPI_Request requests[2];
	MPI_Status statuses[2];
	int value = 0;

	MPI_Type_create_hvector(2, 1, sizeof(gapped[0]), MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Irecv(&value, 1, MPI_INT, 1, 0, WORLD, &requests[0]);
	MPI_Irecv(&gapped[0].value, 1, type, 1, 0, WORLD, &requests[1]);
	meanwhile(what);
	if (strcmp(what, "poll") == 0 && value == 0)
		MPI_Abort(WORLD, 3);
	printf("%d %d %d\n", value, gapped[0].value, gapped[1].value);
	MPI_Waitall(2, requests, statuses);
	if (value != 1 || gapped[0].value != 2 || gapped[1].value != 3)
		abort();
	MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "poll";
	int one = 1, more[] = {2, 3};

	start(&argc, &argv);
	if (rank == 0) {
		receive(what);
	} else if (rank == 1) {
		MPI_Send(&one, 1, MPI_INT, 0, 0, WORLD);
		MPI_Send(more, 2, MPI_INT, 0, 0, WORLD);
		if (strcmp(what, "token") == 0)
			MPI_Send(&one, 1, MPI_INT, 0, 1, WORLD);
	}
	if (rank != 0 && strcmp(what, "barrier") == 0)
		MPI_Barrier(WORLD);
	MPI_Finalize();
	return 0;
}
