#include "rank_end.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

void rank_end_clear(struct rank_end *end)
{
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
