/* Preloaded into ranks that run freely. MPICH polls without a pause while it waits; where ranks
 * outnumber processors, a rank that waits takes the time of the one that it waits for. Here it
 * gives up the processor after each poll that found nothing. Ranks do the same as without it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

/* UCX's function. MPICH calls it in each poll. Returns how much has happened. */
unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*progress)(void *);
	unsigned events;

	if (!progress)
		*(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
	events = progress(worker);
	if (events == 0)
		sched_yield();
	return events;
}
