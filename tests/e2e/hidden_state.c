/* Rank 0 takes two messages in any order, and keeps only which rank came first, in a place that is
 * hard to see (argv[1]). After a second round it prints that. So there are two outcomes: a search
 * that takes the two states in between for equal would find only one. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fenv.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hidden_state_library.h"

#define NOINLINE __attribute__((noinline))

static const char *way;
static int *early; /* malloc'ed before MPI_Init */
static int *page;
static _Thread_local int local;
static pthread_key_t key;
static int keyval, pipes[2] = {-1, -1}, descriptor = -1;
static MPI_Request request = MPI_REQUEST_NULL;
static MPI_Datatype type = MPI_DATATYPE_NULL;
static MPI_Comm comm = MPI_COMM_NULL;
static int *given;
static char attached[1000 + MPI_BSEND_OVERHEAD];
static int a = 0, b = 0;

static void one(int number)
{
	(void)number;
}
static void two(int number)
{
	(void)number;
}

static int is(const char *word)
{
	return strcmp(way, word) == 0;
}

static void prepare(void)
{
	early = calloc(1, sizeof *early);
	if (is("pipe-early") && pipe(pipes) != 0)
		abort();
	if (is("file-early"))
		descriptor = open("kept-early", O_RDWR | O_CREAT, 0644);
	else if (is("flags"))
		descriptor = open(".", O_RDONLY | O_DIRECTORY);
	else if (is("flags-device"))
		descriptor = open("/dev/null", O_RDWR);
	else if (is("flags-pipe") && pipe(pipes) == 0)
		descriptor = pipes[0];
	else if (is("watches") && pipe(pipes) == 0)
		descriptor = epoll_create1(0);
}

static void prepare_mpi(void)
{
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	            (is("shared") ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
	pthread_key_create(&key, NULL);
	if (is("attribute"))
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval,
		                       NULL);
	if (is("alloc-mem"))
		MPI_Alloc_mem(sizeof *given, MPI_INFO_NULL, &given);
	if (is("bsend"))
		MPI_Buffer_attach(attached, sizeof attached);
}

static void write_file(const char *name, int first)
{
	FILE *file = fopen(name, "w");

	fprintf(file, "%d", first);
	fclose(file);
}

static NOINLINE void hide_in_mpi(int first, const char *text)
{
	static int message;

	if (is("attribute"))
		MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, (void *)(size_t)first);
	else if (is("name"))
		MPI_Comm_set_name(MPI_COMM_WORLD, text);
	else if (is("error-handler"))
		MPI_Comm_set_errhandler(MPI_COMM_WORLD,
		                        first == 1 ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL);
	else if (is("alloc-mem"))
		*given = first;
	else if (is("type")) {
		MPI_Type_contiguous(first, MPI_INT, &type);
		MPI_Type_commit(&type);
	} else if (is("persistent")) {
		MPI_Send_init(first == 1 ? &a : &b, 1, MPI_INT, 3, 5, MPI_COMM_WORLD, &request);
	} else if (is("isend")) {
		message = first;
		MPI_Isend(&message, 1, MPI_INT, 3, 5, MPI_COMM_WORLD, &request);
	} else if (is("send")) {
		message = first;
		MPI_Send(&message, 1, MPI_INT, 3, 5, MPI_COMM_WORLD);
		message = 0;
	} else if (is("bsend")) {
		message = first;
		MPI_Bsend(&message, 1, MPI_INT, 3, 5, MPI_COMM_WORLD);
		message = 0;
	} else if (is("irecv")) {
		/* Decides which buffer gets the message of rank 3. */
		MPI_Irecv(first == 1 ? &a : &b, 1, MPI_INT, 3, 6, MPI_COMM_WORLD, &request);
	}
}

