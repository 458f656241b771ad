#include "dependence_internal.h"

enum { CHUNK_SHIFT = 6 };

/* Overview. Operations are records, in the order of the trace. Each send is in two queues: that of
 * its tag, and that of all messages from its source. Each receive except probes is in the queue of
 * its class (source or any, tag or any). The operations that must be gone before a match are the
 * front part of some queues: of the four classes that fit the message, what was posted before the
 * receive; of the messages, what was sent before this one. A queue keeps the running union of what
 * the matches at its front depend on. So each such question is a binary search. */

struct dependence *dependence_new(void)
{
	struct dependence *dependence = g_new0(struct dependence, 1);

	dependence_ranks_init(dependence);
	trace_init(&dependence->events);
	dependence->before = g_ptr_array_new();
	dependence->records = chunks_of(sizeof(struct record), CHUNK_SHIFT);
	dependence->choices = g_array_new(false, false, sizeof(struct taken));
	dependence->queues = dependence_queues_new();
	dependence->asked = g_array_new(false, false, sizeof(struct asked));
	dependence->arrivals = arrivals_new();
	return dependence;
}

struct dependence *dependence_of_threads(void)
{
	struct dependence *dependence = dependence_new();

	dependence->by_thread = true;
	return dependence;
}

void dependence_free(struct dependence *dependence)
{
	if (!dependence)
		return;
	dependence_rewind(dependence, 0);
	dependence_ranks_release(dependence);
	trace_release(&dependence->events);
	g_ptr_array_free(dependence->before, true);
	chunks_release(&dependence->records);
	g_array_free(dependence->choices, true);
	g_hash_table_destroy(dependence->queues);
	g_array_free(dependence->asked, true);
	arrivals_free(dependence->arrivals);
	g_free(dependence);
}

static struct choice_set **thread_now(struct dependence *dependence, struct rank *rank,
                                      const struct event *event)
{
	if (event->op.id.sub == OPERATION_TURN)
		return &dependence->turns;
	if (!rank->threads)
		rank->threads = g_ptr_array_new();
	if (event->thread >= rank->threads->len)
		g_ptr_array_set_size(rank->threads, event->thread + 1);
	return (struct choice_set **)&g_ptr_array_index(rank->threads, event->thread);
}

/* What the rank or thread of this event depends on; valid until another one is asked for. */
static inline struct choice_set **now_of(struct dependence *dependence, const struct event *event)
{
	struct rank *rank = dependence_rank_of(dependence, event->op.id.rank);

	return dependence->by_thread ? thread_now(dependence, rank, event) : &rank->now;
}

