/* Ranks that are held at the end of an interleaving, to be rewound in place (ckpt/agent_rewind.h)
 * instead of being forked again. Together with their directory they are a world of held ranks,
 * which belongs to the snapshot that they were restored from.
 *
 * An execution collects its ranks that stay. When it is over, they go to its snapshot, and from
 * there to the next execution that begins there. Ranks that cannot stay, or cannot be rewound, are
 * forked into the same world. */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_HELD_RANKS_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_HELD_RANKS_H

#include "snapshot.h"

struct held_rank {
	pid_t pid;
	guint64 inside; /* address of its struct wire_blocking_call */
	bool unshared;  /* as reported: struct wire_held */
	bool ahead;     /* counts as connected, but has not sent HELLO yet */
	bool ended;     /* as its keeper has reported, with this status */
	int status;
};

struct held_ranks {
	struct snapshots *snapshots;
	struct placement *placement; /* where they were, or will be; NULL: they wait */
	guint32 number;              /* of the world that the directory belongs to */
	char *directory;             /* while they wait */
	struct process_group *group; /* the group, if all of its processes are held; else NULL */
	struct host_link **links;    /* by rank; NULL: not held */
	struct held_rank *ranks;
	bool images; /* they may have been asked for images, and be in a call */
	int held;
	int counted; /* processes while they wait: held ranks and their twins */
};

/* HELD has arrived from a rank of a running or ending execution. With a hazard, which is noted, the
 * rank exits by itself. */
void held_ranks_add(struct placement *placement, int rank, const struct wire_held *held);

/* The execution is about to be freed: its held ranks wait at their snapshot, or are ended. `over`:
 * it has come to its end, and is not begun again. Returns whether its directory is still needed. */
bool held_ranks_keep(struct placement *placement, bool over);

/* Begins to rewind held ranks of the snapshot for a placement. Returns false if there are none, or
 * if they could not be used. */
bool held_ranks_rewind(struct snapshot *snapshot, struct placement *placement);

/* held_ranks_find returns held ranks of the snapshot that are a whole process group; NULL: there
 * are none. held_ranks_take_group takes them from the snapshot. */
struct held_ranks *held_ranks_find(const struct snapshot *snapshot,
                                   const struct process_group *group);
struct held_ranks *held_ranks_take_group(struct snapshot *snapshot,
                                         const struct process_group *group);

/* Rewinds the ranks that an execution has taken to these images, except ranks that equal their
 * image already. `ahead`: all were idle, and what they share was put back; first orders follow at
 * once, and all count as connected. Otherwise at least one of them sends HELLO. */
void held_ranks_rewind_to_images(struct held_ranks *held, const guint32 *images, bool ahead);

/* Whether ranks count as connected that have not sent HELLO, if they may be idle and send nothing
 * else. NULL: false. */
bool held_ranks_is_ahead(const struct held_ranks *held);

/* Returns the connection of a held rank, and its process. NULL: it is not held; also if `held` is
 * NULL. */
struct host_link *held_ranks_link(const struct held_ranks *held, int rank, pid_t *ret_process);

/* A held rank has sent a message; a held rank is gone. */
void held_ranks_message(struct host_link *link, const struct wire_message *message);
void held_ranks_closed(struct held_ranks *held, int rank);
/* The connection of a held rank is closed. If it counts as connected and has not sent HELLO, it is
 * removed. NULL is legal. */
void held_ranks_forget(struct held_ranks *held, int rank);

/* A keeper has reported the end of a process. Returns true if the process is about to be rewound.
 * It is not known yet whether it ended before or after that. */
bool held_ranks_child_ended(struct snapshots *snapshots, int rank, const struct wire_child *child);

/* Ends all held ranks of a snapshot. */
void held_ranks_end_all(struct snapshot *snapshot);

/* Ends the held ranks of the oldest snapshot that has any, to keep within the budget. `images`:
 * even if they have images, which are lost then. Returns false if there are none. */
bool held_ranks_end_oldest(struct snapshots *snapshots, bool images);

#endif
