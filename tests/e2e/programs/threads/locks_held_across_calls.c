/* A rank holds locks that know their owner, across MPI calls and across snapshots; and it asks the
 * C library about itself. All of it must go on in each copy of the rank. The locks are taken before
 * MPI_Init, after it, and after a computation that makes a snapshot worth its price. */
#define _GNU_SOURCE
#include "../check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <threads.h>
#include <time.h>

struct locks {
	pthread_mutex_t recursive, checking, robust, inheriting;
	pthread_rwlock_t writing;
	mtx_t c11;
};

static struct locks early, late, latest;
static pthread_mutex_t in_fork;
static int fork_trouble;

static void make(pthread_mutex_t *mutex, int type, bool is_robust, bool inherits)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	if (is_robust)
		pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	if (inherits)
		pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

static void take(struct locks *locks)
{
	make(&locks->recursive, PTHREAD_MUTEX_RECURSIVE, false, false);
	make(&locks->checking, PTHREAD_MUTEX_ERRORCHECK, false, false);
	make(&locks->robust, PTHREAD_MUTEX_ERRORCHECK, true, false);
	make(&locks->inheriting, PTHREAD_MUTEX_ERRORCHECK, false, true);
	pthread_rwlock_init(&locks->writing, NULL);
	mtx_init(&locks->c11, mtx_plain | mtx_recursive);
	pthread_mutex_lock(&locks->recursive);
	pthread_mutex_lock(&locks->checking);
	pthread_mutex_lock(&locks->robust);
	pthread_mutex_lock(&locks->inheriting);
	pthread_rwlock_wrlock(&locks->writing);
	mtx_lock(&locks->c11);
}

static void give_back(struct locks *locks)
{
	CHECK(pthread_mutex_trylock(&locks->recursive) == 0);
	CHECK(pthread_mutex_unlock(&locks->recursive) == 0);
	CHECK(pthread_mutex_unlock(&locks->recursive) == 0);
	CHECK(pthread_mutex_unlock(&locks->recursive) == EPERM);
	CHECK(pthread_mutex_lock(&locks->checking) == EDEADLK);
	CHECK(pthread_mutex_unlock(&locks->checking) == 0);
	CHECK(pthread_mutex_unlock(&locks->robust) == 0);
	CHECK(pthread_mutex_unlock(&locks->inheriting) == 0);
	CHECK(pthread_rwlock_wrlock(&locks->writing) == EDEADLK);
	CHECK(pthread_rwlock_unlock(&locks->writing) == 0);
	CHECK(pthread_rwlock_tryrdlock(&locks->writing) == 0);
	CHECK(pthread_rwlock_unlock(&locks->writing) == 0);
	CHECK(mtx_trylock(&locks->c11) == thrd_success);
	CHECK(mtx_unlock(&locks->c11) == thrd_success);
	CHECK(mtx_unlock(&locks->c11) == thrd_success);
}

static void before_fork(void)
{
	pthread_mutex_lock(&in_fork);
}

static void after_fork(void)
{
	fork_trouble |= pthread_mutex_unlock(&in_fork);
}

static void compute(void)
{
	volatile double sum = 0;

	for (int i = 0; i < 100000000; i++)
		sum += i;
}

static void *other(void *mutex)
{
	CHECK(pthread_mutex_unlock(mutex) == EPERM);
	CHECK(pthread_mutex_trylock(mutex) == EBUSY);
	return NULL;
}

static void ask(void)
{
	struct sched_param parameters;
	struct timespec time = {0, 0};
	clockid_t clock;
	cpu_set_t processors, same;
	int policy;

	CPU_ZERO(&processors);
	CPU_ZERO(&same);
	CHECK(pthread_getaffinity_np(pthread_self(), sizeof(processors), &processors) == 0);
	CHECK(sched_getaffinity(0, sizeof(same), &same) == 0);
	CHECK(CPU_EQUAL(&processors, &same));
	CHECK(pthread_setaffinity_np(pthread_self(), sizeof(processors), &processors) == 0);
	CHECK(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0);
	CHECK(pthread_setschedparam(pthread_self(), policy, &parameters) == 0);
	CHECK(pthread_setschedprio(pthread_self(), parameters.sched_priority) == 0);
	CHECK(pthread_getcpuclockid(pthread_self(), &clock) == 0);
	CHECK(clock_gettime(clock, &time) == 0);
	CHECK(pthread_kill(pthread_self(), 0) == 0);
}

/* Another thread does not own what this one holds. */
static void ask_another(pthread_mutex_t *mutex)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, other, mutex) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
	int got;

	make(&in_fork, PTHREAD_MUTEX_ERRORCHECK, false, false);
	pthread_atfork(before_fork, after_fork, after_fork);
	take(&early);
	start(&argc, &argv);
	take(&late);
	compute();
	MPI_Barrier(WORLD);
	take(&latest);
	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
	CHECK(fork_trouble == 0);
	ask();
	if (argc > 1)
		ask_another(&late.checking);
	give_back(&early);
	give_back(&late);
	give_back(&latest);
	MPI_Finalize();
	return 0;
}
