/* Changes of a rank's process in one interleaving that must not be visible in the next. Rank 0
 * receives from the others in any order, three times. Each time every rank prints the state of its
 * process, does what the first argument names (one or more actions), and prints again. The output
 * is a function of the order alone. (check_rewind.py) */
#define _GNU_SOURCE
#include <mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 64, ROUNDS = 3, BLOCKS = 40 };

static int rank, ranks, order; /* one digit for each message so far */
static int counter;
static uint8_t *area, *text, *guarded, *dropped, *one, *other;
static char *block[BLOCKS];
static int held = -1, unread = -1, here = -1, null = -1, watching = -1, pair[2] = {-1, -1};
static FILE *stream;
static char *elsewhere; /* a directory; runs side by side do not share it */
static uint8_t *low_stack;
static volatile int signals;
static char signal_stack[64 << 10];
static _Thread_local int per_thread = 5;

/* Word by word: the ranks have megabytes, and are explored many times. */
static unsigned sum(const uint8_t *bytes, size_t count)
{
	uint64_t hash = 14695981039346656037u, word;
	size_t at = 0;

	for (; bytes && at + sizeof(word) <= count; at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		hash = (hash ^ word) * 1099511628211u;
		hash ^= hash >> 32;
	}
	for (; bytes && at < count; at++)
		hash = (hash ^ bytes[at]) * 1099511628211u;
	return (unsigned)(hash ^ hash >> 32);
}

static uint8_t *map(size_t pages)
{
	return mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Maps memory that is not part of a larger mapping. */
static uint8_t *map_apart(int contents)
{
	uint8_t *pages = map(PAGES + 2);

	mprotect(pages, PAGE, PROT_NONE);
	mprotect(pages + (PAGES + 1) * PAGE, PAGE, PROT_NONE);
	return memset(pages + PAGE, contents, PAGES * PAGE);
}

static void on_signal(int number)
{
	signals += number;
}

static void on_other_signal(int number)
{
	signals += 1000 * number;
}

static const char *own_file(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s.%d", name,
	         (int)(rank < 0 ? atoi(getenv("PMI_RANK")) : rank));
	return path;
}

/* Called before MPI_Init, so before the first snapshot. */
static void prepare(void)
{
	rank = -1;
	area = map(PAGES);
	guarded = map(4);
	dropped = map(PAGES);
	one = map_apart(1);
	other = map_apart(2);
	for (size_t i = 0; i < (size_t)PAGES * PAGE; i++)
		area[i] = dropped[i] = (uint8_t)(i * 7 + i / PAGE);
	memset(guarded, 3, 4 * PAGE);
	mprotect(guarded, PAGE, PROT_READ);
	for (int i = 0; i < BLOCKS; i++) {
		block[i] = malloc(100u << (i % 12));
		memset(block[i], i, 100u << (i % 12));
	}
	held = open(own_file("held"), O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (write(held, "0123456789", 10) != 10 || lseek(held, 4, SEEK_SET) != 4)
		abort();
	unread = open(own_file("held"), O_RDONLY);
	stream = fopen(own_file("stream"), "w+");
	fputs("begun ", stream);
	text = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, unread, 0);
	here = open(".", O_RDONLY | O_DIRECTORY);
	null = open("/dev/null", O_RDWR);
	watching = epoll_create1(0);
	if (pipe(pair) < 0)
		abort();
	if (mkdir("below", 0755) < 0 && errno != EEXIST)
		abort();
	elsewhere = realpath("..", NULL);
	signal(SIGUSR2, on_signal);
}

static void tell_file(const char *when, int fd)
{
	char bytes[64] = "";
	off_t offset = lseek(fd, 0, SEEK_CUR);
	ssize_t got = offset < 0 ? -1 : pread(fd, bytes, sizeof(bytes) - 1, 0);

	printf("%s file at %ld: %.*s\n", when, (long)offset, got > 0 ? (int)got : 0, bytes);
}

/* The number of lines of fdinfo that contain a word. */
static int count(int fd, const char *word)
{
	char path[64], line[256];
	int found = 0;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = fopen(path, "r");
	while (info && fgets(line, sizeof(line), info))
		found += !strncmp(line, word, strlen(word));
	if (info)
		fclose(info);
	return found;
}

static int status_flags(int fd)
{
	return fcntl(fd, F_GETFL) & (O_APPEND | O_NONBLOCK | O_NOATIME);
}

