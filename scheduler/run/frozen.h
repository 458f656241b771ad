/* A frozen world: its ranks are parked as keepers (ckpt/agent.h) and can be copied any number of
 * times. */
#ifndef MATCHPOINT_SCHEDULER_RUN_FROZEN_H
#define MATCHPOINT_SCHEDULER_RUN_FROZEN_H

#include <stdbool.h>

#include "ckpt/snapshot.h"
#include "execution.h"
#include "naming.h"

struct frozen {
	struct runs *runs;
	struct world *world;  /* as it was when it was parked */
	struct naming naming; /* what its ranks have said of their states */
	guint32 number;       /* the world's that the keepers were */
	char *directory;
	bool stacked;             /* calls so far have come with their stacks */
	bool along;               /* taken along a path, for others that begin alike */
	bool launched;            /* the keepers are the launcher's processes */
	bool alone;               /* nobody sees what a rank puts back but its memory */
	struct frozen *parent;    /* whose copies the keepers are */
	gint64 parked_at;         /* when the ranks were told to park (execution_now) */
	gint64 stood;             /* as its execution had then */
	double ran;               /* seconds of the execution that was parked */
	double behind;            /* since the beginning of the program */
	struct host_link **links; /* by rank; NULL: gone */
	pid_t *pids;
	int parked;                   /* ranks that have answered */
	bool *answered;               /* by rank */
	char *hazard;                 /* the first reason not to restore from here; NULL: none */
	struct host_snapshot *memory; /* and files */
	struct snapshot *snapshot;    /* in the set of the runs; NULL: not (any more) */
	GPtrArray *spares;            /* struct spare: worlds that can be rewound to it */
	/* Of an image (image.h), which has no keepers: each rank's number of it; else NULL. */
	guint32 *images;
	bool *shared; /* by rank: it is part of an image before as well, and was not asked */
	bool still;   /* each rank was (body.h), so that none waits for WELCOME */
	struct body *body;
	guint64 rank_bytes, shared_bytes; /* that it takes beside the others of the body */
	bool wanted;                      /* if not as an image, then with keepers */
	bool named;                       /* somebody has asked for it */
	guint children; /* frozen worlds and executions made of copies of this one */
};

/* Whether what an execution has done so far takes so much longer than putting ranks back that it is
 * cheaper to park them here and copy them. */
bool frozen_is_worth_it(const struct execution *execution);
/* All ranks of an execution were restored just now: what that takes. */
void frozen_note_cost(const struct execution *execution);

/* What an execution at rest is, without anybody being told. */
struct frozen *frozen_new(struct execution *execution);
/* It can be returned to from now on. */
void frozen_enter_set(struct frozen *frozen);

/* Orders all ranks of an execution at rest to park. Their connections become the frozen world's. */
struct frozen *frozen_park(struct execution *execution);

/* No rank is gone that belongs to it. */
bool frozen_is_whole(const struct frozen *frozen);

/* PARKED has come from a keeper for the first time; true when it was the last. */
bool frozen_parked(struct frozen *frozen, int rank, const struct wire_parked *parked);

/* Gives the ranks back to the execution that was parked; the frozen world is freed. */
void frozen_resume(struct frozen *frozen, struct execution *execution);

/* Starts copying the keepers for an execution, which is told execution_connected for each. false
 * with `error` set: the shared memory could not be copied. */
bool frozen_restore(struct frozen *frozen, struct execution *execution, GError **error);

/* Has a keeper fork its rank into the world of an execution. */
void frozen_fork_rank(struct frozen *frozen, int rank, struct execution *execution);

/* The execution is no copy of a frozen world any more. */
void frozen_let_go(struct execution *execution);

/* Ends the keepers and frees. */
void frozen_release(struct frozen *frozen);

#endif
