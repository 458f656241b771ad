/* One of several sessions that explore a program together, without communication (--shard). All run
 * the stem, divide the waiting parts in the same way (explorer/partition.h), and explore their own
 * parts.
 *
 * The stem's interleavings belong to the first shard. The others run them but do not count them.
 * They only keep the output of one that ended well, to compare outcomes when shards are merged
 * (merge_outcomes.c). Until the stem has ended, the store holds the whole trees as the rest, so a
 * resumed session begins the stem again. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SHARD_H
#define MATCHPOINT_SCHEDULER_SESSION_SHARD_H

#include <stdbool.h>

#include "session.h"

struct lanes;
struct shard;

struct shard *shard_new(struct session *session);
void shard_free(struct shard *shard);

/* Runs the stem and leaves this shard's parts of the trees to the lanes. Does nothing without
 * --shard, or if an earlier session has divided the trees. false: the session is to end. */
bool shard_divide(struct shard *shard, struct lanes *lanes);

/* Saves what merges with other shards need, and restores it when the session is resumed. */
void shard_common(const struct shard *shard, GVariantDict *common);
void shard_restore(struct shard *shard, GVariant *common);

#endif
