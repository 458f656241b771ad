/* Collectives that ranks of a world were let into, and may be inside of; who has failed there. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_ENTERED_H
#define MATCHPOINT_SCHEDULER_WORLD_ENTERED_H

#include <glib.h>
#include <stdbool.h>

struct entered;

struct entered *entered_new(int ranks);
struct entered *entered_copy(const struct entered *entered);
void entered_free(struct entered *entered);

/* The rank's pending call is let into this one. */
void entered_note(struct entered *entered, int rank, guint64 instance);
/* Those of its last call (guint64). */
const GArray *entered_by(const struct entered *entered, int rank);
/* It has come out of all. */
void entered_clear(struct entered *entered, int rank);

/* The rank has gone on with an error from where it was. */
void entered_fail(struct entered *entered, int rank);
bool entered_has_failed(const struct entered *entered, int rank, guint64 instance);
/* Whether anybody has, anywhere. */
bool entered_any_failed(const struct entered *entered);

#endif
