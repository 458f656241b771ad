/* Which partitions of partitioned sends are ready (MPI 4.0, section 4.2). Each pair of a send and a
 * receive has a number of its own (struct wire_partitions), so a number has one send at a time.
 * Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_PARTITIONS_H
#define MATCHPOINT_SCHEDULER_WORLD_PARTITIONS_H

#include <glib.h>
#include <stdbool.h>

#define PARTITIONS_MOST (1u << 24) /* of one send; more are an impossible report */

struct partitions;

struct partitions *partitions_new(void);
struct partitions *partitions_copy(const struct partitions *partitions);
void partitions_free(struct partitions *partitions); /* NULL is legal */

/* A rank has started a send with 1 to PARTITIONS_MOST partitions in this call. */
void partitions_start(struct partitions *partitions, guint64 number, int rank, guint32 call,
                      guint32 count);
/* Partitions first to last are ready. false: there are no such ones. */
bool partitions_ready(struct partitions *partitions, guint64 number, guint32 first, guint32 last);

/* The number of the send that a rank has started in this call; 0: none. */
guint64 partitions_find(const struct partitions *partitions, int rank, guint32 call);
/* Those that are not ready, as text: "partition 3", "partitions 1, 4-7"; free with g_free. NULL: no
 * send was started, or all are ready. *ret_rank: the sender. */
char *partitions_unready(const struct partitions *partitions, guint64 number, int *ret_rank);

#endif
