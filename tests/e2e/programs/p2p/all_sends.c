/* Every way to send, receive and probe, with small and large counts: two ranks, each message in its
 * own form. What was received is printed. */
#include "../check.h"

enum { ROOM = 4 };

static int data[ROOM], got[ROOM];
static MPI_Status status;
static MPI_Request request;

/* Rank 0 executes the first, rank 1 the second. */
#define PAIR(send, receive)                                             \
	do {                                                            \
		fill();                                                 \
		CHECK((rank == 0 ? (send) : (receive)) == MPI_SUCCESS); \
		show(rank == 0 ? #send : #receive);                     \
	} while (0)

static void fill(void)
{
	for (int i = 0; i < ROOM; i++) {
		data[i] = 10 * (rank + 1) + i;
		got[i] = -1;
	}
	status.MPI_SOURCE = status.MPI_TAG = -5;
}

static void show(const char *call)
{
	printf("%.*s: %d %d %d %d\n", (int)strcspn(call, "("), call, got[0], got[1], got[2],
	       got[3]);
}

static int finish(int code)
{
	return code == MPI_SUCCESS ? MPI_Wait(&request, &status) : code;
}

static int start_and_finish(int code)
{
	if (code == MPI_SUCCESS)
		code = MPI_Start(&request);
	if (code == MPI_SUCCESS)
		code = MPI_Wait(&request, &status);
	return code == MPI_SUCCESS ? MPI_Request_free(&request) : code;
}

static void blocking(void)
{
	PAIR(MPI_Send(data, 3, MPI_INT, 1, 0, WORLD),
	     MPI_Recv(got, 4, MPI_INT, 0, 0, WORLD, &status));
	PAIR(MPI_Send_c(data, 3, MPI_INT, 1, 0, WORLD),
	     MPI_Recv_c(got, 4, MPI_INT, 0, 0, WORLD, &status));
	PAIR(MPI_Ssend(data, 2, MPI_INT, 1, 1, WORLD),
	     MPI_Recv(got, 4, MPI_INT, 0, MPI_ANY_TAG, WORLD, &status));
	PAIR(MPI_Ssend_c(data, 2, MPI_INT, 1, 1, WORLD),
	     MPI_Recv(got, 4, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &status));
	PAIR(MPI_Bsend(data, 1, MPI_INT, 1, 0, WORLD),
	     MPI_Recv(got, 4, MPI_INT, 0, 0, WORLD, &status));
	PAIR(MPI_Bsend_c(data, 1, MPI_INT, 1, 0, WORLD),
	     MPI_Recv(got, 4, MPI_INT, 0, 0, WORLD, &status));
	PAIR(MPI_Send(data, 4, MPI_INT, MPI_PROC_NULL, 0, WORLD),
	     MPI_Recv(got, 4, MPI_INT, MPI_PROC_NULL, 0, WORLD, &status));
}

static void nonblocking(void)
{
	PAIR(finish(MPI_Isend(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     finish(MPI_Irecv(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(finish(MPI_Isend_c(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     finish(MPI_Irecv_c(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(finish(MPI_Issend(data, 2, MPI_INT, 1, 0, WORLD, &request)),
	     MPI_Recv(got, 4, MPI_INT, 0, 0, WORLD, &status));
	PAIR(finish(MPI_Issend_c(data, 2, MPI_INT, 1, 0, WORLD, &request)),
	     MPI_Recv(got, 4, MPI_INT, 0, 0, WORLD, &status));
	PAIR(finish(MPI_Ibsend(data, 1, MPI_INT, 1, 0, WORLD, &request)),
	     MPI_Recv(got, 4, MPI_INT, 0, 0, WORLD, &status));
	PAIR(finish(MPI_Ibsend_c(data, 1, MPI_INT, 1, 0, WORLD, &request)),
	     MPI_Recv(got, 4, MPI_INT, 0, 0, WORLD, &status));
}

static int receive_ready(int code)
{
	CHECK(code == MPI_SUCCESS);
	MPI_Barrier(WORLD);
	return MPI_Wait(&request, &status);
}

static int when_ready(void)
{
	return MPI_Barrier(WORLD);
}

/* A ready send needs a posted receive: the barrier ensures it. */
static void ready(void)
{
	PAIR(when_ready() || MPI_Rsend(data, 3, MPI_INT, 1, 0, WORLD),
	     receive_ready(MPI_Irecv(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(when_ready() || MPI_Rsend_c(data, 3, MPI_INT, 1, 0, WORLD),
	     receive_ready(MPI_Irecv(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(when_ready() || finish(MPI_Irsend(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     receive_ready(MPI_Irecv(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(when_ready() || finish(MPI_Irsend_c(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     receive_ready(MPI_Irecv(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(when_ready()
	             || start_and_finish(MPI_Rsend_init(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     receive_ready(MPI_Irecv(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(when_ready()
	             || start_and_finish(MPI_Rsend_init_c(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     receive_ready(MPI_Irecv(got, 4, MPI_INT, 0, 0, WORLD, &request)));
}

static void persistent(void)
{
	PAIR(start_and_finish(MPI_Send_init(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     start_and_finish(MPI_Recv_init(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(start_and_finish(MPI_Send_init_c(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     start_and_finish(MPI_Recv_init_c(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(start_and_finish(MPI_Ssend_init(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     start_and_finish(MPI_Recv_init(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(start_and_finish(MPI_Ssend_init_c(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     start_and_finish(MPI_Recv_init(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(start_and_finish(MPI_Bsend_init(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     start_and_finish(MPI_Recv_init(got, 4, MPI_INT, 0, 0, WORLD, &request)));
	PAIR(start_and_finish(MPI_Bsend_init_c(data, 3, MPI_INT, 1, 0, WORLD, &request)),
	     start_and_finish(MPI_Recv_init(got, 4, MPI_INT, 0, 0, WORLD, &request)));
}

/* Both ranks execute the same. */
#define BOTH(call) PAIR(call, call)

static void exchanged(void)
{
	const int other = 1 - rank;

	BOTH(MPI_Sendrecv(data, 2, MPI_INT, other, 0, got, 4, MPI_INT, other, 0, WORLD, &status));
	BOTH(MPI_Sendrecv_c(data, 2, MPI_INT, other, 0, got, 4, MPI_INT, other, 0, WORLD, &status));
	BOTH(MPI_Sendrecv_replace(data, 2, MPI_INT, other, 0, other, 0, WORLD, &status));
	BOTH(MPI_Sendrecv_replace_c(data, 2, MPI_INT, other, 0, other, 0, WORLD, &status));
	CHECK(data[0] == 10 * (other + 1));
	BOTH(finish(MPI_Isendrecv(data, 2, MPI_INT, other, 0, got, 4, MPI_INT, other, 0, WORLD,
	                          &request)));
	BOTH(finish(MPI_Isendrecv_c(data, 2, MPI_INT, other, 0, got, 4, MPI_INT, other, 0, WORLD,
	                            &request)));
	BOTH(finish(MPI_Isendrecv_replace(data, 2, MPI_INT, other, 0, other, 0, WORLD, &request)));
	BOTH(finish(
		MPI_Isendrecv_replace_c(data, 2, MPI_INT, other, 0, other, 0, WORLD, &request)));
	CHECK(data[0] == 10 * (other + 1));
}

static MPI_Message message;

static int probe_until_there(int source)
{
	int there = 0;

	while (!there)
		MPI_Iprobe(source, 7, WORLD, &there, &status);
	return MPI_Recv(got, 4, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, WORLD, &status);
}

static int improbe_until_there(int source)
{
	int there = 0;

	while (!there)
		MPI_Improbe(source, 7, WORLD, &there, &message, &status);
	return MPI_SUCCESS;
}

static void probed(void)
{
	PAIR(MPI_Send(data, 4, MPI_INT, 1, 7, WORLD),
	     MPI_Probe(0, 7, WORLD, &status) || MPI_Recv(got, 4, MPI_INT, 0, 7, WORLD, &status));
	PAIR(MPI_Send(data, 4, MPI_INT, 1, 7, WORLD), probe_until_there(MPI_ANY_SOURCE));
	PAIR(MPI_Send(data, 4, MPI_INT, 1, 7, WORLD),
	     MPI_Mprobe(0, MPI_ANY_TAG, WORLD, &message, &status)
	             || MPI_Mrecv(got, 4, MPI_INT, &message, &status));
	PAIR(MPI_Send(data, 4, MPI_INT, 1, 7, WORLD),
	     MPI_Mprobe(0, 7, WORLD, &message, &status)
	             || MPI_Mrecv_c(got, 4, MPI_INT, &message, &status));
	PAIR(MPI_Send(data, 4, MPI_INT, 1, 7, WORLD),
	     improbe_until_there(0) || finish(MPI_Imrecv(got, 4, MPI_INT, &message, &request)));
	PAIR(MPI_Send(data, 4, MPI_INT, 1, 7, WORLD),
	     improbe_until_there(MPI_ANY_SOURCE)
	             || finish(MPI_Imrecv_c(got, 4, MPI_INT, &message, &request)));
	CHECK(rank == 0 || message == MPI_MESSAGE_NULL);
}

int main(int argc, char **argv)
{
	char buffer[1000];
	void *back;
	int bytes;
	MPI_Count large_bytes;

	start(&argc, &argv);
	MPI_Buffer_attach(buffer, sizeof(buffer));
	blocking();
	MPI_Buffer_detach(&back, &bytes);
	CHECK(back == buffer && bytes == sizeof(buffer));
	MPI_Buffer_attach_c(buffer, sizeof(buffer));
	nonblocking();
	ready();
	persistent();
	MPI_Buffer_detach_c(&back, &large_bytes);
	CHECK(back == buffer && large_bytes == sizeof(buffer));
	exchanged();
	probed();
	MPI_Finalize();
	return 0;
}
