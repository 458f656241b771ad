/* Limits how long ranks are held back until the others are at rest (world_arrival.h), if the others
 * do not come to rest. */
#ifndef MATCHPOINT_SCHEDULER_LIVENESS_DELIVERY_TIMEOUT_H
#define MATCHPOINT_SCHEDULER_LIVENESS_DELIVERY_TIMEOUT_H

#include <glib.h>
#include <stdbool.h>

struct world;

struct delivery_timeout {
	gsize events; /* number of events of the world at the last check; 0 at first */
	gint64 since; /* time when that number was reached */
};

/* Releases the ranks that are held back if nothing has happened for long. `now` in microseconds.
 * Returns whether any rank was released. */
bool delivery_timeout_check(struct delivery_timeout *timeout, struct world *world, gint64 now);

#endif
