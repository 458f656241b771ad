/* How the ranks of an execution are ended. Nothing that they do may hold it up. */
#include "execution_internal.h"
#include "held_ranks.h"
#include "runs_context.h"
#include "scheduler/tools/log.h"

#define LOOK_US (G_USEC_PER_SEC / 5)    /* between two looks for the dead */
#define OBEY_US (2 * G_USEC_PER_SEC)    /* for ranks to end as they were told to */
#define TOOLS_US (60 * G_USEC_PER_SEC)  /* for what they run under */
#define HURRY_US (G_USEC_PER_SEC / 4)   /* when asked to be quick */
#define ASK_MS 500                      /* between two looks for how a rank ended */
#define STATUS_US (10 * G_USEC_PER_SEC) /* for a launcher to end when one of its ranks has */
#define ENDED_US (60 * G_USEC_PER_SEC)  /* when all have */
#define DIE_US (5 * G_USEC_PER_SEC)     /* after that, to be gone and waited for */

static int ranks_of(const struct execution *execution)
{
	return runs_ranks(execution->runs);
}

static gint64 obey_us(const struct execution *execution)
{
	return runs_wrapper(execution->runs) ? TOOLS_US : OBEY_US;
}

void execution_kill(const struct execution *execution, int rank)
{
	struct host *host = runs_host(execution->runs);

	if (execution->pids[rank] <= 0)
		return;
	log_debug(LOG_RANKS, "rank %d of world %u is killed", rank, execution->number);
	host->operations->kill(host, execution->pids[rank]);
}

void execution_end_ranks(struct execution *execution, bool flush)
{
	struct wire_message end = {.type = WIRE_END};

	end.end.hold = runs_rewind(execution->runs) && execution->from;

	execution_tell_stop(execution);
	execution->result.state = EXECUTION_ENDING;
	execution->ending_since = execution_now(execution);
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		enum world_phase phase = world_phase(execution->world, rank);
		bool listens = phase == PHASE_BLOCKED || phase == PHASE_STOPPED
		               || phase == PHASE_HELD;

		if (!execution->links[rank])
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
	for (int rank = 0; rank < ranks_of(execution); rank++)
		if (execution->ends[rank].unsaid)
			return true;
	return false;
}

static void finish_execution(struct execution *execution)
{
	execution->result.state = EXECUTION_OVER;
	execution->over_since = execution_now(execution);
}

void execution_finish_if_gone(struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (execution->links[rank]
		    || (!execution->launched && !execution->ends[rank].reaped))
			return;
	}
	if (execution->result.state != EXECUTION_OVER)
		finish_execution(execution);
}

void execution_look_for_dead(struct execution *execution)
{
	struct host *host = runs_host(execution->runs);
	gint64 now = execution_now(execution);

	if (now - MAX(execution->heard, execution->looked) < LOOK_US)
		return;
	execution->looked = now;
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		struct host_link *link = execution->links[rank];
		pid_t process = execution->pids[rank];

		if (!link)
			link = held_ranks_link(execution->held, rank, &process);
		if (!link || host->operations->has_unread(link) || process <= 0
		    || !host->operations->is_dead(host, process))
			continue;
		log_debug(LOG_RANKS, "rank %d of world %u is dead, but its connection is held",
		          rank, execution->number);
		host_close(link);
		if (link->role == LINK_HELD) /* it was being rewound, or is to be */
			held_ranks_closed(link->owner, rank);
		else
			execution_link_closed(execution, rank, NULL);
	}
}

/* A scheduler that was given no processor for long has not read what they have answered: those are
 * not late (`any`: they have had their time even so). */
static void kill_ranks(struct execution *execution, bool any)
{
	struct host *host = runs_host(execution->runs);

	for (int rank = 0; rank < ranks_of(execution); rank++) {
		struct host_link *link = execution->links[rank];

		if (link && (any || !host->operations->has_unread(link)))
			execution_kill(execution, rank);
	}
}

/* Somebody looks at how it ended. */
static bool is_in_debugger(const struct execution *execution)
{
	struct host *host = runs_host(execution->runs);

	for (int rank = 0; rank < ranks_of(execution); rank++)
		if (execution->links[rank] && execution->pids[rank] > 0
		    && host->operations->is_debugged(host, execution->pids[rank]))
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
	log_debug(LOG_RANKS, "world %u does not end, and is given up", execution->number);
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		host_close(execution->links[rank]);
		execution->links[rank] = NULL;
		held_ranks_forget(execution->held, rank);
	}
	finish_execution(execution);
}

void execution_end_children(struct execution *execution)
{
	struct host *host = runs_host(execution->runs);
	guint others = runs_count(execution->runs) - 1;

	if (execution->directory)
		host->operations->end_left_behind(host, execution->directory, others == 0);
}

void execution_hurry(struct execution *execution)
{
	gint64 latest = execution_now(execution) + HURRY_US - obey_us(execution);

	execution->ending_since = MIN(execution->ending_since, latest);
}

/* Only the launcher knows how its ranks ended, and it tells when it ends itself: a busy machine
 * may leave it no processor for long, and some let the others live. */
static bool has_asked_enough(struct execution *execution)
{
	gint64 now = execution_now(execution);
	gint64 policy = ENDED_US;

	if (execution->asking_since == 0)
		execution->asking_since = now;
	for (int rank = 0; rank < ranks_of(execution); rank++)
		if (execution->links[rank])
			policy = STATUS_US;
	return now - execution->asking_since > policy;
}

bool execution_endings_known(struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (!rank_end_is_silent(&execution->ends[rank]))
			continue;
		if (!execution->launched)
			return false;
		if (has_asked_enough(execution)) {
			execution_untold(execution);
			return true;
		}
		if (!execution->timing) {
			execution->asking = true;
			execution_pause(execution, ASK_MS);
		}
		return false;
	}
	execution->asking_since = 0;
	return true;
}

char *execution_why_lost(const struct execution *execution)
{
	const struct choice *choice = &g_array_index(execution->plan, struct choice, 0);
	const struct point *point = &choice->point;
	g_autofree char *taken = taken_print(&choice->taken);

	if (choice->taken.kind != TAKEN_MESSAGE)
		return g_strdup_printf("rank %d's call %u cannot be answered \"%s\" here",
		                       point->rank, point->call, taken);
	if (point->kind == POINT_LOCK)
		return g_strdup_printf(
			"the lock of window %d at rank %d cannot be granted to rank %s here",
			point->window, point->rank, taken);
	return g_strdup_printf("rank %d's call %u cannot take a message of rank %s here",
	                       point->rank, point->call, taken);
}
