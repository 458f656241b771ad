#include "large_count.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "collective.h"
#include "shim/mpi/neighbors.h"
#include "shim/mpi/real.h"
#include "shim/objects/error.h"

int large_count(struct large_counts *large, MPI_Count count)
{
	if (count < INT_MIN || count > INT_MAX) {
		large->refused = true;
		return 0;
	}
	return (int)count;
}

/* How many elements the array has: one for each member that data goes to or comes from, but none
 * where it is not significant (MPI 3.1, chapter 5). */
static int length(enum mpi_call function, const char *name, int root, MPI_Comm comm)
{
	const enum mpi_call_order order = mpi_call_order(function);
	const bool rooted = order == MPI_CALL_ORDER_ROOT_FIRST || order == MPI_CALL_ORDER_ROOT_LAST;
	int is_inter = 0, size = 0, rank = 0, in = 0, out = 0;

	if (communicator_find(comm) == NULL)
		return 0;
	if (mpi_call_is_neighborhood(function)) {
		neighbors_count(comm, &in, &out);
		return name[0] == 's' ? out : in;
	}
	if (real_mpi()->Comm_test_inter(comm, &is_inter) != MPI_SUCCESS)
		return 0;
	real_mpi()->Comm_rank(comm, &rank);
	if (rooted && root != (is_inter ? MPI_ROOT : rank))
		return 0;
	if (is_inter && mpi_call_collective(function) != MPI_CALL_COLLECTIVE_REDUCE_SCATTER)
		real_mpi()->Comm_remote_size(comm, &size);
	else
		real_mpi()->Comm_size(comm, &size);
	return size;
}

static int *room(struct large_counts *large, int count)
{
	int *array = malloc(sizeof(int) * (count > 0 ? (size_t)count : 1));

	if (!array) {
		large->refused = true;
		return NULL;
	}
	large->arrays[large->count++] = array;
	return array;
}

const int *large_counts(struct large_counts *large, enum mpi_call function, const char *name,
                        const MPI_Count *counts, int root, MPI_Comm comm)
{
	int count = counts ? length(function, name, root, comm) : 0;
	int *array = counts ? room(large, count) : NULL;

	for (int i = 0; array && i < count; i++)
		array[i] = large_count(large, counts[i]);
	return array;
}

const int *large_displacements(struct large_counts *large, enum mpi_call function, const char *name,
                               const MPI_Aint *displacements, int root, MPI_Comm comm)
{
	int count = displacements ? length(function, name, root, comm) : 0;
	int *array = displacements ? room(large, count) : NULL;

	for (int i = 0; array && i < count; i++)
		array[i] = large_count(large, displacements[i]);
	return array;
}

const int *large_count_copy(struct collective_kept *kept, enum mpi_call function, const char *name,
                            const int *counts, int root, MPI_Comm comm)
{
	int count = counts ? length(function, name, root, comm) : 0;
	int *copy = counts ? malloc(sizeof(int) * ((size_t)count + 1)) : NULL;

	if (!copy)
		return counts;
	for (int i = 0; i < count; i++)
		copy[i] = counts[i];
	kept->arrays[kept->array_count++] = copy;
	return copy;
}

void large_counts_release(struct large_counts *large)
{
	while (large->count > 0)
		free(large->arrays[--large->count]);
}

int large_counts_refused(const void *site, enum mpi_call function)
{
	error_refused_for(site, function, " with a count or displacement above 2^31-1");
}
