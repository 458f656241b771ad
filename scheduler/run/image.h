/* Images: snapshots of an execution whose ranks go on. Each rank keeps its memory by itself
 * (ckpt/agent_rewind.h), and says which image that is; one that has not moved since its last image
 * keeps none anew. Where it has nothing under way it is not even asked, nor told when the others go
 * back (body.h). What the ranks share is copied meanwhile. Going back needs the very processes that
 * have the images, their *body*: ranks that are held, or stand still where an execution was given
 * up. When one of them is gone all images of the body are lost; then an execution begins at another
 * snapshot.
 *
 * An image is a frozen world (frozen.h) without keepers; its parent is the one that the body was
 * forked from. */
#ifndef MATCHPOINT_SCHEDULER_RUN_IMAGE_H
#define MATCHPOINT_SCHEDULER_RUN_IMAGE_H

#include "frozen.h"

/* Whether the ranks of an execution, at rest, can be asked for one. */
bool image_is_possible(const struct execution *execution);

/* Asks all of them; execution->parking is the answer. */
struct frozen *image_begin(struct execution *execution);
/* IMAGED has come. With the last one the execution goes on. */
void image_answered(struct execution *execution, int rank, const struct wire_imaged *imaged);

/* Whether its body waits. */
bool image_serves(const struct frozen *frozen);
/* Begins to rewind the body for an execution. */
void image_restore(struct frozen *frozen, struct execution *execution);
/* All its ranks have said that they are what they were. */
void image_connected(struct execution *execution);

/* The execution, at rest, is given up. Where images of its ranks are kept they stay as they stand,
 * to be rewound. false: they are to be ended as ever. */
bool image_stand(struct execution *execution);

/* The frozen world is released. */
void image_forget(struct frozen *frozen);

/* Whether a frozen world is one of a body that is lost. */
bool image_is_lost(const struct frozen *frozen);

/* Whether there are images of a body (NULL: none), and such as somebody has asked for. */
bool image_has_any(const struct runs *runs, const struct body *body);
bool image_any_named(const struct runs *runs, const struct body *body);

#endif
