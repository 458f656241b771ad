/* The key of hash tables of queues. A message is in the queue of its source, destination and tag,
 * and in that of any tag; a receive is in the queue of its class. */
#ifndef MATCHPOINT_EXPLORER_QUEUE_KEY_H
#define MATCHPOINT_EXPLORER_QUEUE_KEY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/mix.h"

struct queue_key {
	int32_t rank; /* destination */
	int32_t source;
	int32_t tag;
	bool messages; /* false: receives */
	uint64_t comm;
};

/* GHashFunc and GEqualFunc. */
static inline guint queue_key_hash(gconstpointer pointer)
{
	const struct queue_key *key = pointer;
	uint64_t ranks = (uint64_t)(uint32_t)key->rank << 32 | (uint32_t)key->source;
	uint64_t tag = (uint64_t)(uint32_t)key->tag << 1 | key->messages;

	return (guint)mix(mix(key->comm, ranks), tag);
}

static inline gboolean queue_key_equal(gconstpointer left, gconstpointer right)
{
	const struct queue_key *a = left;
	const struct queue_key *b = right;

	return a->rank == b->rank && a->source == b->source && a->tag == b->tag
	       && a->messages == b->messages && a->comm == b->comm;
}

#endif
