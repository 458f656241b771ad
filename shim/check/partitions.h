/* The memory that a partitioned send or receive uses (MPI 4.0, chapter 4), for overlap.h: that of a
 * send from MPI_Pready of each partition on, that of a receive from its start. It ends with the
 * operation; of a receive, for each partition when MPI_Parrived returns true.
 *
 * Only if the program's loads and stores are seen (direct.h); otherwise there is no struct
 * partitions. All functions accept NULL then, and do nothing. */
#ifndef MATCHPOINT_SHIM_CHECK_PARTITIONS_H
#define MATCHPOINT_SHIM_CHECK_PARTITIONS_H

#include <stdbool.h>

#include <mpi.h>

#include "common/wire.h"

struct partitions;

/* A buffer of `count` partitions with `each` elements. */
struct partitions *partitions_new(bool sends, const void *buffer, int count, MPI_Count each,
                                  MPI_Datatype type);
void partitions_free(struct partitions *partitions);

/* The operation uses this partition from now on, or does not use it any more. */
void partitions_begin(struct partitions *partitions, int partition, const struct wire_user *user);
void partitions_end(struct partitions *partitions, int partition);

/* The same for all partitions. */
void partitions_begin_all(struct partitions *partitions, const struct wire_user *user);
void partitions_end_all(struct partitions *partitions);

#endif
