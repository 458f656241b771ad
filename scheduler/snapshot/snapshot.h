/* A snapshot. Its ranks are parked as keepers (ckpt/agent.h), which can be copied any number of
 * times; an image has no keepers (image.h). */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_SNAPSHOT_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>

#include "ckpt/snapshot_set.h"
#include "placement.h"
#include "scheduler/world/world.h"
#include "state_fingerprint.h"

struct snapshot {
	struct snapshots *snapshots;
	struct world *world;                  /* as it was when it was parked */
	struct state_fingerprint fingerprint; /* what its ranks have reported of their states */
	guint32 number;                       /* of the world that was parked */
	char *directory;
	bool stacked;  /* all its calls have call stacks */
	bool sealed;   /* all its calls have seals (scheduler/world/world_fingerprint.h) */
	bool along;    /* taken along a path, for others that begin alike */
	bool launched; /* the keepers are the launcher's processes */
	bool unshared; /* what a rank puts back, besides memory, is not seen by others */
	struct snapshot *parent;  /* whose copies the keepers are; NULL: none, or it is gone */
	gint64 parked_at;         /* when the ranks got PARK (host_now) */
	gint64 idle_time;         /* of its execution then */
	double ran;               /* seconds of the execution that was parked */
	double behind;            /* seconds since the beginning of the program */
	struct host_link **links; /* by rank; NULL: gone */
	pid_t *pids;
	int parked;                   /* ranks that have answered */
	bool *answered;               /* by rank */
	char *hazard;                 /* first reason not to restore it; NULL: none */
	struct host_snapshot *memory; /* and files */
	struct snapshot_entry *entry; /* in the snapshot set; NULL: not, or no longer */
	GPtrArray *held_ranks;        /* struct process_group: can be rewound to it */
	/* For an image (image.h): each rank's number of it. NULL: not an image. */
	guint32 *images;
	bool *shared; /* by rank: equals an earlier image, and was not asked */
	bool idle;    /* all ranks were (process_group.h), so none waits for WELCOME */
	struct process_group *group;      /* whose ranks have it, */
	guint losses;                     /* and its losses until then */
	guint64 rank_bytes, shared_bytes; /* in addition to other images of the group */
	enum snapshot_wish wish;          /* if no image is possible, keepers are parked for it */
	guint children;                   /* snapshots and executions that are copies of it */
};

/* An execution at rest, to be kept. */
struct snapshot_subject {
	struct placement *placement;
	const struct world *world;
	const struct state_fingerprint *fingerprint;
	gint64 idle_time;   /* total so far (struct wire_welcome) */
	double ran, behind; /* as in struct snapshot */
	bool stacked, sealed, along;
};

/* Makes a snapshot of an execution at rest. Ranks get no order from it. */
struct snapshot *snapshot_new(const struct snapshot_subject *subject);
/* Where the ranks of a world are: its choices, and a cut. Free with position_free. */
struct position *snapshot_position(const struct world *world);
/* Adds it to the snapshot set, so it can be returned to. */
void snapshot_enter_set(struct snapshot *snapshot);

/* Orders all ranks to park. The snapshot takes their connections over. The placement keeps its
 * process group until all are parked: a rewound rank may not have sent HELLO yet. */
struct snapshot *snapshot_park(const struct snapshot_subject *subject);

/* Whether all ranks are still connected. */
bool snapshot_is_whole(const struct snapshot *snapshot);

/* PARKED has arrived from a rank for the first time. Returns whether it was the last one. */
bool snapshot_parked(struct snapshot *snapshot, int rank, const struct wire_parked *parked);

/* Gives the ranks back to the execution that was parked, and frees the snapshot. */
void snapshot_resume(struct snapshot *snapshot);

/* The ranks of a placement were ordered to park, or to keep an image, and will not all answer: they
 * have been killed. Frees the snapshot. Parking ranks have no connection to the placement then. */
void snapshot_give_up(struct snapshot *snapshot, struct placement *placement);

/* Begins to restore the ranks of a placement. Each of them sends HELLO, or counts as connected at
 * once. Returns false with `error` set if the shared memory could not be copied. */
bool snapshot_restore(struct snapshot *snapshot, struct placement *placement, GError **error);

/* Orders a keeper to fork its rank into a world. snapshot_order_fork: with this order, to which the
 * clones are added; it does not count as a rank that comes to an execution. */
void snapshot_order_fork(const struct snapshot *snapshot, const struct wire_restore *order);
void snapshot_fork_rank(struct snapshot *snapshot, int rank, const struct placement *placement);

/* Ends the keepers, and frees. */
void snapshot_release(struct snapshot *snapshot);

#endif
