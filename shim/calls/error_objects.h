/* Errors on files and windows for which the program wants errors to be fatal. MPI would end the
 * process itself. Instead, MPI gets a handler of the shim's, which reports to the scheduler. Other
 * handlers, and what calls return, are left to MPI. */
#ifndef MATCHPOINT_SHIM_CALLS_ERROR_OBJECTS_H
#define MATCHPOINT_SHIM_CALLS_ERROR_OBJECTS_H

/* Called once, after MPI's initialisation. MPI's code. */
int error_objects_start(void);

#endif
