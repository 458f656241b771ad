/* Who has entered which collective, and what that depended on: the part of dependence.h that tells
 * what a rank comes to depend on when it leaves. */
#ifndef MATCHPOINT_EXPLORER_ARRIVALS_H
#define MATCHPOINT_EXPLORER_ARRIVALS_H

#include <glib.h>
#include <stdbool.h>

#include "choice_set.h"
#include "trace.h"

struct arrivals;

struct arrivals *arrivals_new(void);
void arrivals_free(struct arrivals *arrivals);

/* EVENT_ARRIVE of a rank that depends on `set`; dropped again in the opposite order. */
void arrivals_add(struct arrivals *arrivals, const struct event *arrive, struct choice_set *set);
void arrivals_drop_last(struct arrivals *arrivals, const struct event *arrive);

/* Whether all have come that the rank of this EVENT_ARRIVE must wait for. */
bool arrivals_let_leave(const struct arrivals *arrivals, const struct event *arrive);

/* Joins to *set what the arrivals that this EVENT_LEAVE (or EVENT_ARRIVE, its members
 * having come) has waited for depended on. */
void arrivals_join(const struct arrivals *arrivals, const struct event *leave,
                   struct choice_set **set);

#endif
