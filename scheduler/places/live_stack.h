/* The call stack of a running process, read from outside. The process is stopped for a moment
 * (ptrace(2)); nothing is executed in it. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_LIVE_STACK_H
#define MATCHPOINT_SCHEDULER_PLACES_LIVE_STACK_H

#include <glib.h>
#include <sys/types.h>

/* Returns the addresses of its main thread's frames, innermost first (uint64_t). Each is a return
 * address: one byte less lies in the call. NULL: the process is gone, a debugger traces it, or
 * tracing is forbidden, as in some containers. */
GArray *live_stack(pid_t pid);

#endif
