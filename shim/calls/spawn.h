/* MPI_Comm_spawn and its kin (MPI 3.1, section 10.3). The processes are there already: they were
 * started with the job, and wait for their spawn before main() (common/prelaunched.h). If there are
 * too few, the spawn reports how many it needs, and the session begins again with them. */
#ifndef MATCHPOINT_SHIM_CALLS_SPAWN_H
#define MATCHPOINT_SHIM_CALLS_SPAWN_H

/* Waits until this process is spawned, and joins its world. It has called MPI_Init, and is one of
 * the group of its root and number. `site`: where main() is. Changes the arguments of main() and
 * the working directory. Ends the process if it is not spawned. MPI's error code. */
int spawn_wait(int root, int number, const void *site, int *count, char ***arguments);

#endif
