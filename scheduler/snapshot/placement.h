/* Where the ranks of an execution are: the number and the directory of their world, their
 * processes, and the snapshot that they are copies of. An execution has one placement, which is put
 * in another world when its ranks are restored. */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_PLACEMENT_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_PLACEMENT_H

#include <stdbool.h>

#include "scheduler/host/host.h"

struct execution;
struct process_group;
struct snapshot;
struct snapshots;

/* Why a snapshot is taken. */
enum snapshot_wish {
	SNAPSHOT_UNWANTED, /* only if it is worth it */
	SNAPSHOT_WANTED,   /* in any case */
	SNAPSHOT_NAMED,    /* the same, and the user will return to it */
};

/* A rank, as far as it is connected. */
struct rank_slot {
	struct host_link *link; /* NULL: not connected, or gone */
	pid_t pid;              /* 0: unknown */
	pid_t parent;           /* of the launcher's ranks, at connection; likewise */
	guint64 inside;         /* address of its struct wire_blocking_call; likewise */
	bool welcomed;          /* it has got WELCOME, perhaps before it is connected */
};

struct placement {
	struct snapshots *snapshots;
	struct execution *execution; /* passed to the callbacks (snapshots.h) */
	guint32 number;              /* of the world */
	char *directory;
	bool launched;               /* ranks are the launcher's processes, not restored copies */
	struct snapshot *from;       /* whose copies the ranks are; NULL: none */
	struct process_group *group; /* its processes; NULL: not known */
	struct snapshot *image;      /* that the ranks are being rewound to; NULL: none */
	bool rewound;                /* ranks were restored in place */
	gint64 started;              /* when it was put there, on the host's clock */
	gint64 restored;             /* when all ranks were restored; 0: not yet, or started */
	int connected;               /* ranks, ever */
	struct rank_slot *slots;     /* by rank */
};

void placement_init(struct placement *placement, struct snapshots *snapshots,
                    struct execution *execution);
/* Closes the connections, and frees what it owns. */
void placement_release(struct placement *placement);

/* Puts it in a world. `from`: the snapshot whose copies its ranks will be; NULL: the launcher
 * starts them. `state`: what they are restored to, which is `from` or an image. `rewound`: in
 * place. The callback `placed` is called. */
void placement_put(struct placement *placement, guint32 number, const char *directory,
                   struct snapshot *from, const struct snapshot *state, bool rewound);
/* It is no longer a copy of a snapshot. */
void placement_detach(struct placement *placement);
/* Takes over the process group, which may be NULL. */
void placement_set_group(struct placement *placement, struct process_group *group);

/* Sends an order to a connected rank; all orders are sent by it. A rank that is owed WELCOME
 * (process_group.h) gets WELCOME with it, so it wakes once. */
void placement_order(struct placement *placement, int rank, const struct wire_message *order);

/* All ranks are restored: notes how long that took. */
void placement_note_restored(struct placement *placement);

/* Sets what a connection is used for. NULL is legal. */
void placement_assign(struct host_link *link, enum link_role role, void *owner, int rank);

/* The processes by rank, 0: unknown. Free with g_free. */
pid_t *placement_pids(const struct placement *placement);

#endif
