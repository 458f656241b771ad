/* The types of a message, and the types that its receive expects (world_types.c). */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_TYPES_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_TYPES_H

#include "explorer/explorer.h"
#include "types.h"

struct match;
struct world;

/* A message that is longer than its receive has room for. */
struct truncated {
	struct op_id send, receive;
	struct types sent, received;
};

/* Those that a rank has received (struct truncated); the world owns them. */
GArray *world_all_truncated(const struct world *world, int rank);

/* Remarks on a message whose types do not match those of its receive. */
void world_compare_types(struct world *world, const struct match *match, const struct types *sent,
                         const struct types *received);

/* When the interleaving is over: remarks on sends whose mode may not have been allowed
 * (send_modes.h). */
void world_look_at_modes(struct world *world);

#endif
