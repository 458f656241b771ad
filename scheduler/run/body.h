/* The processes of an execution's ranks, all of them, which may keep images (image.h): what is
 * known of each. Executions, spare worlds and images that go by the same ones share a body. */
#ifndef MATCHPOINT_SCHEDULER_RUN_BODY_H
#define MATCHPOINT_SCHEDULER_RUN_BODY_H

#include <glib.h>
#include <stdbool.h>

struct body;

/* With one user, the caller. NULL is legal below where it says so. */
struct body *body_new(int ranks);
struct body *body_use(struct body *body); /* or NULL: and returns it */
void body_let_go(struct body *body);      /* or NULL */
void body_lose(struct body *body);        /* or NULL: a process is gone, the images are of no use */
bool body_is_lost(const struct body *body);

/* A rank is still from now on (struct wire_state), as it has said. Or NULL. */
void body_be_still(struct body *body, int rank);
/* It is this image, as it has said (IMAGED); `still` as there. `bytes`: what all that it keeps
 * take. */
void body_imaged(struct body *body, int rank, guint32 image, bool still, guint64 bytes);
/* It was rewound to it; 0: to what it was when it began. */
void body_rewound(struct body *body, int rank, guint32 image);
/* It gets an order after which it is nothing that is known. Or NULL. */
void body_moves(struct body *body, int rank);

/* Whether it, or each, drives no progress of MPI's. Or NULL: false. */
bool body_is_still(const struct body *body, int rank);
bool body_is_still_whole(const struct body *body);
/* The image that it is, and stays by itself; 0: none that is known. Or NULL. */
guint32 body_stays(const struct body *body, int rank);

/* One that stays is owed WELCOME of the world it belongs to by now; that goes with its next order:
 * settled then, if it was. Or NULL. */
void body_owe(struct body *body, int rank);
bool body_is_owed(const struct body *body, int rank);
bool body_settle(struct body *body, int rank);

guint64 body_bytes(const struct body *body, int rank);

/* One more refers to the image, without the rank being asked; and one less does: true when the rank
 * has to be told (FORGET). */
void body_share(struct body *body, int rank, guint32 image);
bool body_forget(struct body *body, int rank, guint32 image);

#endif
