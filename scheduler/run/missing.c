#include "missing.h"

#define LOOK_EVERY (G_USEC_PER_SEC / 2)
#define CERTAIN_TIMES 6 /* a process that is just being started belongs to no rank yet */

int missing_look(struct missing *missing, struct host *host, const pid_t *processes, int ranks)
{
	gint64 now = host_now(host);
	int rank;
	bool first = missing->next == 0; /* most starts are over before one is worth while */

	if (now < missing->next)
		return -1;
	missing->next = now + LOOK_EVERY;
	if (first)
		return -1;
	rank = host->operations->rank_without_process(host, processes, ranks);
	missing->times = rank >= 0 && rank == missing->rank ? missing->times + 1 : 0;
	missing->rank = rank;
	return missing->times >= CERTAIN_TIMES ? rank : -1;
}
