/* How the ranks of an execution are ended. Nothing that they do may hold it up. */
#include <signal.h>

#include "log.h"
#include "offspring.h"
#include "session_internal.h"

#define LOOK_US (G_USEC_PER_SEC / 5)   /* between two looks for the dead */
#define OBEY_US (2 * G_USEC_PER_SEC)   /* for ranks to end as they were told to */
#define TOOLS_US (60 * G_USEC_PER_SEC) /* for what they run under */
#define HURRY_US (G_USEC_PER_SEC / 4)  /* when asked to be quick */
#define DIE_US (5 * G_USEC_PER_SEC)    /* after that, to be gone and waited for */

static int ranks_of(const struct execution *execution)
{
	return execution->session->options->ranks;
}

static gint64 obey_us(const struct execution *execution)
{
	return execution->session->options->wrapper ? TOOLS_US : OBEY_US;
}

void execution_end_ranks(struct execution *execution, gboolean flush)
{
	struct wire_message end = {.type = WIRE_END};

	execution->state = EXECUTION_ENDING;
	execution->ending_since = g_get_monotonic_time();
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		enum world_phase phase = world_phase(execution->world, rank);
		gboolean listens = phase == PHASE_BLOCKED || phase == PHASE_STOPPED;

		if (!execution->links[rank])
			continue;
		end.end.flush = flush && !execution->ends[rank].known;
		execution->ends[rank].killed = !execution->ends[rank].known;
		if (listens && !execution->ends[rank].deaf)
			link_send(execution->links[rank], &end);
		else if (execution->pids[rank] > 0)
			kill(execution->pids[rank], SIGKILL);
	}
}

static void finish(struct execution *execution)
{
	execution->state = EXECUTION_OVER;
	execution->over_since = g_get_monotonic_time();
	if (execution->record)
		verdict_complete(execution);
}

void execution_finish_if_gone(struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (execution->links[rank]
		    || (!execution->launched && !execution->ends[rank].reaped))
			return;
	}
	if (execution->state != EXECUTION_OVER)
		finish(execution);
}

void execution_look_for_dead(struct execution *execution)
{
	gint64 now = g_get_monotonic_time();

	if (now - MAX(execution->heard, execution->looked) < LOOK_US)
		return;
	execution->looked = now;
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		struct link *link = execution->links[rank];

		if (!link || link_has_unread(link) || execution->pids[rank] <= 0
		    || !offspring_is_dead(execution->pids[rank]))
			continue;
		log_debug(LOG_RANK, "rank %d of world %u is dead, but its connection is held", rank,
		          execution->number);
		link_close(link);
		execution_link_closed(execution, rank, NULL);
	}
}

static void kill_ranks(struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (execution->links[rank] && execution->pids[rank] > 0)
			kill(execution->pids[rank], SIGKILL);
	}
}

/* Somebody looks at how it ended. */
static gboolean is_in_debugger(const struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++)
		if (execution->links[rank] && execution->pids[rank] > 0
		    && offspring_debugger(execution->pids[rank]) > 0)
			return TRUE;
	return FALSE;
}

void execution_look_at_end(struct execution *execution)
{
	gint64 late = g_get_monotonic_time() - execution->ending_since - obey_us(execution);

	if (late > 0 && is_in_debugger(execution)) {
		execution->ending_since = g_get_monotonic_time();
		return;
	}
	if (late > 0)
		kill_ranks(execution);
	if (late <= DIE_US)
		return;
	log_debug(LOG_RANK, "world %u does not end, and is given up", execution->number);
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (execution->links[rank])
			link_close(execution->links[rank]);
		execution->links[rank] = NULL;
	}
	finish(execution);
}

void execution_end_offspring(struct execution *execution)
{
	guint others = g_hash_table_size(execution->session->executions) - 1;

	if (execution->directory)
		offspring_end(execution->directory, others == 0);
}

void execution_hurry(struct execution *execution)
{
	gint64 latest = g_get_monotonic_time() + HURRY_US - obey_us(execution);

	execution->ending_since = MIN(execution->ending_since, latest);
}
