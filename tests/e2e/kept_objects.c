/* Rank 0 takes messages in any order, and keeps what it received in a kernel object (argv[1]) that
 * it made before MPI_Init, or after it (argv[2] is "late"). Before each round it prints the
 * object's contents, and at the end it leaves data in it. An interleaving that found data of
 * another one would print other lines. (check_kept.py) */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { ROUNDS = 2, MESSAGES = 2 };

static const char *kind;
static int from = -1, to = -1, watching = -1;

static int is(const char *word)
{
	return strcmp(kind, word) == 0;
}

static void must(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	abort();
}

static void make_pipe(int flags)
{
	int ends[2];

	must(pipe2(ends, flags) == 0, "pipe2");
	from = ends[0];
	to = ends[1];
}

static void make_fifo(void)
{
	char name[64];

	snprintf(name, sizeof name, "fifo.%s", getenv("PMI_RANK"));
	unlink(name);
	must(mkfifo(name, 0600) == 0, "mkfifo");
	from = to = open(name, O_RDWR | O_NONBLOCK);
	must(unlink(name) == 0, "unlink");
}

static void make_terminal(void)
{
	to = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	must(to >= 0 && grantpt(to) == 0 && unlockpt(to) == 0, "posix_openpt");
	from = open(ptsname(to), O_RDWR | O_NOCTTY | O_NONBLOCK);
}

static void make_sockets(int type)
{
	int ends[2];

	must(socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, ends) == 0, "socketpair");
	from = ends[0];
	to = ends[1];
}

/* Another process may have the pipe as well: one that the program has started and left. */
static void make_inherited(void)
{
	make_pipe(O_NONBLOCK);
	must(system("true") == 0, "system");
}

static void make_watched(void)
{
	struct epoll_event event = {.events = EPOLLIN};

	make_pipe(O_NONBLOCK);
	watching = epoll_create1(0);
	must(epoll_ctl(watching, EPOLL_CTL_ADD, from, &event) == 0, "epoll_ctl");
}

static void make_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	from = to = signalfd(-1, &set, SFD_NONBLOCK);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void make(void)
{
	if (is("pipe") || is("closed") || is("dropped") || is("full") || is("exact"))
		make_pipe(O_NONBLOCK);
	else if (is("packets"))
		make_pipe(O_NONBLOCK | O_DIRECT);
	else if (is("copied")) {
		make_pipe(O_NONBLOCK);
		to = dup(to);
	} else if (is("inherited"))
		make_inherited();
	else if (is("watched"))
		make_watched();
	else if (is("fifo"))
		make_fifo();
	else if (is("eventfd"))
		from = to = eventfd(0, EFD_NONBLOCK);
	else if (is("semaphore"))
		from = to = eventfd(2, EFD_NONBLOCK | EFD_SEMAPHORE);
	else if (is("timerfd"))
		from = to = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	else if (is("signalfd"))
		make_signals();
	else if (is("inotify"))
		from = to = inotify_init1(IN_NONBLOCK);
	else if (is("terminal"))
		make_terminal();
	else if (is("socketpair"))
		make_sockets(SOCK_STREAM);
	else if (is("datagrams"))
		make_sockets(SOCK_DGRAM);
	else if (is("memory"))
		from = to = memfd_create("kept", 0);
	must(from >= 0 && to >= 0, kind);
	if (is("full"))
		must(write(to, "begun", 5) == 5, "write");
	if (is("exact"))
		must(fcntl(to, F_SETPIPE_SZ, 4096) == 4096, "F_SETPIPE_SZ");
}

static void put_number(int value)
{
	uint64_t number = (uint64_t)value;

	must(write(to, &number, sizeof number) == sizeof number, "write");
}

static void put(int value)
{
	const struct itimerspec soon = {.it_value = {1000 * value, 0}};
	char text[8192] = "";
	int length = snprintf(text, sizeof text, "%d ", value);

	if (is("timerfd"))
		must(timerfd_settime(to, 0, &soon, NULL) == 0, "timerfd_settime");
	else if (is("signalfd")) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, value % 2 ? SIGUSR1 : SIGUSR2);
		must(signalfd(to, &set, 0) == to, "signalfd");
	} else if (is("inotify"))
		must(inotify_add_watch(to, value % 2 ? "/dev/shm" : "/proc", IN_DELETE_SELF) > 0,
		     "inotify_add_watch");
	else if (is("eventfd") || is("semaphore"))
		put_number(value);
	else if (is("exact")) /* how much fits */
		printf("of %d %zd\n", 3000 + value, write(to, text, (size_t)3000 + (size_t)value));
	else if (to >= 0)
		must(write(to, text, (size_t)length) == length, "write");
}

/* Prints data that no read consumes. */
static void tell_kept(void)
{
	char path[64], line[256];
	FILE *info;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", from);
	info = fopen(path, "r");
	while (info && fgets(line, sizeof line, info))
		if (strncmp(line, "sigmask", 7) == 0 || strncmp(line, "inotify wd", 10) == 0)
			printf("%s", line);
		else if (strncmp(line, "it_value: (", 11) == 0)
			printf("in hours: %d\n", (atoi(line + 11) + 999) / 1000);
	if (info)
		fclose(info);
}

static void take(int round)
{
	char text[8192] = "";
	uint64_t number = 0;
	ssize_t got;

	if (is("timerfd") || is("signalfd") || is("inotify")) {
		tell_kept();
		return;
	}
	if (watching >= 0) {
		struct epoll_event event;

		printf("round %d ready %d\n", round, epoll_wait(watching, &event, 1, 0));
	}
	if (is("memory"))
		got = pread(from, text, sizeof text - 1, 0);
	else if (is("eventfd") || is("semaphore"))
		got = read(from, &number, sizeof number);
	else
		got = read(from, text, sizeof text - 1);
	printf("round %d holds %zd: %s %lu\n", round, got, is("exact") ? "" : text,
	       (unsigned long)number);
}

/* Other files replace both ends. */
static void drop(int order)
{
	if (!is("dropped") || order % 2)
		return;
	close(from);
	close(to);
	to = eventfd(5, EFD_NONBLOCK);
	from = open("/dev/null", O_RDONLY);
	printf("in place of both: %d\n", to < from);
}

/* The other end: no other process must keep it open. */
static void close_it(int order)
{
	char byte;
	ssize_t got;

	if (!is("closed"))
		return;
	if (order % 2 && close(to) == 0)
		to = -1;
	do
		got = read(from, &byte, 1);
	while (got == 1);
	printf("at the end: %s\n", got == 0 ? "closed" : strerror(errno));
}

static int receive(int round)
{
	int value, order = 0;

	for (int i = 0; i < MESSAGES; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		order = order * 3 + value;
		put(value + 10 * order);
	}
	return order;
}

int main(int argc, char **argv)
{
	const int late = argc > 2 && strcmp(argv[2], "late") == 0;
	int rank, order = 0;

	kind = argc > 1 ? argv[1] : "pipe";
	if (!late)
		make();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (late)
		make();
	for (int round = 0; round < ROUNDS; round++) {
		if (rank == 0) {
			take(round);
			order += receive(round);
		} else {
			MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
		}
		if (round == 0)
			usleep(50000); /* makes a snapshot worthwhile */
	}
	if (rank == 0) {
		drop(order);
		close_it(order);
	}
	printf("ends\n");
	MPI_Finalize();
	return 0;
}
