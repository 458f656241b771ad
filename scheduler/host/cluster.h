/* Ranks on several machines: a local host (local.h) whose operations are done by outposts where
 * they concern another machine (docs/internals/nodes.md). Snapshots are not taken.
 *
 * A process of another machine is known here by its number there, with the number of the machine in
 * the bits above (CLUSTER_SHIFT). */
#ifndef MATCHPOINT_SCHEDULER_HOST_CLUSTER_H
#define MATCHPOINT_SCHEDULER_HOST_CLUSTER_H

#include <stdbool.h>

#include "cluster_words.h"
#include "host.h"

struct cluster;
struct local;

/* Processes have numbers below 2^22 (PID_MAX_LIMIT in the kernel's threads.h). */
#define CLUSTER_SHIFT 22
#define CLUSTER_MACHINES_MOST 500

/* The operations of a local host that has a cluster. */
const struct host_operations *cluster_operations(void);

/* Waits for outposts and errands. The host listens already. Returns NULL with `error` set. */
struct cluster *cluster_new(struct local *local, GError **error);
/* Ends the outposts. All is over when the loop has nothing more to do. NULL is legal here. */
void cluster_close(struct cluster *cluster);
void cluster_free(struct cluster *cluster);

/* Calls `ready` when a launcher can start ranks: at once, or later in the loop. cluster_forget
 * prevents that. */
void cluster_when_ready(struct cluster *cluster, void (*ready)(void *user), void *user);
void cluster_forget(struct cluster *cluster, const void *user);

/* As job_connected. Returns false if the link is of a process of this machine. */
struct disconnect_order;
bool cluster_watch(const struct host_link *link, int rank, struct disconnect_order *order);
/* The order is freed. */
void cluster_unwatch(struct cluster *cluster, const struct disconnect_order *order);

#endif
