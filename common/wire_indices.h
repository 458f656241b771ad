/* The indices of requests that MPI_Waitany, Testany, Waitsome and Testsome return (MPI 3.1, section
 * 3.7.5): in the program's array, from 0 as in C. Part of the protocol (wire.h). */
#ifndef MATCHPOINT_COMMON_WIRE_INDICES_H
#define MATCHPOINT_COMMON_WIRE_INDICES_H

#include <stdbool.h>
#include <stdint.h>

/* In place of indices in struct wire_call: no request is active, so that the call returns
 * MPI_UNDEFINED; or RETURNED follows, unless the call returns none. */
#define WIRE_UNDEFINED UINT32_MAX
#define WIRE_TOLD_LATER (UINT32_MAX - 1)

/* Whether calls of this function (enum mpi_call) return indices. */
bool wire_returns_indices(uint16_t function);

/* What a call with WIRE_TOLD_LATER has returned. */
struct wire_returned {
	uint32_t call;
	uint32_t count;
	uint32_t *indices; /* ascending */
};

#endif
