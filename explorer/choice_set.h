/* Sets of choices, each choice a small number. Sets are immutable, shared and counted by reference.
 *
 * Most events of a trace depend on exactly what the previous event depends on. So a set is created
 * once and referenced from many places. NULL is the empty set and valid everywhere. */
#ifndef MATCHPOINT_EXPLORER_CHOICE_SET_H
#define MATCHPOINT_EXPLORER_CHOICE_SET_H

#include <glib.h>
#include <stdbool.h>

struct choice_set;

struct choice_set *choice_set_ref(struct choice_set *set);
void choice_set_unref(struct choice_set *set);

/* Replaces *set by its union with `other`, or with one choice. Consumes the reference in *set. */
void choice_set_join(struct choice_set **set, struct choice_set *other);
void choice_set_add(struct choice_set **set, guint choice);

bool choice_set_has(const struct choice_set *set, guint choice);
bool choice_set_covers(const struct choice_set *set, const struct choice_set *other);

#endif
