/* Intervals of addresses, of which those that meet a given one are found in O(log n) and their
 * number: a tree in the order of their first bytes, balanced by chance (a treap; Seidel and Aragon
 * 1996), that has in each node the last byte below it. The caller owns the nodes. */
#ifndef MATCHPOINT_SHIM_CHECK_INTERVALS_H
#define MATCHPOINT_SHIM_CHECK_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

/* Set `low`, `high` (behind the last byte, above `low`) and `owner`; the rest is the tree's. */
struct interval {
	int64_t low, high;
	void *owner;
	int64_t highest; /* of all below it, and its own */
	uint64_t weight; /* above those below it */
	struct interval *left, *right;
};

struct intervals {
	struct interval *root; /* NULL: none */
};

void intervals_add(struct intervals *intervals, struct interval *interval);
/* It is among them. */
void intervals_remove(struct intervals *intervals, struct interval *interval);

/* Calls `found` for each that has a byte from `low` to below `high`; it must not add or remove any.
 * Returns how many were looked at. */
typedef void (*interval_found)(struct interval *interval, void *user);
size_t intervals_meet(const struct intervals *intervals, int64_t low, int64_t high,
                      interval_found found, void *user);

#endif
