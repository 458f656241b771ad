/* Executions that begin at a checkpoint on disk instead of the start of the program. Its ranks are
 * started as a job, and the world is rebuilt from its history. If snapshots are returned to, these
 * ranks become the keepers of the first one. Positions that the checkpoint does not lead to are
 * reached from the start of the program, by a job of their own. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_RESTART_H
#define MATCHPOINT_SCHEDULER_EXECUTION_RESTART_H

#include <stdbool.h>

#include "ckpt/disk_folder.h"
#include "explorer/position.h"
#include "run.h"

struct restart {
	const struct disk_checkpoint *checkpoint;
	struct position *position;
	char *history;
	double behind;    /* seconds since the beginning of the program */
	gint64 idle_time; /* when it was saved (struct wire_welcome) */
	gint64 saved_at;  /* then, by the clock of that machine: CLOCK_MONOTONIC, microseconds */
};

/* Reads what is needed of a checkpoint, and checks all but its pages: the restorer checks these.
 * NULL with `error` set. `checkpoint` must outlive it. */
struct restart *restart_new(const struct disk_checkpoint *checkpoint, GError **error);
void restart_free(struct restart *restart); /* NULL is legal */

/* Notes in the manifest of a new checkpoint what restart_new reads. */
struct snapshot;
void restart_describe(GKeyFile *manifest, const struct snapshot *snapshot);

/* Where the ranks of a world stand, as text of a position with a cut. Free with g_free. */
char *restart_place(const struct world *world);

/* Whether an execution is to begin there. `restart` may be NULL. */
bool restart_serves(const struct restart *restart, const struct run_request *request);

/* All ranks of the checkpoint have connected: makes the world what it was. false after
 * runs_fail. */
bool restart_rebuild(struct execution *execution);

#define RESTART_ERROR (restart_error_quark())
GQuark restart_error_quark(void);

#endif
