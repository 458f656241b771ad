/* Ends from outside: the memory killer, an operator's kill -9, a lost launcher. They are not the
 * program's doing, unless they happen again along the same path. */
#include "execution_internal.h"
#include "explorer/rank_name.h"
#include "runs_internal.h"
#include "scheduler/tools/log.h"

#define ORPHANED_US (G_USEC_PER_SEC / 5) /* for the launcher's ranks to end as well */

bool execution_strike(struct execution *execution, const char *format, ...)
{
	struct runs *runs = execution->runs;
	g_autofree char *what = NULL;
	va_list arguments;

	if (execution->result.discard == DISCARD_STRUCK)
		return true;
	if (execution->result.struck_before || runs->options.wrapper)
		return false;
	execution_discard(execution, DISCARD_STRUCK);
	va_start(arguments, format);
	what = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	runs_report_struck(runs, what);
	log_debug(LOG_RANKS, "something outside has ended world %u", execution->placement.number);
	return true;
}

/* Returns the first rank that something outside has ended, or -1. */
static int struck_rank(const struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++)
		if (rank_end_is_struck(&execution->ends[rank]))
			return rank;
	return -1;
}

void execution_look_for_struck(struct execution *execution)
{
	g_autofree char *how = NULL;
	int rank;

	if (execution->result.phase >= EXECUTION_ENDING || execution_begins_again(execution))
		return;
	rank = struck_rank(execution);
	if (rank < 0)
		return;
	how = rank_end_struck_words(&execution->ends[rank]);
	execution_strike(execution, "rank %s, %s", rank_name(rank), how);
}

bool execution_lost_launcher(const struct execution *execution)
{
	struct host *host = execution->runs->host;

	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		pid_t parent = execution->placement.slots[rank].link ? host->operations->parent(
				       host, execution->placement.slots[rank].pid)
		                                                     : 0;

		if (parent > 0 && execution->placement.slots[rank].parent > 0
		    && parent != execution->placement.slots[rank].parent)
			return true;
	}
	return false;
}

bool execution_was_struck(const struct execution *execution)
{
	return struck_rank(execution) >= 0;
}

void execution_keeper_lost(struct execution *execution, int rank)
{
	execution->ends[rank].reaped = true;
	execution_kill(execution, rank); /* it would die with its keeper */
	execution_advance(execution);
}

static bool has_orphans(const struct execution *execution)
{
	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		if (execution->placement.slots[rank].link)
			return true;
	}
	return false;
}

void execution_launcher_ended(struct execution *execution, int status)
{
	execution->job_status = status;
	if (has_orphans(execution))
		execution->liveness.orphaned = execution_now(execution);
	else
		execution_job_ended(execution, status);
}

static bool one_lives(const struct execution *execution)
{
	struct host *host = execution->runs->host;

	for (int rank = 0; rank < execution->runs->ranks; rank++) {
		if (execution->placement.slots[rank].link
		    && execution->placement.slots[rank].pid > 0
		    && !host->operations->is_dead(host, execution->placement.slots[rank].pid))
			return true;
	}
	return false;
}

void execution_look_at_orphans(struct execution *execution)
{
	struct runs *runs = execution->runs;

	if (execution->liveness.orphaned == 0 || execution->result.phase >= EXECUTION_ENDING
	    || execution_begins_again(execution))
		return;
	if (!has_orphans(execution)) {
		execution->liveness.orphaned = 0;
		execution_job_ended(execution, execution->job_status);
	} else if (execution_now(execution) - execution->liveness.orphaned > ORPHANED_US
	           && one_lives(execution)
	           && !execution_strike(execution, "the job launcher (status %d)",
	                                execution->job_status)) {
		runs_fail(runs,
		          "the job launcher ended (status %d) while its ranks ran, twice along "
		          "the same path",
		          execution->job_status);
	}
}
