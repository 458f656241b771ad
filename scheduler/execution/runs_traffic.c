/* Messages from outside executions: new connections, keepers, PMI. */
#define _GNU_SOURCE /* sigabbrev_np */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "ckpt/agent_failure.h"
#include "explorer/rank_name.h"
#include "runs_internal.h"
#include "scheduler/snapshot/disk_save.h"
#include "scheduler/snapshot/held_ranks.h"
#include "scheduler/tools/log.h"

void runs_hello(void *user, struct host_link *link, const struct wire_hello *hello)
{
	struct runs *runs = user;
	struct execution *execution = snapshots_find(runs->snapshots, hello->world);

	log_debug(LOG_RANKS, "rank %d of world %u is pid %d, %s", hello->rank, hello->world,
	          hello->pid, hello->program);

	if (hello->version != WIRE_VERSION) {
		runs_fail(runs,
		          "%s was started with another version of matchpoint's shim "
		          "(protocol %u, not %u); rebuild or reinstall matchpoint",
		          hello->program, hello->version, WIRE_VERSION);
	} else if (!execution) {
		host_close(link); /* late: its world is over */
	} else if (hello->rank < 0 || hello->rank >= runs->ranks) {
		runs_fail(runs,
		          "a process (%s, pid %d) reports that it is rank %s of %d: does the "
		          "launcher start %d ranks?",
		          hello->program, hello->pid, rank_name(hello->rank), runs->ranks,
		          runs->ranks);
	} else {
		if (!hello->restored && hello->mpi && runs->client->library)
			runs->client->library(runs->options.user, hello->mpi);
		execution_connected(execution, link, hello);
	}
}

struct sought {
	int rank;
	pid_t pid;
	struct execution *execution; /* NULL: none yet */
};

static void look_for_pid(struct execution *execution, void *user)
{
	struct sought *sought = user;

	if (!execution->placement.launched && execution_pid(execution, sought->rank) == sought->pid)
		sought->execution = execution;
}

/* A keeper knows a rewound rank by the world that it was forked into, so it is found by its pid. */
static struct execution *find_by_child(struct runs *runs, int rank, const struct wire_child *child)
{
	struct execution *execution = snapshots_find(runs->snapshots, child->world);
	struct sought sought = {.rank = rank, .pid = child->pid};

	if (execution || !snapshots_may_rewind(runs->snapshots))
		return execution;
	runs_each(runs, look_for_pid, &sought);
	return sought.execution;
}

/* The reason as a clause; NULL: not known. */
static const char *failure_words(int status)
{
	switch (status) {
	case AGENT_FAILURE_FORK:
		return "it could not be forked: too many processes, or too little memory";
	case AGENT_FAILURE_KEEPER: return "the process that it was forked from was gone";
	case AGENT_FAILURE_DIRECTORY: return "the directory of its world could not be entered";
	case AGENT_FAILURE_SHARED_MEMORY: return "its shared memory could not be mapped";
	case AGENT_FAILURE_FILES: return "its files could not be opened again";
	case AGENT_FAILURE_CONNECTION:
		return "it could not connect to the scheduler or to the job launcher";
	case AGENT_FAILURE_REWIND: return "it could not be rewound";
	case AGENT_FAILURE_START: return "it could not reach the scheduler";
	case AGENT_FAILURE_DISK:
	case AGENT_FAILURE_UNSAVABLE: return "it could not be written to disk";
	case AGENT_FAILURE_SCHEDULER_GONE: return "it lost its connection to the scheduler";
	default: return NULL;
	}
}

/* Why a copy of a rank has ended before it stood in its world; `status` as from waitpid. */
static char *unrestored_words(int rank, int status)
{
	const char *why = WIFEXITED(status) ? failure_words(WEXITSTATUS(status)) : NULL;
	g_autofree char *how = WIFSIGNALED(status)
	                               ? g_strdup_printf("SIG%s killed its process",
	                                                 sigabbrev_np(WTERMSIG(status)))
	                               : g_strdup_printf("its process ended with status %d",
	                                                 WEXITSTATUS(status));

	return g_strdup_printf("rank %s could not be restored from its snapshot: %s",
	                       rank_name(rank), why ? why : how);
}

void runs_child_ended(struct execution *execution, int rank, int status)
{
	if (execution_result(execution)->phase != EXECUTION_STARTING)
		execution_rank_status(execution, rank, status);
	else if (!rank_end_is_outside(status)
	         || !execution_strike(execution, "rank %s while it was restored", rank_name(rank)))
		runs_fall_back(execution->runs, unrestored_words(rank, status));
}

static void on_child(struct runs *runs, struct host_link *link, const struct wire_child *child)
{
	struct execution *execution;
	int rank = link->rank;

	if (disk_save_child(runs->snapshots, rank, child) || !child->ended
	    || held_ranks_child_ended(runs->snapshots, rank, child))
		return;
	execution = find_by_child(runs, rank, child);
	if (execution)
		runs_child_ended(execution, rank, child->status);
}

static void on_message(struct host_link *link, const struct wire_message *message)
{
	struct snapshot *snapshot;

	switch (link->role) {
	case LINK_NEW:
		if (message->type == WIRE_HELLO)
			runs_hello(link->owner, link, &message->hello);
		else
			host_close(link);
		break;
	case LINK_RANK: execution_message(link->owner, link->rank, message); break;
	case LINK_KEEPER:
		snapshot = link->owner;
		if (message->type == WIRE_CHILD)
			on_child(snapshots_user(snapshot->snapshots), link, &message->child);
		break;
	case LINK_HELD: held_ranks_message(link, message); break;
	case LINK_IGNORED:
		if (message->type == WIRE_CHILD)
			on_child(snapshots_user(link->owner), link, &message->child);
		break;
	}
}

struct lost_keeper {
	const struct snapshot *snapshot;
	int rank;
};

static void end_copy(struct execution *execution, void *user)
{
	const struct lost_keeper *keeper = user;

	if (execution->placement.from == keeper->snapshot)
		execution_keeper_lost(execution, keeper->rank);
}

/* The keeper's copies end with it. */
static void on_keeper_gone(struct snapshot *snapshot, int rank)
{
	struct runs *runs = snapshots_user(snapshot->snapshots);
	struct lost_keeper keeper = {.snapshot = snapshot, .rank = rank};

	snapshot->links[rank] = NULL;
	runs_lose_snapshots(runs, g_strdup_printf("the snapshot of rank %s was lost: its process "
	                                          "was killed from outside, or memory ran out",
	                                          rank_name(rank)));
	runs_each(runs, end_copy, &keeper);
}

static void on_closed(struct host_link *link, const char *why)
{
	if (link->role == LINK_RANK)
		execution_link_closed(link->owner, link->rank, why);
	else if (link->role == LINK_KEEPER)
		on_keeper_gone(link->owner, link->rank);
	else if (link->role == LINK_HELD)
		held_ranks_closed(link->owner, link->rank);
}

static void on_abort(void *user, guint32 world, int rank, int exit_code)
{
	struct execution *execution = snapshots_find(((const struct runs *)user)->snapshots, world);

	if (execution && rank >= 0 && rank < execution->runs->ranks)
		execution_aborted(execution, rank, exit_code);
}

static void on_failed(void *user, const char *why)
{
	runs_fail(user, "%s", why);
}

const struct host_listener runs_listener = {on_message, on_closed, on_abort, runs_job_ended,
                                            on_failed};
