/* What an earlier search over states (state_search.h) has visited and left, as lists of choices.
 * The fingerprints of states are valid only for the processes that computed them. So a search that
 * is resumed with other processes reaches each known state once more to learn its fingerprint. What
 * was explored from there is not explored again. */
#ifndef MATCHPOINT_EXPLORER_SAVED_STATES_H
#define MATCHPOINT_EXPLORER_SAVED_STATES_H

#include "choice_list.h"

enum saved_state_kind {
	/* reached at rest; only the choices in `next` are of interest there */
	SAVED_STATES_VISITED,
	SAVED_STATES_WAITING, /* not explored yet: everything is of interest */
	SAVED_STATES_KINDS
};

/* The end of a list of choices. The root has no choice. */
struct saved_state {
	struct choice choice; /* the last choice */
	enum saved_state_kind kind;
	GPtrArray *next; /* owned; struct saved_state */
};

void saved_states_free(struct saved_state *saved); /* NULL is allowed */

/* Where this choice leads; NULL: unknown. `saved` may be NULL. */
const struct saved_state *saved_states_after(const struct saved_state *saved,
                                             const struct choice *choice);

/* Whether anything waits here or below. */
bool saved_states_waits(const struct saved_state *saved);

#define SAVED_STATES_TYPE "a(uuay)"

/* Returns NULL if the data is damaged. */
struct saved_state *saved_states_load(GVariant *saved);

/* Collects lists of choices, and everything below some of them. */
struct saved_states_writer;

struct saved_states_writer *saved_states_writer_new(void);
void saved_states_write_visited(struct saved_states_writer *writer, struct choice_list *list);
/* The choice after this list has not been made. `saved`: what lies below it; NULL: unknown. */
void saved_states_write_waiting(struct saved_states_writer *writer, struct choice_list *list,
                                const struct choice *choice, const struct saved_state *saved);
/* Writes everything, from the root. */
void saved_states_write_all(struct saved_states_writer *writer, const struct saved_state *saved);
/* The result is of type SAVED_STATES_TYPE, floating. Frees the writer. */
GVariant *saved_states_writer_end(struct saved_states_writer *writer);

#endif
