/* The history of stops of a session at the prompt, to go back and forward in. A stop is identified
 * by its position, which has a cut if ranks are held. Going back and deciding otherwise drops the
 * later stops; deciding the same keeps them. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_STOPS_H
#define MATCHPOINT_SCHEDULER_DEBUG_STOPS_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/position.h"

struct stop {
	struct position *position;
	bool ended; /* nothing was left to decide: the interleaving had ended */
};

/* A stop by itself; takes the position over. */
struct stop *stop_new(struct position *position, bool ended);
/* struct choice, in the order made. */
const GArray *stop_choices(const struct stop *stop);
void stop_free(gpointer stop);

struct stops;

struct stops *stops_new(void);
void stops_free(struct stops *stops); /* NULL is legal */

/* The session has stopped after the current stop; takes the position over. If the next stop in the
 * history is the same, later stops are kept; else they are dropped. */
void stops_arrive(struct stops *stops, struct position *position, bool ended);

/* The current stop; NULL: none yet. Valid until stops_arrive. */
const struct stop *stops_here(const struct stops *stops);
/* The stop so many before (negative) or after this one; NULL: there is none. */
const struct stop *stops_at(const struct stops *stops, int away);
/* Moves to the stop that stops_at(away) returns; it must exist. */
void stops_move(struct stops *stops, int away);
/* The number of stops before this one, and after it. */
guint stops_before(const struct stops *stops);
guint stops_behind(const struct stops *stops);

#endif