static void tell(const char *when)
{
	struct sigaction action;
	struct rlimit limit;
	struct itimerval timer;
	sigset_t mask;
	stack_t stack;
	char directory[256] = "", name[17] = "";
	unsigned heap = 0;

	for (int i = 0; i < BLOCKS; i++)
		heap = heap * 31 + (block[i] ? sum((uint8_t *)block[i], 100u << (i % 12)) : 1);
	sigaction(SIGUSR2, NULL, &action);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigaltstack(NULL, &stack);
	getrlimit(RLIMIT_FSIZE, &limit);
	getitimer(ITIMER_REAL, &timer);
	prctl(PR_GET_NAME, name);
	if (!getcwd(directory, sizeof(directory)))
		abort();
	mode_t mask_of_files = umask(0);
	umask(mask_of_files);
	printf("%s %d: counter %d own %d area %x text %x guarded %x dropped %x heap %x\n", when,
	       order, counter, per_thread, sum(area, PAGES * PAGE), sum(text, PAGE),
	       sum(guarded, 4 * PAGE), sum(dropped, PAGES * PAGE), heap);
	printf("%s in %s umask %o handler %d blocked %d stack %d limit %d name %s signals %d alarm "
	       "%d "
	       "environment %s\n",
	       when, strrchr(directory, '/'), (unsigned)mask_of_files,
	       action.sa_handler == on_signal         ? 1
	       : action.sa_handler == on_other_signal ? 2
	                                              : 0,
	       sigismember(&mask, SIGUSR2), stack.ss_sp == signal_stack, limit.rlim_cur == 99 << 20,
	       rank < 0 ? "" : name, signals, timer.it_value.tv_sec > 0,
	       getenv("HAZARD") ? getenv("HAZARD") : "");
	printf("%s flags of stdin %o held %o read %o here %o null %o pipe %o locks %d watched %d\n",
	       when, status_flags(STDIN_FILENO), status_flags(held), status_flags(unread),
	       status_flags(here), status_flags(null), status_flags(pair[0]),
	       count(unread, "lock:"), count(watching, "tfd:"));
	tell_file(when, held);
	tell_file(when, unread);
	printf("%s stream at %ld moved %x %x\n", when, stream ? ftell(stream) : -1,
	       sum(one, PAGES * PAGE), sum(other, PAGES * PAGE));
}

/* --- actions ---------------------------------------------------------------------------------- */

static void do_maps(void)
{
	uint8_t *more = map(20);

	memset(more, order, 20 * PAGE);
	area[order % PAGES * PAGE]++;
	munmap(area + 8 * PAGE, 4 * PAGE);
	mmap(area + 8 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	area[9 * PAGE] = (uint8_t)order;
	mprotect(guarded, PAGE, PROT_READ | PROT_WRITE);
	guarded[5]++;
	mprotect(guarded, 3 * PAGE, PROT_READ);
	madvise(dropped, 5 * PAGE, MADV_DONTNEED);
	madvise(dropped + 10 * PAGE, 5 * PAGE, MADV_DONTNEED);
	dropped[12 * PAGE] = 1;
	text[7] = (uint8_t)order;
}

static void do_moves(void)
{
	uint8_t *moved = mremap(dropped, PAGES * PAGE, (size_t)2 * PAGES * PAGE, MREMAP_MAYMOVE);

	if (moved == MAP_FAILED)
		abort();
	dropped = moved;
	dropped[order % PAGES * PAGE] ^= 1;
	munmap(guarded, 4 * PAGE);
	guarded = map(4);
	memset(guarded, order, 4 * PAGE);
}

/* Pages that are not written change places. */
static void do_onto(void)
{
	const int flags = MREMAP_MAYMOVE | MREMAP_FIXED;
	uint8_t *between = map(PAGES);

	if (mremap(one, PAGES * PAGE, PAGES * PAGE, flags, between) == MAP_FAILED
	    || mremap(other, PAGES * PAGE, PAGES * PAGE, flags, one) == MAP_FAILED
	    || mremap(between, PAGES * PAGE, PAGES * PAGE, flags, other) == MAP_FAILED)
		abort();
}

static void do_heap(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		block[i] = realloc(block[i], 100u << (i % 12));
		block[i][order % 100]++;
		if ((i + order) % 5 == 0) {
			free(block[i]);
			block[i] = calloc(1, 100u << (i % 12));
		}
	}
	if (sbrk(40 * PAGE) == (void *)-1)
		abort();
	for (int i = 0; i < 300; i++) {
		char *grown = malloc(3000);

		memset(grown, i, 3000);
		if (i % 3 == 0)
			free(grown);
	}
	malloc_trim(0);
}

static void do_files(void)
{
	FILE *own = fopen(own_file("new"), "w");

	fprintf(own, "%d", order);
	fclose(own);
	if (write(held, "abc", 3) != 3 || lseek(unread, 2 + order % 5, SEEK_SET) < 0)
		abort();
	fprintf(stream, "%d ", order);
	if (order % 2)
		fflush(stream);
	if (open(own_file("new"), O_RDONLY) < 0) /* left open */
		abort();
	if (order > 100) {
		close(unread);
		unread = open("/dev/null", O_RDONLY);
	}
	rename(own_file("new"), order % 3 ? "moved" : own_file("old"));
	if (chdir(order % 2 ? elsewhere : "below") < 0 && order % 2)
		abort();
	setenv("HAZARD", order % 2 ? "odd" : "even", 1);
}