/* `first` is 1 or 2. */
static NOINLINE void hide(int first)
{
	char text[20];

	snprintf(text, sizeof text, "%d", first);
	if (is("early-heap"))
		*early = first;
	else if (is("page") || is("shared"))
		*page = first;
	else if (is("library"))
		library_keep(first);
	else if (is("thread-local"))
		local = first;
	else if (is("specific"))
		pthread_setspecific(key, (void *)(size_t)first);
	else if (is("environment"))
		setenv("HIDDEN", text, 1);
	else if (is("file"))
		write_file("kept", first);
	else if (is("file-early")
	         && (pwrite(descriptor, text, 1, 0) != 1 || close(descriptor) != 0))
		abort();
	else if (is("output")) {
		printf("first %d\n", first);
		fflush(stdout);
	} else if (is("buffered"))
		printf("first %d\n", first);
	else if (is("rounding"))
		fesetround(first == 1 ? FE_UPWARD : FE_DOWNWARD);
	else if (is("handler"))
		signal(SIGUSR2, first == 1 ? one : two);
	else if (is("mask")) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, first == 1 ? SIGUSR1 : SIGUSR2);
		sigprocmask(SIG_BLOCK, &set, NULL);
	} else if (is("directory") && chdir(first == 1 ? "/" : "/tmp") != 0)
		abort();
	else if (is("umask"))
		umask(first == 1 ? 022 : 027);
	else if (is("descriptor") && first == 2)
		descriptor = open("/dev/null", O_RDONLY), descriptor = -1;
	else if (is("watches")) {
		struct epoll_event event = {.events = EPOLLOUT};

		if (first == 2)
			epoll_ctl(descriptor, EPOLL_CTL_ADD, pipes[1], &event);
	} else if (strncmp(way, "flags", 5) == 0)
		fcntl(descriptor, F_SETFL, first == 1 ? 0 : O_NONBLOCK);
	else if (is("protection"))
		mprotect(page, 4096, first == 1 ? PROT_READ : PROT_READ | PROT_WRITE);
	else if ((is("pipe-early") || is("pipe")) && first == 2) {
		if (is("pipe") && pipe(pipes) != 0)
			abort();
		if (write(pipes[1], text, 1) != 1)
			abort();
	} else {
		hide_in_mpi(first, text);
	}
	memset(text, 0, sizeof text);
}

static NOINLINE int found_in_mpi(void)
{
	char text[MPI_MAX_OBJECT_NAME] = "";
	int found = 0, length;
	void *value;

	if (is("attribute")) {
		MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &found);
		found = (int)(size_t)value;
	} else if (is("name")) {
		MPI_Comm_get_name(MPI_COMM_WORLD, text, &length);
		found = atoi(text);
	} else if (is("error-handler")) {
		MPI_Errhandler handler;

		MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
		found = handler == MPI_ERRORS_RETURN ? 1 : 2;
	} else if (is("alloc-mem"))
		found = *given;
	else if (is("type")) {
		MPI_Type_size(type, &length);
		found = length / (int)sizeof(int);
		MPI_Type_free(&type);
	} else if (is("persistent")) {
		a = 1, b = 2;
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
	} else if (is("isend"))
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	else if (is("irecv")) {
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		found = a == 3 ? 1 : 2;
	}
	return found;
}

