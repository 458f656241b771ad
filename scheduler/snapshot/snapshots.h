/* All snapshots of a session, and what they need of the executions. This room knows an execution
 * only as a placement (placement.h), and through the callbacks below. */
#ifndef MATCHPOINT_SCHEDULER_SNAPSHOT_SNAPSHOTS_H
#define MATCHPOINT_SCHEDULER_SNAPSHOT_SNAPSHOTS_H

#include <stdbool.h>

#include "placement.h"
#include "scheduler/world/world.h"

/* Callbacks. `user` is that of the options. */
struct snapshots_client {
	/* A rank has sent what it never sends: `what`, as "rank %d made an impossible report: ...".
	 * The session cannot go on. */
	void (*fail)(void *user, int rank, const char *what);
	/* A rank that was rewound has sent HELLO. */
	void (*hello)(void *user, struct host_link *link, const struct wire_hello *hello);
	/* A snapshot was made of this world (RUN_SNAPSHOT). */
	void (*made)(void *user, const struct snapshot *snapshot);
	/* The execution was put in a world (placement_put). */
	void (*placed)(struct execution *execution, const struct snapshot *state);
	/* Sends WELCOME to a rank. */
	void (*welcome)(const struct execution *execution, int rank, struct host_link *link);
	/* All ranks count as connected, although some have not sent HELLO. */
	void (*connected)(struct execution *execution);
	/* The process of a rank, and the address of its struct wire_blocking_call, are known. */
	void (*located)(struct execution *execution, int rank, pid_t pid, guint64 inside);
	/* A rank that is held has left its world. */
	void (*held)(struct execution *execution, int rank);
	/* The execution has to be begun again, at another snapshot. */
	void (*begin_again)(struct execution *execution);
	/* A rank could not be rewound. `ordered`: it has got its first orders, so the execution has
	 * to be begun again. Otherwise returns whether the rank is to be forked instead. */
	bool (*not_rewound)(struct execution *execution, int rank, bool ordered);
	/* The process of a rank has ended, with this status. */
	void (*ended)(struct execution *execution, int rank, int status);
	/* Whether its ranks run (phase.h). */
	bool (*is_running)(const struct execution *execution);
	/* Something has changed at a rest: it goes on as far as possible. */
	void (*advance)(struct execution *execution);
};

struct snapshots_options {
	struct host *host;
	int ranks;
	guint64 memory_most; /* budget in bytes */
	bool enabled;        /* they are returned to */
	bool rewinds;        /* ranks are rewound in place, if it is safe (held_ranks.h) */
	bool images;         /* ranks may be asked for images (image.h) */
	const struct snapshots_client *client;
	void *user;
};

struct snapshots *snapshots_new(const struct snapshots_options *options);
/* Without any snapshot left. */
void snapshots_free(struct snapshots *snapshots);

/* That of the options. */
void *snapshots_user(const struct snapshots *snapshots);

/* Snapshots are not returned to from now on. */
void snapshots_disable(struct snapshots *snapshots);
bool snapshots_are_enabled(const struct snapshots *snapshots);
/* Whether ranks are rewound in place. Not any more after many refusals. */
bool snapshots_rewind(const struct snapshots *snapshots);
bool snapshots_may_rewind(const struct snapshots *snapshots); /* as in the options */

/* The snapshot in MPI_Init; NULL: it is not taken yet. */
struct snapshot *snapshots_root(const struct snapshots *snapshots);
/* The snapshot nearest to a position of those that serve: that may be returned to with stacks of
 * calls, or without (`stacks`), and whose calls have seals, if they are needed (`seals`). NULL:
 * there is none at all. */
struct position;
struct snapshot *snapshots_nearest(const struct snapshots *snapshots,
                                   const struct position *position, bool stacks, bool seals);
/* A number for the next world. */
guint32 snapshots_next_world(struct snapshots *snapshots);
/* Whether there is room for the ranks of one more. */
bool snapshots_have_room(const struct snapshots *snapshots);

/* How ranks came to the beginning of their executions. */
struct rewinding {
	guint64 rewound, forked;
	guint64 refused;       /* could not be rewound */
	guint refused_in_turn; /* since one was rewound */
	char *reason;          /* of the first refusal; NULL: none */
};
const struct rewinding *snapshots_rewinding(const struct snapshots *snapshots);

/* Recent cost of restoring all ranks, in seconds. */
struct restore_cost {
	double fork;   /* by forking */
	double rewind; /* with some rewound in place */
};
struct restore_cost snapshots_cost(const struct snapshots *snapshots);

/* The execution in this world; NULL: none. All of them (struct execution), to be freed with
 * g_list_free. */
struct execution *snapshots_find(const struct snapshots *snapshots, guint32 world);
GList *snapshots_executions(const struct snapshots *snapshots);
guint snapshots_count_executions(const struct snapshots *snapshots);

/* Releases snapshots that are not `needed` (except a few that were taken along paths), and those
 * beyond the budget. */
void snapshots_release_unneeded(struct snapshots *snapshots,
                                bool (*needed)(const struct world *world, void *user), void *user);
/* Whether ranks may be asked for images from now on; between two executions. */
void snapshots_keep_images(struct snapshots *snapshots, bool images);

/* Releases those whose calls have seals. */
void snapshots_release_sealed(struct snapshots *snapshots);
void snapshots_release_all(struct snapshots *snapshots);
/* Calls `look` for each snapshot, with the world as it was parked. */
void snapshots_each(const struct snapshots *snapshots,
                    void (*look)(const struct world *world, void *user), void *user);

#endif
