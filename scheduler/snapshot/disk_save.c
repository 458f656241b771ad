#include "disk_save.h"

#include <sys/wait.h>

#include "ckpt/agent_failure.h"
#include "scheduler/tools/log.h"
#include "snapshots_internal.h"

#define STUCK_S 60.0 /* nothing was written for so long */
#define LOOK_S 1.0

G_DEFINE_QUARK(matchpoint_disk_save_error, disk_save_error)

struct disk_saving {
	struct snapshot *snapshot;
	const struct disk_draft *draft;
	guint32 number; /* of the world that the children are in */
	pid_t *pids;    /* by rank; 0: not forked yet */
	bool *ended;    /* by rank */
	int *statuses;  /* by rank */
};

static int ranks_of(const struct disk_saving *saving)
{
	return saving->snapshot->snapshots->ranks;
}

bool disk_save_child(struct snapshots *snapshots, int rank, const struct wire_child *child)
{
	struct disk_saving *saving = snapshots->saving;

	if (!saving || child->world != saving->number)
		return false;
	saving->pids[rank] = child->pid;
	saving->ended[rank] |= child->ended;
	saving->statuses[rank] = child->status;
	return true;
}

/* A keeper that is gone reports nothing any more. */
static bool all_ended(void *data)
{
	const struct disk_saving *saving = data;

	for (int rank = 0; rank < ranks_of(saving); rank++)
		if (!saving->ended[rank] && saving->snapshot->links[rank])
			return false;
	return true;
}

static void kill_children(const struct disk_saving *saving)
{
	struct host *host = saving->snapshot->snapshots->host;

	for (int rank = 0; rank < ranks_of(saving); rank++)
		if (saving->pids[rank] > 0 && !saving->ended[rank])
			host->operations->kill(host, saving->pids[rank]);
}

/* Returns false with `error` set if they get nowhere. */
static bool await(struct disk_saving *saving, GError **error)
{
	struct host *host = saving->snapshot->snapshots->host;
	gint64 moved = host_now(host);
	guint64 before = 0;

	while (!host_wait(host, all_ended, saving, LOOK_S)) {
		guint64 now = disk_draft_written(saving->draft, ranks_of(saving));

		if (now != before)
			moved = host_now(host);
		before = now;
		if ((double)(host_now(host) - moved) < STUCK_S * G_USEC_PER_SEC)
			continue;
		kill_children(saving);
		host_wait(host, all_ended, saving, LOOK_S);
		g_set_error(error, DISK_SAVE_ERROR, DISK_SAVE_FAILED,
		            "nothing was written to %s for %.0f seconds",
		            disk_draft_path(saving->draft), STUCK_S);
		return false;
	}
	return true;
}

/* What the child of a rank has left about why it could not be written. */
static char *trouble_of(const struct disk_saving *saving, const char *directory, int rank)
{
	int status = saving->statuses[rank];
	char *text;

	if (!saving->ended[rank])
		return g_strdup("its process is gone");
	if (WIFSIGNALED(status))
		return g_strdup_printf("the process that wrote it was killed (signal %d)",
		                       WTERMSIG(status));
	text = disk_draft_trouble(directory, rank);
	if (text)
		return text;
	if (WEXITSTATUS(status) == AGENT_FAILURE_FORK)
		return g_strdup("it could not be forked: too many processes, or too little memory");
	return g_strdup_printf("its process ended with status %d", WEXITSTATUS(status));
}

static bool is_unsavable(const struct disk_saving *saving, int rank)
{
	int status = saving->statuses[rank];

	return saving->ended[rank] && WIFEXITED(status)
	       && WEXITSTATUS(status) == AGENT_FAILURE_UNSAVABLE;
}

static bool all_written(const struct disk_saving *saving, const char *directory, GError **error)
{
	for (int rank = 0; rank < ranks_of(saving); rank++) {
		g_autofree char *trouble = NULL;

		if (saving->ended[rank] && saving->statuses[rank] == 0)
			continue;
		trouble = trouble_of(saving, directory, rank);
		g_set_error(error, DISK_SAVE_ERROR,
		            is_unsavable(saving, rank) ? DISK_SAVE_IMPOSSIBLE : DISK_SAVE_FAILED,
		            "rank %d: %s", rank, trouble);
		return false;
	}
	return true;
}

static void order(const struct disk_saving *saving, int rank, const char *directory,
                  const char *base)
{
	struct snapshot *snapshot = saving->snapshot;
	struct wire_message message = {.type = WIRE_RESTORE};
	g_autofree struct wire_clone *clones = NULL;

	message.restore.count = snapshot->snapshots->host->operations->snapshot_clones(
		snapshot->memory, rank, &clones);
	message.restore.world = saving->number;
	message.restore.rank = rank;
	message.restore.directory = (char *)directory;
	message.restore.clones = clones;
	message.restore.folder = (char *)disk_draft_path(saving->draft);
	message.restore.base = (char *)base;
	host_send(snapshot->links[rank], &message);
}

bool disk_save(struct snapshot *snapshot, struct disk_draft *draft, char **program, GError **error)
{
	struct snapshots *snapshots = snapshot->snapshots;
	const struct host_operations *host = snapshots->host->operations;
	g_autofree pid_t *pids = g_new0(pid_t, snapshots->ranks);
	g_autofree bool *ended = g_new0(bool, snapshots->ranks);
	g_autofree int *statuses = g_new0(int, snapshots->ranks);
	struct disk_saving saving = {.snapshot = snapshot,
	                             .draft = draft,
	                             .number = snapshots_next_world(snapshots),
	                             .pids = pids,
	                             .ended = ended,
	                             .statuses = statuses};
	const char *base = disk_draft_base(draft, snapshots->ranks, program);
	g_autofree char *directory = host->world_add(snapshots->host, saving.number, error);
	bool fine = directory && host->snapshot_restore(snapshot->memory, directory, error);

	if (fine) {
		log_debug(LOG_SNAPSHOTS, "saving world %u in %s", snapshot->number,
		          disk_draft_path(draft));
		snapshots->saving = &saving;
		for (int rank = 0; rank < snapshots->ranks; rank++)
			order(&saving, rank, directory, base);
		fine = await(&saving, error) && all_written(&saving, directory, error);
		snapshots->saving = NULL;
	}
	fine = fine && disk_draft_add_world(draft, directory, error);
	if (directory)
		host->world_remove(snapshots->host, saving.number);
	return fine;
}
