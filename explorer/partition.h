/* A search divided into shards. A shard knows nothing of the others except their number.
 *
 * All shards first run the same few plans, the stem. Then they divide what the stem leaves waiting
 * in the same way: into parts of about equal size by Knuth's estimate (explorer.c), of which each
 * shard takes its own. So every outcome outside the stem belongs to exactly one shard. This
 * requires a reproducible program: if the stem's plans do not lead to the same choices every time,
 * the digests differ. No I/O. */
#ifndef MATCHPOINT_EXPLORER_PARTITION_H
#define MATCHPOINT_EXPLORER_PARTITION_H

#include "explorer.h"

struct partition;

/* `shards` is at least 1. The options must outlive the partition. */
struct partition *partition_new(const struct explorer_options *options, unsigned shards);
void partition_free(struct partition *partition);

/* Adds a tree that is not begun. Trees are counted from 0 and taken to be of equal size. */
void partition_add_tree(struct partition *partition);

/* Returns the search whose next plan (explorer_next does not return NULL) belongs to the stem, and
 * its tree. The partition owns it. Call again when the plan has been run. NULL: what is left waits
 * in parts that are small enough, or splitting more would cost more than it gains. */
struct explorer *partition_next(struct partition *partition, unsigned *ret_tree);

/* The sum of the statistics of all plans of the stem. */
void partition_statistics(const struct partition *partition, struct explorer_statistics *ret);

struct partition_part {
	unsigned tree;
	double share;       /* estimated part of that tree */
	GVariant *frontier; /* for explorer_load; owned */
};
/* After the stem: the parts of shard `shard` (from 1), in order of their trees (GArray of struct
 * partition_part); free with g_array_unref. */
GArray *partition_parts(struct partition *partition, unsigned shard);

/* A hash of the division, as text; free with g_free. */
char *partition_digest(struct partition *partition);

#endif