static NOINLINE void tell(void)
{
	char text[MPI_MAX_OBJECT_NAME] = "";
	int found = 0;

	if (is("early-heap"))
		found = *early;
	else if (is("page") || is("shared"))
		found = *page;
	else if (is("library"))
		found = library_kept();
	else if (is("thread-local"))
		found = local;
	else if (is("specific"))
		found = (int)(size_t)pthread_getspecific(key);
	else if (is("environment"))
		found = atoi(getenv("HIDDEN"));
	else if (is("file") || is("file-early")) {
		FILE *file = fopen(is("file") ? "kept" : "kept-early", "r");

		if (fscanf(file, "%d", &found) != 1)
			abort();
		fclose(file);
	} else if (is("rounding"))
		found = fegetround() == FE_UPWARD ? 1 : 2;
	else if (is("handler"))
		found = signal(SIGUSR2, SIG_DFL) == one ? 1 : 2;
	else if (is("mask")) {
		sigset_t set;

		sigprocmask(SIG_BLOCK, NULL, &set);
		found = sigismember(&set, SIGUSR1) ? 1 : 2;
	} else if (is("directory"))
		found = getcwd(text, sizeof text) && strcmp(text, "/") == 0 ? 1 : 2;
	else if (is("umask"))
		found = umask(0) == 022 ? 1 : 2;
	else if (is("descriptor"))
		found = open("/dev/null", O_RDONLY);
	else if (strncmp(way, "flags", 5) == 0)
		found = fcntl(descriptor, F_GETFL) & O_NONBLOCK ? 2 : 1;
	else if (is("watches")) {
		struct epoll_event event;

		found = 1 + epoll_wait(descriptor, &event, 1, 0);
	} else if (is("protection")) {
		int zero = open("/dev/zero", O_RDONLY);

		found = read(zero, page, 1) == 1 ? 2 : 1;
	} else if (is("pipe-early") || is("pipe")) {
		if (pipes[0] >= 0)
			fcntl(pipes[0], F_SETFL, O_NONBLOCK);
		found = pipes[0] >= 0 && read(pipes[0], text, 1) == 1 ? 2 : 1;
	} else {
		found = found_in_mpi();
	}
	printf("found %d\n", found);
}

static int from_three(void)
{
	return is("persistent") || is("isend") || is("send") || is("bsend");
}

/* Both messages have the same contents; only the source differs. */
static NOINLINE int take(void)
{
	MPI_Status status;
	int source, nothing;

	MPI_Recv(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
	source = status.MPI_SOURCE;
	memset(&status, 0, sizeof status);
	return source;
}

/* The first round's source is in a request that is not waited for yet. */
static void hide_in_status(void)
{
	MPI_Status status;
	int nothing[2];
	MPI_Request requests[2];

	MPI_Irecv(&nothing[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(&nothing[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[1]);
	for (int i = 0; i < 2; i++)
		MPI_Recv(&(int){0}, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	MPI_Wait(&requests[0], &status);
	printf("found %d\n", status.MPI_SOURCE);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static NOINLINE void forget(void)
{
	volatile char below[16384];

	memset((char *)below, 0, sizeof below);
}

static void second_round(int tag)
{
	for (int i = 0; i < 2; i++) {
		int nothing;

		forget();
		MPI_Recv(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	}
}

/* Only in a register that calls preserve; or as the address that a call was given. */
static NOINLINE int in_register(int first)
{
	register long kept __asm__("r12") = first;

	__asm__ volatile("" : "+r"(kept));
	forget();
	second_round(1);
	__asm__ volatile("" : "+r"(kept));
	return (int)kept;
}

static NOINLINE void in_argument(int first)
{
	MPI_Recv(first == 1 ? &a : &b, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
	         MPI_STATUS_IGNORE);
}

static void collect(void)
{
	if (is("status")) {
		hide_in_status();
	} else if (is("register")) {
		int first = take();

		take();
		first = in_register(first);
		printf("found %d\n", first);
	} else if (is("argument")) {
		int first = take();

		take();
		forget();
		in_argument(first);
		MPI_Recv(&(int){0}, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		printf("found %d\n", a != 0 ? 1 : 2);
	} else {
		hide(take());
		take();
		forget();
		second_round(1);
		tell();
	}
}

int main(int argc, char **argv)
{
	int rank, value = 7;

	way = argc > 1 ? argv[1] : "nothing";
	prepare();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	prepare_mpi();
	if (rank == 0) {
		collect();
	} else if (rank < 3) {
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	if (rank == 3 && is("irecv")) {
		value = 3;
		MPI_Send(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 3 && from_three()) {
		MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("found %d\n", value);
	}
	MPI_Finalize();
	return 0;
}
