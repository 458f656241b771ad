#include "cycle.h"

void cycle_release(struct cycle *cycle)
{
	g_clear_pointer(&cycle->digests, g_hash_table_unref);
	*cycle = (struct cycle){0};
}

bool cycle_is_due(struct cycle *cycle, guint rounds)
{
	if (rounds < cycle->rounds)
		cycle_release(cycle);
	return cycle->state == CYCLE_OPEN
	       && (cycle->looks == 0 || rounds >= cycle->rounds + CYCLE_ROUNDS);
}

void cycle_look(struct cycle *cycle, guint rounds, guint asked)
{
	if (!cycle->digests)
		cycle->digests = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	cycle->rounds = rounds;
	cycle->missing = asked;
	cycle->looks++;
	cycle->changed = -1;
	if (asked == 0)
		cycle->state = CYCLE_UNKNOWN;
}

static bool is_same(const struct wire_digest *one, const struct wire_digest *other)
{
	return one && one->hash[0] == other->hash[0] && one->hash[1] == other->hash[1];
}

bool cycle_answer(struct cycle *cycle, int rank, const struct wire_digest *digest)
{
	const struct wire_digest *before;

	if (cycle->missing == 0)
		return false;
	before = g_hash_table_lookup(cycle->digests, GINT_TO_POINTER(rank));
	if (digest->hash[0] == 0 && digest->hash[1] == 0)
		cycle->state = CYCLE_UNKNOWN;
	else if (!is_same(before, digest) && cycle->changed < 0)
		cycle->changed = rank;
	g_hash_table_insert(cycle->digests, GINT_TO_POINTER(rank),
	                    g_memdup2(digest, sizeof(*digest)));
	if (--cycle->missing > 0 || cycle->state == CYCLE_UNKNOWN || cycle->looks == 1)
		return true;
	if (cycle->changed < 0)
		cycle->state = CYCLE_CLOSED;
	else if (cycle->looks >= CYCLE_LOOKS)
		cycle->state = CYCLE_CHANGES;
	return true;
}
