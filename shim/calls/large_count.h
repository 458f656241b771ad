/* The large-count variants (MPI_Send_c, ...) are carried out as the ordinary ones where their
 * counts fit; otherwise they are refused. */
#ifndef MATCHPOINT_SHIM_CALLS_LARGE_COUNT_H
#define MATCHPOINT_SHIM_CALLS_LARGE_COUNT_H

#include <stdbool.h>

#include <mpi.h>

#include "mpi_calls.h"

struct large_counts {
	int *arrays[4]; /* narrowed copies */
	int count;
	bool refused; /* something did not fit */
};

/* The count as an int; where it does not fit 0, and `refused` is set (as all below do). */
int large_count(struct large_counts *large, MPI_Count count);

/* The argument `name` of the collective `function` on `comm`, which has as many elements as it has
 * in this call; NULL stays NULL. Valid until large_counts_release. */
const int *large_counts(struct large_counts *large, enum mpi_call function, const char *name,
                        const MPI_Count *counts, int root, MPI_Comm comm);
const int *large_displacements(struct large_counts *large, enum mpi_call function, const char *name,
                               const MPI_Aint *displacements, int root, MPI_Comm comm);
/* A copy of an ordinary array of counts, kept with a nonblocking collective; NULL stays NULL. */
struct collective_kept;
const int *large_count_copy(struct collective_kept *kept, enum mpi_call function, const char *name,
                            const int *counts, int root, MPI_Comm comm);

void large_counts_release(struct large_counts *large);

/* Says that matchpoint cannot control such counts; does not return. */
int large_counts_refused(const void *site, enum mpi_call function);

#endif
