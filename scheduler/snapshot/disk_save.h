/* Saves a snapshot of keepers on disk: each forks a child that writes itself to a file
 * (ckpt/agent_disk.h). The keepers stay what they are. */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_DISK_SAVE_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_DISK_SAVE_H

#include <stdbool.h>

#include "ckpt/disk_folder.h"
#include "snapshot.h"

struct disk_saving;

/* Begins, and waits until all have forked: from then on the execution may go on. One at a time.
 * `draft` outlives it. NULL with `error` set. Both are not for within `iterate`. */
struct disk_saving *disk_save_begin(const struct snapshot *snapshot, struct disk_draft *draft,
                                    char **program, GError **error);
/* Waits until all ranks are written, copies what they share, and frees it. Returns false with
 * `error` set; nothing of the ranks has changed in either case. */
bool disk_save_end(struct disk_saving *saving, GError **error);
/* Whether all are written, or will not be: disk_save_end need not wait. */
bool disk_save_is_done(const struct disk_saving *saving);

/* The snapshot is about to be freed. */
void disk_save_lose(const struct snapshot *snapshot);

/* A keeper has reported a child. Returns whether it was one that writes itself. */
bool disk_save_child(struct snapshots *snapshots, int rank, const struct wire_child *child);

enum disk_save_error {
	DISK_SAVE_FAILED,     /* another time it may go well */
	DISK_SAVE_IMPOSSIBLE, /* a rank has something that cannot be on disk */
};

#define DISK_SAVE_ERROR (disk_save_error_quark())
GQuark disk_save_error_quark(void);

#endif
