/* A snapshot: its ranks are parked as keepers (ckpt/agent.h) and can be copied any number of
 * times. */
#ifndef MATCHPOINT_SCHEDULER_RUN_SNAPSHOT_H
#define MATCHPOINT_SCHEDULER_RUN_SNAPSHOT_H

#include <stdbool.h>

#include "ckpt/snapshot_set.h"
#include "execution.h"
#include "state_fingerprint.h"

struct snapshot {
	struct runs *runs;
	struct world *world;                  /* as it was when it was parked */
	struct state_fingerprint fingerprint; /* what its ranks have said of their states */
	guint32 number;                       /* the world's that the keepers were */
	char *directory;
	bool stacked;             /* calls so far have come with their stacks */
	bool along;               /* taken along a path, for others that begin alike */
	bool launched;            /* the keepers are the launcher's processes */
	bool unshared;            /* nobody sees what a rank puts back but its memory */
	struct snapshot *parent;  /* whose copies the keepers are */
	gint64 parked_at;         /* when the ranks were told to park (execution_now) */
	gint64 idle_time;         /* as its execution had then */
	double ran;               /* seconds of the execution that was parked */
	double behind;            /* since the beginning of the program */
	struct host_link **links; /* by rank; NULL: gone */
	pid_t *pids;
	int parked;                   /* ranks that have answered */
	bool *answered;               /* by rank */
	char *hazard;                 /* the first reason not to restore from here; NULL: none */
	struct host_snapshot *memory; /* and files */
	struct snapshot_entry *entry; /* in the set of the runs; NULL: not (any more) */
	GPtrArray *held_ranks;        /* struct held_ranks: worlds that can be rewound to it */
	/* Of an image (image.h), which has no keepers: each rank's number of it; else NULL. */
	guint32 *images;
	bool *shared; /* by rank: it is part of an image before as well, and was not asked */
	bool idle;    /* each rank was (process_group.h), so that none waits for WELCOME */
	struct process_group *group;
	guint64 rank_bytes, shared_bytes; /* that it takes beside the others of the body */
	bool wanted;                      /* if not as an image, then with keepers */
	bool named;                       /* somebody has asked for it */
	guint children;                   /* snapshots and executions made of copies of this one */
};

/* Whether what an execution has done so far takes so much longer than putting ranks back that it is
 * cheaper to park them here and copy them. */
bool snapshot_is_worth_it(const struct execution *execution);
/* All ranks of an execution were restored just now: what that takes. */
void snapshot_note_cost(const struct execution *execution);

/* What an execution at rest is, without anybody being told. */
struct snapshot *snapshot_new(struct execution *execution);
/* It can be returned to from now on. */
void snapshot_enter_set(struct snapshot *snapshot);

/* Orders all ranks of an execution at rest to park. Their connections become the snapshot's. */
struct snapshot *snapshot_park(struct execution *execution);

/* No rank is gone that belongs to it. */
bool snapshot_is_whole(const struct snapshot *snapshot);

/* PARKED has come from a keeper for the first time; true when it was the last. */
bool snapshot_parked(struct snapshot *snapshot, int rank, const struct wire_parked *parked);

/* Gives the ranks back to the execution that was parked; the snapshot is freed. */
void snapshot_resume(struct snapshot *snapshot, struct execution *execution);

/* Starts copying the keepers for an execution, which is told execution_connected for each. false
 * with `error` set: the shared memory could not be copied. */
bool snapshot_restore(struct snapshot *snapshot, struct execution *execution, GError **error);

/* Has a keeper fork its rank into the world of an execution. */
void snapshot_fork_rank(struct snapshot *snapshot, int rank, struct execution *execution);

/* The execution is no copy of a snapshot any more. */
void snapshot_let_go(struct execution *execution);

/* Ends the keepers and frees. */
void snapshot_release(struct snapshot *snapshot);

#endif
