/* One of several sessions that explore a program together, each by itself (--shard): all run the
 * stem, divide what it leaves waiting alike (explorer/partition.h), and explore their own parts.
 *
 * The stem's interleavings are the first shard's; the others run them, and forget them but for what
 * one that ended well has printed: by that outcomes can be compared when the shards are merged
 * (merge_outcomes.c). Until the stem has ended the store holds nothing to go on with but the whole
 * trees, so a later session begins it anew. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SHARD_H
#define MATCHPOINT_SCHEDULER_SESSION_SHARD_H

#include <stdbool.h>

#include "session.h"

struct lanes;
struct shard;

struct shard *shard_new(struct session *session);
void shard_free(struct shard *shard);

/* Runs what all shards run, and leaves this one's parts of the tree to the lanes; nothing to do
 * without --shard, or when an earlier session has done it. false: stopped. */
bool shard_divide(struct shard *shard, struct lanes *lanes);

/* What shards must know of each other, for the store, and back from it when the session goes on. */
void shard_common(const struct shard *shard, GVariantDict *common);
void shard_restore(struct shard *shard, GVariant *common);

#endif
