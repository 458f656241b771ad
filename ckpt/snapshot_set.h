/* The set of snapshots that the exploration can return to. What snapshots share: clone_plan.h.
 *
 * Bookkeeping only: the caller parks and restores processes, and nothing here waits. A snapshot is
 * identified by its position. If its position leads to the target of an interleaving, it can serve
 * it; of several, the one with the most choices is best. */
#ifndef MATCHPOINT_CKPT_SNAPSHOT_SET_H
#define MATCHPOINT_CKPT_SNAPSHOT_SET_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "clone_plan.h"
#include "explorer/position.h"

struct snapshot_entry; /* one snapshot */
struct snapshot_set;

/* Memory that one process takes alone, in bytes; 0: not known. */
typedef guint64 (*snapshot_bytes)(pid_t process, void *user);

struct snapshot_set *snapshot_set_new(guint64 memory_budget /* bytes */, guint process_budget,
                                      snapshot_bytes bytes, void *user);
void snapshot_set_free(struct snapshot_set *set);

/* Adds a snapshot of parked processes, one for each rank; `keepers` NULL: one without processes
 * that takes `bytes`. Takes ownership of the position. seconds_to_regain: the time from the nearest
 * snapshot before to this one. `owner` belongs to the caller and is only stored. */
struct snapshot_entry *snapshot_set_add(struct snapshot_set *set, struct position *position,
                                        const pid_t *keepers, guint64 bytes,
                                        double seconds_to_regain, void *owner);

/* The best snapshot that leads to the target and, if `serves` is not NULL, satisfies it: most
 * choices, then most calls, then newest. NULL: none. */
struct snapshot_entry *
snapshot_set_find(struct snapshot_set *set, const struct position *target,
                  bool (*serves)(const struct snapshot_entry *entry, void *user), void *user);

/* The snapshot to give up next while the budget is exceeded: cheapest to regain, then least
 * recently used; never one at the start, nor one that `may_go` (if not NULL) excludes. NULL: within
 * the budget, or there is none. */
struct snapshot_entry *snapshot_set_evict(struct snapshot_set *set,
                                          bool (*may_go)(const struct snapshot_entry *entry));
/* Whether so many more processes are within the budget. */
bool snapshot_set_has_room(const struct snapshot_set *set, guint processes);
/* Counts processes that wait in addition to the keepers (negative: fewer). They are part of the
 * budget. */
void snapshot_set_count_beside(struct snapshot_set *set, int processes);
void snapshot_set_remove(struct snapshot_set *set, struct snapshot_entry *entry);

void *snapshot_entry_owner(const struct snapshot_entry *entry);

#endif
