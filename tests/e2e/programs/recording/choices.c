/* For a recording that is followed as a whole: every kind of call whose answer depends on the order
 * of messages. Rank 0 prints what it got. The first argument tells what happens; the others sleep
 * by the second one (a seed), so that the order differs from run to run. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 3, TAG = 5, MOST = 16 };

static int rank, size;
static unsigned seed;

static void dawdle(void)
{
	seed = seed * 1103515245u + 12345u;
	usleep((seed >> 16) % 4000);
}

static void send_all(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		const int value = rank * 100 + i;

		dawdle();
		MPI_Send(&value, 1, MPI_INT, 0, TAG + i % 2, MPI_COMM_WORLD);
	}
}

static void tell(const char *what, int value)
{
	printf("%s %d\n", what, value);
}

static void receive_any(void)
{
	for (int i = 0; i < ROUNDS * (size - 1); i++) {
		int value;

		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		tell("receive", value);
	}
}

static void probe_any(int matched)
{
	for (int i = 0; i < ROUNDS * (size - 1); i++) {
		MPI_Message message;
		MPI_Status status;
		int value;

		if (matched) {
			MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
			MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
		} else {
			MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
			MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG,
			         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		tell("probe", value);
	}
}

/* Counts what it has asked in vain, so that no two of its states are equal. */
static void poll_any(int counted)
{
	int asked = 0;

	for (int i = 0; i < ROUNDS * (size - 1); i++) {
		MPI_Status status;
		int value, flag = 0;

		while (!flag) {
			MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
			asked += counted && !flag;
			if (counted)
				usleep(300);
		}
		MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		tell("poll", value);
	}
	if (counted)
		tell("asked", asked);
}

static void start_all(MPI_Request requests[], int values[], int persistent)
{
	for (int i = 1; i < size; i++) {
		if (persistent)
			MPI_Recv_init(&values[i], 1, MPI_INT, i, MPI_ANY_TAG, MPI_COMM_WORLD,
			              &requests[i]);
		else
			MPI_Irecv(&values[i], 1, MPI_INT, i, MPI_ANY_TAG, MPI_COMM_WORLD,
			          &requests[i]);
	}
	requests[0] = MPI_REQUEST_NULL;
	if (persistent)
		MPI_Startall(size - 1, requests + 1);
}

/* One request for each rank; what is complete is started again. */
static void wait_any(const char *how)
{
	MPI_Request requests[MOST];
	int values[MOST], left[MOST], persistent = strcmp(how, "waitsome") == 0;

	start_all(requests, values, persistent);
	for (int i = 0; i < size; i++)
		left[i] = ROUNDS;
	for (int done = 0; done < ROUNDS * (size - 1);) {
		int indices[MOST], count = 1, flag = 1;
		MPI_Status statuses[MOST];

		if (strcmp(how, "waitany") == 0)
			MPI_Waitany(size, requests, indices, MPI_STATUS_IGNORE);
		else if (strcmp(how, "testany") == 0)
			MPI_Testany(size, requests, indices, &flag, MPI_STATUS_IGNORE);
		else if (strcmp(how, "waitsome") == 0)
			MPI_Waitsome(size, requests, &count, indices, statuses);
		else
			MPI_Testsome(size, requests, &count, indices, statuses);
		for (int i = 0; flag && i < count; i++) {
			const int at = indices[i];

			tell(how, values[at]);
			done++;
			if (--left[at] == 0)
				continue;
			if (persistent)
				MPI_Start(&requests[at]);
			else
				MPI_Irecv(&values[at], 1, MPI_INT, at, MPI_ANY_TAG, MPI_COMM_WORLD,
				          &requests[at]);
		}
	}
	for (int i = 1; persistent && i < size; i++)
		MPI_Request_free(&requests[i]);
}

/* Requests for any rank, which are tested one after the other. */
static void test_each(void)
{
	MPI_Request requests[MOST];
	int values[MOST];

	for (int i = 1; i < size; i++)
		MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
		          &requests[i]);
	for (int done = 0, i = 1; done < size - 1; i = i % (size - 1) + 1) {
		int flag = 0;

		if (requests[i] == MPI_REQUEST_NULL)
			continue;
		MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
		if (flag)
			tell("test", values[i]);
		done += flag;
	}
	for (int i = 0; i < (ROUNDS - 1) * (size - 1); i++) {
		MPI_Recv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		tell("test", values[0]);
	}
}

/* What goes wrong depends on who comes first: whoever does not is waited for twice, or crashes
 * rank 0. */
static void go_wrong(int crashes)
{
	int first, value;

	if (rank > 0) {
		dawdle();
		MPI_Send(&rank, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	tell("first", first);
	fflush(stdout);
	if (crashes && first != 1)
		abort();
	for (int i = 1; i < size; i++)
		if (i != first || (!crashes && first != 1))
			MPI_Recv(&value, 1, MPI_INT, i, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* What a recording has besides messages. */
static void tell_surroundings(void)
{
	const char *variable = getenv("CHOICES");
	char text[1024] = "", line[64] = "";
	int value;

	if (rank > 0) {
		MPI_Send(&rank, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
		return;
	}
	for (int i = 1; i < size; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	printf("%s %s", variable ? variable : "-", getcwd(text, sizeof(text)) ? text : "-");
	printf(" %s\n", fgets(line, sizeof(line), stdin) ? line : "-");
}

static int is_controlled(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int found = 0;

	while (maps && fgets(line, sizeof(line), maps))
		found |= strstr(line, "libmatchpoint-shim") != NULL;
	if (maps)
		fclose(maps);
	return found;
}

/* Under control, rank 0 makes another call; or the message of the last rank, which comes first,
 * goes elsewhere. */
static void differ(int elsewhere)
{
	int value;

	if (rank > 0) {
		const int turns = elsewhere && rank == size - 1 && is_controlled();

		usleep(rank < size - 1 ? 300000 : 0);
		MPI_Send(&rank, 1, MPI_INT, turns ? 1 : 0, TAG, MPI_COMM_WORLD);
		return;
	}
	if (!elsewhere && is_controlled())
		MPI_Probe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 1; i < size; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "receive";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	seed = (unsigned)(argc > 2 ? atoi(argv[2]) : 1) * 7919u + (unsigned)rank * 104729u;
	dawdle();
	if (strcmp(what, "hang") == 0 || strcmp(what, "crash") == 0)
		go_wrong(what[0] == 'c');
	else if (strcmp(what, "surroundings") == 0)
		tell_surroundings();
	else if (strcmp(what, "differs") == 0 || strcmp(what, "elsewhere") == 0)
		differ(what[0] == 'e');
	else if (rank > 0)
		send_all();
	else if (strcmp(what, "receive") == 0)
		receive_any();
	else if (strcmp(what, "probe") == 0 || strcmp(what, "mprobe") == 0)
		probe_any(what[0] == 'm');
	else if (strcmp(what, "poll") == 0 || strcmp(what, "count") == 0)
		poll_any(what[0] == 'c');
	else if (strcmp(what, "test") == 0)
		test_each();
	else
		wait_any(what);
	MPI_Finalize();
	return 0;
}
