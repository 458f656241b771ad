#define _GNU_SOURCE
#include "park_thread.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "park_internal.h"
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
