/* Which ranks have entered which collective, and what each arrival depends on. A part of
 * dependence.h: it computes what a rank depends on after it leaves a collective. */
#ifndef MATCHPOINT_EXPLORER_ARRIVALS_H
#define MATCHPOINT_EXPLORER_ARRIVALS_H

#include <glib.h>
#include <stdbool.h>

#include "choice_set.h"
#include "trace.h"

struct arrivals;

struct arrivals *arrivals_new(void);
void arrivals_free(struct arrivals *arrivals);

/* EVENT_ARRIVE of a rank that depends on `set`. Arrivals are dropped in the opposite order. */
void arrivals_add(struct arrivals *arrivals, const struct event *arrive, struct choice_set *set);
void arrivals_drop_last(struct arrivals *arrivals, const struct event *arrive);

/* Whether all members have arrived that the rank of this EVENT_ARRIVE must wait for. */
bool arrivals_let_leave(const struct arrivals *arrivals, const struct event *arrive);

/* Adds to *set what the awaited arrivals depend on. `leave` is an EVENT_LEAVE, or an EVENT_ARRIVE
 * of which the awaited members have arrived. */
void arrivals_join(const struct arrivals *arrivals, const struct event *leave,
                   struct choice_set **set);

#endif
