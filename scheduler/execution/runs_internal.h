/* All executions and their snapshots, for the files that implement them. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_RUNS_INTERNAL_H
#define MATCHPOINT_SCHEDULER_EXECUTION_RUNS_INTERNAL_H

#include <stdbool.h>

#include "ckpt/snapshot_set.h"
#include "runs_context.h"
#include "sites.h"
#include "snapshot.h"

struct runs {
	struct runs_options options;
	struct host *host;
	const struct run_client *client;
	int ranks;
	bool stopped;    /* nothing more is decided */
	bool hurried;    /* users and tools are not waited for any more */
	GHashTable *all; /* world number to execution; those that are not dropped */
	guint32 next_world;
	struct sites *sites;
	guint forward_ms;           /* how far clocks of an execution were advanced, at most */
	GHashTable *polled_in_vain; /* set of guint64: places where that happened */
	struct host_job *job;       /* whose ranks are the root's keepers */
	bool snapshots;             /* snapshots are returned to */
	bool rewinds;               /* ranks are rewound in place, if it is safe */
	struct rewinding rewinding;
	guint image_refusals; /* in a row */
	bool lost;            /* a process that snapshots need: runs_lose_snapshots */
	guint losses_in_turn;
	guint64 begun, begun_at_loss; /* executions, ever and before the last loss */
	struct snapshot_set *set;
	GPtrArray *snapshot;   /* all of them */
	struct snapshot *root; /* parked in MPI_Init */
	/* Recent cost of restoring all ranks: by forking, or with some rewound in place. */
	double fork_seconds, rewind_seconds;
	gint64 fingerprint_us; /* spent waiting for states of ranks */
};

struct execution *runs_find(const struct runs *runs, guint32 world);
/* Ends all keepers, and the job of the root. */
void runs_release_root(struct runs *runs);

/* Starts the job for an execution, and places the execution (runs_job.c). Returns NULL after
 * calling runs_fail. */
struct host_job *runs_launch(struct runs *runs, struct execution *execution);

/* Returns the ranks of a job (NULL: that of the root) that have disconnected, in order: host.h. */
const GArray *runs_disconnect_order(const struct runs *runs, struct host_job *job);
/* NULL is legal in both; a NULL job is not running. */
bool runs_job_is_running(const struct runs *runs, const struct host_job *job);
void runs_free_job(struct runs *runs, struct host_job *job);

/* A rank has sent HELLO. */
void runs_hello(struct runs *runs, struct host_link *link, const struct wire_hello *hello);
/* A keeper has reported the end of a rank's process. */
void runs_child_ended(struct execution *execution, int rank, int status);

/* Handles connections that have sent HELLO, and reports of keepers (runs_traffic.c). */
extern const struct host_listener runs_listener;
void runs_assign(struct host_link *link, enum link_role role, void *owner, int rank);
/* A launcher has ended (runs_job.c). */
void runs_job_ended(void *user, struct host_job *job, int status);

#endif
