/* A search divided among several, none of which knows more of the others than their number.
 *
 * All carry out the same few plans first, the stem, and then divide what these leave waiting in the
 * same way: into parts that are about as large as one another by Knuth's estimate (explorer.c), of
 * which each takes its own. So every outcome that is not the stem's belongs to one of them. That
 * rests on the program: where the stem's plans do not lead to the same choices each time, the
 * digests differ. Pure. */
#ifndef MATCHPOINT_EXPLORER_PARTITION_H
#define MATCHPOINT_EXPLORER_PARTITION_H

#include "explorer.h"

struct partition;

/* Between so many, at least 1. The options outlive it. */
struct partition *partition_new(const struct explorer_options *options, unsigned shards);
void partition_free(struct partition *partition);

/* A tree that is not begun; they are counted from 0, and taken to be as large as one another. */
void partition_add_tree(struct partition *partition);

/* The search whose next plan (explorer_next is not NULL) belongs to the stem, and its tree. It is
 * the partition's; when its plan has been carried out, ask again. NULL: what is left waits in parts
 * that are small enough, or each smaller one would cost more than it is worth. */
struct explorer *partition_next(struct partition *partition, unsigned *ret_tree);

/* What the plans of the stem came to, all together. */
void partition_statistics(const struct partition *partition, struct explorer_statistics *ret);

struct partition_part {
	unsigned tree;
	double share;       /* of that tree: an estimate */
	GVariant *frontier; /* for explorer_load */
};
/* After the stem: the parts of one, from 1, in order of their trees (GArray of struct
 * partition_part); free with g_array_unref. */
GArray *partition_parts(struct partition *partition, unsigned shard);

/* Says how all was divided; free with g_free. */
char *partition_digest(struct partition *partition);

#endif
