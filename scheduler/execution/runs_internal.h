/* All executions and their snapshots, for the files that implement them. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_RUNS_INTERNAL_H
#define MATCHPOINT_SCHEDULER_EXECUTION_RUNS_INTERNAL_H

#include <stdbool.h>

#include "runs_context.h"
#include "sites.h"

struct runs {
	struct runs_options options;
	struct host *host;
	const struct run_client *client;
	int ranks;
	struct snapshots *snapshots;
	GArray *needs; /* struct runs_need */
	bool stopped;  /* nothing more is decided */
	bool hurried;  /* users and tools are not waited for any more */
	struct sites *sites;
	guint forward_ms;           /* how far clocks of an execution were advanced, at most */
	GHashTable *polled_in_vain; /* set of guint64: places where that happened */
	struct host_job *job;       /* whose ranks are the root's keepers */
	bool lost;                  /* a process that snapshots need: runs_lose_snapshots */
	guint losses_in_turn;
	guint64 begun, begun_at_loss; /* executions, ever and before the last loss */
	gint64 fingerprint_us;        /* spent waiting for states of ranks */
};

struct execution *runs_find(const struct runs *runs, guint32 world);
/* Starts the job for an execution, or restarts it from the checkpoint of the options, and puts the
 * placement there (runs_job.c). Returns NULL after calling runs_fail. */
struct host_job *runs_launch(struct runs *runs, struct placement *placement, bool restarts);

/* A rank of a checkpoint on disk has ended before it was in its world: the session cannot go on. */
void runs_fail_restart(struct runs *runs, const struct host_job *job);

/* Returns the ranks of a job (NULL: that of the root) that have disconnected, in order: host.h. */
const GArray *runs_disconnect_order(const struct runs *runs, struct host_job *job);
/* NULL is legal in both; a NULL job is not running. */
bool runs_job_is_running(const struct runs *runs, const struct host_job *job);
void runs_free_job(struct runs *runs, struct host_job *job);

/* What snapshots call (execution_snapshots.c). */
extern const struct snapshots_client execution_snapshots_client;

/* A rank has sent HELLO. */
void runs_hello(struct runs *runs, struct host_link *link, const struct wire_hello *hello);
/* A keeper has reported the end of a rank's process. */
void runs_child_ended(struct execution *execution, int rank, int status);

/* Handles connections that have sent HELLO, and reports of keepers (runs_traffic.c). */
extern const struct host_listener runs_listener;
/* A launcher has ended (runs_job.c). */
void runs_job_ended(void *user, struct host_job *job, int status);

#endif
