/* Ranks that are held at the end of an interleaving, to be rewound in place (ckpt/agent_rewind.h)
 * instead of being forked again. Together with their directory they belong to the snapshot that
 * they were restored from.
 *
 * The process group of an execution collects the ranks that stay. When it is over, the group goes
 * to its snapshot, and from there to the next execution that begins there. Ranks that cannot stay,
 * or cannot be rewound, are forked into the same world. */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_HELD_RANKS_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_HELD_RANKS_H

#include "process_group.h"
#include "snapshot.h"

/* HELD has arrived from a rank of a running or ending execution. With a hazard, which is noted, the
 * rank exits by itself. */
void held_ranks_add(struct placement *placement, int rank, const struct wire_held *held);

/* The execution is about to be freed: its held ranks wait at their snapshot, or are ended. Ranks
 * that have not answered REWIND are ended. `over`: it has come to its end, and is not begun again.
 * Returns whether its directory is still needed. */
bool held_ranks_keep(struct placement *placement, bool over);

/* Begins to rewind held ranks of the snapshot for a placement. Returns false if there are none, or
 * if they could not be used. */
bool held_ranks_rewind(struct snapshot *snapshot, struct placement *placement);

/* held_ranks_wait: whether the whole group waits at the snapshot. held_ranks_take takes it from
 * there; a reference passes to the caller. */
bool held_ranks_wait(const struct snapshot *snapshot, const struct process_group *group);
void held_ranks_take(struct snapshot *snapshot, const struct process_group *group);

/* Rewinds the ranks that an execution has taken to these images, except ranks that equal their
 * image already. `ahead`: all were idle, and what they share was put back; first orders follow at
 * once, and all count as connected. Otherwise at least one of them sends HELLO. */
void held_ranks_rewind_to_images(struct process_group *group, const guint32 *images, bool ahead);

/* Whether ranks count as connected that have not sent HELLO, if they may be idle and send nothing
 * else. NULL: false. */
bool held_ranks_is_ahead(const struct process_group *group);

/* Returns the connection of a held rank, and its process. NULL: it is not held; also if `group` is
 * NULL. */
struct host_link *held_ranks_link(const struct process_group *group, int rank, pid_t *ret_process);

/* A held rank has sent a message; a held rank is gone. */
void held_ranks_message(struct host_link *link, const struct wire_message *message);
void held_ranks_closed(struct process_group *group, int rank);
/* The connection of the rank is closed, or belongs to a snapshot. If it counts as connected and has
 * not sent HELLO, it is removed. NULL is legal. */
void held_ranks_forget(struct process_group *group, int rank);

/* A keeper has reported the end of a process. Returns true if the process is about to be rewound.
 * It is not known yet whether it ended before or after that. */
bool held_ranks_child_ended(struct snapshots *snapshots, int rank, const struct wire_child *child);

/* Ends all held ranks of a snapshot. */
void held_ranks_end_all(struct snapshot *snapshot);

/* Ends the held ranks of the oldest snapshot that has any, to keep within the budget. `images`:
 * even if they have images, which are lost then. Returns false if there are none. */
bool held_ranks_end_oldest(struct snapshots *snapshots, bool images);

#endif
