/* Sparse exchanges by nonblocking consensus: rank 0 asks its neighbour, who does not know of it.
 * Each rank takes what comes until all questions have been taken. The argument chooses how the rank
 * looks for messages and for its requests. With BUG a question counts as taken when it is sent:
 * what comes later is left over.
 *
 * Each function that polls has variables that it does not initialise: there lies what earlier calls
 * have left on the stack. */
#include <mpi.h>
#include <string.h>

#ifdef BUG
#define ASK MPI_Isend
#else
#define ASK MPI_Issend
#endif

enum { TAG = 9 };
static const MPI_Comm world = MPI_COMM_WORLD;
static int rank, size, question, answer;
static MPI_Request asking, consensus;

/* --- how messages are looked for -------------------------------------------------------------- */

static void take(int source)
{
	MPI_Recv(&answer, 1, MPI_INT, source, TAG, world, MPI_STATUS_IGNORE);
	answer = 0;
}

static void probe(void)
{
	MPI_Status status;
	int flag;

	MPI_Iprobe(MPI_ANY_SOURCE, TAG, world, &flag, &status);
	if (flag)
		take(status.MPI_SOURCE);
}

static void probe_each(void)
{
	for (int source = 0; source < size; source++) {
		MPI_Status status;
		int flag;

		if (source == rank)
			continue;
		MPI_Iprobe(source, TAG, world, &flag, &status);
		if (flag)
			take(source);
	}
}

static void probe_matched(void)
{
	MPI_Message message;
	MPI_Status status;
	int flag;

	MPI_Improbe(MPI_ANY_SOURCE, TAG, world, &flag, &message, &status);
	if (flag)
		MPI_Mrecv(&answer, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	answer = 0;
}

/* --- how requests are looked for -------------------------------------------------------------- */

static int test(MPI_Request *request)
{
	MPI_Status status;
	int done;

	MPI_Test(request, &done, &status);
	return done;
}

static int test_some(MPI_Request *request)
{
	MPI_Status statuses[1];
	int indices[1], count;

	MPI_Testsome(1, request, &count, indices, statuses);
	return count == 1;
}

static int test_all(MPI_Request *request)
{
	MPI_Status statuses[1];
	int done;

	MPI_Testall(1, request, &done, statuses);
	return done;
}

static int test_any(MPI_Request *request)
{
	MPI_Status status;
	int index, done;

	MPI_Testany(1, request, &index, &done, &status);
	return done;
}

static int get_status(MPI_Request *request)
{
	MPI_Status status;
	int done;

	MPI_Request_get_status(*request, &done, &status);
	if (done)
		MPI_Wait(request, MPI_STATUS_IGNORE);
	return done;
}

/* --- exchanges -------------------------------------------------------------------------------- */

static void ask(void)
{
	if (rank == 0)
		ASK(&question, 1, MPI_INT, (rank + 1) % size, TAG, world, &asking);
	else
		asking = MPI_REQUEST_NULL;
}

static void by_barrier(void (*look)(void), int (*is_done)(MPI_Request *))
{
	int active = 0, done = 0;

	ask();
	while (!done) {
		look();
		if (active)
			done = is_done(&consensus);
		else if (asking == MPI_REQUEST_NULL || is_done(&asking)) {
			MPI_Ibarrier(world, &consensus);
			active = 1;
		}
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	if (strcmp(how, "iprobe") == 0)
		by_barrier(probe, test);
	else if (strcmp(how, "source") == 0)
		by_barrier(probe_each, test);
	else if (strcmp(how, "some") == 0)
		by_barrier(probe, test_some);
	else if (strcmp(how, "all") == 0)
		by_barrier(probe, test_all);
	else if (strcmp(how, "any") == 0)
		by_barrier(probe, test_any);
	else if (strcmp(how, "matched") == 0)
		by_barrier(probe_matched, test);
	else if (strcmp(how, "status") == 0)
		by_barrier(probe, get_status);
	MPI_Finalize();
	return 0;
}
