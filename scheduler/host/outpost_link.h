/* How an outpost reads its orders, and finds the scheduler. */
#ifndef MATCHPOINT_SCHEDULER_HOST_OUTPOST_LINK_H
#define MATCHPOINT_SCHEDULER_HOST_OUTPOST_LINK_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "frames.h"

/* Seconds after which a machine that cannot be reached is lost. */
#define OUTPOST_LOST_SECONDS 4

struct outpost_orders {
	char *secret, *directory, *shim, *machine;
	char **addresses;
	char *port;
	int ranks;
	pid_t owner;
	int socket;   /* to the scheduler, from outpost_link_connect on */
	bool at_home; /* the scheduler is on this machine: the outpost has said so, and ends */
};

/* Returns false with `error` set if the orders cannot be followed: another version of matchpoint,
 * no shim. */
bool outpost_link_read(const char *text, struct outpost_orders *orders, GError **error);
/* Connects to the first address that answers, and finds out whether this is the scheduler's
 * machine. Returns false with `error` set. */
bool outpost_link_connect(struct outpost_orders *orders, GError **error);
/* Sends HELLO. */
void outpost_link_greet(struct frames *frames, const struct outpost_orders *orders, bool at_home);
void outpost_link_clear(struct outpost_orders *orders);

#endif
