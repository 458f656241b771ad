#include "intervals.h"

#include <stdbool.h>

#include "common/mix.h"

static bool is_before(const struct interval *one, const struct interval *other)
{
	return one->low != other->low ? one->low < other->low : one < other;
}

static void find_highest(struct interval *node)
{
	node->highest = node->high;
	if (node->left && node->left->highest > node->highest)
		node->highest = node->left->highest;
	if (node->right && node->right->highest > node->highest)
		node->highest = node->right->highest;
}

/* Splits a tree into the nodes before `at` and those after it. */
static void split(struct interval *node, const struct interval *at, struct interval **ret_left,
                  struct interval **ret_right)
{
	if (!node) {
		*ret_left = *ret_right = NULL;
	} else if (is_before(node, at)) {
		split(node->right, at, &node->right, ret_right);
		*ret_left = node;
		find_highest(node);
	} else {
		split(node->left, at, ret_left, &node->left);
		*ret_right = node;
		find_highest(node);
	}
}

/* Joins two trees; all of `left` comes before all of `right`. */
static struct interval *join(struct interval *left, struct interval *right)
{
	if (!left || !right)
		return left ? left : right;
	if (left->weight > right->weight) {
		left->right = join(left->right, right);
		find_highest(left);
		return left;
	}
	right->left = join(left, right->left);
	find_highest(right);
	return right;
}

static void add_below(struct interval **at, struct interval *interval)
{
	struct interval *node = *at;

	if (node && node->weight >= interval->weight) {
		add_below(is_before(interval, node) ? &node->left : &node->right, interval);
		find_highest(node);
		return;
	}
	split(node, interval, &interval->left, &interval->right);
	find_highest(interval);
	*at = interval;
}

static void remove_below(struct interval **at, struct interval *interval)
{
	struct interval *node = *at;

	if (node == interval) {
		*at = join(node->left, node->right);
		return;
	}
	remove_below(is_before(interval, node) ? &node->left : &node->right, interval);
	find_highest(node);
}

/* The weight is a hash of the node's address: random enough, and the same in each run. */
void intervals_add(struct intervals *intervals, struct interval *interval)
{
	interval->weight = mix(1, (uintptr_t)interval);
	add_below(&intervals->root, interval);
}

void intervals_remove(struct intervals *intervals, struct interval *interval)
{
	remove_below(&intervals->root, interval);
}

size_t intervals_meet(const struct intervals *intervals, int64_t low, int64_t high,
                      interval_found found, void *user)
{
	struct interval *node = intervals->root;
	size_t looked = 0;

	while (node && node->highest > low) {
		struct intervals left = {node->left};

		looked += 1 + intervals_meet(&left, low, high, found, user);
		if (node->low >= high)
			return looked;
		if (node->high > low)
			found(node, user);
		node = node->right;
	}
	return looked;
}
