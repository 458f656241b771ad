/* What an earlier search over states (state_search.h) has done and left, as ways: names of states
 * hold for the processes alone that have told them, so a search that goes on later, with others,
 * comes once more to each state that was known, to learn its name; what was explored from there it
 * does not explore again. */
#ifndef MATCHPOINT_EXPLORER_SAVED_STATES_H
#define MATCHPOINT_EXPLORER_SAVED_STATES_H

#include "choice_list.h"

enum saved_state_kind {
	SAVED_STATES_VISITED, /* come to at rest; of what could be chosen there `next` alone is of interest
	                */
	SAVED_STATES_WAITING, /* not explored yet: all of it is */
	SAVED_STATES_KINDS
};

/* The end of a way; the first one is the beginning, which has no choice. */
struct saved_state {
	struct choice choice; /* its last */
	enum saved_state_kind kind;
	GPtrArray *next; /* struct saved_state, owned */
};

void saved_states_free(struct saved_state *saved); /* NULL is legal */

/* Where this choice leads from there; NULL: nothing is known of it. `trail` may be NULL. */
const struct saved_state *saved_states_after(const struct saved_state *saved,
                                             const struct choice *choice);

/* Whether anything waits there or behind. */
bool saved_states_waits(const struct saved_state *saved);

#define SAVED_STATES_TYPE "a(uuay)"

/* NULL: damaged. */
struct saved_state *saved_states_load(GVariant *saved);

/* Collects ways, and all that lies behind some. */
struct saved_states_writer;

struct saved_states_writer *saved_states_writer_new(void);
void saved_states_write_visited(struct saved_states_writer *writer, struct choice_list *list);
/* This choice at the end of a way has not been made; NULL: nothing is known of it. */
void saved_states_write_waiting(struct saved_states_writer *writer, struct choice_list *list,
                                const struct choice *choice, const struct saved_state *saved);
/* All of it, from the beginning. */
void saved_states_write_all(struct saved_states_writer *writer, const struct saved_state *saved);
/* In SAVED_STATES_TYPE, floating. Frees the writer. */
GVariant *saved_states_writer_end(struct saved_states_writer *writer);

#endif
