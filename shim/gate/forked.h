/* Processes that the program forks itself. They are not ranks, and their MPI calls would act for
 * the rank. The standard does not define that, and MPICH's behaviour varies. Here such a process is
 * ended at its first MPI call, and its rank reports that with its next call. */
#ifndef MATCHPOINT_SHIM_GATE_FORKED_H
#define MATCHPOINT_SHIM_GATE_FORKED_H

#include <stdint.h>

/* After a fork by the program: in the rank; in the new process. */
void forked_expect(int32_t rank);
void forked_begin(int32_t rank);

/* forked_check: at each controlled call (`function` is an enum mpi_call). Does not return in a
 * forked process. In the rank, both report what forked processes have called; forked_report, when
 * the rank ends. */
void forked_check(unsigned function, const void *site);
void forked_report(void);

#endif
