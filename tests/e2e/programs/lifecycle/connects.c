/* Rank 0 accepts the others one after another, in any order, and hears from each. */
#include "../check.h"

static void accept_all(void)
{
	char port[MPI_MAX_PORT_NAME];
	int sum = 0, got;
	MPI_Comm client;

	MPI_Open_port(MPI_INFO_NULL, port);
	for (int i = 1; i < size; i++)
		MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, i, 0, WORLD);
	for (int i = 1; i < size; i++) {
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &client);
		MPI_Recv(&got, 1, MPI_INT, 0, 0, client, IGNORE);
		MPI_Comm_disconnect(&client);
		sum += got;
	}
	CHECK(sum == size * (size - 1) / 2);
	MPI_Close_port(port);
}

static void connect_once(void)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm server;

	MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, WORLD, IGNORE);
	MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &server);
	MPI_Send(&rank, 1, MPI_INT, 0, 0, server);
	MPI_Comm_disconnect(&server);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	if (rank == 0)
		accept_all();
	else
		connect_once();
	MPI_Finalize();
	return 0;
}
