/* The host (host.h) that is this machine: a job launcher, processes that connect to a socket in
 * the run directory, libuv's loop, /proc, and snapshots made of copies of processes. */
#ifndef MATCHPOINT_SCHEDULER_HOST_LOCAL_H
#define MATCHPOINT_SCHEDULER_HOST_LOCAL_H

#include <stdbool.h>
#include <uv.h>

#include "ckpt/journal.h"
#include "host.h"
#include "output_place.h"
#include "run_directory.h"
#include "wrapper.h"

struct cluster_words; /* cluster_words.h */

/* Everything here outlives the host. */
struct local_options {
	struct run_directory *directory;
	struct output_place *output; /* NULL: output stays in the directories of worlds */
	struct journal *journal;     /* NULL: files stay as the program leaves them */
	const char *shim;            /* the library to preload; copied */
	/* See struct session_options. */
	int ranks;
	const char *nodes;
	char **program;
	const char *launcher;
	/* Ranks are on several machines: how they are started. NULL: all are here. */
	const struct cluster_words *cluster;
	const struct wrapper *wrapper;
	const char *standard_input;
	char **environment;
	bool virtual_time;
	bool states;      /* ranks report states */
	GPtrArray *notes; /* char *, owned by the array: overridden settings of the environment */
};

/* local_new makes a host with time and a loop. After local_open, jobs can be started and
 * connections accepted. */
struct host *local_new(void);
void local_open(struct host *host, const struct local_options *options);
/* Call this when the host is drained. NULL is legal. */
void local_free(struct host *host);

/* Returns the loop on which everything happens. */
uv_loop_t *local_loop(struct host *host);

#endif
