#include "round_knowledge.h"

#include "explorer/dependence.h"

struct round_knowledge {
	struct dependence *dependence;
	struct trace events;
	guint before, choices;
};

/* Whether the event is a choice, as dependence.h counts them. */
static bool is_choice(const struct event *event)
{
	return event->kind == EVENT_ANSWER || (event->kind == EVENT_MATCH && event->chosen);
}

static void append(struct trace *to, const struct trace *from, const struct event *event)
{
	if (event->kind == EVENT_ASK)
		trace_append_ask(to, event->op.id, event->thread, from->asked + event->asked_first,
		                 event->asked_count);
	else if (event->kind == EVENT_LATER && event->op.kind == OPERATION_QUESTION)
		trace_append_later(to, event->op.id, from->asked + event->asked_first,
		                   event->asked_count);
	else
		trace_append(to, event);
}

/* The place of the event by which an operation before `from` began; `from`: there is none. */
static size_t find_beginning(const struct trace *trace, size_t from, struct op_id id)
{
	for (size_t i = from; i-- > 0;) {
		const struct event *event = trace_at(trace, i);

		if ((event->kind == EVENT_SEND || event->kind == EVENT_RECEIVE)
		    && op_id_equal(event->op.id, id))
			return i;
	}
	return from;
}

/* The names of all operations begun since `from` (struct op_id). */
static GHashTable *begun_since(const struct trace *trace, size_t from)
{
	GHashTable *begun = g_hash_table_new(op_id_key_hash, op_id_key_equal);

	for (size_t i = from; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);

		if (event->kind == EVENT_SEND || event->kind == EVENT_RECEIVE
		    || event->kind == EVENT_ARRIVE)
			g_hash_table_add(begun, (void *)&event->op.id);
	}
	return begun;
}

static gint compare_places(gconstpointer one, gconstpointer other)
{
	const size_t left = *(const size_t *)one, right = *(const size_t *)other;

	return left < right ? -1 : left > right;
}

/* The operations matched since `from` that began before it: a match is one of known operations. */
static void append_earlier(struct trace *to, const struct trace *trace, size_t from)
{
	g_autoptr(GArray) places = g_array_new(false, false, sizeof(size_t));
	g_autoptr(GHashTable) begun = begun_since(trace, from);

	for (size_t i = from; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);
		const struct op_id ids[] = {event->op.id, event->other};

		for (guint j = 0; event->kind == EVENT_MATCH && j < G_N_ELEMENTS(ids); j++) {
			size_t place = g_hash_table_contains(begun, &ids[j])
			                       ? from
			                       : find_beginning(trace, from, ids[j]);

			if (place < from)
				g_array_append_val(places, place);
		}
	}
	g_array_sort(places, compare_places);
	for (guint i = 0; i < places->len; i++) {
		size_t place = g_array_index(places, size_t, i);

		if (i == 0 || place != g_array_index(places, size_t, i - 1))
			trace_append(to, trace_at(trace, place));
	}
}

struct round_knowledge *round_knowledge_new(const struct trace *trace, size_t from, size_t since)
{
	struct round_knowledge *knowledge = g_new0(struct round_knowledge, 1);

	knowledge->dependence = dependence_new();
	trace_init(&knowledge->events);
	append_earlier(&knowledge->events, trace, from);
	for (size_t i = from; i < trace_count(trace); i++) {
		append(&knowledge->events, trace, trace_at(trace, i));
		knowledge->choices += is_choice(trace_at(trace, i));
		knowledge->before += i < since && is_choice(trace_at(trace, i));
	}
	dependence_read(knowledge->dependence, &knowledge->events);
	return knowledge;
}

void round_knowledge_free(struct round_knowledge *knowledge)
{
	dependence_free(knowledge->dependence);
	trace_release(&knowledge->events);
	g_free(knowledge);
}

bool round_knowledge_has_all(const struct round_knowledge *knowledge, int rank)
{
	/* not so if a choice belongs to something earlier */
	return dependence_choices(knowledge->dependence) == knowledge->choices
	       && dependence_knows_all(knowledge->dependence, rank, knowledge->before);
}

/* Whether a receive or probe may take this message. */
static bool fits(const struct operation *receive, const struct operation *send)
{
	return receive->id.rank == send->peer && receive->comm == send->comm
	       && (receive->peer == OPERATION_ANY || receive->peer == send->id.rank)
	       && (receive->tag == OPERATION_ANY || receive->tag == send->tag);
}

/* Whether this is a probe since `from`: its alternatives were all there when it was answered, but
 * for messages sent since. */
static bool is_probe(const struct trace *trace, size_t from, struct op_id id)
{
	for (size_t i = from; i < trace_count(trace); i++)
		if (trace_at(trace, i)->kind == EVENT_RECEIVE
		    && op_id_equal(trace_at(trace, i)->op.id, id))
			return trace_at(trace, i)->op.kind != OPERATION_RECEIVE;
	return false;
}

static bool has_taken_from(const struct trace *trace, size_t since, struct op_id receive,
                           int source)
{
	for (size_t i = since; i < trace_count(trace); i++)
		if (trace_at(trace, i)->kind == EVENT_MATCH
		    && op_id_equal(trace_at(trace, i)->op.id, receive))
			return trace_at(trace, i)->other.rank == source;
	return false;
}

/* Whether a probe may find the message, or a receive from any source take it instead of that of
 * another source. */
static bool may_go_elsewhere(const struct trace *trace, size_t from, size_t since,
                             const struct operation *send)
{
	for (size_t i = from; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);

		if (event->kind != EVENT_RECEIVE || !fits(&event->op, send))
			continue;
		if (event->op.kind != OPERATION_RECEIVE
		    || (i >= since && event->op.peer == OPERATION_ANY
		        && !has_taken_from(trace, since, event->op.id, send->id.rank)))
			return true;
	}
	return false;
}

bool round_may_differ(const struct trace *trace, size_t from, size_t since)
{
	g_autoptr(GHashTable) begun = begun_since(trace, since);

	for (size_t i = from; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);

		if (i >= since
		    && (event->kind == EVENT_LATER
		        || (event->kind == EVENT_MATCH && event->chosen
		            && !g_hash_table_contains(begun, &event->op.id)
		            && !is_probe(trace, from, event->op.id))
		        || (event->kind == EVENT_SEND
		            && may_go_elsewhere(trace, from, since, &event->op))))
			return true;
		for (uint32_t j = 0; event->kind == EVENT_ASK && j < event->asked_count; j++)
			if (g_hash_table_contains(begun, &trace->asked[event->asked_first + j].id))
				return true;
	}
	return false;
}
