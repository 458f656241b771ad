/* Whether ranks may read one another's memory (process_vm_readv), as UCX does where messages are
 * large. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PEER_MEMORY_H
#define MATCHPOINT_SCHEDULER_HOST_PEER_MEMORY_H

/* Why not, as half a sentence; NULL: they may. Tried once. Where Yama has a say
 * (/proc/sys/kernel/yama/ptrace_scope is not 0) they may not: it knows of one who is allowed to
 * look at a process, and that is the scheduler (shim/process/tracer.h). */
const char *peer_memory_obstacle(void);

#endif
