#define _GNU_SOURCE
#include "process.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	bool managed, initialised, controlled;
	int thread_level;
	pid_t adopted;
	atomic_bool made_threads;
} process = {.thread_level = -1};

_Thread_local unsigned process_call_depth __attribute__((tls_model("initial-exec")));
_Thread_local uintptr_t process_stack_pointer __attribute__((tls_model("initial-exec")));

void process_set_managed(void)
{
	process.managed = true;
}

bool process_is_managed(void)
{
	return process.managed;
}

void process_set_initialised(void)
{
	process.initialised = true;
}

bool process_is_initialised(void)
{
	return process.initialised;
}

void process_set_thread_level(int level)
{
	process.thread_level = level;
}

int process_thread_level(void)
{
	return process.thread_level;
}

void process_set_controlled(bool controlled)
{
	process.controlled = controlled;
}

bool process_is_controlled(void)
{
	return process.controlled;
}

pid_t process_real_pid(void)
{
	return (pid_t)syscall(SYS_getpid);
}

void process_adopt(void)
{
	process.adopted = process_real_pid();
}

bool process_is_own(void)
{
	return process.adopted == process_real_pid();
}

void process_note_thread(void)
{
	atomic_store_explicit(&process.made_threads, true, memory_order_relaxed);
}

bool process_has_made_threads(void)
{
	return atomic_load_explicit(&process.made_threads, memory_order_relaxed);
}

bool process_find_stack(pthread_t thread, struct memory_range *ret)
{
	pthread_attr_t attributes;
	void *start = NULL;
	size_t size = 0;
	bool found;

	if (pthread_getattr_np(thread, &attributes) != 0)
		return false;
	found = pthread_attr_getstack(&attributes, &start, &size) == 0;
	pthread_attr_destroy(&attributes);
	*ret = (struct memory_range){(uintptr_t)start, (uintptr_t)start + size};
	return found;
}

static pid_t copy, copy_reads; /* the kernel's number of the copy, and its own; 0: none */

void process_be_copy(pid_t visible)
{
	copy = process_real_pid();
	copy_reads = visible;
}

/* Linux: the inverted number, above three bits: whether of one thread, and which clock. */
clockid_t process_clock(clockid_t clock)
{
	enum { BITS = 3, OTHER_CLOCK = 3 };
	const unsigned low = (unsigned)clock & ((1u << BITS) - 1);

	if (clock >= 0 || copy == 0 || (low & OTHER_CLOCK) == OTHER_CLOCK
	    || ~(clock >> BITS) != copy_reads || process_real_pid() != copy)
		return clock;
	return (clockid_t)((~(unsigned)copy << BITS) | low);
}
