/* One thread sends after another thread of its rank has received and told it so through memory. The
 * receive could not take that message, but MPI does not show the dependence. If not told, the
 * thread sends nothing. With "waits" it waits for it, in a loop; with "fails" it aborts; with
 * "polls" rank 1 polls for a message that is never sent, before it asks. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../check.h"

enum { DATA = 1, ASK, WORK, NEVER };

static atomic_bool received;
static const char *how;

static void *hand_on(void *unused)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, ASK, WORLD, IGNORE);
	while (strcmp(how, "waits") == 0 && !received)
		;
	if (strcmp(how, "fails") == 0 && !received)
		abort();
	if (received)
		MPI_Send(&value, 1, MPI_INT, 2, WORK, WORLD);
	return unused;
}

static void poll_in_vain(void)
{
	int found;

	for (int i = 0; i < 3; i++) {
		MPI_Iprobe(2, NEVER, WORLD, &found, IGNORE);
		CHECK(!found);
	}
}

static void collect(void)
{
	MPI_Status status;
	pthread_t thread;
	int value;

	pthread_create(&thread, NULL, hand_on, NULL);
	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, DATA, WORLD, &status);
	CHECK(status.MPI_SOURCE == 1);
	received = true;
	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, DATA, WORLD, IGNORE);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int value = 0, provided;
	MPI_Request request;

	how = argc > 1 ? argv[1] : "";
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(WORLD, &rank);
	CHECK(provided == MPI_THREAD_MULTIPLE);
	if (rank == 0) {
		collect();
	} else if (rank == 1) {
		MPI_Isend(&value, 1, MPI_INT, 0, DATA, WORLD, &request);
		if (strcmp(how, "polls") == 0)
			poll_in_vain();
		MPI_Send(&value, 1, MPI_INT, 0, ASK, WORLD);
		MPI_Wait(&request, IGNORE);
	} else {
		MPI_Recv(&value, 1, MPI_INT, 0, WORK, WORLD, IGNORE);
		MPI_Send(&value, 1, MPI_INT, 0, DATA, WORLD);
	}
	MPI_Finalize();
	return 0;
}
