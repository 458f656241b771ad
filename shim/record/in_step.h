/* Ranks that are replayed beside each other (common/recording_steps.h): a call that gives what
 * another rank has sent waits until that rank has come to the call that sends it. */
#ifndef MATCHPOINT_SHIM_RECORD_IN_STEP_H
#define MATCHPOINT_SHIM_RECORD_IN_STEP_H

#include "mpi_functions.h"

/* Takes the memory over that RECORDING_STEPS_FD names. Before the program's first instruction.
 * 0, or -errno. */
int in_step_begin(int rank);
/* The program has begun a call. Returns when it may go on. Keeps errno. */
void in_step_enter(enum mpi_call function);

#endif
