/* Ranks that are held back until the others are at rest (world_arrival.h), when these are not. */
#include "execution_internal.h"
#include "scheduler/world/world_arrival.h"

bool execution_release_deferred(struct execution *execution)
{
	gsize events = world_trace(execution->world)->count;
	gint64 now = execution_now(execution);

	if (execution->deferred_since == 0 || execution->deferred_events != events)
		execution->deferred_since = now;
	execution->deferred_events = events;
	if ((now - execution->deferred_since) * stall_haste()
	            <= WORLD_DEFERRED_SECONDS * G_USEC_PER_SEC
	    || !world_release_deferred(execution->world))
		return false;
	execution_advance(execution);
	return true;
}
