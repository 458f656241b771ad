/* The collectives that ranks of a world were let into and may still be inside, and the ranks that
 * have failed in them. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_ENTERED_H
#define MATCHPOINT_SCHEDULER_WORLD_ENTERED_H

#include <glib.h>
#include <stdbool.h>

struct entered;

struct entered *entered_new(int ranks);
struct entered *entered_copy(const struct entered *entered);
void entered_free(struct entered *entered);

/* The rank's pending call is let into this instance. */
void entered_note(struct entered *entered, int rank, guint64 instance);
/* The instances of its last call (guint64). */
const GArray *entered_by(const struct entered *entered, int rank);
/* The rank has left all of them. */
void entered_clear(struct entered *entered, int rank);

/* MPI has returned an error to the rank in the collectives that it was in; it has gone on. */
void entered_fail(struct entered *entered, int rank);
bool entered_has_failed(const struct entered *entered, int rank, guint64 instance);
/* Whether any rank has failed in any collective. */
bool entered_any_failed(const struct entered *entered);

#endif
