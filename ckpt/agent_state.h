/* The kernel's part of a rank's state, for state fingerprints (shim/state/state.h): which files
 * are open, their offsets and, for files open for writing, their contents (including the captured
 * output); signals, working directory, limits. Numbers that differ between two copies of the same
 * process are left out. Libc only. */
#ifndef MATCHPOINT_CKPT_AGENT_STATE_H
#define MATCHPOINT_CKPT_AGENT_STATE_H

#include "agent.h"

struct agent_state_range {
	uintptr_t start, end;
};

/* Surveys the process and calls `add` for each piece of state. Returns NULL, or a clause with the
 * reason why there is no state; valid until the next survey. */
const char *agent_state_tell(struct agent *agent,
                             void (*add)(void *user, const void *bytes, size_t size), void *user);

/* After agent_state_tell, if the rank is idle (agent_rewind.h): the addresses of the program's
 * signal handlers. Returns their number, at most `most`; -1: not known. */
int agent_state_handlers(const struct agent *agent, uintptr_t *handlers, int most);

/* Surveys the process: whether it has files open for writing besides the captured output. */
bool agent_state_writes(struct agent *agent);

/* Memory of the agent, which is not part of a state. Returns the number of ranges; -1: more than
 * `most`. */
int agent_state_memory(const struct agent *agent, struct agent_state_range *ranges, int most);

#endif
