/* What is known of each rank. Few of the numbers of words (lock.h) are in use: they have a table.
 */
#include "dependence_internal.h"
#include "lock.h"

static void rank_clear(void *pointer)
{
	struct rank *rank = pointer;

	if (rank->records)
		g_array_free(rank->records, true);
	if (rank->threads)
		g_ptr_array_free(rank->threads, true);
}

void dependence_ranks_init(struct dependence *dependence)
{
	dependence->ranks = g_array_new(false, true, sizeof(struct rank));
	g_array_set_clear_func(dependence->ranks, rank_clear);
	dependence->words = g_array_new(false, true, sizeof(struct rank));
	g_array_set_clear_func(dependence->words, rank_clear);
	dependence->word_places = g_hash_table_new(NULL, NULL);
}

void dependence_ranks_release(struct dependence *dependence)
{
	g_array_free(dependence->ranks, true);
	g_array_free(dependence->words, true);
	g_hash_table_destroy(dependence->word_places);
}

struct rank *dependence_known_rank(const struct dependence *dependence, int32_t rank)
{
	guint place;

	if (rank >= LOCK_FIRST_WORD) {
		place = GPOINTER_TO_UINT(
			g_hash_table_lookup(dependence->word_places, GINT_TO_POINTER(rank)));
		return place > 0 ? &g_array_index(dependence->words, struct rank, place - 1) : NULL;
	}
	return rank >= 0 && (guint)rank < dependence->ranks->len
	               ? &g_array_index(dependence->ranks, struct rank, rank)
	               : NULL;
}

struct rank *dependence_rank_of(struct dependence *dependence, int32_t rank)
{
	struct rank *found = dependence_known_rank(dependence, rank);
	guint place;

	if (found)
		return found;
	if (rank >= LOCK_FIRST_WORD) {
		place = dependence->words->len + 1;
		g_array_set_size(dependence->words, place);
		g_hash_table_insert(dependence->word_places, GINT_TO_POINTER(rank),
		                    GUINT_TO_POINTER(place));
		return &g_array_index(dependence->words, struct rank, place - 1);
	}
	if ((guint)rank >= dependence->ranks->len)
		g_array_set_size(dependence->ranks, (guint)rank + 1);
	return &g_array_index(dependence->ranks, struct rank, rank);
}
