/* The state of all snapshots, for the files of this room. */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_SNAPSHOTS_INTERNAL_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_SNAPSHOTS_INTERNAL_H

#include "ckpt/snapshot_set.h"
#include "snapshot.h"
#include "snapshots.h"

struct snapshots {
	struct host *host;
	const struct snapshots_client *client;
	void *user;
	int ranks;
	bool enabled;
	bool rewinds;
	bool images;
	struct snapshot_set *set;
	GPtrArray *all;         /* struct snapshot */
	GPtrArray *unfinished;  /* likewise: not all ranks have parked, or kept their images */
	struct snapshot *root;  /* parked in MPI_Init */
	GHashTable *placements; /* world number to struct placement, of executions not dropped */
	guint32 next_world;
	struct rewinding rewinding;
	struct restore_cost cost;
	guint image_refusals;       /* in a row */
	struct disk_saving *saving; /* disk_save.c; NULL: none */
};

#endif
