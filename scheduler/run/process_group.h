/* The processes of an execution's ranks, all of them, which may keep images (image.h): what is
 * known of each. Executions, worlds of held ranks and images that go by the same ones share a body. */
#ifndef MATCHPOINT_SCHEDULER_RUN_PROCESS_GROUP_H
#define MATCHPOINT_SCHEDULER_RUN_PROCESS_GROUP_H

#include <glib.h>
#include <stdbool.h>

struct process_group;

/* With one user, the caller. NULL is legal below where it says so. */
struct process_group *process_group_new(int ranks);
struct process_group *process_group_use(struct process_group *group); /* or NULL: and returns it */
void process_group_let_go(struct process_group *group);               /* or NULL */
void process_group_lose(
	struct process_group *group); /* or NULL: a process is gone, the images are of no use */
bool process_group_is_lost(const struct process_group *group);

/* A rank is still from now on (struct wire_state), as it has said. Or NULL. */
void process_group_be_idle(struct process_group *group, int rank);
/* It is this image, as it has said (IMAGED); `still` as there. `bytes`: what all that it keeps
 * take. */
void process_group_imaged(struct process_group *group, int rank, guint32 image, bool idle,
                          guint64 bytes);
/* It was rewound to it; 0: to what it was when it began. */
void process_group_rewound(struct process_group *group, int rank, guint32 image);
/* It gets an order after which it is nothing that is known. Or NULL. */
void process_group_moves(struct process_group *group, int rank);

/* Whether it, or each, drives no progress of MPI's. Or NULL: false. */
bool process_group_is_idle(const struct process_group *group, int rank);
bool process_group_is_idle_whole(const struct process_group *group);
/* The image that it is, and stays by itself; 0: none that is known. Or NULL. */
guint32 process_group_stays(const struct process_group *group, int rank);

/* One that stays is owed WELCOME of the world it belongs to by now; that goes with its next order:
 * settled then, if it was. Or NULL. */
void process_group_owe(struct process_group *group, int rank);
bool process_group_is_owed(const struct process_group *group, int rank);
bool process_group_settle(struct process_group *group, int rank);

guint64 process_group_bytes(const struct process_group *group, int rank);

/* One more refers to the image, without the rank being asked; and one less does: true when the rank
 * has to be told (FORGET). */
void process_group_share(struct process_group *group, int rank, guint32 image);
bool process_group_forget(struct process_group *group, int rank, guint32 image);

#endif
