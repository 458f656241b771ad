/* What the kernel holds of a process, as part of a state that is compared with others
 * (shim/state/state.h): which files are open, where they stand and, of those that are written,
 * what is in them (the captured output among them); signals, working directory, limits. By hash;
 * numbers that differ between two copies of the same process are left out. Libc only. */
#ifndef MATCHPOINT_CKPT_AGENT_STATE_H
#define MATCHPOINT_CKPT_AGENT_STATE_H

#include "agent.h"

struct agent_state_range {
	uintptr_t start, end;
};

/* Surveys the process anew, and calls `add` for each piece. NULL; or why it cannot be told, a
 * clause valid until the next survey. */
const char *agent_state_tell(struct agent *agent,
                             void (*add)(void *user, const void *bytes, size_t size), void *user);

/* After that, if the rank stands (agent_rewind.h): the functions that signals are handled by. How
 * many, at most `most`; -1: that is not known. */
int agent_state_handlers(const struct agent *agent, uintptr_t *handlers, int most);

/* Surveys the process anew: whether it has files open for writing besides the captured output. */
bool agent_state_writes(struct agent *agent);

/* Where the agent keeps what it has read: no part of a state. How many; -1: more than `most`. */
int agent_state_memory(const struct agent *agent, struct agent_state_range *ranges, int most);

#endif
