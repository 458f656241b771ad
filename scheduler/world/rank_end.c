#define _GNU_SOURCE /* sigabbrev_np */
#include "rank_end.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

void rank_end_clear(struct rank_end *end)
{
	g_free(end->report);
	g_free(end->error);
	g_free(end->returned);
	memset(end, 0, sizeof(*end));
}

bool rank_end_is_outside(int status)
{
	if (!WIFSIGNALED(status))
		return false;
	switch (WTERMSIG(status)) {
	case SIGKILL:
	case SIGTERM:
	case SIGINT:
	case SIGHUP:
	case SIGQUIT: return true;
	default: return false;
	}
}

bool rank_end_is_silent(const struct rank_end *end)
{
	return end->gone && !end->known;
}

bool rank_end_is_struck(const struct rank_end *end)
{
	return end->known && !end->killed && (end->untold || rank_end_is_outside(end->status));
}

char *rank_end_struck_words(const struct rank_end *end)
{
	return end->untold ? g_strdup("probably: the job launcher did not report how it ended")
	                   : g_strdup_printf("by SIG%s", sigabbrev_np(WTERMSIG(end->status)));
}
