/* What the files of the cluster share: cluster.c (machines), cluster_errands.c, cluster_host.c (the
 * table of operations), cluster_ranks.c (connections of ranks). */
#ifndef MATCHPOINT_SCHEDULER_HOST_CLUSTER_INTERNAL_H
#define MATCHPOINT_SCHEDULER_HOST_CLUSTER_INTERNAL_H

#include <uv.h>

#include "cluster.h"
#include "frames.h"
#include "launcher.h"
#include "local_internal.h"
#include "outpost.h"

enum machine_state {
	MACHINE_STARTING, /* its outpost has not connected yet */
	MACHINE_UP,
	MACHINE_HOME, /* it is this one */
	MACHINE_LOST,
};

struct machine {
	struct cluster *cluster;
	guint32 number; /* from 1 on */
	char *name, *secret;
	enum machine_state state;
	struct launcher *shell; /* the remote shell that has started the outpost */
	struct frames *frames;  /* NULL: none yet, or no more */
	GHashTable *links;      /* number to struct relayed * */
	uv_timer_t limit;       /* for its start, then for its end */
};

/* A socket that waits for connections. */
struct door {
	uv_poll_t ready;
	int socket;
	void (*enter)(struct cluster *cluster, int socket);
	struct cluster *cluster;
};

struct cluster {
	struct local *local;
	struct door machines_door, errands_door;
	guint16 port;
	GPtrArray *machines; /* struct machine *, owned; of number n: n - 1 */
	GHashTable *guests;  /* struct guest *: connections that have not said who they are */
	GHashTable *errands; /* number to struct cluster_errand * */
	GHashTable *worlds;  /* numbers of those that have a directory */
	GHashTable *seats;   /* gint64 *, world and rank, to the machine's number */
	GHashTable *known;   /* processes whose mappings are known */
	GPtrArray *waiting;  /* struct waiting *, for cluster_when_ready */
	guint32 last_errand, last_question;
	bool allocated; /* outposts were started on all machines of the allocation */
	bool failed, closed;
};

/* The run cannot go on. The listener is told once. */
void cluster_fail(struct cluster *cluster, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Returns the machine of this name, and starts an outpost there if it has none. */
struct machine *cluster_machine(struct cluster *cluster, const char *name);
/* Returns the machine of a process; NULL: it is this one, or the machine is lost. */
struct machine *cluster_machine_of(struct host *host, pid_t process);
static inline bool cluster_is_away(pid_t process)
{
	return process >> CLUSTER_SHIFT > 0;
}
static inline gint32 cluster_there(pid_t process)
{
	return process & ((1 << CLUSTER_SHIFT) - 1);
}

/* machine_ask returns the answer of the outpost, owned by the caller; NULL: the machine is lost, or
 * has no answer of that type. `about` is consumed. machine_tell waits for nothing. */
GVariant *machine_ask(struct machine *machine, enum outpost_question question, GVariant *about,
                      const char *type);
void machine_tell(struct machine *machine, enum outpost_question question, GVariant *about);

/* cluster_errands.c */
bool cluster_errands_open(struct cluster *cluster, GError **error);
void cluster_errands_close(struct cluster *cluster);
/* The machine can do what was wanted while it had no outpost. */
void cluster_errands_begin(struct machine *machine);
void cluster_errand_exited(struct cluster *cluster, guint32 number, GBytes *bytes);
void cluster_door_open(struct door *door, struct cluster *cluster, int socket,
                       void (*enter)(struct cluster *cluster, int socket));
void cluster_door_close(struct door *door);

/* cluster_ranks.c: frames of connections. */
void cluster_rank_opened(struct machine *machine, guint32 number, GBytes *bytes);
void cluster_rank_bytes(struct machine *machine, guint32 number, GBytes *bytes);
void cluster_rank_closed(struct machine *machine, guint32 number);
void cluster_ranks_lost(struct machine *machine);
/* Returns the machine of a rank; NULL: this one, or not known. */
struct machine *cluster_seat(struct cluster *cluster, guint32 world, int rank);
void cluster_forget_seats(struct cluster *cluster, guint32 world);

#endif
