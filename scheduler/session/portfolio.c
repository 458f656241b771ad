#include "portfolio.h"

#include "explorer/path.h"

#define SEED 1 /* any value: the draws only have to be fair, and differ from tree to tree */

/* The share of a tree's time that each order gets. Random walks reach most bugs first
 * (tests/benchmark/first_finding.py), above all those that take more than a few deviations. Depth
 * first finishes small trees. */
static const int shares[POOL_ORDERS] = {[POOL_DEPTH] = 1, [POOL_DEVIATIONS] = 1, [POOL_RANDOM] = 4};

struct tree {
	struct pool *pool;         /* NULL: this tree is not explored */
	gint64 spent[POOL_ORDERS]; /* parts taken; microseconds, if time is shared */
};

struct portfolio {
	struct tree trees[BUFFERING_PER_SEND + 1];
	bool takes[POOL_ORDERS]; /* the orders that share the time */
	struct host *host;       /* NULL: interleavings are shared, not time */
};

struct portfolio *portfolio_new(enum session_order order, struct host *host)
{
	struct portfolio *portfolio = g_new0(struct portfolio, 1);
	bool all = order == SESSION_ORDER_PORTFOLIO;

	portfolio->takes[POOL_DEPTH] = all;
	portfolio->takes[POOL_DEVIATIONS] = all || order == SESSION_ORDER_DEVIATIONS;
	portfolio->takes[POOL_RANDOM] = all;
	portfolio->host = host;
	return portfolio;
}

void portfolio_free(struct portfolio *portfolio)
{
	for (guint i = 0; portfolio && i < G_N_ELEMENTS(portfolio->trees); i++)
		pool_free(portfolio->trees[i].pool);
	g_free(portfolio);
}

void portfolio_add(struct portfolio *portfolio, enum buffering buffering, struct explorer *part)
{
	struct tree *tree = &portfolio->trees[buffering];

	if (!tree->pool)
		tree->pool = pool_new(SEED + (guint32)buffering);
	pool_add(tree->pool, part, POOL_ORDERS);
}

static gint64 spent_all(const struct tree *tree)
{
	gint64 all = 0;

	for (guint i = 0; i < POOL_ORDERS; i++)
		all += tree->spent[i];
	return all;
}

static struct tree *next_tree(struct portfolio *portfolio)
{
	struct tree *best = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(portfolio->trees); i++) {
		struct tree *tree = &portfolio->trees[i];

		if (tree->pool && pool_parts(tree->pool)->len > 0
		    && (!best || spent_all(tree) < spent_all(best)))
			best = tree;
	}
	return best;
}

/* A pool that has become too large is explored first, whatever order was chosen. */
static enum pool_order next_order(const struct portfolio *portfolio, const struct tree *tree)
{
	enum pool_order best = POOL_ORDERS;

	if (pool_is_full(tree->pool))
		return POOL_DEPTH;
	for (guint i = 0; i < POOL_ORDERS; i++)
		if (portfolio->takes[i]
		    && (best == POOL_ORDERS
		        || (tree->spent[i] + 1) * shares[best]
		                   < (tree->spent[best] + 1) * shares[i]))
			best = (enum pool_order)i;
	return best;
}

struct explorer *portfolio_take(struct portfolio *portfolio, struct portfolio_turn *ret)
{
	struct tree *tree = next_tree(portfolio);

	if (!tree)
		return NULL;
	ret->buffering = (enum buffering)(tree - portfolio->trees);
	ret->order = next_order(portfolio, tree);
	ret->begun = portfolio->host ? host_now(portfolio->host) : 0;
	tree->spent[ret->order]++;
	return pool_take(tree->pool, ret->order);
}

struct strategy *portfolio_strategy(struct portfolio *portfolio, const struct portfolio_turn *turn,
                                    struct explorer *part)
{
	struct pool *pool = portfolio->trees[turn->buffering].pool;
	struct strategy *strategy = turn->order == POOL_RANDOM ? strategy_turning(part, pool)
	                                                       : strategy_search(part);

	strategy->leaps = turn->order != POOL_DEPTH;
	return strategy;
}

void portfolio_return(struct portfolio *portfolio, const struct portfolio_turn *turn,
                      struct explorer *part)
{
	struct tree *tree = &portfolio->trees[turn->buffering];

	if (portfolio->host)
		tree->spent[turn->order] += host_now(portfolio->host) - turn->begun;
	pool_add(tree->pool, part, turn->order);
}

const GPtrArray *portfolio_parts(const struct portfolio *portfolio, enum buffering buffering)
{
	const struct tree *tree = &portfolio->trees[buffering];

	return tree->pool ? pool_parts(tree->pool) : NULL;
}

bool portfolio_needs(const struct portfolio *portfolio, enum buffering buffering,
                     const GArray *choices)
{
	const struct tree *tree = &portfolio->trees[buffering];

	return tree->pool && pool_needs(tree->pool, choices);
}
