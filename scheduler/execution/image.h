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
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_IMAGE_H
#define MATCHPOINT_SCHEDULER_EXECUTION_IMAGE_H

#include "snapshot.h"

/* Whether the ranks of an execution, at rest, can be asked for an image. */
bool image_is_possible(const struct execution *execution);

/* Asks the ranks for an image. Returns the value for execution->parking. */
struct snapshot *image_begin(struct execution *execution);
/* IMAGED has arrived. After the last one, the execution goes on. */
void image_answered(struct execution *execution, int rank, const struct wire_imaged *imaged);

/* Whether its process group is whole, and waits. */
bool image_serves(const struct snapshot *snapshot);
/* Begins to rewind the process group for an execution. */
void image_restore(struct snapshot *snapshot, struct execution *execution);
/* All ranks have reported that they are rewound. */
void image_connected(struct execution *execution);

/* The execution, at rest, is given up. If there are images of its ranks, they stay where they are,
 * to be rewound. Returns false if they have to be ended instead. */
bool image_keep_ranks(struct execution *execution);

/* The snapshot is about to be released. */
void image_forget(struct snapshot *snapshot);

/* Whether a snapshot is an image of a process group that is lost. */
bool image_is_lost(const struct snapshot *snapshot);

/* Whether there are images of a process group (NULL: none), and whether the user has asked
 * for any. */
bool image_has_any(const struct runs *runs, const struct process_group *group);
bool image_any_named(const struct runs *runs, const struct process_group *group);

#endif
