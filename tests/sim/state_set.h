/* A set of states, each an array of bytes of the same length, for walks through very many. */
#ifndef MATCHPOINT_TESTS_SIM_STATE_SET_H
#define MATCHPOINT_TESTS_SIM_STATE_SET_H

#include <glib.h>

/* `size`: the length in bytes. Free with state_set_free. */
struct state_set *state_set_new(gsize size);
void state_set_free(struct state_set *set);

/* Where to write the state that is to be added: always the same bytes, until one is. */
guint8 *state_set_draft(struct state_set *set);
/* Adds the state that was written there, and returns it: it is valid until the set is freed. NULL:
 * the set has an equal one. */
const guint8 *state_set_add(struct state_set *set);

guint state_set_count(const struct state_set *set);

#endif
