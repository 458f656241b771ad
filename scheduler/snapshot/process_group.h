/* The processes of the ranks of an execution, running or held (held_ranks.h), and what is known of
 * each. They may keep images (image.h). The execution or the snapshot that has them, and images of
 * them, share a process group. */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_PROCESS_GROUP_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_PROCESS_GROUP_H

#include <glib.h>
#include <stdbool.h>

#include "scheduler/host/host.h"

struct placement;
struct snapshots;

struct rank_process {
	guint32 image; /* that it equals; 0: none */
	bool idle;
	bool owed; /* it stays as it is, and gets WELCOME of its new world with its next order */
	guint64 bytes; /* of all its images */
	GArray *kept;  /* struct kept, by number of image */
	/* While it is held: */
	struct host_link *link; /* NULL: it is not held */
	pid_t pid;
	guint64 inside; /* address of its struct wire_blocking_call */
	bool unshared;  /* as reported: struct wire_held */
	bool rewinding; /* it got REWIND, and has not answered yet */
	bool ahead;     /* likewise, but counts as connected */
	bool ended;     /* as its keeper has reported, with this status */
	int status;
};

struct process_group {
	guint users;
	guint losses; /* times that a process was lost, and its images with it */
	int count;
	/* Of held ranks: */
	struct snapshots *snapshots;
	struct placement *placement; /* where they were, or will be; NULL: they wait */
	guint32 number;              /* of the world that the directory belongs to */
	char *directory;             /* while they wait */
	bool images;                 /* they may have been asked for images, and be in a call */
	int held;                    /* how many are */
	int counted;                 /* processes while they wait: held ranks and their twins */
	struct rank_process ranks[];
};

/* The group has one user at first, the caller. NULL is legal below where noted. */
struct process_group *process_group_new(int ranks);
struct process_group *process_group_ref(struct process_group *group); /* may be NULL; returns it */
void process_group_unref(struct process_group *group);                /* may be NULL */
/* A process is gone: nothing can go back to earlier images of the group. NULL is legal. */
void process_group_lose(struct process_group *group);

/* A rank has reported that it is idle (struct wire_state). `group` may be NULL. */
void process_group_be_idle(struct process_group *group, int rank);
/* A rank has reported that it is this image (IMAGED). `idle` as reported. `bytes`: size of all its
 * images. */
void process_group_imaged(struct process_group *group, int rank, guint32 image, bool idle,
                          guint64 bytes);
/* A rank was rewound to this image; 0: to its birth. */
void process_group_rewound(struct process_group *group, int rank, guint32 image);
/* A rank gets an order: it may change from here on, so it equals no known image. `group` may be
 * NULL. */
void process_group_moves(struct process_group *group, int rank);

/* Whether the rank, or each rank, is idle: it drives no progress of MPI. false if `group` is
 * NULL. */
bool process_group_is_idle(const struct process_group *group, int rank);
bool process_group_is_idle_whole(const struct process_group *group);
/* Returns the image that the rank equals, and will equal until it gets an order; 0: none. `group`
 * may be NULL. */
guint32 process_group_stays(const struct process_group *group, int rank);

/* Returns whether the rank was owed WELCOME of its new world, and settles it. `group` may be
 * NULL. */
bool process_group_settle(struct process_group *group, int rank);

/* process_group_share adds a reference to an image without the rank being asked.
 * process_group_forget removes one. It returns true if that was the rank's own: the rank must get
 * FORGET. */
void process_group_share(struct process_group *group, int rank, guint32 image);
bool process_group_forget(struct process_group *group, int rank, guint32 image);

#endif
