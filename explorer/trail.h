/* What an earlier search over states (state_search.h) has done and left, as ways: names of states
 * hold for the processes alone that have told them, so a search that goes on later, with others,
 * comes once more to each state that was known, to learn its name; what was explored from there it
 * does not explore again. */
#ifndef MATCHPOINT_EXPLORER_TRAIL_H
#define MATCHPOINT_EXPLORER_TRAIL_H

#include "way.h"

enum trail_kind {
	TRAIL_VISITED, /* come to at rest; of what could be chosen there `next` alone is of interest
	                */
	TRAIL_WAITING, /* not explored yet: all of it is */
	TRAIL_KINDS
};

/* The end of a way; the first one is the beginning, which has no choice. */
struct trail {
	struct choice choice; /* its last */
	enum trail_kind kind;
	GPtrArray *next; /* struct trail, owned */
};

void trail_free(struct trail *trail); /* NULL is legal */

/* Where this choice leads from there; NULL: nothing is known of it. `trail` may be NULL. */
const struct trail *trail_after(const struct trail *trail, const struct choice *choice);

/* Whether anything waits there or behind. */
bool trail_waits(const struct trail *trail);

#define TRAIL_TYPE "a(uuay)"

/* NULL: damaged. */
struct trail *trail_load(GVariant *saved);

/* Collects ways, and all that lies behind some. */
struct trail_writer;

struct trail_writer *trail_writer_new(void);
void trail_write_visited(struct trail_writer *writer, struct way *way);
/* This choice at the end of a way has not been made; NULL: nothing is known of it. */
void trail_write_waiting(struct trail_writer *writer, struct way *way, const struct choice *choice,
                         const struct trail *trail);
/* All of it, from the beginning. */
void trail_write_all(struct trail_writer *writer, const struct trail *trail);
/* In TRAIL_TYPE, floating. Frees the writer. */
GVariant *trail_writer_end(struct trail_writer *writer);

#endif
