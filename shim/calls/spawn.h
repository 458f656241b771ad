/* MPI_Comm_spawn and its kin (MPI 3.1, section 10.3). The processes are there already: they were
 * started with the job, and wait for their spawn before main() (common/prelaunched.h). If there are
 * too few, the spawn reports how many it needs, and the session begins again with them. */
#ifndef MATCHPOINT_SHIM_CALLS_SPAWN_H
#define MATCHPOINT_SHIM_CALLS_SPAWN_H

#include <stdint.h>

#include <mpi.h>

/* Waits until this process is spawned, and joins its world. It has called MPI_Init, and is one of
 * the group of its root and number. `site`: where main() is. Changes the arguments of main() and
 * the working directory. Ends the process if it is not spawned. MPI's error code. */
int spawn_wait(int root, int number, const void *site, int *count, char ***arguments);

/* --- for what connects processes of a job (connect.c) --- */

struct communicator;
struct wire_op;

/* The number of a group of this process and another, by ranks of the job, in which they meet. Both
 * get the same one, if they call with the same arguments equally often. */
uint64_t spawn_pair(unsigned function, uint64_t key, int other);
/* An operation with which a member of such a group meets the others, as this step of a call. */
struct wire_op spawn_meeting(unsigned function, uint32_t call, uint32_t step, uint64_t comm);

/* Registers a communicator that MPI has made, under a number that all its members get. `function`:
 * what this one has called. `like`: gives it its error handler, or NULL. MPI's code. */
int spawn_register(MPI_Comm comm, uint64_t key, const struct communicator *like, unsigned function,
                   const char *name);

#endif
