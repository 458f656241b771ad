#define _GNU_SOURCE
#include "virtual_time.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "common/mix.h"
#include "shim/mpi/next.h"
#include "shim/process/process.h"

#define SECOND INT64_C(1000000000) /* nanoseconds */

static struct {
	_Atomic int64_t *most; /* greatest of all ranks, nanoseconds; NULL: time is not virtual */
	_Atomic int64_t ahead;
	_Atomic int64_t polled; /* part of `ahead` that clocks of computing time add, too */
	int64_t behind;         /* how long its world has stood still */
	uint32_t seed;          /* of uneven clocks; 0: they run evenly */
	_Atomic uint32_t reads;
	_Atomic int64_t uneven; /* how far reads have moved the clocks forward */
} virtual;

static void run_unevenly(uint32_t seed)
{
	if (seed == virtual.seed)
		return;
	virtual.seed = seed;
	atomic_store(&virtual.reads, 0);
	/* All ranks begin alike: no rank may learn a future time from another. */
	atomic_store(&virtual.uneven, seed ? (1 + (int64_t)(mix(seed, 0) % 1000)) * SECOND : 0);
}

void virtual_time_welcome(const struct wire_welcome *welcome)
{
	virtual.behind = (int64_t)welcome->idle_time * (SECOND / 1000000);
	run_unevenly(welcome->uneven_clocks);
}

void virtual_time_read(void)
{
	enum { LEAST_US = 10000, MOST_US = 300000 };

	if (virtual.seed == 0)
		return;
	uint64_t random = mix(virtual.seed, 1 + atomic_fetch_add(&virtual.reads, 1));
	atomic_fetch_add(&virtual.uneven,
	                 (int64_t)(LEAST_US + random % (MOST_US - LEAST_US)) * (SECOND / 1000000));
}

void virtual_time_start(void)
{
	enum { BYTES = 4096 };
	void *shared = MAP_FAILED;

	if (!getenv("MATCHPOINT_VIRTUAL_TIME") || virtual.most)
		return;
	int file = openat(AGENT_WORLD_FD, "virtual-time", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file >= 0 && ftruncate(file, BYTES) == 0)
		shared = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	if (shared != MAP_FAILED)
		virtual.most = shared;
}

static void raise_to(_Atomic int64_t *place, int64_t least)
{
	int64_t now = atomic_load(place);

	while (now < least && !atomic_compare_exchange_weak(place, &now, least))
		;
}

void virtual_time_catch_up(void)
{
	if (virtual.most)
		raise_to(&virtual.ahead, atomic_load(virtual.most));
}

void virtual_time_put_forward(uint32_t milliseconds)
{
	int64_t forward = milliseconds * (SECOND / 1000);
	int64_t ahead = atomic_fetch_add(&virtual.ahead, forward) + forward;

	atomic_fetch_add(&virtual.polled, forward);
	if (virtual.most)
		raise_to(virtual.most, ahead);
}

void virtual_time_add(clockid_t clock, struct timespec *time)
{
	bool computing = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
	int64_t ahead = atomic_load_explicit(computing ? &virtual.polled : &virtual.ahead,
	                                     memory_order_relaxed);

	if (!computing)
		ahead -= virtual.behind;
	ahead += atomic_load_explicit(&virtual.uneven, memory_order_relaxed);
	if (ahead == 0 || clock < 0)
		return;
	ahead += time->tv_nsec;
	time->tv_sec += ahead / SECOND;
	time->tv_nsec = ahead % SECOND;
	if (time->tv_nsec < 0) {
		time->tv_sec--;
		time->tv_nsec += SECOND;
	}
}

/* false: the sleep takes real time. */
static bool leap_over(const struct timespec *duration)
{
	int64_t slept = duration->tv_sec * SECOND + duration->tv_nsec;

	if (!virtual.most || !process_is_controlled() || process_is_in_call()
	    || process_has_made_threads())
		return false;
	raise_to(virtual.most, atomic_fetch_add(&virtual.ahead, slept) + slept);
	return true;
}

static bool is_sound(const struct timespec *duration)
{
	return duration && duration->tv_sec >= 0 && duration->tv_nsec >= 0
	       && duration->tv_nsec < SECOND;
}

EXPORTED unsigned sleep(unsigned seconds)
{
	const struct timespec duration = {.tv_sec = seconds};

	return leap_over(&duration) ? 0 : NEXT(sleep)(seconds);
}

EXPORTED int usleep(useconds_t microseconds)
{
	const struct timespec duration = {.tv_sec = microseconds / 1000000,
	                                  .tv_nsec = microseconds % 1000000 * 1000};

	return leap_over(&duration) ? 0 : NEXT(usleep)(microseconds);
}

EXPORTED int nanosleep(const struct timespec *duration, struct timespec *left)
{
	if (is_sound(duration) && leap_over(duration))
		return 0;
	return NEXT(nanosleep)(duration, left);
}

/* Time until then; zero: it is past. */
static struct timespec time_until(clockid_t clock, const struct timespec *then)
{
	struct timespec now = {0};

	NEXT(clock_gettime)(clock, &now);
	virtual_time_add(clock, &now);
	int64_t left = (int64_t)(then->tv_sec - now.tv_sec) * SECOND + then->tv_nsec - now.tv_nsec;
	if (left < 0)
		left = 0;
	return (struct timespec){.tv_sec = left / SECOND, .tv_nsec = left % SECOND};
}

EXPORTED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration,
                             struct timespec *left)
{
	struct timespec time;

	clock = process_clock(clock);
	if (!is_sound(duration) || clock == CLOCK_PROCESS_CPUTIME_ID || clock < 0)
		return NEXT(clock_nanosleep)(clock, flags, duration, left);
	if (!(flags & TIMER_ABSTIME))
		return leap_over(duration) ? 0
		                           : NEXT(clock_nanosleep)(clock, flags, duration, left);
	time = time_until(clock, duration); /* by the clock that the program reads */
	return leap_over(&time) ? 0 : NEXT(clock_nanosleep)(clock, 0, &time, NULL);
}
