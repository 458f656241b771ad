/* Where a session at the prompt has stopped, one after the other, to walk back and forward through:
 * a stop is named by its position, which has a cut where ranks are held. Who goes back and decides
 * otherwise forgets what came after; who decides the same finds it again. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_STOPS_H
#define MATCHPOINT_SCHEDULER_DEBUG_STOPS_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/position.h"

struct stop {
	struct position *position;
	bool ended; /* nothing was left to decide: the interleaving had come to its end */
};

/* One by itself; takes the position over. */
struct stop *stop_new(struct position *position, bool ended);
/* struct choice, in the order made. */
const GArray *stop_choices(const struct stop *stop);
void stop_free(gpointer stop);

struct stops;

struct stops *stops_new(void);
void stops_free(struct stops *stops); /* NULL is legal */

/* The session has stopped here, behind where it was; takes the position over.
 * Is that the stop which comes next already, those behind it stay; else they are forgotten. */
void stops_arrive(struct stops *stops, struct position *position, bool ended);

/* Where it is; NULL: it has not stopped yet. Valid until something arrives. */
const struct stop *stops_here(const struct stops *stops);
/* So many stops before (negative) or behind this one; NULL: there are not as many. */
const struct stop *stops_at(const struct stops *stops, int away);
/* The session goes there; stops_at must know it. */
void stops_move(struct stops *stops, int away);
/* How many there are before this one, and behind. */
guint stops_before(const struct stops *stops);
guint stops_behind(const struct stops *stops);

#endif
