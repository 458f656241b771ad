/* Ends the ranks of an execution. No rank can delay this beyond its time limits. */
#include "execution_internal.h"
#include "explorer/rank_name.h"
#include "runs_internal.h"
#include "scheduler/snapshot/held_ranks.h"
#include "scheduler/tools/log.h"

#define LOOK_US (G_USEC_PER_SEC / 5)    /* between two looks for dead ranks */
#define OBEY_US (2 * G_USEC_PER_SEC)    /* limit for ranks to end after END */
#define TOOLS_US (60 * G_USEC_PER_SEC)  /* the same for ranks under a debugger or valgrind */
#define HURRY_US (G_USEC_PER_SEC / 4)   /* the same in a hurry */
#define ASK_MS 500                      /* between two requests how a rank ended */
#define STATUS_US (10 * G_USEC_PER_SEC) /* limit for a launcher to end after one of its ranks */
#define ENDED_US (60 * G_USEC_PER_SEC)  /* the same after all ranks */
#define DIE_US (5 * G_USEC_PER_SEC)     /* after a kill: limit for ranks to be reaped */

static gint64 obey_us(const struct execution *execution)
{
	return execution->runs->options.wrapper ? TOOLS_US : OBEY_US;
}

void execution_kill(const struct execution *execution, int rank)
{
	struct host *host = execution->runs->host;

	if (execution->placement.slots[rank].pid <= 0)
		return;
	log_debug(LOG_RANKS, "rank %d of world %u is killed", rank, execution->placement.number);
	host->operations->kill(host, execution->placement.slots[rank].pid);
}

void execution_end_ranks(struct execution *execution, bool flush)
{
	struct wire_message end = {.type = WIRE_END};

	end.end.hold = snapshots_rewind(execution->runs->snapshots) && execution->placement.from;

	execution_emit_stop(execution);
	execution_enter(execution, EXECUTION_ENDING);
	execution->ending_since = execution_now(execution);
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		enum world_phase phase = world_phase(execution->world, rank);
		bool listens = phase == PHASE_BLOCKED || phase == PHASE_STOPPED
		               || phase == PHASE_HELD;

		if (!execution->placement.slots[rank].link)
			continue;
		end.end.flush = flush && !execution->ends[rank].known;
		execution->ends[rank].killed = !execution->ends[rank].known;
		if (!listens || execution->ends[rank].deaf) {
			execution_kill(execution, rank);
			continue;
		}
		execution->ends[rank].unsaid = end.end.flush;
		execution_order(execution, rank, &end);
	}
}

bool execution_output_is_cut(const struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (execution->ends[rank].unsaid)
			return true;
	return false;
}

static void finish_execution(struct execution *execution)
{
	execution_enter(execution, EXECUTION_OVER);
	execution->over_since = execution_now(execution);
}

void execution_finish_if_gone(struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		if (execution->placement.slots[rank].link
		    || (!execution->placement.launched && !execution->ends[rank].reaped))
			return;
	}
	if (execution->result.phase != EXECUTION_OVER)
		finish_execution(execution);
}

void execution_look_for_dead(struct execution *execution)
{
	struct host *host = execution->runs->host;
	gint64 now = execution_now(execution);

	if (now - MAX(execution->liveness.heard, execution->liveness.looked) < LOOK_US)
		return;
	execution->liveness.looked = now;
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		struct host_link *link = execution->placement.slots[rank].link;
		pid_t process = execution->placement.slots[rank].pid;

		if (!link)
			link = held_ranks_link(execution->placement.group, rank, &process);
		if (!link || host->operations->has_unread(link) || process <= 0
		    || !host->operations->is_dead(host, process))
			continue;
		log_debug(LOG_RANKS, "rank %d of world %u is dead, but its connection is held",
		          rank, execution->placement.number);
		host_close(link);
		if (link->role == LINK_HELD) /* it is being rewound, or waits for it */
			held_ranks_closed(link->owner, rank);
		else
			execution_link_closed(execution, rank, NULL);
	}
}

