#include "delivery_timeout.h"

#include "scheduler/world/world.h"
#include "scheduler/world/world_arrival.h"
#include "stall.h"

bool delivery_timeout_check(struct delivery_timeout *timeout, struct world *world, gint64 now)
{
	gsize events = trace_count(world_trace(world));

	if (timeout->since == 0 || timeout->events != events)
		timeout->since = now;
	timeout->events = events;
	return (now - timeout->since) * stall_haste() > WORLD_DEFERRED_SECONDS * G_USEC_PER_SEC
	       && world_release_deferred(world);
}
