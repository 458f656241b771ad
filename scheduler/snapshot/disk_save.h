/* Saves a snapshot of keepers on disk: each forks a child that writes itself to a file
 * (ckpt/agent_disk.h). The keepers stay what they are. */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_DISK_SAVE_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_DISK_SAVE_H

#include <stdbool.h>

#include "ckpt/disk_folder.h"
#include "snapshot.h"

/* Waits until all ranks are written, and copies what they share. Not within `iterate`. Returns
 * false with `error` set; then nothing of the ranks has changed either. */
bool disk_save(struct snapshot *snapshot, struct disk_draft *draft, char **program, GError **error);

/* A keeper has reported a child. Returns whether it was one that writes itself. */
bool disk_save_child(struct snapshots *snapshots, int rank, const struct wire_child *child);

enum disk_save_error {
	DISK_SAVE_FAILED,     /* another time it may go well */
	DISK_SAVE_IMPOSSIBLE, /* a rank has something that cannot be on disk */
};

#define DISK_SAVE_ERROR (disk_save_error_quark())
GQuark disk_save_error_quark(void);

#endif
