/* The call stack of a running process, read from outside. The process is stopped for a moment
 * (ptrace(2)); nothing is executed in it. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_LIVE_STACK_H
#define MATCHPOINT_SCHEDULER_PLACES_LIVE_STACK_H

#include <glib.h>
#include <sys/types.h>

/* Returns the addresses of a thread's frames, innermost first (uint64_t); `thread` is the kernel's
 * ID, that of the process for its main thread. Each is a return address: one byte less lies in the
 * call. NULL: the thread is gone, a debugger traces it, or tracing is forbidden, as in some
 * containers. */
GArray *live_stack(pid_t pid, pid_t thread);

/* Index of the first frame (struct record_frame) outside MPI and the shim, whose frames are those
 * inside an MPI call; *ret_call: that call. 0 and unchanged: the thread is in no call. */
guint live_stack_outside_mpi(const GArray *frames, const char **ret_call);

#endif
