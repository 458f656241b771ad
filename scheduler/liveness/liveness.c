#include "liveness.h"

#include "scheduler/world/world_arrival.h"

#define LOOK_EVERY (G_USEC_PER_SEC / 2)
#define CERTAIN_TIMES 6 /* a process that is just being started belongs to no rank yet */
#define NONE_TIMES 40   /* the same if no rank has connected: a launcher may be slow */

void liveness_init(struct liveness *liveness, struct host *host, int ranks)
{
	liveness->stall = stall_new(host, ranks);
}

void liveness_release(struct liveness *liveness)
{
	stall_free(liveness->stall);
	livelock_detector_release(&liveness->detector);
	*liveness = (struct liveness){0};
}

void liveness_heard(struct liveness *liveness, gint64 now)
{
	stall_heard(liveness->stall);
	liveness->heard = now;
}

int absent_ranks_check(struct absent_ranks *absent, struct host *host, const pid_t *processes,
                       int ranks)
{
	gint64 now = host_now(host);
	int rank;
	bool any = false;
	bool first = absent->next == 0; /* most jobs have started before the first look is due */

	if (now < absent->next)
		return -1;
	absent->next = now + LOOK_EVERY;
	if (first)
		return -1;
	for (int i = 0; i < ranks; i++)
		any |= processes[i] > 0;
	rank = host->operations->rank_without_process(host, processes, ranks);
	absent->times = rank >= 0 && rank == absent->rank ? absent->times + 1 : 0;
	absent->rank = rank;
	return absent->times >= (any ? CERTAIN_TIMES : NONE_TIMES) ? rank : -1;
}

bool delivery_timeout_check(struct delivery_timeout *timeout, struct world *world, gint64 now)
{
	gsize events = trace_count(world_trace(world));

	if (timeout->since == 0 || timeout->events != events)
		timeout->since = now;
	timeout->events = events;
	return (now - timeout->since) * stall_haste() > WORLD_DEFERRED_SECONDS * G_USEC_PER_SEC
	       && world_release_deferred(world);
}
