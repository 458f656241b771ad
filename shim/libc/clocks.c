#define _GNU_SOURCE
#include "clocks.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shim/mpi/next.h"
#include "shim/process/process.h"
#include "shim/process/sanitizer.h"
#include "virtual_time.h"

static atomic_bool asked;

/* Clock reads of MPI and the shim, inside a call, do not count. */
static void note_asked(void)
{
	if (!process_is_controlled() || process_is_in_call())
		return;
	atomic_store_explicit(&asked, true, memory_order_relaxed);
	virtual_time_read();
}

bool clocks_were_asked(void)
{
	return atomic_load_explicit(&asked, memory_order_relaxed)
	       && atomic_exchange_explicit(&asked, false, memory_order_relaxed);
}

bool clocks_are_real(void)
{
	siginfo_t child;

	return process_has_made_threads()
	       || waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0;
}

uint64_t clocks_computed(void)
{
	struct timespec time = {0};

	NEXT(clock_gettime)(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* A sanitizer reads clocks as it begins, which it may do within dlsym(): that frees memory. */
static int read_clock(clockid_t clock, struct timespec *time)
{
	return sanitizer_is_there() ? (int)syscall(SYS_clock_gettime, clock, time)
	                            : NEXT(clock_gettime)(clock, time);
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *time)
{
	note_asked();
	int code = read_clock(clock, time);
	if (code == 0)
		virtual_time_add(clock, time);
	return code;
}

EXPORTED int timespec_get(struct timespec *time, int base)
{
	note_asked();
	int answer = NEXT(timespec_get)(time, base);
	if (answer == TIME_UTC)
		virtual_time_add(CLOCK_REALTIME, time);
	return answer;
}

EXPORTED int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	note_asked();
	int code = NEXT(gettimeofday)(time, zone);
	if (code == 0) {
		struct timespec exact = {time->tv_sec, time->tv_usec * 1000};
		virtual_time_add(CLOCK_REALTIME, &exact);
		*time = (struct timeval){exact.tv_sec, exact.tv_nsec / 1000};
	}
	return code;
}

EXPORTED time_t time(time_t *ret_time)
{
	/* With its fraction: what is added is no whole number of seconds. */
	struct timespec now = {0};

	note_asked();
	read_clock(CLOCK_REALTIME_COARSE, &now);
	virtual_time_add(CLOCK_REALTIME, &now);
	if (ret_time)
		*ret_time = now.tv_sec;
	return now.tv_sec;
}

EXPORTED clock_t clock(void)
{
	note_asked();
	clock_t answer = NEXT(clock)();
	struct timespec ahead = {0};
	virtual_time_add(CLOCK_PROCESS_CPUTIME_ID, &ahead);
	return answer == (clock_t)-1 ? answer
	                             : answer + ahead.tv_sec * CLOCKS_PER_SEC
	                                       + ahead.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

EXPORTED clock_t times(struct tms *ret_times)
{
	note_asked();
	clock_t answer = NEXT(times)(ret_times);
	long ticks = sysconf(_SC_CLK_TCK);
	struct timespec ahead = {0};
	virtual_time_add(CLOCK_MONOTONIC, &ahead);
	return answer == (clock_t)-1
	               ? answer
	               : answer + ahead.tv_sec * ticks + ahead.tv_nsec / (1000000000 / ticks);
}
