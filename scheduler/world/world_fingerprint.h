/* The name of what the scheduler knows of a world at rest, for a search that visits equal states
 * once (explorer/state_search.h): messages that wait, operations and collectives under way, who
 * waits where, how polls were answered, what was remarked. Of the past only what can make a
 * difference to what comes. What is in the ranks' memory is theirs to tell (shim/state/state.h).
 *
 * Calls are known by how long ago their rank made them, so that ranks can come to the same state in
 * more calls or in fewer: a worker that has done three tasks, or four. What is in a message, and
 * what a call was given, its rank tells as a seal. Where a rank cannot tell that, because MPI
 * itself keeps it (attributes, datatypes, buffers), the choices made before stand for it: so much
 * is always right, since a state follows from the choices. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_FINGERPRINT_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_FINGERPRINT_H

#include <glib.h>
#include <stdbool.h>

#include "common/state_hash.h"
#include "common/wire.h"

struct world;

/* Before the call that it is about. Worlds that are told none must be told none at all. */
void world_seal(struct world *world, int rank, const struct wire_seal *seal);

/* At rest. NULL: done; else why this state cannot be compared, in a clause for people. */
const char *world_fingerprint(const struct world *world, struct state_hash *ret);

/* The same for a world that has ended: all that a verdict is made of besides how ranks ended. */
void world_fingerprint_end(const struct world *world, struct state_hash *ret);

#endif
