/* How a debugger takes checkpoints of this session and restarts them: the symbols MPIR_checkpoint*
 * of the starter process (Hursey et al., "Checkpoint/Restart-Enabled Parallel Debugging", EuroMPI
 * 2010). The debugger executes the commands. The ranks' part is shim/park/park_debugger.c. */
#ifndef MATCHPOINT_SCHEDULER_HOST_CHECKPOINT_COMMANDS_H
#define MATCHPOINT_SCHEDULER_HOST_CHECKPOINT_COMMANDS_H

/* Printed to standard error in front of what a debugger reads there: the folder of a checkpoint; a
 * host and a process number, for each rank, in order. */
#define CHECKPOINT_COMMANDS_HANDLE "MPIR_checkpoint_handle) "
#define CHECKPOINT_COMMANDS_INFO "MPIR_debug_info) "

/* Positions of this session can be saved. `folder`: where they go, if nothing else is said; an
 * absolute path. */
void checkpoint_commands_show(const char *folder);
/* They cannot any more. */
void checkpoint_commands_forget(void);

#endif
