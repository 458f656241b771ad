#include "livelock_detector.h"

#include "common/mix.h"

void livelock_detector_release(struct livelock_detector *detector)
{
	g_clear_pointer(&detector->digests, g_hash_table_unref);
	*detector = (struct livelock_detector){0};
}

bool livelock_detector_is_due(struct livelock_detector *detector, guint rounds)
{
	if (rounds < detector->rounds)
		livelock_detector_release(detector);
	return detector->state == LIVELOCK_OPEN
	       && (detector->looks == 0 || rounds >= detector->rounds + LIVELOCK_DETECTOR_ROUNDS);
}

void livelock_detector_ask(struct livelock_detector *detector, guint rounds, guint asked)
{
	if (!detector->digests)
		detector->digests = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	detector->rounds = rounds;
	detector->missing = asked;
	detector->seen[detector->looks++] = 0;
	detector->changed = -1;
	if (asked == 0)
		detector->state = LIVELOCK_UNKNOWN;
}

static bool is_same(const struct wire_digest *one, const struct wire_digest *other)
{
	return one && one->hash[0] == other->hash[0] && one->hash[1] == other->hash[1];
}

/* What the ranks do from a state on does not depend on how they have come to it: handles of
 * requests may take turns, for example. */
static bool was_seen(const struct livelock_detector *detector)
{
	for (guint i = 0; i + 1 < detector->looks; i++)
		if (detector->seen[i] == detector->seen[detector->looks - 1])
			return true;
	return false;
}

bool livelock_detector_answer(struct livelock_detector *detector, int rank,
                              const struct wire_digest *digest)
{
	const struct wire_digest *before;

	if (detector->missing == 0)
		return false;
	before = g_hash_table_lookup(detector->digests, GINT_TO_POINTER(rank));
	if (digest->hash[0] == 0 && digest->hash[1] == 0)
		detector->state = LIVELOCK_UNKNOWN;
	else if (!is_same(before, digest) && detector->changed < 0)
		detector->changed = rank;
	g_hash_table_insert(detector->digests, GINT_TO_POINTER(rank),
	                    g_memdup2(digest, sizeof(*digest)));
	/* a sum: answers come in any order */
	detector->seen[detector->looks - 1] += mix(mix((guint64)rank, digest->hash[0]),
	                                           digest->hash[1]);
	if (--detector->missing > 0 || detector->state == LIVELOCK_UNKNOWN || detector->looks == 1)
		return true;
	if (was_seen(detector))
		detector->state = LIVELOCK_CLOSED;
	else if (detector->looks >= LIVELOCK_DETECTOR_LOOKS)
		detector->state = LIVELOCK_CHANGES;
	return true;
}
