/* What a program keeps of its own numbers, before MPI_Init, after it, and after a computation that
 * makes a snapshot worth its price; and what the C library keeps. Each copy of the rank must be
 * taken for what the program means. */
#define _GNU_SOURCE
#include "../check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct kept {
	pid_t process, thread, parent, group, session;
	clockid_t process_clock, thread_clock;
	pthread_t self;
};

static struct kept early, late, latest;
static volatile sig_atomic_t signals;
static volatile pid_t sender;
static sem_t semaphore;
static pthread_spinlock_t spin;

static void note(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	signals++;
	sender = info->si_pid;
}

static void keep(struct kept *kept)
{
	kept->process = getpid();
	kept->thread = gettid();
	kept->parent = getppid();
	kept->group = getpgrp();
	kept->session = getsid(0);
	kept->self = pthread_self();
	CHECK(clock_getcpuclockid(kept->process, &kept->process_clock) == 0);
	CHECK(pthread_getcpuclockid(kept->self, &kept->thread_clock) == 0);
}

static double seconds(clockid_t clock)
{
	struct timespec time = {-1, 0};

	CHECK(clock_gettime(clock, &time) == 0);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void compute(void)
{
	volatile double sum = 0;

	for (int i = 0; i < 100000000; i++)
		sum += i;
}

/* Of its own clocks, not of those of the process that it is a copy of. */
static void ask_clocks(const struct kept *kept)
{
	struct timespec resolution;
	double process = seconds(kept->process_clock), thread = seconds(kept->thread_clock);

	for (volatile int i = 0; i < 3000000; i++)
		;
	CHECK(seconds(kept->process_clock) > process);
	CHECK(seconds(kept->thread_clock) > thread);
	CHECK(clock_getres(kept->process_clock, &resolution) == 0);
}

static void ask_signals(const struct kept *kept)
{
	const union sigval value = {.sival_int = 1};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2};
	const struct itimerspec soon = {.it_value.tv_nsec = 1000000};
	const int before = signals;
	timer_t timer;

	sender = 0;
	CHECK(raise(SIGUSR2) == 0 && signals == before + 1 && sender == kept->process);
	CHECK(kill(kept->process, SIGUSR2) == 0 && signals == before + 2);
	CHECK(pthread_kill(kept->self, SIGUSR2) == 0 && signals == before + 3);
	CHECK(tgkill(kept->process, kept->thread, SIGUSR2) == 0 && signals == before + 4);
	CHECK(sigqueue(kept->process, SIGUSR2, value) == 0 && signals == before + 5);
	event.sigev_notify_thread_id = kept->thread;
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
	for (int i = 0; i < 10000 && signals == before + 5; i++)
		usleep(1000);
	CHECK(signals == before + 6);
	CHECK(timer_delete(timer) == 0);
}

static void ask_files(const struct kept *kept)
{
	const struct f_owner_ex owner = {F_OWNER_PID, kept->process};
	struct f_owner_ex same = {0};
	const int before = signals;
	int ends[2];

	CHECK(pipe(ends) == 0);
	CHECK(fcntl(ends[0], F_SETOWN, kept->process) == 0);
	CHECK(fcntl(ends[0], F_GETOWN) == kept->process);
	CHECK(fcntl(ends[0], F_SETOWN_EX, &owner) == 0);
	CHECK(fcntl(ends[0], F_GETOWN_EX, &same) == 0 && same.pid == kept->process);
	CHECK(fcntl(ends[0], F_SETSIG, SIGUSR2) == 0);
	CHECK(fcntl(ends[0], F_SETFL, O_ASYNC) == 0);
	CHECK(write(ends[1], "", 1) == 1 && signals == before + 1);
	CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

static void ask_process(const struct kept *kept)
{
	char from[8] = "memory", to[8] = "";
	const struct iovec here = {to, sizeof(to)}, there = {from, sizeof(from)};
	struct rlimit limit;

	CHECK(getpid() == kept->process && gettid() == kept->thread);
	CHECK(getppid() == kept->parent && getpgrp() == kept->group);
	CHECK(kill(-kept->group, 0) == 0 && killpg(kept->group, 0) == 0);
	CHECK(getpgid(kept->process) == kept->group && getsid(kept->process) == kept->session);
	CHECK(kill(kept->process, 0) == 0 && pthread_equal(kept->self, pthread_self()));
	CHECK(prlimit(kept->process, RLIMIT_NOFILE, NULL, &limit) == 0);
	CHECK(getpriority(PRIO_PROCESS, (id_t)kept->process) == getpriority(PRIO_PROCESS, 0));
	CHECK(process_vm_readv(kept->process, &here, 1, &there, 1, 0) == sizeof(to));
	CHECK(strcmp(to, "memory") == 0);
}

static void *other(void *unused)
{
	CHECK(ftrylockfile(stdout) != 0);
	return unused;
}

/* Locks of the C library without a number, which are held by their thread all the same. */
static void give_back(void)
{
	pthread_t thread;

	CHECK(ftrylockfile(stdout) == 0);
	funlockfile(stdout);
	CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	funlockfile(stdout);
	CHECK(sem_trywait(&semaphore) == 0 && sem_trywait(&semaphore) != 0);
	CHECK(pthread_spin_trylock(&spin) == EBUSY && pthread_spin_unlock(&spin) == 0);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
	const struct kept *all[] = {&early, &late, &latest};
	int got;

	sigaction(SIGUSR2, &action, NULL);
	keep(&early);
	start(&argc, &argv);
	keep(&late);
	sem_init(&semaphore, 0, 1);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_lock(&spin);
	flockfile(stdout);
	compute();
	MPI_Barrier(WORLD);
	keep(&latest);
	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	for (int i = 0; i < 3; i++) {
		ask_process(all[i]);
		ask_signals(all[i]);
		ask_clocks(all[i]);
		ask_files(all[i]);
	}
	give_back();
	MPI_Finalize();
	return 0;
}
