/* Rank 0 names its own process and first thread in every way that the C library has, before and
 * after a choice. In each copy of the rank it must mean itself, and find itself as it was: what
 * one interleaving changes is not there in the next. */
#define _GNU_SOURCE
#include "../check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t came, value;
static volatile pid_t sender;

static void count(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	value = info->si_value.sival_int;
	sender = info->si_pid;
	came++; /* another thread waits for it */
}

/* The signal has arrived once, with this value if it was queued. Who sent it is right if the first
 * thread did. */
static void arrived(int code, int wanted)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	CHECK(code == 0);
	for (int i = 0; i < 1000 && came == 0; i++)
		nanosleep(&moment, NULL);
	CHECK(came == 1 && (wanted == 0 || value == wanted));
	CHECK(sender == getpid() || gettid() != getpid());
	came = 0;
}

static void signals(void)
{
	arrived(kill(getpid(), SIGUSR2), 0);
	arrived(tgkill(getpid(), gettid(), SIGUSR2), 0);
	arrived(raise(SIGUSR2), 0);
	arrived(sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 3}), 3);
	CHECK(tgkill(getpid(), gettid(), 0) == 0 && kill(getpid(), 0) == 0);
}

static void groups(void)
{
	CHECK(getpgid(getpid()) == getpgrp() && getsid(getpid()) == getsid(0));
}

static void scheduling(int nice)
{
	cpu_set_t own, named, one;
	struct sched_param parameters, others;
	struct timespec interval;

	errno = 0;
	CHECK(getpriority(PRIO_PROCESS, 0) == nice && errno == 0);
	CHECK(setpriority(PRIO_PROCESS, (id_t)getpid(), nice + 1) == 0);
	CHECK(getpriority(PRIO_PROCESS, 0) == nice + 1);
	CHECK(getpriority(PRIO_PROCESS, (id_t)gettid()) == nice + 1);
	CHECK(sched_getscheduler(getpid()) == sched_getscheduler(0));
	CHECK(sched_getparam(getpid(), &parameters) == 0 && sched_getparam(0, &others) == 0);
	CHECK(parameters.sched_priority == others.sched_priority);
	CHECK(sched_setparam(gettid(), &parameters) == 0);
	CHECK(sched_setscheduler(getpid(), SCHED_BATCH, &parameters) == 0);
	CHECK(sched_getscheduler(0) == SCHED_BATCH);
	CHECK(sched_setscheduler(getpid(), SCHED_OTHER, &parameters) == 0);
	CHECK(sched_rr_get_interval(getpid(), &interval) == 0);
	CHECK(sched_getaffinity(0, sizeof(own), &own) == 0);
	CHECK(sched_getaffinity(getpid(), sizeof(named), &named) == 0 && CPU_EQUAL(&own, &named));
	CPU_ZERO(&one);
	for (int i = 0; CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &own))
			CPU_SET(i, &one);
	CHECK(sched_setaffinity(getpid(), sizeof(one), &one) == 0);
	CHECK(sched_getaffinity(0, sizeof(named), &named) == 0 && CPU_EQUAL(&one, &named));
	CHECK(sched_setaffinity(gettid(), sizeof(own), &own) == 0);
}

static void limits(rlim_t wanted)
{
	struct rlimit limit, named;

	CHECK(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == wanted);
	CHECK(prlimit(getpid(), RLIMIT_CORE, NULL, &named) == 0 && named.rlim_cur == wanted);
	named.rlim_cur++;
	CHECK(prlimit(getpid(), RLIMIT_CORE, &named, NULL) == 0);
	CHECK(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == wanted + 1);
}

static void clocks(pthread_t first)
{
	struct timespec now;
	clockid_t clock;

	CHECK(clock_getcpuclockid(getpid(), &clock) == 0 && clock_gettime(clock, &now) == 0);
	CHECK(pthread_getcpuclockid(first, &clock) == 0 && clock_gettime(clock, &now) == 0);
}

/* As the first thread, and as another one that names the first. */
static void by_handle(pthread_t first)
{
	char name[16];
	int policy;
	cpu_set_t own, named;
	struct sched_param parameters;

	arrived(pthread_kill(first, SIGUSR2), 0);
	arrived(pthread_sigqueue(first, SIGUSR2, (union sigval){.sival_int = 4}), 4);
	CHECK(pthread_kill(first, 32) == EINVAL && pthread_kill(first, 0) == 0);
	CHECK(pthread_getname_np(first, name, 3) == ERANGE);
	CHECK(pthread_getname_np(first, name, sizeof(name)) == 0 && strcmp(name, "first") == 0);
	CHECK(pthread_setname_np(first, "longer than it may") == ERANGE);
	CHECK(pthread_setname_np(first, "second") == 0);
	CHECK(pthread_getname_np(first, name, sizeof(name)) == 0 && strcmp(name, "second") == 0);
	CHECK(pthread_setname_np(first, "first") == 0);
	CHECK(pthread_getaffinity_np(first, sizeof(named), &named) == 0);
	CHECK(sched_getaffinity(getpid(), sizeof(own), &own) == 0 && CPU_EQUAL(&own, &named));
	CHECK(pthread_setaffinity_np(first, sizeof(own), &own) == 0);
	CHECK(pthread_getschedparam(first, &policy, &parameters) == 0 && policy == SCHED_OTHER);
	CHECK(pthread_setschedparam(first, policy, &parameters) == 0);
	CHECK(pthread_setschedprio(first, parameters.sched_priority) == 0);
	clocks(first);
}

static void *from_another(void *first)
{
	by_handle(*(pthread_t *)first);
	return NULL;
}

static void name_itself(int times)
{
	pthread_t first = pthread_self(), other;

	signals();
	groups();
	scheduling(times);
	limits((rlim_t)times);
	by_handle(first);
	CHECK(pthread_create(&other, NULL, from_another, &first) == 0);
	CHECK(pthread_join(other, NULL) == 0);
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO};
	const struct rlimit none = {.rlim_cur = 0, .rlim_max = 10};
	int got[2] = {0};

	CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
	start(&argc, &argv);
	if (rank == 0) {
		CHECK(setpriority(PRIO_PROCESS, 0, 0) == 0);
		CHECK(prlimit(0, RLIMIT_CORE, &none, NULL) == 0);
		CHECK(pthread_setname_np(pthread_self(), "first") == 0);
		name_itself(0);
		for (int i = 0; i < 2; i++) {
			MPI_Recv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
			name_itself(1 + i);
		}
		CHECK(got[0] + got[1] == 3);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	}
	MPI_Finalize();
	return 0;
}
