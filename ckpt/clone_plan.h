/* The copies of a snapshot's shared memory that a restored world needs.
 *
 * An object is identified by device and inode, however many ranks map it at however many addresses.
 * Its copy is `clone.N` in the new world's directory, with every page at its own offset. An object
 * that has a name in the old world's directory gets the same name in the new one (a hard link),
 * because UCX attaches segments by name, and late. Files there that no rank maps are copied as
 * well. */
#ifndef MATCHPOINT_CKPT_CLONE_PLAN_H
#define MATCHPOINT_CKPT_CLONE_PLAN_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "agent.h"

struct clone_plan;
struct world_files; /* world_files.h */

/* `directory` is the snapshot's. */
struct clone_plan *clone_plan_new(guint ranks, const char *directory);
void clone_plan_free(struct clone_plan *plan);

/* Adds the mappings of a parked rank. Add all ranks before the first clone_plan_write. */
void clone_plan_add(struct clone_plan *plan, guint rank, pid_t keeper,
                    const struct agent_mapping *mappings, gsize count);

/* Fills the new world's directory (whole pages; zero pages stay holes). The keepers' memory is read
 * the first time, and remembered if it is not too large. */
bool clone_plan_write(struct clone_plan *plan, const char *directory, GError **error);

/* Restores such a directory, which a world has used and may still map, to what it was when it was
 * filled: the same files with the same contents, and no others. */
bool clone_plan_rewrite(struct clone_plan *plan, const char *directory, struct world_files *files,
                        GError **error);

/* The clones of one rank's mappings; owned by the plan, valid until the next clone_plan_add. */
gsize clone_plan_rank(const struct clone_plan *plan, guint rank, const struct agent_clone **ret);

#endif
