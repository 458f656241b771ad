/* Correct uses of buffers of active operations, and of memory next to them. */
#include "../check.h"

#define N 20000

static int data[N], more[N], unread[2][4];

static void read_and_share(void)
{
	MPI_Request requests[3];
	int sum = 0;

	if (rank == 1) {
		MPI_Isend(data, N, MPI_INT, 0, 0, WORLD, &requests[0]);
		MPI_Isend(data, 4, MPI_INT, 0, 1, WORLD, &requests[1]);
		for (int i = 0; i < N; i++)
			sum += data[i];
		CHECK(sum == 0);
		MPI_Send(data, 4, MPI_INT, 0, 2, WORLD);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		data[0] = 1; /* allowed now */
		data[0] = 0;
	} else if (rank == 0) {
		MPI_Irecv(more, N, MPI_INT, 1, 0, WORLD, &requests[0]);
		for (int i = 0; i < 2; i++)
			MPI_Irecv(unread[i], 4, MPI_INT, 1, i + 1, WORLD, &requests[i + 1]);
		MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
	}
}

/* Every second element is not part of the message. */
static void gaps(void)
{
	MPI_Datatype column, absolute;
	MPI_Aint place;
	MPI_Request request;
	int one = 1;

	MPI_Type_vector(4, 1, 2, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Get_address(data, &place);
	MPI_Type_create_struct(1, &one, &place, &column, &absolute);
	MPI_Type_commit(&absolute);
	for (int i = 0; i < 2; i++) {
		if (rank == 1)
			MPI_Isend(i ? MPI_BOTTOM : data, 1, i ? absolute : column, 0, 3, WORLD,
			          &request);
		else
			MPI_Irecv(i ? MPI_BOTTOM : data, 1, i ? absolute : column, 1, 3, WORLD,
			          &request);
		data[1]++;
		data[5]++;
		MPI_Barrier(WORLD);
		data[3]++;
		MPI_Wait(&request, IGNORE);
	}
	MPI_Type_free(&absolute);
	MPI_Type_free(&column);
}

static void again_and_again(void)
{
	MPI_Request request;

	if (rank == 1)
		MPI_Send_init(more, 4, MPI_INT, 0, 4, WORLD, &request);
	else
		MPI_Recv_init(more, 4, MPI_INT, 1, 4, WORLD, &request);
	for (int i = 0; i < 3; i++) {
		more[0] = i;
		MPI_Start(&request);
		MPI_Wait(&request, IGNORE);
		more[1]++;
	}
	MPI_Request_free(&request);
}

static void others(void)
{
	MPI_Request request;
	MPI_Status status;
	int flag = 0, peer = 1 - rank, out = rank, in;

	MPI_Isendrecv_replace(&out, 1, MPI_INT, peer, 5, peer, 5, WORLD, &request);
	MPI_Wait(&request, IGNORE);
	CHECK(out == peer);
	MPI_Isendrecv(&out, 1, MPI_INT, peer, 5, &in, 1, MPI_INT, peer, 5, WORLD, &request);
	MPI_Wait(&request, IGNORE);
	/* The operation is reported complete, so the buffer may be used. */
	if (rank == 1)
		MPI_Isend(&out, 1, MPI_INT, 0, 6, WORLD, &request);
	else
		MPI_Irecv(&in, 1, MPI_INT, 1, 6, WORLD, &request);
	while (!flag)
		MPI_Request_get_status(request, &flag, &status);
	out = in = 99;
	MPI_Wait(&request, IGNORE);
	/* Each partition is filled before it is marked ready. */
	if (rank == 1)
		MPI_Psend_init(more, 4, 1, MPI_INT, 0, 7, WORLD, MPI_INFO_NULL, &request);
	else
		MPI_Precv_init(more, 4, 1, MPI_INT, 1, 7, WORLD, MPI_INFO_NULL, &request);
	MPI_Start(&request);
	for (int i = 0; rank == 1 && i < 4; i++) {
		more[i] = i;
		MPI_Pready(i, request);
	}
	MPI_Wait(&request, IGNORE);
	MPI_Request_free(&request);
}

/* The buffer is smaller than the count says, because the message is known to be short. */
static void generous(void)
{
	int *own = malloc(16 * sizeof(*own));
	MPI_Request request;

	if (rank == 1) {
		MPI_Send(data, 2, MPI_INT, 0, 8, WORLD);
	} else {
		MPI_Irecv(own, 1 << 29, MPI_INT, 1, 8, WORLD, &request);
		MPI_Wait(&request, IGNORE);
	}
	free(own);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	read_and_share();
	gaps();
	again_and_again();
	others();
	generous();
	MPI_Finalize();
	return 0;
}
