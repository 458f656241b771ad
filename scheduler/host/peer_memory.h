/* Whether ranks may read each other's memory (process_vm_readv), as UCX does for large messages. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PEER_MEMORY_H
#define MATCHPOINT_SCHEDULER_HOST_PEER_MEMORY_H

/* Returns why they may not, as a clause; NULL: they may. Tested once. With Yama
 * (/proc/sys/kernel/yama/ptrace_scope is not 0) they may not: a process can permit only one other
 * to read it, and that is the scheduler (shim/process/tracer.h). */
const char *peer_memory_obstacle(void);

#endif
