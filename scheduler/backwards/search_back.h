/* Finds earlier moments: the last event before one, and the instruction before one. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_SEARCH_BACK_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_SEARCH_BACK_H

#include <glib.h>
#include <stdbool.h>

#include "keepers.h"
#include "moment.h"
#include "mover.h"
#include "trace.h"

/* The last event at the points before the moment. No moment in it: there is none. If a watchpoint
 * triggers, the moment is the one before the instruction that triggers it. False with `error` set,
 * also if the user interrupts. */
bool search_back_event(struct keepers *keepers, const struct moment *from, const GArray *points,
                       struct event *ret_event, GError **error);

/* The moment one instruction before. *ret_moment is NULL at the start. `trace`: the caller expects
 * to ask for the instructions before that one, too; then more is spent now, and the trace has that
 * moment, and those before it. NULL: none is wanted. */
bool search_back_step(struct keepers *keepers, const struct moment *from, struct trace *trace,
                      struct moment **ret_moment, GError **error);

#endif
