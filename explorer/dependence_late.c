/* Messages that come later: those that a receive or probe with a choice could have taken
 * instead. */
#include "dependence_internal.h"

/* The first place whose running union has the choice; none: the number of places summed up. */
static guint first_that_needs(const struct queue *queue, guint choice)
{
	guint low = 0;
	guint high = queue->sums->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (choice_set_has(dependence_sum_at(queue, middle), choice))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The messages of one source that could match a receive whose choice is in the trace. */
struct candidates {
	const struct record
		*chosen; /* the receive; of a loop of polls, the poll that asks for them */
	guint at;        /* index of the record of the receive, or of the loop */
	guint choice;
	struct queue *queue; /* NULL: no messages */
	guint place;         /* in the queue: the first place that depends on the choice */
};

/* False: no choice was made for that receive. */
static bool find_candidates(struct dependence *dependence, struct op_id receive, uint32_t ahead,
                            int32_t source, struct candidates *ret)
{
	const struct taken later = {.ahead = (uint16_t)ahead};
	struct record *record = dependence_find(dependence, receive, &ret->at);

	if (!record || record->choice < 0)
		return false;
	ret->choice = (guint)record->choice;
	ret->chosen = dependence_later(dependence, record, &later);
	if (!ret->chosen)
		return false;
	ret->queue = dependence_find_queue(dependence,
	                                   dependence_messages_for(&ret->chosen->op, source));
	if (ret->queue)
		dependence_sum_up(dependence, ret->queue, ret->queue->records->len);
	ret->place = ret->queue ? first_that_needs(ret->queue, ret->choice) : 0;
	return true;
}

enum alternative_state dependence_alternative(struct dependence *dependence, struct op_id receive,
                                              uint32_t ahead, int32_t source,
                                              struct op_id *ret_send, struct choice_set **ret_needs)
{
	struct choice_set *source_now = dependence_rank_of(dependence, source)->now;
	struct choice_set *needs = NULL;
	const struct record *send;
	struct candidates candidates;
	guint sent;

	if (!find_candidates(dependence, receive, ahead, source, &candidates))
		return ALTERNATIVE_NONE;
	if (!candidates.queue || candidates.place == candidates.queue->records->len)
		return choice_set_has(source_now, candidates.choice) ? ALTERNATIVE_NEVER
		                                                     : ALTERNATIVE_NONE;
	sent = g_array_index(candidates.queue->records, guint, candidates.place);
	send = dependence_record_at(dependence, sent);
	if (choice_set_has(send->issued, candidates.choice))
		return ALTERNATIVE_NEVER;
	needs = choice_set_ref(send->issued);
	choice_set_join(&needs, candidates.chosen->issued);
	dependence_join_front(dependence, candidates.queue->key, sent, &needs);
	if (!dependence_join_receives(dependence, candidates.at, &send->op, &needs)
	    || choice_set_has(needs, candidates.choice)) {
		choice_set_unref(needs);
		return ALTERNATIVE_BLOCKED;
	}
	*ret_send = send->op.id;
	*ret_needs = needs;
	return ALTERNATIVE_POSSIBLE;
}

bool dependence_is_safe(const struct dependence *dependence, struct op_id probe, struct op_id send)
{
	guint at, sent;
	const struct record *asking = dependence_find(dependence, probe, &at);
	const struct record *message = dependence_find(dependence, send, &sent);
	const GArray *records;

	if (!asking || !message || asking->op.kind != OPERATION_PROBE)
		return true;
	if (message->gone && !choice_set_has(message->match, (guint)asking->choice))
		return false;
	records = dependence_known_rank(dependence, probe.rank)->records;
	for (guint i = dependence_place_of(records, at) + 1; i < records->len; i++) {
		const struct record *other = dependence_record_at(dependence,
		                                                  g_array_index(records, guint, i));

		if ((other->op.kind == OPERATION_RECEIVE || other->op.kind == OPERATION_MPROBE)
		    && operation_fits(&other->op, &message->op)
		    && !choice_set_has(other->issued, (guint)asking->choice)
		    && (!other->gone || choice_set_has(other->match, (guint)asking->choice)))
			return false;
	}
	return true;
}

/* Whether everything that the source does from now on depends on the choice. */
static bool has_learnt(const struct dependence *dependence, int32_t source, guint choice)
{
	const GPtrArray *threads =
		(guint)source < dependence->ranks->len
			? g_array_index(dependence->ranks, struct rank, source).threads
			: NULL;
	bool learnt = threads != NULL;

	for (guint i = 0; learnt && i < threads->len; i++)
		learnt = choice_set_has(g_ptr_array_index(threads, i), choice);
	return learnt;
}

enum alternative_state dependence_may_come(struct dependence *dependence, struct op_id receive,
                                           int32_t source)
{
	struct candidates candidates;

	if (!find_candidates(dependence, receive, 0, source, &candidates))
		return ALTERNATIVE_NONE;
	for (guint i = candidates.place; candidates.queue && i < candidates.queue->records->len;
	     i++) {
		guint index = g_array_index(candidates.queue->records, guint, i);

		if (!choice_set_has(dependence_record_at(dependence, index)->issued,
		                    candidates.choice))
			return ALTERNATIVE_POSSIBLE;
	}
	return has_learnt(dependence, source, candidates.choice) ? ALTERNATIVE_NEVER
	                                                         : ALTERNATIVE_NONE;
}
