/* An operation is active on a variable of a function that has returned. By the first argument,
 * wrong: "irecv", "isend", "persistent", "array" of some size, "thread" in another thread, "never"
 * completed, "deep" completed in a deeper function. Right: "main" the variable is main's, "caller"
 * it is the caller's, "waits" the function itself completes it, "heap", "coroutine" the function
 * is on another stack, which is still there. */
#include <pthread.h>
#include <ucontext.h>

#include "../check.h"

#define OUT_OF_LINE __attribute__((noinline, noclone))

static MPI_Request request = MPI_REQUEST_NULL;
static const char *what;
static ucontext_t outside, inside;

static void exchange(int *own)
{
	if (!strcmp(what, "isend"))
		MPI_Isend(own, 1, MPI_INT, 1 - rank, 0, WORLD, &request); /* started */
	else if (!strcmp(what, "iallreduce"))
		MPI_Iallreduce(MPI_IN_PLACE, own, 1, MPI_INT, MPI_SUM, WORLD,
		               &request); /* started */
	else
		MPI_Irecv(own, 1, MPI_INT, 1 - rank, 0, WORLD, &request); /* started */
}

static void send(void)
{
	static int got;

	if (!strcmp(what, "isend"))
		MPI_Recv(&got, 1, MPI_INT, 1 - rank, 0, WORLD, IGNORE);
	else
		MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, WORLD);
}

static void OUT_OF_LINE start_on_own(void)
{
	int own = rank;

	exchange(&own);
}

static void OUT_OF_LINE start_persistent(void)
{
	int own = rank;

	MPI_Recv_init(&own, 1, MPI_INT, 1 - rank, 0, WORLD, &request);
	MPI_Start(&request);
}

static void OUT_OF_LINE start_on_array(void)
{
	int own[5000];

	memset(own, 0, sizeof(own));
	MPI_Irecv(own + 100, 1, MPI_INT, 1 - rank, 0, WORLD, &request);
}

static void OUT_OF_LINE start_and_wait(void)
{
	int own = rank;

	exchange(&own);
	send();
	MPI_Wait(&request, IGNORE);
}

static void OUT_OF_LINE wait_deep(void)
{
	char room[2000];

	memset(room, 1, sizeof(room));
	MPI_Wait(&request, IGNORE);
	CHECK(room[1999] == 1);
}

static void coroutine(void)
{
	int own = rank;

	exchange(&own);
	swapcontext(&inside, &outside);
	MPI_Wait(&request, IGNORE);
	CHECK(own == 1 - rank);
}

static void on_other_stack(void)
{
	static char stack[256 << 10];

	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
	send();
	swapcontext(&outside, &inside);
}

static void *run(void *unused)
{
	int of_caller = rank, *of_heap = malloc(sizeof(int));

	if (!strcmp(what, "persistent"))
		start_persistent();
	else if (!strcmp(what, "array"))
		start_on_array();
	else if (!strcmp(what, "main") || !strcmp(what, "caller"))
		exchange(&of_caller);
	else if (!strcmp(what, "heap"))
		exchange(of_heap);
	else if (strcmp(what, "waits") != 0 && strcmp(what, "coroutine") != 0)
		start_on_own();
	if (!strcmp(what, "waits"))
		start_and_wait();
	else if (!strcmp(what, "coroutine"))
		on_other_stack();
	else
		send();
	if (!strcmp(what, "deep")) {
		MPI_Barrier(WORLD);
		wait_deep();
	}
	if (strcmp(what, "never") != 0)
		MPI_Wait(&request, IGNORE);
	if (!strcmp(what, "persistent"))
		MPI_Request_free(&request);
	free(of_heap);
	return unused;
}

int main(int argc, char **argv)
{
	int provided;
	pthread_t thread;

	what = argc > 1 ? argv[1] : "irecv";
	if (!strcmp(what, "thread")) {
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
		MPI_Comm_rank(WORLD, &rank);
		pthread_create(&thread, NULL, run, NULL);
		pthread_join(thread, NULL);
	} else {
		start(&argc, &argv);
		run(NULL);
	}
	MPI_Finalize();
	return 0;
}
