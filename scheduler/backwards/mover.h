/* Moves traced processes along moments, and notes what happens on the way. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_MOVER_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_MOVER_H

#include <glib.h>
#include <stdbool.h>

#include "keepers.h"
#include "moment.h"
#include "traced.h"

/* The last thing that happened on a way, and when. */
struct event {
	struct moment *moment; /* NULL: nothing happened */
	guint64 watched;       /* the watchpoint that has just triggered; 0: arrived at a point */
};
void event_clear(struct event *event);

/* A traced process at the moment. NULL with `error` set. Give it back to keepers_end. */
struct traced *mover_go(struct keepers *keepers, const struct moment *moment, GError **error);

/* Follows the moment's legs, from its mark, in a process that stands there. `event` becomes the
 * last of what happens at the points until just before the moment; a trigger that leads to the
 * moment counts as before it. */
bool mover_follow(struct traced *traced, const struct moment *way, const GArray *points,
                  struct event *event, GError **error);

/* The same for the whole way from one mark to another, in a process that stands at the first. */
bool mover_follow_marks(struct traced *traced, guint64 from, guint64 to, const GArray *points,
                        struct event *event, GError **error);

/* Whether the process has come to the end of a leg with this stop. Counts in *seen, which is 0 at
 * the beginning. Not for LEG_STEPS. */
bool mover_is_met(const struct leg *leg, const struct stop *stop, guint64 *seen);
/* Adds the points that the leg needs, to an array of struct point. */
void mover_add_points(const struct leg *leg, GArray *points);

/* The watchpoints among the points, as a leg to the trigger after `count` others. */
struct leg mover_trigger_leg(const GArray *points, guint64 count);

/* Moves the process on as the user has said: to the next stop at a point or, if `steps`, by one
 * instruction, or while the pc is in [start, end). `moment` becomes where it is then; it stays what
 * it was if the stop is STOP_INTERRUPTED, STOP_MARK or STOP_GONE. */
struct stop mover_forward(struct traced *traced, struct moment **moment, const GArray *points,
                          bool steps, guint64 start, guint64 end);

#define MOVER_ERROR (mover_error_quark())
GQuark mover_error_quark(void);
enum mover_error {
	MOVER_LOST, /* the process went another way than before */
	MOVER_INTERRUPTED,
};

#endif
