#include "deferral.h"

#include "scheduler/world/world.h"
#include "scheduler/world/world_arrival.h"
#include "stall.h"

bool deferral_look(struct deferral *deferral, struct world *world, gint64 now)
{
	gsize events = trace_count(world_trace(world));

	if (deferral->since == 0 || deferral->events != events)
		deferral->since = now;
	deferral->events = events;
	return (now - deferral->since) * stall_haste() > WORLD_DEFERRED_SECONDS * G_USEC_PER_SEC
	       && world_release_deferred(world);
}
