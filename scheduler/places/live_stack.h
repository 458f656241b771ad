/* The call stack of a process that runs, seen from outside: it is stopped for a moment (ptrace(2)),
 * and nothing in it is run. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_LIVE_STACK_H
#define MATCHPOINT_SCHEDULER_PLACES_LIVE_STACK_H

#include <glib.h>
#include <sys/types.h>

/* The addresses of its main thread's frames, the innermost first, each as a return address
 * (uint64_t; one byte less lies in the call). NULL: it may not be looked at, which containers can
 * forbid, or a debugger does so already, or it is gone. */
GArray *live_stack(pid_t pid);

#endif
