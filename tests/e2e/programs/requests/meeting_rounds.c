/* Nonblocking consensus by rounds: each rank polls for messages and for its own sends. Then all
 * meet, by collectives or messages, and learn whether all sends have been received.
 *
 *     meeting_rounds MEETING RANK,RANK,...
 *
 * MEETING: how they meet (struct meeting). RANK, one for each rank: TO:POLLS, where TO is the ranks
 * to which it sends a message each, and POLLS what it does in each round, in this order:
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

enum { TAG = 9, FLAG = 8, MOST = 8 };
static const MPI_Comm world = MPI_COMM_WORLD;
static int rank, size, sends, rounds;
static MPI_Comm others = MPI_COMM_NULL; /* all ranks but the last; of the last, itself */
static MPI_Request flags[2 * MOST];
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

/* --- meetings: each returns whether `mine` holds at all ranks --------------------------------- */

static int by_allreduce(int mine)
{
	int all = 0;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, world);
	return all;
}

static int by_reduce_scatter(int mine)
{
	int all = 0, ones[MOST] = {0};

	for (int i = 0; i < size; i++)
		ones[i] = mine;
	MPI_Reduce_scatter_block(ones, &all, 1, MPI_INT, MPI_LAND, world);
	return all;
}

static int are_all(const int *each)
{
	int all = 1;

	for (int i = 0; i < size; i++)
		all = all && each[i];
	return all;
}

static int by_allgather(int mine)
{
	int each[MOST] = {0};

	MPI_Allgather(&mine, 1, MPI_INT, each, 1, MPI_INT, world);
	return are_all(each);
}

static int by_alltoall(int mine)
{
	int each[MOST] = {0}, ones[MOST] = {0};

	for (int i = 0; i < size; i++)
		ones[i] = mine;
	MPI_Alltoall(ones, 1, MPI_INT, each, 1, MPI_INT, world);
	return are_all(each);
}

static int by_reduce(int mine)
{
	int all = 0;

	MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_LAND, size - 1, world);
	MPI_Bcast(&all, 1, MPI_INT, size - 1, world);
	return all;
}

static int by_gather(int mine)
{
	int all = 0, each[MOST] = {0};

	MPI_Gather(&mine, 1, MPI_INT, each, 1, MPI_INT, 0, world);
	all = rank == 0 && are_all(each);
	for (int i = 0; i < size; i++)
		each[i] = all;
	MPI_Scatter(each, 1, MPI_INT, &all, 1, MPI_INT, 0, world);
	return all;
}

static int by_iallreduce(int mine)
{
	int all = 0;
	MPI_Request request;

	MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_LAND, world, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	return all;
}

static int by_scan(int mine)
{
	int all = 0;

	MPI_Scan(&mine, &all, 1, MPI_INT, MPI_LAND, world);
	MPI_Bcast(&all, 1, MPI_INT, size - 1, world);
	return all;
}

/* A master collects what the others say, from `source` or any, and answers. */
static int by_master(int mine, int any)
{
	int all = mine, one = 0;

	if (rank > 0) {
		MPI_Send(&mine, 1, MPI_INT, 0, FLAG, world);
		MPI_Recv(&all, 1, MPI_INT, 0, FLAG, world, MPI_STATUS_IGNORE);
		return all;
	}
	for (int i = 1; i < size; i++) {
		MPI_Recv(&one, 1, MPI_INT, any ? MPI_ANY_SOURCE : i, FLAG, world,
		         MPI_STATUS_IGNORE);
		all = all && one;
	}
	for (int i = 1; i < size; i++)
		MPI_Send(&all, 1, MPI_INT, i, FLAG, world);
	return all;
}

static int by_named_master(int mine)
{
	return by_master(mine, 0);
}

static int by_any_master(int mine)
{
	return by_master(mine, 1);
}

/* A token goes round twice: to collect, and to tell. */
static int by_ring(int mine)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size, token = mine;

	for (int turn = 0; turn < 2; turn++) {
		if (rank == 0)
			MPI_Send(&token, 1, MPI_INT, next, FLAG, world);
		MPI_Recv(&token, 1, MPI_INT, before, FLAG, world, MPI_STATUS_IGNORE);
		token = token && mine;
		if (rank > 0)
			MPI_Send(&token, 1, MPI_INT, next, FLAG, world);
	}
	return token;
}

/* All but the last rank meet; the last one sends its flag to the first, and gets the answer. */
static int by_others(int mine)
{
	int all = 0, last = size - 1;

	if (others == MPI_COMM_NULL)
		MPI_Comm_split(world, rank == last, 0, &others);
	if (rank == last) {
		MPI_Send(&mine, 1, MPI_INT, 0, FLAG, world);
		MPI_Recv(&all, 1, MPI_INT, 0, FLAG, world, MPI_STATUS_IGNORE);
		return all;
	}
	if (rank == 0) {
		MPI_Recv(&all, 1, MPI_INT, last, FLAG, world, MPI_STATUS_IGNORE);
		mine = mine && all;
	}
	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, others);
	if (rank == 0)
		MPI_Send(&all, 1, MPI_INT, last, FLAG, world);
	return all;
}

/* By requests that are started again in each round. */
static int by_persistent(int mine)
{
	static MPI_Status statuses[2 * MOST];
	static int out, in[MOST], is_prepared;

	for (int i = 0; !is_prepared && i < size; i++) {
		MPI_Send_init(&out, 1, MPI_INT, i, FLAG, world, &flags[2 * i]);
		MPI_Recv_init(&in[i], 1, MPI_INT, i, FLAG, world, &flags[2 * i + 1]);
	}
	is_prepared = 1;
	out = mine;
	MPI_Startall(2 * size, flags);
	MPI_Waitall(2 * size, flags, statuses);
	return are_all(in);
}

static const struct meeting {
	const char *name;
	int (*meet)(int mine);
} meetings[] = {
	{"allreduce", by_allreduce},
	{"reduce_scatter", by_reduce_scatter},
	{"allgather", by_allgather},
	{"alltoall", by_alltoall},
	{"reduce", by_reduce},
	{"gather", by_gather},
	{"iallreduce", by_iallreduce},
	{"scan", by_scan},
	{"master", by_named_master},
	{"any_master", by_any_master},
	{"ring", by_ring},
	{"others", by_others},
	{"persistent", by_persistent},
};

static const struct meeting *find_meeting(const char *name)
{
	for (size_t i = 0; i < sizeof(meetings) / sizeof(meetings[0]); i++)
		if (strcmp(name, meetings[i].name) == 0)
			return &meetings[i];
	MPI_Abort(world, 2);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct meeting *meeting;
	const char *own, *polls;
	int value = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	for (int i = 0; i < 2 * MOST; i++)
		flags[i] = MPI_REQUEST_NULL;
	if (argc != 3)
		MPI_Abort(world, 2);
	meeting = find_meeting(argv[1]);
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
	} while (!meeting->meet(are_done()));
	(void)rounds;
	if (others != MPI_COMM_NULL)
		MPI_Comm_free(&others);
	for (int i = 0; i < 2 * MOST; i++)
		if (flags[i] != MPI_REQUEST_NULL)
			MPI_Request_free(&flags[i]);
	MPI_Finalize();
	return 0;
}
