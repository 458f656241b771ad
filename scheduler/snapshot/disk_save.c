#include "disk_save.h"

#include <sys/wait.h>

#include "ckpt/agent_failure.h"
#include "explorer/rank_name.h"
#include "scheduler/tools/log.h"
#include "snapshots_internal.h"

#define STUCK_S 60.0 /* nothing was written for so long */
#define LOOK_S 1.0
#define FORK_S 60.0

G_DEFINE_QUARK(matchpoint_disk_save_error, disk_save_error)

/* The child of a keeper that writes itself. */
struct writer {
	pid_t pid; /* 0: not forked yet */
	bool ended;
	int status;
};

struct disk_saving {
	struct snapshots *snapshots;
	const struct snapshot *snapshot; /* NULL: it is gone */
	struct disk_draft *draft;
	char *directory;        /* of the world that the children are in */
	guint32 number;         /* likewise */
	struct writer *writers; /* by rank */
};

static int ranks_of(const struct disk_saving *saving)
{
	return saving->snapshots->ranks;
}

bool disk_save_child(struct snapshots *snapshots, int rank, const struct wire_child *child)
{
	struct disk_saving *saving = snapshots->saving;

	if (!saving || child->world != saving->number)
		return false;
	saving->writers[rank] = (struct writer){
		child->pid, saving->writers[rank].ended || child->ended, child->status};
	return true;
}

void disk_save_lose(const struct snapshot *snapshot)
{
	struct disk_saving *saving = snapshot->snapshots->saving;

	if (saving && saving->snapshot == snapshot)
		saving->snapshot = NULL;
}

/* A keeper that is gone reports nothing any more. */
static bool is_awaited(const struct disk_saving *saving, int rank)
{
	return !saving->writers[rank].ended && saving->snapshot && saving->snapshot->links[rank];
}

static bool all_forked(void *data)
{
	const struct disk_saving *saving = data;

	for (int rank = 0; rank < ranks_of(saving); rank++)
		if (is_awaited(saving, rank) && saving->writers[rank].pid == 0)
			return false;
	return true;
}

static bool all_ended(void *data)
{
	const struct disk_saving *saving = data;

	for (int rank = 0; rank < ranks_of(saving); rank++)
		if (is_awaited(saving, rank))
			return false;
	return true;
}

bool disk_save_is_done(const struct disk_saving *saving)
{
	return all_ended((void *)saving);
}

static void kill_children(const struct disk_saving *saving)
{
	struct host *host = saving->snapshots->host;

	for (int rank = 0; rank < ranks_of(saving); rank++)
		if (saving->writers[rank].pid > 0 && !saving->writers[rank].ended)
			host->operations->kill(host, saving->writers[rank].pid);
}

/* Returns false with `error` set if they get nowhere. */
static bool await(struct disk_saving *saving, GError **error)
{
	struct host *host = saving->snapshots->host;
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
	int status = saving->writers[rank].status;
	char *text;

	if (!saving->writers[rank].ended)
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
	int status = saving->writers[rank].status;

	return saving->writers[rank].ended && WIFEXITED(status)
	       && WEXITSTATUS(status) == AGENT_FAILURE_UNSAVABLE;
}

static bool all_written(const struct disk_saving *saving, const char *directory, GError **error)
{
	for (int rank = 0; rank < ranks_of(saving); rank++) {
		g_autofree char *trouble = NULL;

		if (saving->writers[rank].ended && saving->writers[rank].status == 0)
			continue;
		trouble = trouble_of(saving, directory, rank);
		g_set_error(error, DISK_SAVE_ERROR,
		            is_unsavable(saving, rank) ? DISK_SAVE_IMPOSSIBLE : DISK_SAVE_FAILED,
		            "rank %s: %s", rank_name(rank), trouble);
		return false;
	}
	return true;
}

static void saving_free(struct disk_saving *saving)
{
	if (saving->snapshots->saving == saving)
		saving->snapshots->saving = NULL;
	if (saving->directory)
		saving->snapshots->host->operations->world_remove(saving->snapshots->host,
		                                                  saving->number);
	g_free(saving->directory);
	g_free(saving->writers);
	g_free(saving);
}

/* Waits until all keepers have forked: what comes next does not change what is written. */
static void fork_all(struct disk_saving *saving, const char *base)
{
	struct host *host = saving->snapshots->host;
	gint64 begin = host_now(host);

	struct wire_restore order = {.world = saving->number,
	                             .directory = saving->directory,
	                             .folder = (char *)disk_draft_path(saving->draft),
	                             .base = (char *)base};

	for (order.rank = 0; order.rank < ranks_of(saving); order.rank++)
		snapshot_order_fork(saving->snapshot, &order);
	host_wait(host, all_forked, saving, FORK_S);
	log_debug(LOG_SNAPSHOTS, "writers of world %u forked in %.1f ms", saving->number,
	          (double)(host_now(host) - begin) * 1000 / G_USEC_PER_SEC);
}

struct disk_saving *disk_save_begin(const struct snapshot *snapshot, struct disk_draft *draft,
                                    char **program, GError **error)
{
	struct snapshots *snapshots = snapshot->snapshots;
	const struct host_operations *host = snapshots->host->operations;
	struct disk_saving *saving = g_new0(struct disk_saving, 1);
	const char *base = disk_draft_base(draft, snapshots->ranks, program);

	*saving = (struct disk_saving){.snapshots = snapshots,
	                               .snapshot = snapshot,
	                               .draft = draft,
	                               .number = snapshots_next_world(snapshots),
	                               .writers = g_new0(struct writer, snapshots->ranks)};
	saving->directory = host->world_add(snapshots->host, saving->number, error);
	if (!saving->directory
	    || !host->snapshot_restore(snapshot->memory, saving->directory, error)) {
		saving_free(saving);
		return NULL;
	}
	log_debug(LOG_SNAPSHOTS, "saving world %u in %s", snapshot->number, disk_draft_path(draft));
	snapshots->saving = saving;
	fork_all(saving, base);
	return saving;
}

bool disk_save_end(struct disk_saving *saving, GError **error)
{
	bool fine = await(saving, error) && all_written(saving, saving->directory, error)
	            && disk_draft_add_world(saving->draft, saving->directory, error);

	saving_free(saving);
	return fine;
}
