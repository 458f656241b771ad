/* Signatures that differ: through derived types, in persistent and nonblocking calls, for messages
 * that a matched probe took, and together with a deadlock. */
#include <stddef.h>

#include "../check.h"

struct item {
	int number;
	double value;
};

static MPI_Datatype make_item(MPI_Datatype first, MPI_Datatype second)
{
	int lengths[2] = {1, 1};
	MPI_Aint places[2] = {offsetof(struct item, number), offsetof(struct item, value)};
	MPI_Datatype types[2] = {first, second}, made, resized;

	MPI_Type_create_struct(2, lengths, places, types, &made);
	MPI_Type_create_resized(made, 0, sizeof(struct item), &resized);
	MPI_Type_free(&made);
	MPI_Type_commit(&resized);
	return resized;
}

int main(int argc, char **argv)
{
	struct item items[5] = {{0}};
	MPI_Datatype item, swapped;
	MPI_Request request;
	MPI_Message message;
	float column[8] = {0};

	start(&argc, &argv);
	item = make_item(MPI_INT, MPI_DOUBLE);
	swapped = make_item(MPI_FLOAT, MPI_DOUBLE);
	if (rank == 1) {
		MPI_Isend(items, 3, item, 0, 1, WORLD, &request); /* items */
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		for (int i = 1; i < 4; i++)
			MPI_Send(column, i, MPI_FLOAT, 0, 2, WORLD); /* columns */
		MPI_Send(items, 2, item, 0, 3, WORLD);               /* probed */
		MPI_Send(column, 2, MPI_FLOAT, 0, 4, WORLD);         /* probed later */
		MPI_Send(column, 2, MPI_FLOAT, 0, 5, WORLD);
	} else if (rank == 0) {
		MPI_Recv_init(items, 5, swapped, 1, 1, WORLD, &request);
		MPI_Start(&request); /* swapped */
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
		for (int i = 1; i < 4; i++)
			MPI_Recv(column, 8, MPI_UNSIGNED, 1, 2, WORLD, IGNORE); /* columns taken */
		MPI_Mprobe(1, 3, WORLD, &message, IGNORE);
		MPI_Mrecv(items, 5, swapped, &message, IGNORE); /* probed one taken */
		MPI_Mprobe(1, 4, WORLD, &message, IGNORE);
		MPI_Imrecv(column, 8, MPI_INT, &message, &request); /* other one taken */
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Mprobe(1, 5, WORLD, &message, IGNORE);
		MPI_Mrecv(column, 8, MPI_FLOAT, &message, IGNORE);
		MPI_Recv(column, 1, MPI_INT, 1, 9, WORLD, IGNORE); /* never sent */
	}
	MPI_Type_free(&item);
	MPI_Type_free(&swapped);
	MPI_Finalize();
	return 0;
}
