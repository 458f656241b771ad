/* Images: snapshots of an execution whose ranks go on. Each rank keeps its memory by itself
 * (ckpt/agent_rewind.h), and says which image that is; one that has not moved since its last image
 * keeps none anew. Where it has nothing under way it is not even asked, nor told when the others go
 * back (process_group.h). What the ranks share is copied meanwhile. Going back needs the very processes that
 * have the images, their *body*: ranks that are held, or stand still where an execution was given
 * up. When one of them is gone all images of the body are lost; then an execution begins at another
 * snapshot.
 *
 * An image is a snapshot (snapshot.h) without keepers; its parent is the one that the body was
 * forked from. */
#ifndef MATCHPOINT_SCHEDULER_RUN_IMAGE_H
#define MATCHPOINT_SCHEDULER_RUN_IMAGE_H

#include "snapshot.h"

/* Whether the ranks of an execution, at rest, can be asked for one. */
bool image_is_possible(const struct execution *execution);

/* Asks all of them; execution->parking is the answer. */
struct snapshot *image_begin(struct execution *execution);
/* IMAGED has come. With the last one the execution goes on. */
void image_answered(struct execution *execution, int rank, const struct wire_imaged *imaged);

/* Whether its body waits. */
bool image_serves(const struct snapshot *snapshot);
/* Begins to rewind the body for an execution. */
void image_restore(struct snapshot *snapshot, struct execution *execution);
/* All its ranks have said that they are what they were. */
void image_connected(struct execution *execution);

/* The execution, at rest, is given up. Where images of its ranks are kept they stay as they stand,
 * to be rewound. false: they are to be ended as ever. */
bool image_stand(struct execution *execution);

/* The snapshot is released. */
void image_forget(struct snapshot *snapshot);

/* Whether a snapshot is one of a body that is lost. */
bool image_is_lost(const struct snapshot *snapshot);

/* Whether there are images of a body (NULL: none), and such as somebody has asked for. */
bool image_has_any(const struct runs *runs, const struct process_group *group);
bool image_any_named(const struct runs *runs, const struct process_group *group);

#endif
