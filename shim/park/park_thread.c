#define _GNU_SOURCE
#include "park_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "park_internal.h"
#include "shim/mpi/next.h"
#include "shim/process/process.h"

static uint32_t *address; /* of the number; NULL: not known */
static uint32_t kept;

/* The kernel clears the number there when the thread ends. */
static uint32_t *find_number(void)
{
	uint32_t *found = NULL;

	return prctl(PR_GET_TID_ADDRESS, &found, 0, 0, 0) == 0 ? found : NULL;
}

static void before_fork(void)
{
	if (!park.forks_rank)
		return;
	address = find_number();
	kept = address ? *address : 0;
}

static void in_child(void)
{
	if (park.forks_rank && address)
		*address = kept;
}

/* In a constructor, because handlers run in the order of their registration: the program's run
 * after these in the child, and may unlock what they have locked before the fork. */
__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(before_fork, NULL, in_child);
}

uint32_t park_thread_number(void)
{
	const uint32_t *found = find_number();

	return found ? *found : (uint32_t)process_real_pid();
}

/* --- functions of the C library that pass the number to the kernel --------------------------- */

/* What a system call returned, as these functions return it. */
static int code_of(long result)
{
	return result < 0 ? errno : 0;
}

static bool is_self(pthread_t thread)
{
	return pthread_equal(thread, pthread_self()) != 0;
}

/* The error of a function must not change errno. */
#define FOR_SELF(thread, call, next)       \
	do {                               \
		int saved_ = errno, code_; \
		if (!is_self(thread))      \
			return next;       \
		code_ = code_of(call);     \
		errno = saved_;            \
		return code_;              \
	} while (0)

EXPORTED int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	FOR_SELF(thread, sched_getaffinity(0, size, set),
	         NEXT(pthread_getaffinity_np)(thread, size, set));
}

EXPORTED int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
	FOR_SELF(thread, sched_setaffinity(0, size, set),
	         NEXT(pthread_setaffinity_np)(thread, size, set));
}

EXPORTED int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameters)
{
	if (!is_self(thread))
		return NEXT(pthread_getschedparam)(thread, policy, parameters);
	*policy = sched_getscheduler(0);
	FOR_SELF(thread, *policy < 0 ? -1 : sched_getparam(0, parameters), 0);
}

EXPORTED int pthread_setschedparam(pthread_t thread, int policy,
                                   const struct sched_param *parameters)
{
	FOR_SELF(thread, sched_setscheduler(0, policy, parameters),
	         NEXT(pthread_setschedparam)(thread, policy, parameters));
}

EXPORTED int pthread_setschedprio(pthread_t thread, int priority)
{
	const struct sched_param parameters = {.sched_priority = priority};

	FOR_SELF(thread, sched_setparam(0, &parameters),
	         NEXT(pthread_setschedprio)(thread, priority));
}

/* The clock of a thread by its number, as the kernel encodes it. */
EXPORTED int pthread_getcpuclockid(pthread_t thread, clockid_t *ret_clock)
{
	enum { SCHEDULER = 2, ONE_THREAD = 4 };

	if (!is_self(thread))
		return NEXT(pthread_getcpuclockid)(thread, ret_clock);
	*ret_clock = (clockid_t)(~(unsigned)syscall(SYS_gettid) << 3) | SCHEDULER | ONE_THREAD;
	return 0;
}
