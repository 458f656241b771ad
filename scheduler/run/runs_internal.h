/* All executions, for those who carry them through, and their snapshots. */
#ifndef MATCHPOINT_SCHEDULER_RUN_RUNS_INTERNAL_H
#define MATCHPOINT_SCHEDULER_RUN_RUNS_INTERNAL_H

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
	bool hurried;    /* nobody is waited for any more */
	GHashTable *all; /* world number to execution, of all that are not dropped */
	guint32 next_world;
	struct sites *sites;
	guint forward_ms; /* how far the clocks of an execution's ranks were put forward, at most */
	GHashTable *polled_in_vain; /* set of guint64: places where that has been waited out */
	struct host_job *job;       /* whose ranks are the root's keepers */
	bool snapshots;             /* goes back by them */
	bool rewinds;               /* in place, where that is safe */
	struct rewinding rewinding;
	guint image_refusals; /* in turn */
	struct snapshot_set *set;
	GPtrArray *snapshot;   /* every snapshot */
	struct snapshot *root; /* parked in MPI_Init */
	/* What it has cost lately to restore all ranks: by forking them, or with some in place. */
	double fork_seconds, rewind_seconds;
	gint64 fingerprint_us; /* for which it was waited until ranks had told their states */
};

struct execution *runs_find(const struct runs *runs, guint32 world);
/* Ends all keepers, and with the root's the job. */
void runs_release_root(struct runs *runs);

/* Starts the job for an execution, which is given its place (runs_job.c). NULL: runs_fail has been
 * called. */
struct host_job *runs_launch(struct runs *runs, struct execution *execution);

/* In which order ranks of a job (NULL: that of the root) have hung up: host.h. */
const GArray *runs_disconnect_order(const struct runs *runs, struct host_job *job);
/* false also for NULL; and NULL is legal. */
bool runs_job_is_running(const struct runs *runs, const struct host_job *job);
void runs_free_job(struct runs *runs, struct host_job *job);

/* A rank says hello. */
void runs_hello(struct runs *runs, struct host_link *link, const struct wire_hello *hello);
/* A keeper says that the process of a rank has ended. */
void runs_child_ended(struct execution *execution, int rank, int status);

/* A connection that has said hello, and what keepers say (runs_traffic.c). */
extern const struct host_listener runs_listener;
void runs_assign(struct host_link *link, enum link_role role, void *owner, int rank);
/* A launcher has ended (runs_job.c). */
void runs_job_ended(void *user, struct host_job *job, int status);

#endif
