#include "trace.h"
#include "mix.h"

#include <glib.h>

void trace_init(struct trace *trace)
{
	*trace = (struct trace){0};
}

void trace_release(struct trace *trace)
{
	g_free(trace->events);
	g_free(trace->asked);
	trace_init(trace);
}

void trace_append(struct trace *trace, const struct event *event)
{
	struct event copy = *event; /* which may stand in the trace */

	if (trace->count == trace->capacity) {
		trace->capacity = trace->capacity ? trace->capacity * 2 : 64;
		trace->events = g_renew(struct event, trace->events, trace->capacity);
	}
	trace->events[trace->count++] = copy;
}

void trace_append_ask(struct trace *trace, struct op_id id, const struct asked *asked,
                      uint32_t count)
{
	struct event event = {.kind = EVENT_ASK,
	                      .op = {.id = id, .kind = OPERATION_QUESTION},
	                      .asked_first = (uint32_t)trace->asked_count,
	                      .asked_count = count};

	if (trace->asked_count + count > trace->asked_capacity) {
		trace->asked_capacity = MAX(2 * trace->asked_capacity, trace->asked_count + count);
		trace->asked = g_renew(struct asked, trace->asked, trace->asked_capacity);
	}
	for (uint32_t i = 0; i < count; i++) {
		trace->asked[trace->asked_count++] = asked[i];
		event.asked_hash = mix(mix(event.asked_hash, op_id_hash(asked[i].id)),
		                       asked[i].index);
	}
	trace_append(trace, &event);
}

void trace_copy(struct trace *to, const struct trace *from)
{
	struct event *events;
	struct asked *asked;

	if (to == from)
		return;
	events = g_memdup2(from->events, from->count * sizeof *events);
	asked = g_memdup2(from->asked, from->asked_count * sizeof *asked);
	g_free(to->events);
	g_free(to->asked);
	*to = (struct trace){events, from->count,       from->count,
	                     asked,  from->asked_count, from->asked_count};
}

static bool operation_equal(const struct operation *a, const struct operation *b)
{
	return a->kind == b->kind && a->comm == b->comm && a->peer == b->peer && a->tag == b->tag
	       && a->waits_for_match == b->waits_for_match && a->by_choice == b->by_choice;
}

bool event_equal(const struct event *a, const struct event *b)
{
	if (a->kind != b->kind || !op_id_equal(a->op.id, b->op.id))
		return false;
	switch (a->kind) {
	case EVENT_SEND:
	case EVENT_RECEIVE: return operation_equal(&a->op, &b->op);
	case EVENT_MATCH: return a->chosen == b->chosen && op_id_equal(a->other, b->other);
	case EVENT_ARRIVE:
		return a->collective == b->collective && a->root == b->root
		       && a->position == b->position && a->members == b->members
		       && a->order == b->order;
	case EVENT_LEAVE: return a->collective == b->collective && a->order == b->order;
	case EVENT_ASK:
		return a->asked_count == b->asked_count && a->asked_first == b->asked_first
		       && a->asked_hash == b->asked_hash;
	case EVENT_ANSWER: return taken_equal(&a->answer, &b->answer);
	case EVENT_COMPLETE:
	case EVENT_TAKEN:
	case EVENT_CANCEL:
	case EVENT_RECALL:
	case EVENT_REPEAT: break;
	}
	return true;
}
