/* Where a process may be looked at only by those that have started it (Yama's ptrace_scope 1, as on
 * Ubuntu), the scheduler may look at ranks, too, and so may what it starts: gdb. */
#ifndef MATCHPOINT_SHIM_PROCESS_TRACER_H
#define MATCHPOINT_SHIM_PROCESS_TRACER_H

#include <stdbool.h>

/* Who holds the other end of this connection. Changes nothing where that is not asked for. */
void tracer_allow(int connection);

/* Whether somebody traces this process just now. Nothing is allocated. */
bool tracer_is_there(void);

#endif
