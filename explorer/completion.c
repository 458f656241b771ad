/* When requests complete, and which answers about them would have been possible. */
#include "dependence_internal.h"

struct record *dependence_later(const struct dependence *dependence, struct record *record,
                                const struct taken *answer)
{
	struct op_id id = record->op.id;
	guint index;

	if (answer->ahead == 0)
		return record;
	id.sub = OPERATION_LATER + answer->ahead;
	return dependence_find(dependence, id, &index);
}

static bool join_collective(const struct dependence *dependence, const struct record *record,
                            struct choice_set **set)
{
	struct event arrive = *trace_at(&dependence->events, record->step);

	if (record->decided && dependence_taken(dependence, record)->kind == TAKEN_LATE)
		arrive.order = ORDER_ALL;
	if (!arrivals_let_leave(dependence->arrivals, &arrive))
		return false;
	arrivals_join(dependence->arrivals, &arrive, set);
	choice_set_join(set, record->decided);
	return true;
}

bool dependence_join_completion(const struct dependence *dependence, struct op_id id,
                                struct choice_set **set)
{
	guint index;
	const struct record *record = dependence_find(dependence, id, &index);

	if (!record)
		return id.call != ASKED_NEVER;
	switch (record->op.kind) {
	case OPERATION_COLLECTIVE: return join_collective(dependence, record, set);
	case OPERATION_QUESTION: return true;
	case OPERATION_SEND:
		if (record->decided && dependence_taken(dependence, record)->kind == TAKEN_EARLY) {
			choice_set_join(set, record->decided);
			return true;
		}
		if (!record->op.waits_for_match)
			return true;
		if (record->is_probed && !record->is_fetched)
			return false;
		break;
	case OPERATION_RECEIVE:
	case OPERATION_PROBE:
	case OPERATION_MPROBE: break;
	}
	if (!record->gone)
		return false;
	choice_set_join(set, record->match);
	choice_set_join(set, record->fetch);
	choice_set_join(set, record->decided);
	return true;
}

/* The first entry whose index is not below `index`. */
static uint32_t place_of(const struct asked *asked, uint32_t count, uint32_t index)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (asked[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool dependence_join_answer(const struct dependence *dependence, const struct record *question,
                            const struct taken *answer, struct choice_set **set)
{
	const struct event *ask = trace_at(&dependence->events, question->step);
	const struct asked *asked = (const struct asked *)(void *)dependence->asked->data
	                            + ask->asked_first;
	uint32_t count = ask->asked_count > 0 ? asked[ask->asked_count - 1].index + 1 : 0;
	struct choice_set *all = choice_set_ref(*set);

	for (uint32_t i = taken_next(answer, 0, count); i < count;
	     i = taken_next(answer, i + 1, count)) {
		uint32_t place = place_of(asked, ask->asked_count, i);

		for (; place < ask->asked_count && asked[place].index == i; place++) {
			if (dependence_join_completion(dependence, asked[place].id, &all))
				continue;
			choice_set_unref(all);
			return false;
		}
	}
	choice_set_unref(*set);
	*set = all;
	return true;
}

bool dependence_complete(const struct dependence *dependence, struct op_id question, uint32_t index,
                         struct choice_set **ret_needs)
{
	guint at;
	const struct record *record = dependence_find(dependence, question, &at);
	const struct taken one = taken_one(index);

	if (!record || record->op.kind != OPERATION_QUESTION)
		return false;
	*ret_needs = choice_set_ref(record->issued);
	if (dependence_join_answer(dependence, record, &one, ret_needs))
		return true;
	choice_set_unref(*ret_needs);
	return false;
}

enum alternative_state dependence_answer(const struct dependence *dependence, struct op_id point,
                                         const struct taken *answer, struct choice_set **ret_needs)
{
	guint index;
	struct record *record = dependence_find(dependence, point, &index);
	const struct record *asked = record ? dependence_later(dependence, record, answer) : NULL;
	struct choice_set *needs;
	bool possible = false;

	if (!asked || record->choice < 0)
		return ALTERNATIVE_NONE;
	needs = choice_set_ref(record->issued);
	if (asked->op.kind == OPERATION_QUESTION) {
		possible = dependence_join_answer(dependence, asked, answer, &needs);
	} else if (answer->kind == TAKEN_CANCELLED && record->is_recalled) {
		choice_set_join(&needs, record->recalled);
		possible = true;
	}
	if (possible && !choice_set_has(needs, (guint)record->choice)) {
		*ret_needs = needs;
		return ALTERNATIVE_POSSIBLE;
	}
	choice_set_unref(needs);
	return possible ? ALTERNATIVE_NEVER : ALTERNATIVE_NONE;
}

bool dependence_may_take(const struct dependence *dependence, struct op_id point, uint32_t ahead,
                         int32_t source)
{
	const struct taken later = {.ahead = (uint16_t)ahead};
	guint index;
	struct record *record = dependence_find(dependence, point, &index);

	if (record)
		record = dependence_later(dependence, record, &later);

	if (!record || record->op.kind == OPERATION_QUESTION
	    || (record->op.kind == OPERATION_SEND || record->op.kind == OPERATION_COLLECTIVE))
		return false;
	return record->op.peer == OPERATION_ANY || record->op.peer == source;
}
