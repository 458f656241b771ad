/* What strikes an execution from outside: the memory killer, an operator's kill -9, a launcher that
 * is lost. None of it is the program's doing, unless it comes again along the same path. */
#define _GNU_SOURCE /* sigabbrev_np */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "log.h"
#include "memory_pressure.h"
#include "offspring.h"
#include "session_internal.h"

#define ORPHANED_US (G_USEC_PER_SEC / 5) /* for the launcher's ranks to be dead, too */

static int ranks_of(const struct execution *execution)
{
	return execution->session->options->ranks;
}

gboolean execution_is_outside(int status)
{
	if (!WIFSIGNALED(status))
		return FALSE;
	switch (WTERMSIG(status)) {
	case SIGKILL:
	case SIGTERM:
	case SIGINT:
	case SIGHUP:
	case SIGQUIT:
		return TRUE;
	default:
		return FALSE;
	}
}

gboolean execution_strike(struct execution *execution, const char *format, ...)
{
	struct session *session = execution->session;
	va_list arguments;

	if (execution->struck)
		return TRUE;
	if (execution->struck_before || session->options->wrapper)
		return FALSE;
	execution->struck = execution->again = TRUE;
	session->struck++;
	session->memory_ran_out |= memory_pressure_since(&session->memory_before);
	if (!session->struck_first) {
		va_start(arguments, format);
		session->struck_first = g_strdup_vprintf(format, arguments);
		va_end(arguments);
	}
	log_debug(LOG_RANK, "world %u was struck from outside", execution->number);
	return TRUE;
}

void execution_look_for_struck(struct execution *execution)
{
	if (execution->state >= EXECUTION_ENDING || execution->again)
		return;
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		const struct rank_end *end = &execution->ends[rank];

		if (!end->killed && end->known && execution_is_outside(end->status)) {
			execution_strike(execution, "rank %d, by SIG%s", rank,
			                 sigabbrev_np(WTERMSIG(end->status)));
			return;
		}
	}
}

void execution_keeper_lost(struct execution *execution, int rank)
{
	execution->ends[rank].reaped = TRUE;
	if (execution->pids[rank] > 0) /* it dies with its keeper */
		kill(execution->pids[rank], SIGKILL);
	execution_advance(execution);
}

gboolean execution_has_orphans(const struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (execution->links[rank])
			return TRUE;
	}
	return FALSE;
}

static gboolean one_lives(const struct execution *execution)
{
	for (int rank = 0; rank < ranks_of(execution); rank++) {
		if (execution->links[rank] && execution->pids[rank] > 0
		    && !offspring_is_dead(execution->pids[rank]))
			return TRUE;
	}
	return FALSE;
}

void execution_look_at_orphans(struct execution *execution)
{
	struct session *session = execution->session;

	if (execution->orphaned == 0 || execution->state >= EXECUTION_ENDING || execution->again)
		return;
	if (!execution_has_orphans(execution)) {
		execution->orphaned = 0;
		execution_launcher_ended(execution, execution->launcher_status);
	} else if (g_get_monotonic_time() - execution->orphaned > ORPHANED_US
	           && one_lives(execution)
	           && !execution_strike(execution, "the job launcher (status %d)",
	                                execution->launcher_status)) {
		session_fail(session,
		             "the job launcher ended (status %d) while its ranks ran, twice along "
		             "the same path",
		             execution->launcher_status);
	}
}
