#include "trace.h"

#include <glib.h>
#include <string.h>

void trace_init(struct trace *trace)
{
	*trace = (struct trace){0};
}

void trace_release(struct trace *trace)
{
	g_free(trace->events);
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

void trace_copy(struct trace *to, const struct trace *from)
{
	struct event *events = NULL;

	if (to == from)
		return;
	if (from->count > 0) {
		events = g_new(struct event, from->count);
		memcpy(events, from->events, from->count * sizeof *events);
	}
	g_free(to->events);
	*to = (struct trace){events, from->count, from->count};
}

static bool operation_equal(const struct operation *a, const struct operation *b)
{
	return a->kind == b->kind && a->comm == b->comm && a->peer == b->peer && a->tag == b->tag
	       && a->waits_for_match == b->waits_for_match;
}

bool event_equal(const struct event *a, const struct event *b)
{
	if (a->kind != b->kind || !op_id_equal(a->op.id, b->op.id))
		return false;
	switch (a->kind) {
	case EVENT_SEND:
	case EVENT_RECEIVE:
		return operation_equal(&a->op, &b->op);
	case EVENT_MATCH:
		return a->chosen == b->chosen && op_id_equal(a->other, b->other);
	case EVENT_ARRIVE:
		return a->collective == b->collective && a->root == b->root
		       && a->position == b->position;
	case EVENT_LEAVE:
		return a->collective == b->collective && a->order == b->order;
	case EVENT_COMPLETE:
	case EVENT_CANCEL:
		break;
	}
	return true;
}
