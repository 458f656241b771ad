/* Nonblocking consensus by rounds: each rank polls for messages and for its own sends. Then all
 * meet in a collective, and learn whether all sends have been received.
 *
 *     meeting_rounds MEETING RANK,RANK,...
 *
 * MEETING: how they meet. RANK, one for each rank: TO:POLLS, where TO is the ranks to which it
 * sends a message each, and POLLS what it does in each round, in this order:
 *
 *     P  looks for a message of any rank, and receives it     0 to 9  the same, of this rank
 *     M  the same, by a matched probe                         T  tests its sends, one by one
 *     A  tests all its sends at once                          N  tests any, S some of them
 *
 * With BUG a message counts as received when it is sent: what comes later is left over. With COUNTS
 * a rank counts the rounds. All variables are initialised: what a round leaves on the stack would
 * make the next one differ. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BUG
#define SEND MPI_Isend
#else
#define SEND MPI_Issend
#endif

enum { TAG = 9, MOST = 8 };
static const MPI_Comm world = MPI_COMM_WORLD;
static int rank, size, sends, rounds;
static MPI_Request requests[MOST];

static void look(int source)
{
	MPI_Status status = {0};
	int found = 0, value = 0;

	MPI_Iprobe(source, TAG, world, &found, &status);
	if (found)
		MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, TAG, world, MPI_STATUS_IGNORE);
}

static void look_matched(void)
{
	MPI_Message message = MPI_MESSAGE_NULL;
	int found = 0, value = 0;

	MPI_Improbe(MPI_ANY_SOURCE, TAG, world, &found, &message, MPI_STATUS_IGNORE);
	if (found)
		MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

static void test_each(void)
{
	for (int i = 0, done = 0; i < sends; i++)
		if (requests[i] != MPI_REQUEST_NULL)
			MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
}

static int are_done(void)
{
	for (int i = 0; i < sends; i++)
		if (requests[i] != MPI_REQUEST_NULL)
			return 0;
	return 1;
}

static void poll_by(char how)
{
	MPI_Status statuses[MOST] = {{0}};
	int index = 0, done = 0, indices[MOST] = {0};

	if (how == 'P')
		look(MPI_ANY_SOURCE);
	else if (how == 'M')
		look_matched();
	else if (how >= '0' && how <= '9')
		look(how - '0');
	else if (are_done())
		return;
	else if (how == 'T')
		test_each();
	else if (how == 'A')
		MPI_Testall(sends, requests, &done, statuses);
	else if (how == 'N')
		MPI_Testany(sends, requests, &index, &done, MPI_STATUS_IGNORE);
	else if (how == 'S')
		MPI_Testsome(sends, requests, &done, indices, statuses);
}

/* Returns whether `mine` holds at all ranks. */
static int meet(const char *how, int mine)
{
	int all = 0, each[MOST], ones[MOST];

	for (int i = 0; i < MOST; i++)
		each[i] = ones[i] = i < size ? mine : 0;
	if (strcmp(how, "allreduce") == 0)
		MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, world);
	else if (strcmp(how, "reduce_scatter") == 0)
		MPI_Reduce_scatter_block(ones, &all, 1, MPI_INT, MPI_LAND, world);
	else if (strcmp(how, "allgather") == 0)
		MPI_Allgather(&mine, 1, MPI_INT, each, 1, MPI_INT, world);
	else
		MPI_Alltoall(ones, 1, MPI_INT, each, 1, MPI_INT, world);
	if (strcmp(how, "allreduce") == 0 || strcmp(how, "reduce_scatter") == 0)
		return all;
	for (int i = 0; i < size; i++)
		all += each[i];
	return all == size;
}

int main(int argc, char **argv)
{
	const char *own, *polls;
	int value = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	if (argc != 3)
		MPI_Abort(world, 2);
	own = argv[2];
	for (int i = 0; i < rank; i++)
		own = strchr(own, ',') + 1;
	polls = strchr(own, ':') + 1;
	for (; *own != ':'; own++)
		SEND(&value, 1, MPI_INT, *own - '0', TAG, world, &requests[sends++]);
	do {
		for (const char *how = polls; *how && *how != ','; how++)
			poll_by(*how);
#ifdef COUNTS
		rounds++;
#endif
	} while (!meet(argv[1], are_done()));
	(void)rounds;
	MPI_Finalize();
	return 0;
}
