/* Each rank talks with child processes through pipes and pairs of sockets, in all ways, and prints
 * what it gets. Another thread and a handler of signals use pipes as well. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 300000 }; /* bytes: more than a pipe holds */

static unsigned add(unsigned hash, const char *bytes, ssize_t size)
{
	for (ssize_t i = 0; i < size; i++)
		hash = hash * 31 + (unsigned char)bytes[i];
	return hash;
}

static void put(int file, const char *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t done = write(file, bytes, size);

		if (done <= 0)
			_exit(1);
		bytes += done;
		size -= (size_t)done;
	}
}

/* What nobody can compute again. */
static void fill(char *bytes, size_t size)
{
	struct timespec now;
	unsigned state;

	clock_gettime(CLOCK_REALTIME, &now);
	state = (unsigned)now.tv_nsec ^ (unsigned)getpid();
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)('a' + (state = state * 1103515245 + 12345) / 65536 % 26);
}

static int end(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static void read_child(void)
{
	static char bytes[LARGE];
	struct iovec parts[2] = {{bytes, 10}, {bytes + 100, 20}};
	unsigned hash = 0;
	size_t all = 0;
	ssize_t got;
	int ends[2];
	pid_t child;

	pipe(ends);
	if ((child = fork()) == 0) {
		fill(bytes, sizeof(bytes));
		put(ends[1], bytes, sizeof(bytes));
		_exit(3);
	}
	close(ends[1]);
	got = readv(ends[0], parts, 2);
	printf("readv: %zd %.*s %.*s\n", got, 10, bytes, 20, bytes + 100);
	while ((got = read(ends[0], bytes, sizeof(bytes))) > 0) {
		hash = add(hash, bytes, got);
		all += (size_t)got;
	}
	printf("from a child: %zu bytes, %08x\n", all, hash);
	printf("it ends with %d, descriptors %d, %d\n", end(child), ends[0], ends[1]);
	close(ends[0]);
}

/* The other end stays open in the rank, or not. */
static void write_child(int keeps)
{
	static char bytes[LARGE];
	char answer[100] = "";
	size_t all = 0;
	ssize_t got;
	int to[2], from[2];
	pid_t child;
	FILE *stream;

	pipe2(to, O_CLOEXEC);
	socketpair(AF_UNIX, SOCK_STREAM, 0, from);
	if ((child = fork()) == 0) {
		close(to[1]);
		while ((got = read(to[0], bytes, sizeof(bytes))) > 0)
			all += (size_t)got;
		snprintf(answer, sizeof(answer), "%d has read %zu", (int)getpid(), all);
		put(from[1], answer, strlen(answer) + 1);
		_exit(4);
	}
	if (!keeps)
		close(to[0]);
	stream = fdopen(to[1], "w");
	printf("descriptor: %d\n", fileno(stream) == to[1]);
	for (int i = 0; i < LARGE / 10; i++)
		fprintf(stream, "line %4d\n", i);
	fclose(stream);
	got = recv(from[0], answer, sizeof(answer), 0);
	printf("%zd: %s, ends with %d\n", got, answer, end(child));
	close(from[0]);
	close(from[1]);
	if (keeps)
		close(to[0]);
}

static void wait_for_child(void)
{
	struct timeval time = {10, 0};
	char line[100];
	int ends[2], ready;
	fd_set set;
	pid_t child;
	FILE *stream;

	pipe(ends);
	if ((child = fork()) == 0) {
		usleep(20000);
		dprintf(ends[1], "poll %d\n", (int)getpid());
		usleep(20000);
		dprintf(ends[1], "select\n");
		_exit(5);
	}
	close(ends[1]);
	struct pollfd one = {.fd = ends[0], .events = POLLIN};
	ready = poll(&one, 1, 5);
	printf("poll: %d, %x\n", ready, one.revents);
	ready = poll(&one, 1, 10000);
	printf("poll: %d, %x\n", ready, one.revents);
	read(ends[0], line, 5);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	ready = select(ends[0] + 1, &set, NULL, NULL, &time);
	printf("select: %d, %d, %ld s\n", ready, FD_ISSET(ends[0], &set), (long)time.tv_sec);
	stream = fdopen(ends[0], "r");
	while (fgets(line, sizeof(line), stream))
		printf("line: %s", line);
	printf("closed: %d, ends with %d\n", fclose(stream), end(child));
}

static void read_command(void)
{
	FILE *stream = popen("date +%N; sleep 0.1; date +%N", "r");
	struct pollfd one = {.fd = fileno(stream), .events = POLLIN};
	char bytes[100];
	ssize_t got;

	while (poll(&one, 1, 10000) > 0 && (got = read(one.fd, bytes, sizeof(bytes))) > 0)
		printf("by its descriptor: %.*s", (int)got, bytes);
	printf("pclose: %d\n", pclose(stream));
}

static int to_thread[2], to_rank[2];

static void *run(void *unused)
{
	static char bytes[4096];
	unsigned hash = 0;
	size_t all = 0;
	ssize_t got;

	while ((got = read(to_thread[0], bytes, sizeof(bytes))) > 0) {
		hash = add(hash, bytes, got);
		all += (size_t)got;
	}
	snprintf(bytes, sizeof(bytes), "the thread has read %zu, %08x", all, hash);
	put(to_rank[1], bytes, strlen(bytes) + 1);
	return unused;
}

static void use_thread(void)
{
	static char bytes[LARGE];
	pthread_t thread;

	pipe(to_thread);
	pipe(to_rank);
	fill(bytes, sizeof(bytes));
	pthread_create(&thread, NULL, run, NULL);
	put(to_thread[1], bytes, sizeof(bytes));
	close(to_thread[1]);
	read(to_rank[0], bytes, sizeof(bytes));
	pthread_join(thread, NULL);
	printf("%08x: %s\n", add(0, bytes, 10), bytes);
}

static int ended[2];

static void catch (int number)
{
	write(ended[1], &number, 1);
}

static void use_handler(void)
{
	char number = 0;
	pid_t child;

	pipe(ended);
	signal(SIGCHLD, catch);
	if ((child = fork()) == 0)
		_exit(6);
	while (read(ended[0], &number, 1) < 0)
		;
	printf("signal %d, ends with %d\n", number, end(child));
	signal(SIGCHLD, SIG_DFL);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	read_child();
	write_child(0);
	write_child(1);
	wait_for_child();
	read_command();
	use_handler();
	use_thread();
	MPI_Barrier(MPI_COMM_WORLD);
	printf("rank %d ends\n", rank);
	MPI_Finalize();
	return 0;
}
