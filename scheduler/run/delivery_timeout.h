/* How long ranks have been held back until the others are at rest (world_arrival.h), when these do
 * not come to rest. */
#ifndef MATCHPOINT_SCHEDULER_RUN_DELIVERY_TIMEOUT_H
#define MATCHPOINT_SCHEDULER_RUN_DELIVERY_TIMEOUT_H

#include <glib.h>
#include <stdbool.h>

struct world;

struct delivery_timeout {
	gsize events; /* of the world, when last looked at; 0 at first */
	gint64 since; /* when there were so many */
};

/* Lets go who is held back when nothing has happened for long; `now` in microseconds. false: there
 * was no need. */
bool delivery_timeout_check(struct delivery_timeout *timeout, struct world *world, gint64 now);

#endif
