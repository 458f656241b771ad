/* Ranks that have come to the end of an interleaving and are held there, to be rewound in place
 * (ckpt/agent_rewind.h) rather than forked anew, with the directory that they share: a spare world
 * of the snapshot that they were restored from. An execution collects those of its own ranks that
 * stay; when it is over they go to its snapshot, and to the next execution that begins there. Ranks
 * that cannot stay, or cannot be rewound, are forked as ever, into the same world. */
#ifndef MATCHPOINT_SCHEDULER_RUN_SPARE_H
#define MATCHPOINT_SCHEDULER_RUN_SPARE_H

#include "frozen.h"

struct spare_rank {
	pid_t pid;
	guint64 inside; /* where it keeps its struct wire_inside */
	bool alone;     /* as it says: struct wire_held */
	bool ahead;     /* counts as connected, though it has not said HELLO yet */
	bool ended;     /* as its keeper says, with this status */
	int status;
};

struct spare {
	struct runs *runs;
	struct execution *execution; /* whose ranks they were, or will be; NULL: it waits */
	guint32 number;              /* of the world whose directory it is */
	char *directory;             /* while it waits */
	struct body *body;           /* which processes they are, if they are all; else NULL */
	struct host_link **links;    /* by rank; NULL: not held; and: */
	struct spare_rank *ranks;
	int held;
	int counted; /* processes, while it waits: those that are held, and their twins */
};

/* HELD has come from a rank of a running or ending execution: with a hazard, which is noted, it
 * goes by itself. */
void spare_rank_held(struct execution *execution, int rank, const struct wire_held *held);

/* The execution is freed: its held ranks wait at their snapshot, or are ended. true: its directory
 * is still needed. */
bool spare_keep(struct execution *execution);

/* Begins to rewind a spare world of the snapshot for an execution that is about to be restored from
 * it. false: there is none, or it could not be used. */
bool spare_rewind(struct frozen *frozen, struct execution *execution);

/* A spare world of the snapshot with all ranks of a body; NULL: there is none. And: it does not
 * wait any longer. */
struct spare *spare_find(const struct frozen *frozen, const struct body *body);
struct spare *spare_take_body(struct frozen *frozen, const struct body *body);

/* The ranks of a spare world that an execution has got go back to these images, unless they have
 * stayed what they are to be. `ahead`: all were still, and what they share is what it was: first
 * orders follow, and they count as connected; else at least one of them will say HELLO. */
void spare_rewind_to_images(struct spare *spare, const guint32 *images, bool ahead);

/* Whether ranks that count as connected have not said HELLO, where they may stand still without
 * ever saying more. NULL: false. */
bool spare_is_ahead(const struct spare *spare);

/* The connection of a held rank, and its process; NULL: none is, also for NULL. */
struct host_link *spare_link(const struct spare *spare, int rank, pid_t *ret_process);

/* What a held rank says, and that it is gone. */
void spare_message(struct host_link *link, const struct wire_message *message);
void spare_closed(struct spare *spare, int rank);
/* Its connection is closed: if it counts as connected, but has not said HELLO, it is none of these
 * any more. NULL is legal. */
void spare_forget(struct spare *spare, int rank);

/* A keeper says that a process has ended. true: it is one that is about to be rewound, of which it
 * is not known yet whether it was before. */
bool spare_child_ended(struct runs *runs, int rank, const struct wire_child *child);

/* All that wait at a snapshot are ended. */
void spare_end_all(struct frozen *frozen);

/* Those that have waited at the oldest snapshot where any wait (`images`: even such that have
 * images, which are lost with them): to be within the budget. false: none wait anywhere. */
bool spare_end_oldest(struct runs *runs, bool images);

#endif
