/* Rank 0 joins the others through sockets, in their order, and hears from each. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../check.h"

/* On the loopback, at a port that the kernel chooses. */
static int listen_at(int *ret_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(listen(fd, 1) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&address, &length) == 0);
	*ret_port = ntohs(address.sin_port);
	return fd;
}

static int connect_to(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	                              .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	return fd;
}

/* The rank of the other process, as it says itself. */
static int join(int fd)
{
	MPI_Comm other;
	int got, remote;

	CHECK(MPI_Comm_join(fd, &other) == MPI_SUCCESS);
	MPI_Comm_remote_size(other, &remote);
	CHECK(remote == 1);
	MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, other, IGNORE);
	MPI_Comm_disconnect(&other);
	close(fd);
	return got;
}

static void join_all(void)
{
	int port, listening = listen_at(&port);

	for (int i = 1; i < size; i++) {
		MPI_Send(&port, 1, MPI_INT, i, 0, WORLD);
		CHECK(join(accept(listening, NULL, NULL)) == i);
	}
	close(listening);
}

int main(int argc, char **argv)
{
	MPI_Comm none;
	int port;

	start(&argc, &argv);
	if (rank == 0) {
		join_all();
	} else {
		MPI_Recv(&port, 1, MPI_INT, 0, 0, WORLD, IGNORE);
		CHECK(join(connect_to(port)) == 0);
	}
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	CHECK(MPI_Comm_join(-1, &none) != MPI_SUCCESS);
	MPI_Finalize();
	return 0;
}
