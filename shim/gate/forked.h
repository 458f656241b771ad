/* Processes that the program forks itself: they are no ranks, and what they would call of MPI is
 * the rank's. MPI says nothing of that, and MPICH does what comes; here such a process is ended,
 * and its rank tells of it with its next call. */
#ifndef MATCHPOINT_SHIM_GATE_FORKED_H
#define MATCHPOINT_SHIM_GATE_FORKED_H

#include <stdint.h>

/* After a fork of the program's: in the rank; in the new process. */
void forked_expect(int32_t rank);
void forked_begin(int32_t rank);

/* At each controlled call (`function` is an enum mpi_call): does not return in such a process. In a
 * rank it tells what has become known, as does the other, for when the rank ends. */
void forked_check(unsigned function, const void *site);
void forked_tell(void);

#endif
