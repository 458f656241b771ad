#define _GNU_SOURCE
#include "caller.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "gate.h"
#include "real.h"

/* initial-exec: the shim is preloaded, and a call costs no detour through the dynamic linker. */
static _Thread_local unsigned depth __attribute__((tls_model("initial-exec")));

/* Calls of several threads go one after another; a thread may come again from a callback. Not a
 * pthread_mutex_t, whose owner is a thread id of the kernel's: another one after fork, while
 * pthread_self is the same in a restored rank. */
static _Atomic(pthread_t) owner; /* 0: nobody */
static unsigned held;            /* times, by the owner */

/* A second thread calls MPI while the first is held in the gate: the first may well wait for what
 * the second is about to do. Whatever were said of such a rank could be wrong, so nothing is. */
static _Noreturn void refuse_threads(const void *site)
{
	const struct wire_message message = {
		.type = WIRE_ERROR,
		.error = {.call = gate_current_call(),
	                  .site = (uint64_t)(uintptr_t)site,
	                  .fatal = true,
	                  .refused = true,
	                  .text = "two threads call MPI at the same time (MPI_THREAD_MULTIPLE), "
	                          "which matchpoint cannot control"},
	};

	gate_tell(&message);
	for (;;)
		pause(); /* the other thread is told to end the process */
}

static void lock(const void *site)
{
	const struct timespec moment = {.tv_nsec = 1000 * 1000};
	pthread_t nobody = 0;

	while (owner != pthread_self()
	       && !atomic_compare_exchange_weak(&owner, &nobody, pthread_self())) {
		if (gate_is_waiting())
			refuse_threads(site);
		nobody = 0;
		nanosleep(&moment, NULL);
	}
	held++;
}

/* MPI_Init has come in before calls are serialised. */
static void unlock(void)
{
	if (owner == pthread_self() && --held == 0)
		owner = 0;
}

static bool enter(void **site)
{
	if (gate_is_serialised())
		lock(*site);
	depth++;
	*site = site_of_caller(*site);
	return true;
}

bool caller_enter(void **site)
{
	if (depth > 0 || !gate_is_active() || real_is_library(*site))
		return false;
	return enter(site);
}

bool caller_enter_always(void **site)
{
	if (depth > 0)
		return false;
	real_mpi();
	return !real_is_library(*site) && enter(site);
}

void caller_leave(void)
{
	if (depth > 0)
		depth--;
	if (gate_is_serialised())
		unlock();
}

bool caller_is_inside(void)
{
	return depth > 0;
}

unsigned caller_suspend(void)
{
	unsigned before = depth;

	depth = 0;
	return before;
}

void caller_resume(unsigned before)
{
	depth = before;
}

void *site_of_caller(void *return_address)
{
	int saved = errno;
	void *frame = return_address;

	if (real_is_binding(return_address) && real_backtrace(&frame, 1) < 1)
		frame = return_address;
	errno = saved;
	return frame;
}
