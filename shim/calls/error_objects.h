/* Errors on files and windows that the program wants to be fatal. MPI would end the process by
 * itself; instead the library gets a handler of the shim's, which tells the scheduler. Other
 * handlers, and what calls return, are MPI's matter. */
#ifndef MATCHPOINT_SHIM_CALLS_ERROR_OBJECTS_H
#define MATCHPOINT_SHIM_CALLS_ERROR_OBJECTS_H

/* Once, after MPI's initialisation. MPI's code. */
int error_objects_start(void);

#endif
