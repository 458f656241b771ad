#define _GNU_SOURCE
#include "threads.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "shim/mpi/next.h"

enum { INPUT = 1 << 16 };
static atomic_int inside; /* threads in MPI; INPUT: the first thread writes an input */

void threads_check(enum mpi_call function)
{
	int now = 0;

	if (atomic_compare_exchange_strong(&inside, &now, 1))
		return;
	while (now == INPUT) {
		sched_yield();
		now = 0;
		if (atomic_compare_exchange_strong(&inside, &now, 1))
			return;
	}
	log_place->function = (uint32_t)function;
	record_refuse("a second thread calls MPI while another is in it; only "
	              "MPI_THREAD_SERIALIZED can be recorded");
}

void threads_leave(void)
{
	atomic_store(&inside, 0);
}

/* Asks the system itself: this is a part of what answers the program. */
static bool is_first(void)
{
	static __thread int known; /* 1: yes, -1: no */

	if (known == 0)
		known = NEXT(gettid)() == (pid_t)NEXT(syscall)(SYS_getpid) ? 1 : -1;
	return known > 0;
}

bool threads_begin_input(void)
{
	int nobody = 0;

	return is_first() && atomic_compare_exchange_strong(&inside, &nobody, INPUT);
}

void threads_end_input(void)
{
	atomic_store(&inside, 0);
}

int threads_granted(int required)
{
	return required > MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED : required;
}