/* Kills ranks that are late. A rank whose answer was not read yet is not late: the scheduler may
 * have had no processor. `any`: kills those as well. */
static void kill_ranks(struct execution *execution, bool any)
{
	struct host *host = execution->runs->host;

	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		struct host_link *link = execution->placement.slots[rank].link;

		if (link && (any || !host->operations->has_unread(link)))
			execution_kill(execution, rank);
	}
}

/* Whether a debugger has stopped a rank: a user may be looking at how it ended. */
static bool is_in_debugger(const struct execution *execution)
{
	struct host *host = execution->runs->host;

	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (execution->placement.slots[rank].link
		    && execution->placement.slots[rank].pid > 0
		    && host->operations->is_debugged(host, execution->placement.slots[rank].pid))
			return true;
	return false;
}

void execution_look_at_end(struct execution *execution)
{
	gint64 late = execution_now(execution) - execution->ending_since - obey_us(execution);

	if (late > 0 && is_in_debugger(execution)) {
		execution->ending_since = execution_now(execution);
		return;
	}
	if (late > 0)
		kill_ranks(execution, late > DIE_US);
	if (late <= DIE_US)
		return;
	log_debug(LOG_RANKS, "world %u does not end, and is given up", execution->placement.number);
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		host_close(execution->placement.slots[rank].link);
		execution->placement.slots[rank].link = NULL;
		held_ranks_forget(execution->placement.group, rank);
	}
	finish_execution(execution);
}

void execution_end_children(struct execution *execution)
{
	struct host *host = execution->runs->host;
	guint others = runs_count(execution->runs) - 1;

	if (execution->placement.directory)
		host->operations->end_left_behind(host, execution->placement.directory,
		                                  others == 0);
}

void execution_hurry(struct execution *execution)
{
	gint64 latest = execution_now(execution) + HURRY_US - obey_us(execution);

	execution->ending_since = MIN(execution->ending_since, latest);
}

/* Whether the launcher had enough time to report how its ranks ended. Only the launcher knows this,
 * and reports it when it ends. On a busy machine that may take long, and some launchers let the
 * other ranks live. */
static bool has_asked_enough(struct execution *execution)
{
	gint64 now = execution_now(execution);
	gint64 limit = ENDED_US;

	if (execution->liveness.asking_since == 0)
		execution->liveness.asking_since = now;
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (execution->placement.slots[rank].link)
			limit = STATUS_US;
	return now - execution->liveness.asking_since > limit;
}

bool execution_endings_known(struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		if (!rank_end_is_silent(&execution->ends[rank]))
			continue;
		if (!execution->placement.launched)
			return false;
		if (has_asked_enough(execution)) {
			execution_ends_unknown(execution);
			return true;
		}
		execution_pause(execution, EXECUTION_ASKING, ASK_MS);
		return false;
	}
	execution->liveness.asking_since = 0;
	return true;
}

char *execution_why_lost(const struct execution *execution)
{
	const struct choice *choice = &g_array_index(execution->plan, struct choice, 0);
	const struct point *point = &choice->point;
	g_autofree char *taken = taken_print(&choice->taken);

	if (choice->taken.kind != TAKEN_MESSAGE)
		return g_strdup_printf("rank %s's call %u cannot be answered \"%s\" here",
		                       rank_name(point->rank), point->call, taken);
	if (point->word > 0)
		return g_strdup_printf(
			"rank %s's atomic operation on window %d of rank %s cannot come next here",
			taken, point->window, rank_name(point->rank));
	if (point->kind == POINT_LOCK)
		return g_strdup_printf(
			"the lock of window %d at rank %s cannot be granted to rank %s here",
			point->window, rank_name(point->rank), taken);
	return g_strdup_printf("rank %s's call %u cannot take a message of rank %s here",
	                       rank_name(point->rank), point->call, taken);
}
