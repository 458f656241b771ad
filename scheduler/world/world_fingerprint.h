/* The fingerprint of what the scheduler knows of a world at rest, for a search that visits equal
 * states once (explorer/state_search.h): messages under way, operations and collectives that are
 * not complete, where each rank waits, how polls were answered, what was remarked. Of the past it
 * contains only what can make a difference later. The ranks themselves report what is in their
 * memory (shim/state/state.h).
 *
 * A call is identified by its age, counted in calls of its rank. So ranks can come to the same
 * state in more calls or in fewer: a worker that has done three tasks, or four. For contents of
 * messages and arguments of calls, the rank reports a hash, called a seal. If a rank cannot compute
 * one because MPI itself keeps the data (attributes, datatypes, buffers), the choices made before
 * stand for it. That is always right, since a state follows from the choices. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_FINGERPRINT_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_FINGERPRINT_H

#include <glib.h>
#include <stdbool.h>

#include "common/state_hash.h"
#include "common/wire.h"

struct world;

/* Call this before the call that the seal describes. */
void world_seal(struct world *world, int rank, const struct wire_seal *seal);

/* Instead, if the call comes without a seal: the choices made so far stand for its arguments, its
 * contents and all that it hides. */
void world_go_unsealed(struct world *world, int rank, guint32 call);

/* At rest. Returns NULL, or a clause that says why this state cannot be compared. */
const char *world_fingerprint(const struct world *world, struct state_hash *ret);

/* The same for a world that has ended: everything that a verdict depends on, except how ranks
 * ended. */
void world_fingerprint_end(const struct world *world, struct state_hash *ret);

#endif
