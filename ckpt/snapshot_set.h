/* Snapshots: snapshots to which the exploration can return. What they share: clone_plan.h.
 *
 * Bookkeeping only. A snapshot is known by the position that it stands at; one that leads to where
 * an interleaving is to go can serve it, the one with the most choices best. Who parks and restores
 * processes is the caller; nothing here waits. */
#ifndef MATCHPOINT_CKPT_SNAPSHOT_SET_H
#define MATCHPOINT_CKPT_SNAPSHOT_SET_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "clone_plan.h"
#include "explorer/position.h"

struct snapshot_entry; /* one snapshot */
struct snapshot_set;

/* How much memory a process takes by itself, in bytes; 0: that is not known. */
typedef guint64 (*snapshot_bytes)(pid_t process, void *user);

struct snapshot_set *snapshot_set_new(guint64 memory_budget /* bytes */, guint process_budget,
                                      snapshot_bytes bytes, void *user);
void snapshot_set_free(struct snapshot_set *set);

/* Adds a snapshot of parked processes, one per rank, at a position (taken over); or (`keepers`
 * NULL) one that takes so many bytes, and no process. seconds_to_regain is what it took to get here
 * from the nearest snapshot before. `owner` is the caller's and handed
 * back. */
struct snapshot_entry *snapshot_set_add(struct snapshot_set *set, struct position *position,
                                        const pid_t *keepers, guint64 bytes,
                                        double seconds_to_regain, void *owner);

/* The snapshot with the most choices, of these the one where the most calls are made, the newest,
 * among those that lead there and, where that is asked, serve; NULL: none. */
struct snapshot_entry *
snapshot_set_find(struct snapshot_set *set, const struct position *target,
                  bool (*serves)(const struct snapshot_entry *entry, void *user), void *user);

/* The snapshot to give up next when the budget is exceeded (cheapest to regain, least recently
 * used among equals, never one at the start, nor, where that is asked, one that may not go); NULL:
 * within budget, or there is none. */
struct snapshot_entry *snapshot_set_evict(struct snapshot_set *set,
                                          bool (*may_go)(const struct snapshot_entry *entry));
/* Whether as many processes more would be within the budget. */
bool snapshot_set_has_room(const struct snapshot_set *set, guint processes);
/* So many more stand by beside the keepers; fewer, if negative. They are part of the budget. */
void snapshot_set_count_beside(struct snapshot_set *set, int processes);
void snapshot_set_remove(struct snapshot_set *set, struct snapshot_entry *entry);

void *snapshot_entry_owner(const struct snapshot_entry *entry);

#endif
