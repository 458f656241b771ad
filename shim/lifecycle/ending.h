/* The last reports of a rank: how it ends, while it can still be examined. */
#ifndef MATCHPOINT_SHIM_LIFECYCLE_ENDING_H
#define MATCHPOINT_SHIM_LIFECYCLE_ENDING_H

#include <stdbool.h>

/* This process is the rank now: after MPI_Init, and in a restored copy. From here on, if the rank
 * has connected, a deadly signal that the program does not handle is reported with the place where
 * it struck. That Fortran's run-time library handles it, to print a backtrace, does not count. The
 * rank then stays until the scheduler ends it: so the launcher does not kill its peers before they
 * have come to rest. */
void ending_adopt_process(void);

/* real_backtrace for calls without an error. Unwinding relies on what the program's memory says; if
 * that leads astray, the result is 0, not a crash. */
int ending_backtrace(void **ret_frames, int most);

/* Whether a deadly signal has struck: the rank is in its handler. */
bool ending_was_struck(void);

/* Whether gdb or lldb runs this process and has not yet shown why the rank ends, by a signal that
 * the debugger has seen, or by an exit. */
bool ending_is_traced(void);

/* The program is about to exit. Before MPI_Finalize, the rank stays in the same way. */
void ending_exit(int status, bool finalised);

/* The same without flushing (_exit). */
void ending_leave(int status, bool finalised);

#endif
