/* What MPI has said to be complete, or to be there, is so when the rank asks again (MPI 3.1,
 * sections 3.7.6 and 3.8.1). Rank 0 does so in the way that the argument names, with "ever" for
 * ever. Other ranks send it a message each, and one more in the end. */
#include "../check.h"

#include <string.h>

enum { MOST = 3, TAG = 4, LAST = 5 };

static MPI_Request requests[MOST];
static MPI_Status statuses[MOST];
static int values[MOST], count, flag, which[MOST];

static void wait_for_status(MPI_Request request)
{
	for (flag = 0; !flag;)
		MPI_Request_get_status(request, &flag, IGNORE);
	flag = 0;
}

/* The first way in which a rank can learn that a message is there, and the other ways. */
static void find(int source)
{
	for (flag = 0; !flag;)
		MPI_Iprobe(source, TAG, WORLD, &flag, IGNORE);
	flag = 0;
}

static void take(int source)
{
	MPI_Recv(values, 1, MPI_INT, source, TAG, WORLD, IGNORE);
}

static void test_again(const char *what)
{
	for (int i = 0; i < size - 1; i++)
		MPI_Irecv(&values[i], 1, MPI_INT, i + 1, TAG, WORLD, &requests[i]);
	for (int i = 0; i < size - 1; i++)
		if (i == 0 || strcmp(what, "testall") == 0)
			wait_for_status(requests[i]);
	if (strcmp(what, "test") == 0) {
		MPI_Test(&requests[0], &flag, IGNORE);
	} else if (strcmp(what, "testall") == 0) {
		MPI_Testall(size - 1, requests, &flag, statuses);
	} else if (strcmp(what, "testany") == 0) {
		MPI_Testany(size - 1, requests, which, &flag, statuses);
	} else if (strcmp(what, "testsome") == 0) {
		MPI_Testsome(size - 1, requests, &count, which, statuses);
		flag = count > 0;
	} else {
		MPI_Request_get_status(requests[0], &flag, IGNORE);
	}
	CHECK(flag);
	MPI_Waitall(size - 1, requests, statuses);
}

static void probe_again(const char *what)
{
	MPI_Message message;

	if (strcmp(what, "probe") == 0)
		MPI_Probe(1, TAG, WORLD, IGNORE);
	else
		find(1);
	if (strcmp(what, "improbe") == 0) {
		MPI_Improbe(1, MPI_ANY_TAG, WORLD, &flag, &message, IGNORE);
		CHECK(flag);
		MPI_Mrecv(values, 1, MPI_INT, &message, IGNORE);
	} else {
		MPI_Iprobe(strcmp(what, "any") == 0 ? MPI_ANY_SOURCE : 1, TAG, WORLD, &flag,
		           IGNORE);
		CHECK(flag);
		take(1);
	}
	for (int source = 2; source < size; source++)
		take(source);
}

/* Leaves the message where it is as long as it waits for something else. */
static void look_at_both(void)
{
	MPI_Irecv(values, 1, MPI_INT, 1, LAST, WORLD, requests);
	for (int done = 0; !done;) {
		MPI_Iprobe(1, TAG, WORLD, &flag, IGNORE);
		MPI_Test(requests, &done, IGNORE);
	}
	for (int source = 1; source < size; source++)
		take(source);
}

static void look_for_ever(const char *what)
{
	MPI_Irecv(values, 1, MPI_INT, 1, LAST, WORLD, requests);
	if (strcmp(what, "status") == 0) {
		MPI_Irecv(values, 1, MPI_INT, 1, TAG, WORLD, requests);
		wait_for_status(requests[0]);
	}
	for (int ever = 1; ever;) {
		if (strcmp(what, "status") == 0)
			MPI_Request_get_status(requests[0], &flag, statuses);
		else
			MPI_Iprobe(1, TAG, WORLD, &flag, statuses);
		if (strcmp(what, "both") == 0)
			MPI_Test(requests, &flag, statuses);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "test";

	start(&argc, &argv);
	if (rank > 0) {
		MPI_Isend(&rank, 1, MPI_INT, 0, TAG, WORLD, requests);
		if (argc > 2)
			MPI_Recv(values, 1, MPI_INT, 0, LAST, WORLD, IGNORE);
		if (rank == 1 && strcmp(what, "both") == 0)
			MPI_Send(&rank, 1, MPI_INT, 0, LAST, WORLD);
		MPI_Wait(requests, IGNORE);
	} else if (argc > 2) {
		look_for_ever(what);
	} else if (strcmp(what, "both") == 0) {
		look_at_both();
	} else if (strcmp(what, "probe") == 0 || strstr("iprobe improbe any", what)) {
		probe_again(what);
	} else {
		test_again(what);
	}
	MPI_Finalize();
	return 0;
}
