#define _GNU_SOURCE
#include "park_thread.h"

#include <pthread.h>
#include <stdio.h>
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

/* --- locks of streams ------------------------------------------------------------------------- */

/* glibc's lock of a FILE, and its list of them. A fork makes all locks free in the copy, and a
 * later funlockfile would then leave one locked for ever. A lock has an owner only while it is
 * held; whether `depth` is then 0 or 1 at first depends on glibc's version. */
struct stream_lock {
	int word, depth;
	void *owner; /* the thread's descriptor, which has the same address in a copy */
};

enum { STREAMS = 64 }; /* held at once; more are not looked for */

static struct {
	struct stream_lock *lock, was;
} held[STREAMS];
static size_t held_count;

static void note_held(void)
{
	extern FILE *_IO_list_all; /* NOLINT: exported by glibc, and declared nowhere */
	extern void _IO_list_lock(void), _IO_list_unlock(void); /* NOLINT */
	const void *self = (const void *)pthread_self();        /* NOLINT */

	held_count = 0;
	_IO_list_lock();
	for (const FILE *stream = _IO_list_all; stream && held_count < STREAMS;
	     stream = (const FILE *)stream->_chain) {
		struct stream_lock *lock = (struct stream_lock *)stream->_lock;

		if (!lock || lock->owner != self)
			continue;
		held[held_count].lock = lock;
		held[held_count++].was = *lock;
	}
	_IO_list_unlock();
}

static void hold_again(void)
{
	for (size_t i = 0; i < held_count; i++)
		*held[i].lock = held[i].was;
}

/* --- forks ------------------------------------------------------------------------------------ */

static void before_fork(void)
{
	if (!park.forks_rank)
		return;
	note_held();
	address = find_number();
	kept = address ? *address : 0;
}

static void in_child(void)
{
	if (!park.forks_rank)
		return;
	if (address)
		*address = kept;
	hold_again();
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
