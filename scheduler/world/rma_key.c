#include "rma_key.h"

struct rma_key *rma_key_new(struct rma_key key)
{
	return g_memdup2(&key, sizeof(key));
}

guint rma_key_hash(gconstpointer pointer)
{
	const struct rma_key *key = pointer;

	return (guint)key->window * 31 + (guint)(key->window >> 32) + (guint)key->rank * 8191
	       + (guint)key->target;
}

gboolean rma_key_equal(gconstpointer a, gconstpointer b)
{
	const struct rma_key *one = a, *other = b;

	return one->window == other->window && one->rank == other->rank
	       && one->target == other->target;
}
