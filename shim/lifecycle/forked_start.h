/* In the process that the launcher or matchpoint has started: forks the ranks just before main()
 * (common/forked_start.h). */
#ifndef MATCHPOINT_SHIM_LIFECYCLE_FORKED_START_H
#define MATCHPOINT_SHIM_LIFECYCLE_FORKED_START_H

/* Returns in each rank, with the environment and the connection that a launcher would have given
 * it, and at once in a process that is no starter. The starter waits for the ranks, and ends. If
 * one is ended by a signal, it prints that and kills the others, as Hydra does.
 *
 * If the ranks cannot be forked, it becomes the launcher by exec, which starts the program of these
 * arguments (of main) anew. Call it before the first function of the program runs. */
void forked_start(char **arguments);

#endif
