/* A set of address intervals. Those that meet a given interval are found in O(log n) plus their
 * number. A treap (Seidel and Aragon 1996) ordered by first byte; each node holds the highest end
 * of its subtree. The caller owns the nodes. */
#ifndef MATCHPOINT_SHIM_CHECK_INTERVALS_H
#define MATCHPOINT_SHIM_CHECK_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

/* The caller sets `low`, `high` (after the last byte, above `low`) and `owner`. The tree uses the
 * rest. */
struct interval {
	int64_t low, high;
	void *owner;
	int64_t highest; /* highest `high` in this node's subtree */
	uint64_t weight; /* at least that of its children */
	struct interval *left, *right;
};

struct intervals {
	struct interval *root; /* NULL: empty */
};

void intervals_add(struct intervals *intervals, struct interval *interval);
/* The interval must be in the set. */
void intervals_remove(struct intervals *intervals, struct interval *interval);

/* Calls `found` for each interval that has a byte in [low, high). `found` must not add or remove
 * intervals. Returns the number of nodes visited. */
typedef void (*interval_found)(struct interval *interval, void *user);
size_t intervals_meet(const struct intervals *intervals, int64_t low, int64_t high,
                      interval_found found, void *user);

#endif
