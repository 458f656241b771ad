/* Preloaded into ranks that run freely. MPICH polls without a pause while it waits; where ranks
 * outnumber processors, a rank that waits takes the time of the one that it waits for. Here it
 * gives up the processor after each poll that found nothing. If that has not helped for a while, it
 * sleeps for a moment: other tests can use the processor. Ranks do the same as without it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <time.h>

enum { YIELDS = 20 }; /* polls in vain, one after the other, before the first sleep */
enum { NAP_NS = 20000 };

static void give_up_processor(unsigned polls_in_vain)
{
	int error = errno;

	if (polls_in_vain <= YIELDS)
		sched_yield();
	else
		nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
	errno = error;
}

/* UCX's function. MPICH calls it in each poll. Returns how much has happened. */
unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*progress)(void *);
	static _Thread_local unsigned in_vain;
	unsigned events;

	if (!progress)
		*(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
	events = progress(worker);
	in_vain = events == 0 ? in_vain + 1 : 0;
	if (events == 0)
		give_up_processor(in_vain);
	return events;
}
