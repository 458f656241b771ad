/* All executions and their snapshots, for the files that implement them. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_RUNS_INTERNAL_H
#define MATCHPOINT_SCHEDULER_EXECUTION_RUNS_INTERNAL_H

#include <stdbool.h>

#include "execution_internal.h"
#include "runs.h"
#include "sites.h"

struct runs {
	struct runs_options options;
	struct host *host;
	const struct run_client *client;
	int ranks;
	struct snapshots *snapshots;
	bool stopped; /* nothing more is decided */
	bool hurried; /* users and tools are not waited for any more */
	struct sites *sites;
	guint forward_ms;           /* how far clocks of an execution were advanced, at most */
	GHashTable *polled_in_vain; /* set of guint64: places where that happened */
	struct host_job *job;       /* whose ranks are the root's keepers */
	bool lost;                  /* a process that snapshots need: runs_lose_snapshots */
	guint losses_in_turn;
	guint64 begun, begun_at_loss; /* executions, ever and before the last loss */
	gint64 fingerprint_us;        /* spent waiting for states of ranks */
};

/* A wrapper may keep a rank for as long as it likes. */
bool runs_are_untimed(const struct runs *runs);

/* The session cannot go on: see struct run_client. */
void runs_fail(struct runs *runs, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Snapshots do not work, for this reason (ownership passes). Executions that use them are begun
 * anew. */
void runs_fall_back(struct runs *runs, char *reason);
/* Something outside has ended a process that snapshots need, as described (ownership passes).
 * Executions that use them are begun anew, in a new job with new snapshots. If that happens again
 * and again, it falls back. */
void runs_lose_snapshots(struct runs *runs, char *reason);
/* Calls the client: something outside has ended an execution. */
void runs_report_struck(const struct runs *runs, const char *what);

/* Whether snapshots are taken, beyond the one in MPI_Init. */
bool runs_take_snapshots(const struct runs *runs);

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

/* A rank has sent HELLO. `user`: the runs. */
void runs_hello(void *user, struct host_link *link, const struct wire_hello *hello);
/* A keeper has reported the end of a rank's process. */
void runs_child_ended(struct execution *execution, int rank, int status);

/* Handles connections that have sent HELLO, and reports of keepers (runs_traffic.c). */
extern const struct host_listener runs_listener;
/* A launcher has ended (runs_job.c). */
void runs_job_ended(void *user, struct host_job *job, int status);

#endif
