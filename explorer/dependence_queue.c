/* The queues of dependence.c: messages and receives in order, and what had to happen before those
 * at the front were gone. */
#include "dependence_internal.h"

static void set_unref(void *set)
{
	choice_set_unref(set);
}

static void queue_free(void *pointer)
{
	struct queue *queue = pointer;

	g_array_free(queue->records, true);
	g_ptr_array_free(queue->sums, true);
	g_free(queue);
}

guint dependence_place_of(const GArray *indices, guint index)
{
	guint low = 0;
	guint high = indices->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(indices, guint, middle) < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct queue *dependence_find_queue(const struct dependence *dependence, struct queue_key key)
{
	return g_hash_table_lookup(dependence->queues, &key);
}

struct queue *dependence_make_queue(struct dependence *dependence, struct queue_key key)
{
	struct queue *queue = dependence_find_queue(dependence, key);

	if (!queue) {
		queue = g_new0(struct queue, 1);
		queue->key = key;
		queue->records = g_array_new(false, false, sizeof(guint));
		queue->sums = g_ptr_array_new_with_free_func(set_unref);
		g_hash_table_insert(dependence->queues, &queue->key, queue);
	}
	return queue;
}

bool dependence_sum_up(struct dependence *dependence, struct queue *queue, guint count)
{
	while (queue->sums->len < count) {
		guint place = queue->sums->len;
		guint index = g_array_index(queue->records, guint, place);
		const struct record *record = dependence_record_at(dependence, index);
		struct choice_set *sum;

		if (!record->gone)
			return false;
		sum = place > 0 ? choice_set_ref(dependence_sum_at(queue, place - 1)) : NULL;
		choice_set_join(&sum, record->match);
		g_ptr_array_add(queue->sums, sum);
	}
	return true;
}

bool dependence_join_front(struct dependence *dependence, struct queue_key key, guint index,
                           struct choice_set **set)
{
	struct queue *queue = dependence_find_queue(dependence, key);
	guint count = queue ? dependence_place_of(queue->records, index) : 0;
	bool complete;

	if (count == 0)
		return true;
	complete = dependence_sum_up(dependence, queue, count);
	if (complete)
		choice_set_join(set, dependence_sum_at(queue, count - 1));
	return complete;
}

GHashTable *dependence_queues_new(void)
{
	return g_hash_table_new_full(queue_key_hash, queue_key_equal, NULL, queue_free);
}
