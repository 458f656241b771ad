/* The copies of a snapshot's shared memory that a restored one needs.
 *
 * An object is what a device and inode name, however many ranks map it at however many addresses.
 * Its copy is `clone.N` in the new world's directory, with every page at its own offset; an object
 * that has a name in the old world's directory has the same name in the new one (a hard link), for
 * UCX attaches segments by name, and late. Files there that nobody maps are copied as well. */
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

/* Tells what a parked rank maps. All ranks are added before the first clone_plan_write. */
void clone_plan_add(struct clone_plan *plan, guint rank, pid_t keeper,
                    const struct agent_mapping *mappings, gsize count);

/* Fills the new world's directory (whole pages, zero pages left as holes). The keepers' memory is
 * read the first time and remembered if it is not too large. */
bool clone_plan_write(struct clone_plan *plan, const char *directory, GError **error);

/* Makes such a directory, which a world has used since and may still map, what it was when it was
 * filled: the same files, with what they held, and no others. */
bool clone_plan_rewrite(struct clone_plan *plan, const char *directory, struct world_files *files,
                        GError **error);

/* The clones of one rank's mappings, owned by the plan; valid until the next clone_plan_add. */
gsize clone_plan_rank(const struct clone_plan *plan, guint rank, const struct agent_clone **ret);

#endif
