/* While MPI initialises itself, ranks wait for one another a dozen times by looking at a word of
 * shared memory over and over (MPICH's MPIDU_Init_shm_barrier), without ever giving way. Where
 * there are more ranks than cores each such wait costs time slices of ranks that could go on. So a
 * timer looks where the thread is; where it has not moved since the last time others go first. */
#ifndef MATCHPOINT_SHIM_GIVE_WAY_H
#define MATCHPOINT_SHIM_GIVE_WAY_H

/* Around the library's own initialisation, by the same thread. Does nothing where the program uses
 * or blocks the signal for it (SIGVTALRM, which debuggers pass on without a word). */
void give_way_begin(void);
void give_way_end(void);

#endif