static void do_flags(void)
{
	const int all[] = {STDIN_FILENO, held, unread, here, null, pair[0]};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if ((order + (int)i) % 2
		    && fcntl(all[i], F_SETFL, O_NONBLOCK | (order % 3 ? O_APPEND : 0)) < 0)
			abort();
}

static void do_locks(void)
{
	struct flock part = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1 + order % 7};

	if (order % 2 && fcntl(unread, F_SETLK, &part) < 0)
		abort();
}

static void do_watches(void)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (order % 2 && epoll_ctl(watching, EPOLL_CTL_ADD, pair[0], &event) < 0 && errno != EEXIST)
		abort();
}

static void do_signals(void)
{
	const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)};
	struct sigaction action = {.sa_handler = on_other_signal, .sa_flags = SA_ONSTACK};
	const struct itimerval soon = {.it_value = {.tv_sec = 100}};
	sigset_t block_it;

	kill(getpid(), SIGUSR2);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	sigemptyset(&block_it);
	sigaddset(&block_it, SIGUSR2);
	if (order % 2)
		sigprocmask(SIG_BLOCK, &block_it, NULL);
	if (order % 2 && order % 3 == 0)
		raise(SIGUSR2); /* stays pending */
	if (order % 3 == 0)
		setitimer(ITIMER_REAL, &soon, NULL);
}

static void do_kernel(void)
{
	const struct rlimit limit = {99 << 20, RLIM_INFINITY};

	umask(order % 2 ? 077 : 02);
	if (order % 2)
		setrlimit(RLIMIT_FSIZE, &limit);
	else
		prctl(PR_SET_NAME, "hazard");
}

__attribute__((noinline)) static unsigned go_deep(int depth)
{
	volatile char room[8192];

	room[0] = (char)depth;
	room[8191] = (char)order;
	low_stack = (uint8_t *)room;
	return depth == 0 ? 0 : go_deep(depth - 1) + (unsigned)room[0] + (unsigned)room[8191];
}

static void do_stack(void)
{
	jmp_buf here;

	counter += (int)(go_deep(300) % 100);
	if (setjmp(here) == 0)
		longjmp(here, 1);
	per_thread += order;
}

static void *be_a_thread(void *unused)
{
	(void)unused;
	per_thread = 9;
	counter++;
	free(malloc(5000));
	return NULL;
}

static void do_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, be_a_thread, NULL);
	pthread_join(thread, NULL);
}

static void *stay(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* After this no rank can be copied. */
static void do_lasting(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, stay, NULL);
}

static void do_processes(void)
{
	int status;
	pid_t child;

	fflush(NULL);
	if (order % 2) {
		if (system("true") != 0)
			abort();
		return;
	}
	child = fork();
	if (child == 0)
		_exit(order % 7);
	waitpid(child, &status, 0);
	counter += WEXITSTATUS(status);
}

static const struct {
	const char *name;
	void (*act)(void);
} hazards[] = {{"maps", do_maps},       {"moves", do_moves},         {"onto", do_onto},
               {"heap", do_heap},       {"files", do_files},         {"signals", do_signals},
               {"kernel", do_kernel},   {"stack", do_stack},         {"threads", do_threads},
               {"lasting", do_lasting}, {"processes", do_processes}, {"flags", do_flags},
               {"locks", do_locks},     {"watches", do_watches}};

/* --- main ------------------------------------------------------------------------------------- */

static void at_the_end(void)
{
	printf("at the end %d %d\n", order, counter++);
}

static void end(const char *hazard)
{
	int way = order % 9;

	if (strcmp(hazard, "exits") != 0 || rank != 1)
		return;
	printf("ends in way %d\n", way);
	fflush(stdout);
	switch (way) {
	case 0: exit(0);
	case 1: exit(3);
	case 2: _exit(0);
	case 3: _exit(4);
	case 4: abort();
	case 5: raise(SIGSEGV); break;
	case 6: execlp("true", "true", (char *)NULL); break;
	case 7: quick_exit(0);
	default: break;
	}
}

int main(int argc, char **argv)
{
	const char *hazard = argc > 1 ? argv[1] : "";
	const int early = argc > 2; /* ends before MPI_Finalize */

	prepare();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	atexit(at_the_end);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 1; rank == 0 && i < ranks; i++) {
			int value;

			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			order = order * ranks % 1000 + value;
		}
		if (rank > 0)
			MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
		MPI_Bcast(&order, 1, MPI_INT, 0, MPI_COMM_WORLD);
		tell("before");
		counter++;
		for (size_t i = 0; i < sizeof(hazards) / sizeof(hazards[0]); i++)
			if (strstr(hazard, hazards[i].name))
				hazards[i].act();
		tell("after");
		if (round == 0 && argc > 1 && strstr("files kernel lasting", hazard))
			usleep(150000); /* makes a snapshot worthwhile */
	}
	if (early)
		end(hazard);
	MPI_Finalize();
	end(hazard);
	return 0;
}
