/* Ranks that have come to the end of an interleaving and are held there, to be rewound in place
 * (ckpt/agent_rewind.h) rather than forked anew, with the directory that they share: a world of held ranks
 * of the snapshot that they were restored from. An execution collects those of its own ranks that
 * stay; when it is over they go to its snapshot, and to the next execution that begins there. Ranks
 * that cannot stay, or cannot be rewound, are forked as ever, into the same world. */
#ifndef MATCHPOINT_SCHEDULER_RUN_HELD_RANKS_H
#define MATCHPOINT_SCHEDULER_RUN_HELD_RANKS_H

#include "snapshot.h"

struct held_rank {
	pid_t pid;
	guint64 inside; /* where it keeps its struct wire_blocking_call */
	bool unshared;  /* as it says: struct wire_held */
	bool ahead;     /* counts as connected, though it has not said HELLO yet */
	bool ended;     /* as its keeper says, with this status */
	int status;
};

struct held_ranks {
	struct runs *runs;
	struct execution *execution; /* whose ranks they were, or will be; NULL: it waits */
	guint32 number;              /* of the world whose directory it is */
	char *directory;             /* while it waits */
	struct process_group *group; /* which processes they are, if they are all; else NULL */
	struct host_link **links;    /* by rank; NULL: not held; and: */
	struct held_rank *ranks;
	int held;
	int counted; /* processes, while it waits: those that are held, and their twins */
};

/* HELD has come from a rank of a running or ending execution: with a hazard, which is noted, it
 * goes by itself. */
void held_ranks_add(struct execution *execution, int rank, const struct wire_held *held);

/* The execution is freed: its held ranks wait at their snapshot, or are ended. true: its directory
 * is still needed. */
bool held_ranks_keep(struct execution *execution);

/* Begins to rewind a world of held ranks of the snapshot for an execution that is about to be restored from
 * it. false: there is none, or it could not be used. */
bool held_ranks_rewind(struct snapshot *snapshot, struct execution *execution);

/* A world of held ranks of the snapshot with all ranks of a body; NULL: there is none. And: it does not
 * wait any longer. */
struct held_ranks *held_ranks_find(const struct snapshot *snapshot,
                                   const struct process_group *group);
struct held_ranks *held_ranks_take_group(struct snapshot *snapshot,
                                         const struct process_group *group);

/* The ranks of a world of held ranks that an execution has got go back to these images, unless they have
 * stayed what they are to be. `ahead`: all were still, and what they share is what it was: first
 * orders follow, and they count as connected; else at least one of them will say HELLO. */
void held_ranks_rewind_to_images(struct held_ranks *held, const guint32 *images, bool ahead);

/* Whether ranks that count as connected have not said HELLO, where they may stand still without
 * ever saying more. NULL: false. */
bool held_ranks_is_ahead(const struct held_ranks *held);

/* The connection of a held rank, and its process; NULL: none is, also for NULL. */
struct host_link *held_ranks_link(const struct held_ranks *held, int rank, pid_t *ret_process);

/* What a held rank says, and that it is gone. */
void held_ranks_message(struct host_link *link, const struct wire_message *message);
void held_ranks_closed(struct held_ranks *held, int rank);
/* Its connection is closed: if it counts as connected, but has not said HELLO, it is none of these
 * any more. NULL is legal. */
void held_ranks_forget(struct held_ranks *held, int rank);

/* A keeper says that a process has ended. true: it is one that is about to be rewound, of which it
 * is not known yet whether it was before. */
bool held_ranks_child_ended(struct runs *runs, int rank, const struct wire_child *child);

/* All that wait at a snapshot are ended. */
void held_ranks_end_all(struct snapshot *snapshot);

/* Those that have waited at the oldest snapshot where any wait (`images`: even such that have
 * images, which are lost with them): to be within the budget. false: none wait anywhere. */
bool held_ranks_end_oldest(struct runs *runs, bool images);

#endif
