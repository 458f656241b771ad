/* Images: snapshots of an execution whose ranks go on. Each rank keeps its own memory
 * (ckpt/agent_rewind.h), and reports which image that is. A rank that has not moved since its last
 * image keeps nothing new. If it is idle, it is not even asked, and gets no message when the others
 * go back (process_group.h). What the ranks share is copied meanwhile.
 *
 * Going back needs the processes that have the images, the process group: they are held, or idle
 * where an execution was given up. If one of them is gone, all images of the group are lost. Then
 * an execution begins at another snapshot.
 *
 * An image is a snapshot (snapshot.h) without keepers. Its parent is the snapshot that the process
 * group was forked from. */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_IMAGE_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_IMAGE_H

#include "snapshot.h"

/* Whether the ranks of an execution at rest can be asked for an image. Not any more after many
 * refusals, unless the strategy `stays`. */
bool image_is_possible(const struct placement *placement, bool stays);

/* Asks the ranks for an image. It is complete when each has answered. */
struct snapshot *image_begin(const struct snapshot_subject *subject);
/* IMAGED has arrived. Returns false if that is no answer to what was asked. */
bool image_answered(struct snapshot *snapshot, int rank, const struct wire_imaged *imaged);
/* Every rank has answered. Returns whether there is an image now, which can be returned to.
 * Otherwise the snapshot has to be released. The ranks may go on. */
bool image_complete(struct snapshot *snapshot, struct placement *placement);

/* Whether its process group is whole, and waits. */
bool image_serves(const struct snapshot *snapshot);
/* Begins to rewind the process group for a placement. */
void image_restore(struct snapshot *snapshot, struct placement *placement);
/* All ranks have reported that they are rewound. */
void image_connected(struct placement *placement);

/* The snapshot is about to be released. */
void image_forget(struct snapshot *snapshot);

/* Whether a snapshot is an image of a process group that is lost. */
bool image_is_lost(const struct snapshot *snapshot);

/* Whether there are images of a process group (NULL: none); `named`: that the user has asked
 * for. */
bool image_has_any(const struct snapshots *snapshots, const struct process_group *group,
                   bool named);

#endif
