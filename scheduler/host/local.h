/* The host (host.h) that is this machine: a job launcher, processes that connect to a socket in the
 * run directory, libuv's loop, /proc, snapshots by copies of processes. */
#ifndef MATCHPOINT_SCHEDULER_HOST_LOCAL_H
#define MATCHPOINT_SCHEDULER_HOST_LOCAL_H

#include <stdbool.h>
#include <uv.h>

#include "ckpt/journal.h"
#include "host.h"
#include "run_directory.h"
#include "wrapper.h"

/* All of it outlives the host. */
struct local_options {
	struct run_directory *directory;
	struct journal *journal; /* NULL: files stay as the program leaves them */
	const char *shim;        /* the library to preload; copied */
	/* as in struct session_options */
	int ranks;
	char **program;
	const char *launcher;
	const struct wrapper *wrapper;
	const char *standard_input;
	bool virtual_time;
	bool states;      /* ranks tell theirs: their heaps are told apart from MPI's */
	GPtrArray *notes; /* char *, its own: what of the environment had to be overridden */
};

/* With time and a loop; jobs can be started, and listened to, once it is open. */
struct host *local_new(void);
void local_open(struct host *host, const struct local_options *options);
/* When it is drained. NULL is legal. */
void local_free(struct host *host);

/* On which everything happens. */
uv_loop_t *local_loop(struct host *host);

#endif
