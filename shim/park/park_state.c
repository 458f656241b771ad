/* The agent's part of a rank's state (state.h). */
#include <signal.h>
#include <unistd.h>

#include "ckpt/agent_page_scan.h"
#include "ckpt/agent_state.h"
#include "park_internal.h"
#include "park_rewind.h"
#include "shim/mpi/real.h"

/* The last state has read the handlers already. */
static bool known_to_handle_signals(void)
{
	uintptr_t handlers[_NSIG];
	const int count = agent_state_handlers(park.agent, handlers, _NSIG);

	for (int i = 0; i < count; i++)
		if (!real_is_own((const void *)handlers[i])) /* NOLINT */
			return true;
	return count < 0;
}

bool park_handles_signals(void)
{
	struct sigaction action;

	if (park_is_unmoved())
		return known_to_handle_signals();
	for (int number = 1; number < _NSIG; number++)
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL
		    && action.sa_handler != SIG_IGN
		    && !real_is_own((const void *)(uintptr_t)action.sa_handler)) /* NOLINT */
			return true;
	return false;
}

const char *park_state(void (*add)(void *user, const void *bytes, size_t size), void *user)
{
	const char *trouble;

	if (park.program_forks)
		return "it has started other processes";
	if (!park.agent)
		return "it cannot be parked";
	agent_is_unmoved(park.agent);
	trouble = agent_state_tell(park.agent, add, user);
	if (known_to_handle_signals())
		agent_moves(park.agent);
	return trouble;
}

int park_state_memory(struct memory_range *ranges, int most)
{
	_Static_assert(sizeof(*ranges) == sizeof(struct agent_state_range), "the same");

	return park.agent ? agent_state_memory(park.agent, (struct agent_state_range *)ranges, most)
	                  : 0;
}

/* Page faults do not show pages that were moved onto others. */
const struct agent_page_scan *park_scan(void)
{
	return park.agent && !park.program_moves ? agent_page_scan_take(park.agent) : NULL;
}

bool park_scan_holds(void)
{
	return agent_page_scan_holds(park.agent);
}

void *park_scan_notes(size_t size)
{
	return park.agent ? agent_page_scan_notes(park.agent, size) : NULL;
}

bool park_writes_files(void)
{
	return !park.agent || agent_state_writes(park.agent);
}

void park_know_children(void)
{
	agent_know_children();
}

pid_t park_fork(void)
{
	pid_t pid;

	park.forks_rank = true;
	pid = fork();
	park.forks_rank = false;
	return pid;
}
