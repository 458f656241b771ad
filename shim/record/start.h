/* Start of a recorded or replayed process. */
#ifndef MATCHPOINT_SHIM_RECORD_START_H
#define MATCHPOINT_SHIM_RECORD_START_H

/* In MPI_Init: waits for a debugger that has asked for all ranks (common/start_line.h), if this
 * process has not waited before main. Returns at once under the shim's control, and replaying. */
void start_init(void);

#endif