struct record *dependence_find(const struct dependence *dependence, struct op_id id,
                               guint *ret_index)
{
	const struct rank *rank = dependence_known_rank(dependence, id.rank);
	const GArray *records;
	guint low = 0;
	guint high;

	if (!rank)
		return NULL;
	records = rank->records;
	high = records ? records->len : 0;
	while (low < high) {
		guint middle = low + (high - low) / 2;
		guint index = g_array_index(records, guint, middle);
		int order = op_id_compare(dependence_record_at(dependence, index)->op.id, id);

		if (order == 0) {
			*ret_index = index;
			return dependence_record_at(dependence, index);
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool dependence_join_receives(struct dependence *dependence, guint index,
                              const struct operation *send, struct choice_set **set)
{
	bool complete = true;

	for (int class = 0; class < 4; class ++) {
		struct queue_key key = {send->peer, class & 1 ? OPERATION_ANY : send->id.rank,
		                        class & 2 ? OPERATION_ANY : send->tag, false, send->comm};

		complete = dependence_join_front(dependence, key, index, set) && complete;
	}
	return complete;
}

static void read_operation(struct dependence *dependence, const struct operation *op,
                           struct choice_set *now)
{
	struct rank *rank = dependence_rank_of(dependence, op->id.rank);
	struct record record = {.op = *op,
	                        .step = dependence->before->len - 1,
	                        .issued = choice_set_ref(now),
	                        .choice = -1};
	guint index = (guint)dependence->records.count;
	struct queue_key key = {op->id.rank, op->peer, op->tag, false, op->comm};

	if (op->kind == OPERATION_SEND) {
		key = (struct queue_key){op->peer, op->id.rank, op->tag, true, op->comm};
		record.queues[0] = dependence_make_queue(dependence, key);
		key.tag = OPERATION_ANY;
		record.queues[1] = dependence_make_queue(dependence, key);
	} else if (op->kind == OPERATION_RECEIVE || op->kind == OPERATION_MPROBE) {
		record.queues[0] = dependence_make_queue(dependence, key);
	}
	for (int i = 0; i < 2; i++)
		if (record.queues[i])
			g_array_append_val(record.queues[i]->records, index);
	if (!rank->records)
		rank->records = g_array_new(false, false, sizeof(guint));
	g_array_append_val(rank->records, index);
	chunks_append(&dependence->records, &record);
}

static void unread_operation(struct dependence *dependence)
{
	guint index = (guint)dependence->records.count - 1;
	struct record *record = dependence_record_at(dependence, index);
	GArray *own = dependence_rank_of(dependence, record->op.id.rank)->records;

	for (int i = 0; i < 2; i++)
		if (record->queues[i])
			g_array_set_size(record->queues[i]->records,
			                 record->queues[i]->records->len - 1);
	g_array_set_size(own, own->len - 1);
	choice_set_unref(record->issued);
	chunks_cut(&dependence->records, index);
}

static void take_away(struct record *record, struct choice_set *set)
{
	record->gone = true;
	record->match = choice_set_ref(set);
}

static void put_back(struct record *record, guint index)
{
	for (int i = 0; i < 2; i++) {
		struct queue *queue = record->queues[i];
		guint place = queue ? dependence_place_of(queue->records, index) : 0;

		if (queue && queue->sums->len > place)
			g_ptr_array_set_size(queue->sums, (int)place);
	}
	choice_set_unref(record->match);
	record->match = NULL;
	record->gone = false;
	record->withdrawn = false;
	if (record->op.kind != OPERATION_SEND)
		record->choice = -1;
}

static void read_match(struct dependence *dependence, const struct event *event)
{
	guint at, sent;
	struct record *receive = dependence_find(dependence, event->op.id, &at);
	struct record *send = dependence_find(dependence, event->other, &sent);
	struct choice_set *set;

	if (!receive || !send)
		return;
	set = choice_set_ref(receive->issued);
	choice_set_join(&set, send->issued);
	dependence_join_receives(dependence, at, &send->op, &set);
	dependence_join_front(dependence, dependence_messages_for(&receive->op, send->op.id.rank),
	                      sent, &set);
	if (event->chosen) {
		const struct taken taken = taken_message(event->other);

		receive->choice = (int)dependence->choices->len;
		choice_set_add(&set, dependence->choices->len);
		g_array_append_val(dependence->choices, taken);
	}
	take_away(receive, set);
	if (receive->op.kind != OPERATION_PROBE)
		take_away(send, set);
	send->is_probed = receive->op.kind == OPERATION_MPROBE;
	choice_set_unref(set);
}

static void unread_match(struct dependence *dependence, const struct event *event)
{
	guint at, sent;
	struct record *receive = dependence_find(dependence, event->op.id, &at);
	struct record *send = dependence_find(dependence, event->other, &sent);

	if (!receive || !send)
		return;
	if (event->chosen)
		g_array_set_size(dependence->choices, dependence->choices->len - 1);
	put_back(receive, at);
	if (receive->op.kind != OPERATION_PROBE)
		put_back(send, sent);
	send->is_probed = false;
}

/* Adds what it depends on that a poll at this place finds this message. false: it cannot yet. */
static bool join_message(struct dependence *dependence, guint at, const struct operation *poll,
                         guint sent, struct choice_set **set)
{
	const struct record *send = dependence_record_at(dependence, sent);

	choice_set_join(set, send->issued);
	dependence_join_front(dependence, dependence_messages_for(poll, send->op.id.rank), sent,
	                      set);
	return dependence_join_receives(dependence, at, &send->op, set);
}

/* A poll that comes later in the loop gets this answer. */
static void join_later(struct dependence *dependence, guint at, struct record *record,
                       const struct taken *answer, struct choice_set **set)
{
	const struct record *later = dependence_later(dependence, record, answer);
	guint sent;

	if (!later)
		return;
	if (later->op.kind == OPERATION_QUESTION)
		dependence_join_answer(dependence, later, answer, set);
	else if (answer->kind == TAKEN_MESSAGE && dependence_find(dependence, answer->send, &sent))
		join_message(dependence, at, &later->op, sent, set);
}

/* The message that a matched probe took is received from here on: its send may complete. */
static void read_fetch(struct dependence *dependence, const struct event *event)
{
	guint index;
	struct record *send = dependence_find(dependence, event->other, &index);

	if (!send || send->is_fetched)
		return;
	send->is_fetched = true;
	send->fetch = choice_set_ref(*now_of(dependence, event));
}

static void unread_fetch(struct dependence *dependence, const struct event *event)
{
	guint index;
	struct record *send = dependence_find(dependence, event->other, &index);

	if (!send)
		return;
	send->is_fetched = false;
	choice_set_unref(send->fetch);
	send->fetch = NULL;
}

static void read_complete(struct dependence *dependence, const struct event *event)
{
	guint index;
	const struct record *record = dependence_find(dependence, event->op.id, &index);

	if (record && !record->withdrawn)
		dependence_join_completion(dependence, event->op.id, now_of(dependence, event));
}

static void read_taken(struct dependence *dependence, const struct event *event)
{
	guint index;
	const struct record *record = dependence_find(dependence, event->op.id, &index);

	if (!record || !record->gone)
		return;
	choice_set_join(now_of(dependence, event), record->match);
	choice_set_join(now_of(dependence, event), record->fetch);
}

static void read_ask(struct dependence *dependence, const struct event *event,
                     const struct trace *trace)
{
	g_array_append_vals(dependence->asked, trace->asked + event->asked_first,
	                    event->asked_count);
	read_operation(dependence, &event->op, *now_of(dependence, event));
}

static void unread_ask(struct dependence *dependence, const struct event *event)
{
	unread_operation(dependence);
	g_array_set_size(dependence->asked, dependence->asked->len - event->asked_count);
}

/* Probes that come later are in no queue: they hold up no message. */
static void read_later(struct dependence *dependence, const struct event *event,
                       const struct trace *trace)
{
	if (event->op.kind == OPERATION_QUESTION)
		read_ask(dependence, event, trace);
	else
		read_operation(dependence, &event->op, *now_of(dependence, event));
}

static void unread_later(struct dependence *dependence, const struct event *event)
{
	if (event->op.kind == OPERATION_QUESTION)
		unread_ask(dependence, event);
	else
		unread_operation(dependence);
}

static void read_recall(struct dependence *dependence, const struct event *event)
{
	guint index;
	struct record *record = dependence_find(dependence, event->op.id, &index);

	if (!record || record->is_recalled)
		return;
	record->is_recalled = true;
	record->recalled = choice_set_ref(*now_of(dependence, event));
}

static void unread_recall(struct dependence *dependence, const struct event *event)
{
	guint index;
	struct record *record = dependence_find(dependence, event->op.id, &index);

	if (!record)
		return;
	record->is_recalled = false;
	choice_set_unref(record->recalled);
	record->recalled = NULL;
}

/* Whether its choice is early or late completion. */
static bool is_decided_for(const struct record *record)
{
	return record->op.kind == OPERATION_SEND || record->op.kind == OPERATION_COLLECTIVE;
}

/* The rank depends on the answer from here on. Of a send or collective it learns at the
 * completion. */
static void read_answer(struct dependence *dependence, const struct event *event)
{
	guint at;
	struct record *record = dependence_find(dependence, event->op.id, &at);
	struct choice_set **now = now_of(dependence, event);
	struct choice_set *set;

	if (!record)
		return;
	set = choice_set_ref(record->issued);
	if (event->answer.ahead > 0)
		join_later(dependence, at, record, &event->answer, &set);
	else if (record->op.kind == OPERATION_QUESTION)
		dependence_join_answer(dependence, record, &event->answer, &set);
	else if (!is_decided_for(record))
		choice_set_join(&set, *now);
	record->choice = (int)dependence->choices->len;
	choice_set_add(&set, dependence->choices->len);
	g_array_append_val(dependence->choices, event->answer);
	if (is_decided_for(record)) {
		record->decided = choice_set_ref(set);
	} else {
		choice_set_join(now, set);
		take_away(record, set);
		record->withdrawn = record->op.kind != OPERATION_QUESTION;
	}
	choice_set_unref(set);
}

static void unread_answer(struct dependence *dependence, const struct event *event)
{
	guint at;
	struct record *record = dependence_find(dependence, event->op.id, &at);

	if (!record)
		return;
	g_array_set_size(dependence->choices, dependence->choices->len - 1);
	record->choice = -1;
	if (is_decided_for(record)) {
		choice_set_unref(record->decided);
		record->decided = NULL;
	} else {
		put_back(record, at);
	}
}

static void read_leave(struct dependence *dependence, const struct event *event)
{
	struct choice_set **now = now_of(dependence, event);
	guint index;
	const struct record *record = dependence_find(dependence, event->op.id, &index);

	arrivals_join(dependence->arrivals, event, now);
	if (record)
		choice_set_join(now, record->decided);
}

/* A rank's part in a collective can be asked about like any request. */
static void read_arrive(struct dependence *dependence, const struct event *event)
{
	const struct operation op = {.id = event->op.id, .kind = OPERATION_COLLECTIVE};
	struct choice_set *now = *now_of(dependence, event);

	read_operation(dependence, &op, now);
	arrivals_add(dependence->arrivals, event, now);
}

static void read_cancel(struct dependence *dependence, const struct event *event)
{
	guint index;
	struct record *record = dependence_find(dependence, event->op.id, &index);

	if (!record || record->gone)
		return;
	take_away(record, *now_of(dependence, event));
	record->withdrawn = true;
}

static void unread_cancel(struct dependence *dependence, const struct event *event)
{
	guint index;
	struct record *record = dependence_find(dependence, event->op.id, &index);

	if (record && record->withdrawn)
		put_back(record, index);
}

/* Changes nothing for the rank as a whole. */
static void read_wake(struct dependence *dependence, const struct event *event)
{
	struct choice_set **now = now_of(dependence, event);
	const GPtrArray *threads = dependence_rank_of(dependence, event->op.id.rank)->threads;

	for (guint i = 0; dependence->by_thread && i < threads->len; i++)
		if (i != event->thread)
			choice_set_join(now, g_ptr_array_index(threads, i));
}

static void read_event(struct dependence *dependence, const struct event *event,
                       const struct trace *trace)
{
	struct choice_set **now = now_of(dependence, event);

	dependence->has_threads |= event->thread > 0;
	g_ptr_array_add(dependence->before, choice_set_ref(*now));
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_RECEIVE: read_operation(dependence, &event->op, *now); break;
	case EVENT_MATCH: read_match(dependence, event); break;
	case EVENT_COMPLETE: read_complete(dependence, event); break;
	case EVENT_FETCH: read_fetch(dependence, event); break;
	case EVENT_TAKEN: read_taken(dependence, event); break;
	case EVENT_CANCEL: read_cancel(dependence, event); break;
	case EVENT_ASK: read_ask(dependence, event, trace); break;
	case EVENT_RECALL: read_recall(dependence, event); break;
	case EVENT_ANSWER: read_answer(dependence, event); break;
	case EVENT_ARRIVE: read_arrive(dependence, event); break;
	case EVENT_LEAVE: read_leave(dependence, event); break;
	case EVENT_LATER: read_later(dependence, event, trace); break;
	case EVENT_REPEAT: break;
	case EVENT_WAKE: read_wake(dependence, event); break;
	}
}

static void unread_event(struct dependence *dependence)
{
	guint last = dependence->before->len - 1;
	const struct event *event = trace_at(&dependence->events, last);
	struct choice_set **now = now_of(dependence, event);

	choice_set_unref(*now);
	*now = g_ptr_array_remove_index(dependence->before, last);
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_RECEIVE: unread_operation(dependence); break;
	case EVENT_MATCH: unread_match(dependence, event); break;
	case EVENT_FETCH: unread_fetch(dependence, event); break;
	case EVENT_CANCEL: unread_cancel(dependence, event); break;
	case EVENT_ASK: unread_ask(dependence, event); break;
	case EVENT_RECALL: unread_recall(dependence, event); break;
	case EVENT_ANSWER: unread_answer(dependence, event); break;
	case EVENT_ARRIVE:
		arrivals_drop_last(dependence->arrivals, event);
		unread_operation(dependence);
		break;
	case EVENT_LATER: unread_later(dependence, event); break;
	case EVENT_COMPLETE:
	case EVENT_TAKEN:
	case EVENT_LEAVE:
	case EVENT_REPEAT:
	case EVENT_WAKE: break;
	}
}

size_t dependence_count(const struct dependence *dependence)
{
	return dependence->before->len;
}

size_t dependence_common(const struct dependence *dependence, const struct trace *trace)
{
	return trace_common(&dependence->events, trace);
}

void dependence_rewind(struct dependence *dependence, size_t count)
{
	if (dependence->before->len <= count)
		return;
	while (dependence->before->len > count)
		unread_event(dependence);
	trace_cut(&dependence->events, count);
}

void dependence_read(struct dependence *dependence, const struct trace *trace)
{
	trace_follow(&dependence->events, trace);
	for (size_t i = dependence->before->len; i < trace_count(trace); i++)
		read_event(dependence, trace_at(trace, i), trace);
}

bool dependence_has_threads(const struct dependence *dependence)
{
	return dependence->has_threads;
}

guint dependence_choices(const struct dependence *dependence)
{
	return dependence->choices->len;
}

int dependence_choice(const struct dependence *dependence, struct op_id point,
                      struct taken *ret_taken)
{
	guint index;
	const struct record *record = dependence_find(dependence, point, &index);

	if (!record || record->choice < 0)
		return -1;
	*ret_taken = *dependence_taken(dependence, record);
	return record->choice;
}

bool dependence_knows_all(const struct dependence *dependence, int32_t number, guint first)
{
	const struct rank *rank = dependence_known_rank(dependence, number);

	for (guint i = first; i < dependence->choices->len; i++)
		if (!rank || !choice_set_has(rank->now, i))
			return false;
	return true;
}

struct choice_set *dependence_needs(const struct dependence *dependence, struct op_id point)
{
	guint index;
	const struct record *record = dependence_find(dependence, point, &index);

	return record ? choice_set_ref(record->match) : NULL;
}
