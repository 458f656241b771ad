#include "trace.h"
#include "common/mix.h"

#include <glib.h>

enum { CHUNK_SHIFT = 6 };

void trace_init(struct trace *trace)
{
	*trace = (struct trace){.events = chunks_of(sizeof(struct event), CHUNK_SHIFT)};
}

void trace_release(struct trace *trace)
{
	chunks_release(&trace->events);
	g_free(trace->asked);
	trace_init(trace);
}

void trace_append(struct trace *trace, const struct event *event)
{
	chunks_append(&trace->events, event);
}

static void append_question(struct trace *trace, enum event_kind kind, struct op_id id,
                            uint8_t thread, const struct asked *asked, uint32_t count)
{
	struct event event = {.kind = kind,
	                      .thread = thread,
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

void trace_append_ask(struct trace *trace, struct op_id id, uint8_t thread,
                      const struct asked *asked, uint32_t count)
{
	append_question(trace, EVENT_ASK, id, thread, asked, count);
}

void trace_append_later(struct trace *trace, struct op_id id, const struct asked *asked,
                        uint32_t count)
{
	append_question(trace, EVENT_LATER, id, 0, asked, count);
}

void trace_cut(struct trace *trace, size_t count)
{
	chunks_cut(&trace->events, count);
}

void trace_follow(struct trace *to, const struct trace *from)
{
	chunks_follow(&to->events, &from->events);
}

void trace_copy(struct trace *to, const struct trace *from)
{
	if (to == from)
		return;
	trace_release(to);
	trace_follow(to, from);
	to->asked = g_memdup2(from->asked, from->asked_count * sizeof *from->asked);
	to->asked_count = to->asked_capacity = from->asked_count;
}

size_t trace_common(const struct trace *one, const struct trace *other)
{
	size_t most = MIN(trace_count(one), trace_count(other)), count = 0;

	while (count < most) {
		size_t next = chunks_skip_shared(&one->events, &other->events, count);

		if (next == count && event_equal(trace_at(one, count), trace_at(other, count)))
			next++;
		if (next == count)
			break;
		count = next;
	}
	return MIN(count, most);
}

static bool operation_equal(const struct operation *a, const struct operation *b)
{
	return a->kind == b->kind && a->comm == b->comm && a->peer == b->peer && a->tag == b->tag
	       && a->waits_for_match == b->waits_for_match && a->by_choice == b->by_choice;
}

bool event_equal(const struct event *a, const struct event *b)
{
	if (a->kind != b->kind || a->thread != b->thread || !op_id_equal(a->op.id, b->op.id))
		return false;
	switch (a->kind) {
	case EVENT_SEND:
	case EVENT_RECEIVE: return operation_equal(&a->op, &b->op);
	case EVENT_MATCH: return a->chosen == b->chosen && op_id_equal(a->other, b->other);
	case EVENT_FETCH: return op_id_equal(a->other, b->other);
	case EVENT_ARRIVE:
		return a->collective == b->collective && a->root == b->root
		       && a->position == b->position && a->members == b->members
		       && a->order == b->order;
	case EVENT_LEAVE: return a->collective == b->collective && a->order == b->order;
	case EVENT_LATER:
		if (!operation_equal(&a->op, &b->op))
			return false;
		if (a->op.kind != OPERATION_QUESTION)
			return true;
		return a->asked_count == b->asked_count && a->asked_first == b->asked_first
		       && a->asked_hash == b->asked_hash;
	case EVENT_ASK:
		return a->asked_count == b->asked_count && a->asked_first == b->asked_first
		       && a->asked_hash == b->asked_hash;
	case EVENT_ANSWER: return taken_equal(&a->answer, &b->answer);
	case EVENT_COMPLETE:
	case EVENT_TAKEN:
	case EVENT_CANCEL:
	case EVENT_RECALL:
	case EVENT_REPEAT:
	case EVENT_WAKE: break;
	}
	return true;
}
