#include "cut.h"

#include <string.h>

/* An operation or a question. */
struct node {
	struct operation op;
	guint32 *issued; /* vector clock at the issue: the last call that each rank had made */
	guint32 *done;   /* vector clock at the match or answer; NULL: not yet */
	const struct node *partner;
	bool decided; /* a choice was made whether it completes early or late */
	bool early;
	guint32 learnt; /* the call in which its rank learnt of the completion; 0: none */
	uint64_t collective;
	size_t asked_first;
	uint32_t asked_count;
};

/* The arrival of a member in a collective. */
struct member {
	struct op_id id;
	int32_t position, root;
	guint32 *clock;
};

struct line {
	guint32 *now; /* vector clock: what it depends on, and the calls it has returned from */
	guint32 next; /* the first call that `needs` does not contain yet */
	/* struct node, not owned: receives that were not known to be complete when another receive
	 * that is still unmatched was posted */
	GPtrArray *pending;
	/* guint32 for each rank of each call: what the return from the call needs */
	GArray *needs;
	guint rest, arrival; /* number of notes that were read */
};

struct cuts {
	int ranks;
	guint32 *calls;
	const struct trace *trace;
	const struct cut_notes *notes;
	struct line *lines;
	/* vector clock like `now`, by the number of the lock's place (lock.h) */
	GHashTable *places;
	GHashTable *nodes;       /* struct node, by id */
	GHashTable *collectives; /* GArray of struct member, by number */
};

void cut_notes_init(struct cut_notes *notes)
{
	notes->rests = g_array_new(false, false, sizeof(struct cut_rest));
	notes->rounds = g_array_new(false, false, sizeof(guint32));
	notes->decisions = g_array_new(false, false, sizeof(struct cut_decision));
	notes->arrivals = g_array_new(false, false, sizeof(struct cut_arrival));
}

void cut_notes_copy(struct cut_notes *to, const struct cut_notes *from)
{
	to->rests = g_array_copy(from->rests);
	to->rounds = g_array_copy(from->rounds);
	to->decisions = g_array_copy(from->decisions);
	to->arrivals = g_array_copy(from->arrivals);
}

void cut_notes_release(struct cut_notes *notes)
{
	g_array_unref(notes->rests);
	g_array_unref(notes->rounds);
	g_array_unref(notes->decisions);
	g_array_unref(notes->arrivals);
}

/* --- clocks ----------------------------------------------------------------------------------- */

static guint32 *clock_copy(const struct cuts *cuts, const guint32 *clock)
{
	return g_memdup2(clock, (gsize)cuts->ranks * sizeof(*clock));
}

static void clock_join(const struct cuts *cuts, guint32 *clock, const guint32 *other)
{
	for (int rank = 0; other && rank < cuts->ranks; rank++)
		clock[rank] = MAX(clock[rank], other[rank]);
}

static bool clock_within(const struct cuts *cuts, const guint32 *clock, const guint32 *cut)
{
	for (int rank = 0; rank < cuts->ranks; rank++)
		if (clock[rank] > cut[rank])
			return false;
	return true;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void node_free(gpointer data)
{
	struct node *node = data;

	g_free(node->issued);
	g_free(node->done);
	g_free(node);
}

static void member_clear(gpointer data)
{
	g_free(((struct member *)data)->clock);
}

static struct node *find(const struct cuts *cuts, struct op_id id)
{
	return g_hash_table_lookup(cuts->nodes, &id);
}

static bool is_rank(const struct cuts *cuts, int32_t rank)
{
	return rank >= 0 && rank < cuts->ranks;
}

/* What a place depends on: the release by the rank that had the lock before. */
static guint32 *place_now(struct cuts *cuts, int32_t place)
{
	gpointer key = GINT_TO_POINTER(place);
	guint32 *now = g_hash_table_lookup(cuts->places, key);

	if (!now) {
		now = g_new0(guint32, cuts->ranks);
		g_hash_table_insert(cuts->places, key, now);
	}
	return now;
}

/* --- needs of calls --------------------------------------------------------------------------- */

static const guint32 *round_of(const struct cuts *cuts, guint round)
{
	return &g_array_index(cuts->notes->rounds, guint32, round * (guint)cuts->ranks);
}

/* Whether what was decided at the rest has made the rank continue. A decision after the rank's last
 * call, from which it had returned, has not led to another call yet. */
static bool has_continued(const struct cuts *cuts, const struct cut_rest *rest)
{
	return !rest->all || rest->call < cuts->calls[rest->rank]
	       || round_of(cuts, rest->round)[rest->rank] <= rest->call;
}

static void join_notes(struct cuts *cuts, int32_t rank, guint32 call)
{
	const struct cut_notes *notes = cuts->notes;
	struct line *line = &cuts->lines[rank];

	for (; line->rest < notes->rests->len; line->rest++) {
		const struct cut_rest *rest = &g_array_index(notes->rests, struct cut_rest,
		                                             line->rest);

		if (rest->rank == rank && rest->call > call)
			break;
		if (rest->rank == rank && rest->call == call && has_continued(cuts, rest))
			clock_join(cuts, line->now, round_of(cuts, rest->round));
	}
	for (; line->arrival < notes->arrivals->len; line->arrival++) {
		const struct cut_arrival *arrival = &g_array_index(
			notes->arrivals, struct cut_arrival, line->arrival);
		const struct node *receive;

		if (arrival->rank == rank && arrival->call > call)
			break;
		receive = arrival->rank == rank && arrival->call == call
		                  ? find(cuts, arrival->receive)
		                  : NULL;
		if (receive)
			clock_join(cuts, line->now, receive->done);
	}
}

/* The rank has returned from all calls before `call`. */
static struct line *advance(struct cuts *cuts, int32_t rank, guint32 call)
{
	struct line *line = &cuts->lines[rank];

	for (; line->next < call; line->next++) {
		line->now[rank] = MAX(line->now[rank], line->next);
		join_notes(cuts, rank, line->next);
		g_array_append_vals(line->needs, line->now, (guint)cuts->ranks);
	}
	return line;
}

/* The rank has also made `call`. */
static struct line *make(struct cuts *cuts, int32_t rank, guint32 call)
{
	struct line *line = advance(cuts, rank, call);

	line->now[rank] = MAX(line->now[rank], call);
	return line;
}

static struct node *issue(struct cuts *cuts, const struct event *event)
{
	struct op_id id = event->op.id;
	struct node *node = g_new0(struct node, 1);

	node->op = event->op;
	node->issued = clock_copy(cuts, is_rank(cuts, id.rank) ? make(cuts, id.rank, id.call)->now
	                                                       : place_now(cuts, id.rank));
	g_hash_table_replace(cuts->nodes, &node->op.id, node);
	return node;
}

/* Whether rule 2 of section 3.5 required the earlier receive to be gone before this receive could
 * take the message. */
static bool must_precede(const struct node *earlier, const struct node *receive,
                         const struct node *send)
{
	if (earlier->op.kind == OPERATION_PROBE || !earlier->done
	    || op_id_compare(earlier->op.id, receive->op.id) >= 0)
		return false;
	if (operation_fits(&earlier->op, &send->op))
		return true;
	return earlier->partner && earlier->partner->op.id.rank == send->op.id.rank
	       && op_id_compare(earlier->partner->op.id, send->op.id) < 0
	       && operation_fits(&receive->op, &earlier->partner->op);
}

/* Adds the clocks of all receives that had to be gone first. */
static void join_earlier(struct cuts *cuts, struct node *receive, const struct node *send)
{
	const GPtrArray *pending = cuts->lines[receive->op.id.rank].pending;

	for (guint i = 0; i < pending->len; i++)
		if (must_precede(pending->pdata[i], receive, send))
			clock_join(cuts, receive->done, ((struct node *)pending->pdata[i])->done);
}

static void read_match(struct cuts *cuts, const struct event *event)
{
	struct node *receive = find(cuts, event->op.id), *send = find(cuts, event->other);
	struct op_id chooser;

	if (!receive || !send)
		return;
	chooser = is_rank(cuts, receive->op.id.rank) ? receive->op.id : send->op.id;
	receive->done = clock_copy(cuts, receive->issued);
	receive->partner = send;
	clock_join(cuts, receive->done, send->issued);
	if (event->chosen) /* while the rank is in the call, the choice is open */
		receive->done[chooser.rank] = MAX(receive->done[chooser.rank], chooser.call + 1);
	if (is_rank(cuts, receive->op.id.rank))
		join_earlier(cuts, receive, send);
	if (receive->op.kind == OPERATION_PROBE)
		return;
	g_free(send->done);
	send->done = clock_copy(cuts, receive->done);
}

/* The line of the rank, advanced to the call in which it learns of the event, if the event has
 * it. */
static struct line *learns(struct cuts *cuts, const struct event *event)
{
	return event->other.call > 0 ? make(cuts, event->op.id.rank, event->other.call)
	                             : &cuts->lines[event->op.id.rank];
}

/* A matched probe took the message; its send completes only now that it is received. */
static void read_fetch(struct cuts *cuts, const struct event *event)
{
	const struct line *line = make(cuts, event->op.id.rank, event->op.id.call);
	const struct node *send = find(cuts, event->other);

	if (send && send->done)
		clock_join(cuts, send->done, line->now);
}

/* A place learns that the lock was released. */
static void read_release(struct cuts *cuts, const struct event *event)
{
	const struct node *node = find(cuts, event->op.id);

	if (node)
		clock_join(cuts, place_now(cuts, event->op.id.rank), node->done);
}

/* Drops the receives that were known to be complete before the oldest unmatched one was posted. */
static void forget_known(struct line *line)
{
	guint32 oldest = G_MAXUINT32;

	for (guint i = 0; i < line->pending->len; i++) {
		const struct node *node = line->pending->pdata[i];

		if (!node->done)
			oldest = MIN(oldest, node->op.id.call);
	}
	for (guint i = line->pending->len; i-- > 0;) {
		const struct node *node = line->pending->pdata[i];

		if (node->learnt > 0 && node->learnt < oldest)
			g_ptr_array_remove_index(line->pending, i);
	}
}

static void read_complete(struct cuts *cuts, const struct event *event)
{
	struct line *line = learns(cuts, event);
	struct node *node = find(cuts, event->op.id);

	if (!node)
		return;
	node->learnt = event->other.call;
	if (!node->early)
		clock_join(cuts, line->now, node->done);
	if (node->op.kind != OPERATION_SEND)
		forget_known(line);
}

/* A withdrawn receive no longer precedes any other. */
static void read_cancel(struct cuts *cuts, const struct event *event)
{
	struct line *line = learns(cuts, event);
	struct node *node = find(cuts, event->op.id);

	if (node && !node->done)
		node->done = clock_copy(cuts, line->now);
}

static void join_answer(struct cuts *cuts, struct node *question, const struct taken *answer,
                        guint32 *clock)
{
	const struct asked *asked = cuts->trace->asked + question->asked_first;
	guint32 count = 0;

	for (guint32 i = 0; i < question->asked_count; i++)
		count = MAX(count, asked[i].index + 1);
	for (guint32 i = 0; i < question->asked_count; i++) {
		const struct node *node = find(cuts, asked[i].id);

		if (node && !node->early
		    && taken_next(answer, asked[i].index, count) == asked[i].index)
			clock_join(cuts, clock, node->done);
	}
}

static void read_answer(struct cuts *cuts, const struct event *event)
{
	struct node *node = find(cuts, event->op.id);
	struct line *line = &cuts->lines[event->op.id.rank];

	if (!node)
		return;
	node->decided = event->answer.kind == TAKEN_EARLY || event->answer.kind == TAKEN_LATE;
	node->early = event->answer.kind == TAKEN_EARLY;
	if (node->decided || node->done)
		return;
	if (node->op.kind != OPERATION_QUESTION) {
		node->done = clock_copy(cuts, line->now);
		return;
	}
	if (event->answer.kind != TAKEN_NO)
		join_answer(cuts, node, &event->answer, line->now);
	node->done = clock_copy(cuts, line->now);
}

static void read_arrive(struct cuts *cuts, const struct event *event)
{
	struct node *node = issue(cuts, event);
	struct member member = {event->op.id, event->position, event->root,
	                        clock_copy(cuts, node->issued)};
	GArray *members = g_hash_table_lookup(cuts->collectives, &event->collective);

	node->collective = event->collective;
	if (!members) {
		members = g_array_new(false, false, sizeof(struct member));
		g_array_set_clear_func(members, member_clear);
		g_hash_table_insert(cuts->collectives,
		                    g_memdup2(&event->collective, sizeof(event->collective)),
		                    members);
	}
	g_array_append_val(members, member);
}

static bool awaits(const struct event *event, const struct member *own, const struct member *other)
{
	switch (event->order) {
	case ORDER_NONE: return false;
	case ORDER_ROOT: return other->id.rank == own->root;
	case ORDER_LOWER: return other->position < own->position;
	default: return true;
	}
}

static void read_leave(struct cuts *cuts, const struct event *event)
{
	struct line *line = learns(cuts, event);
	const GArray *members = g_hash_table_lookup(cuts->collectives, &event->collective);
	bool is_blocking = event->other.call == event->op.id.call; /* the collective is blocking */
	struct node *node = find(cuts, event->op.id);
	const struct member *own = NULL;

	if (node)
		node->learnt = event->other.call;
	for (guint i = 0; members && i < members->len; i++)
		if (op_id_equal(g_array_index(members, struct member, i).id, event->op.id))
			own = &g_array_index(members, struct member, i);
	for (guint i = 0; own && i < members->len; i++) {
		const struct member *other = &g_array_index(members, struct member, i);
		guint32 *theirs = &line->now[other->id.rank];

		if (other == own || !awaits(event, own, other))
			continue;
		clock_join(cuts, line->now, other->clock);
		if (is_blocking)
			*theirs = MAX(*theirs, other->id.call + 1);
	}
}

static void read_ask(struct cuts *cuts, const struct event *event)
{
	struct node *node = issue(cuts, event);

	node->op.kind = OPERATION_QUESTION;
	node->asked_first = event->asked_first;
	node->asked_count = event->asked_count;
}

/* An event of a lock's place: it receives requests and releases as a rank receives messages. */
static void read_place(struct cuts *cuts, const struct event *event)
{
	switch (event->kind) {
	case EVENT_RECEIVE: issue(cuts, event); break;
	case EVENT_MATCH: read_match(cuts, event); break;
	case EVENT_COMPLETE: read_release(cuts, event); break;
	default: break;
	}
}

static void read_event(struct cuts *cuts, const struct event *event)
{
	if (!is_rank(cuts, event->op.id.rank)) {
		read_place(cuts, event);
		return;
	}
	if (event->op.id.sub == OPERATION_TURN)
		return;
	switch (event->kind) {
	case EVENT_SEND: issue(cuts, event); break;
	case EVENT_RECEIVE:
		g_ptr_array_add(cuts->lines[event->op.id.rank].pending, issue(cuts, event));
		break;
	case EVENT_MATCH: read_match(cuts, event); break;
	case EVENT_FETCH: read_fetch(cuts, event); break;
	case EVENT_COMPLETE:
	case EVENT_TAKEN: read_complete(cuts, event); break;
	case EVENT_CANCEL: read_cancel(cuts, event); break;
	case EVENT_ASK: read_ask(cuts, event); break;
	case EVENT_ANSWER: read_answer(cuts, event); break;
	case EVENT_ARRIVE: read_arrive(cuts, event); break;
	case EVENT_LEAVE: read_leave(cuts, event); break;
	case EVENT_LATER:
	case EVENT_RECALL:
	case EVENT_REPEAT:
	case EVENT_WAKE: break;
	}
}

/* --- public functions ------------------------------------------------------------------------- */

struct cuts *cuts_new(int ranks, const guint32 *calls, const struct trace *trace,
                      const struct cut_notes *notes)
{
	struct cuts *cuts = g_new0(struct cuts, 1);

	cuts->ranks = ranks;
	cuts->calls = g_memdup2(calls, (gsize)ranks * sizeof(*calls));
	cuts->trace = trace;
	cuts->notes = notes;
	cuts->places = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	cuts->nodes = g_hash_table_new_full(op_id_key_hash, op_id_key_equal, NULL, node_free);
	cuts->collectives = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
	                                          (GDestroyNotify)g_array_unref);
	cuts->lines = g_new0(struct line, ranks);
	for (int rank = 0; rank < ranks; rank++) {
		struct line *line = &cuts->lines[rank];

		line->now = g_new0(guint32, ranks);
		line->next = 1;
		line->pending = g_ptr_array_new();
		line->needs = g_array_new(false, false, sizeof(guint32));
	}
	for (size_t i = 0; i < trace_count(trace); i++)
		read_event(cuts, trace_at(trace, i));
	for (int rank = 0; rank < ranks; rank++)
		advance(cuts, rank, calls[rank] + 1);
	return cuts;
}

void cuts_free(struct cuts *cuts)
{
	if (!cuts)
		return;
	for (int rank = 0; rank < cuts->ranks; rank++) {
		g_free(cuts->lines[rank].now);
		g_ptr_array_unref(cuts->lines[rank].pending);
		g_array_unref(cuts->lines[rank].needs);
	}
	g_hash_table_destroy(cuts->places);
	g_hash_table_destroy(cuts->nodes);
	g_hash_table_destroy(cuts->collectives);
	g_free(cuts->lines);
	g_free(cuts->calls);
	g_free(cuts);
}

/* What the rank needs to stand in this call: the needs of its return from the call before. */
static const guint32 *needs_of(const struct cuts *cuts, int rank, guint32 call)
{
	return call < 2 ? NULL
	                : &g_array_index(cuts->lines[rank].needs, guint32,
	                                 (call - 2) * (guint)cuts->ranks);
}

/* The first other rank that has not done yet what this rank needs; -1: none. A rank that is gone
 * has done everything. */
static int lagging_rank(const struct cuts *cuts, int rank, const guint32 *cut)
{
	const guint32 *needs = needs_of(cuts, rank, MIN(cut[rank], cuts->calls[rank] + 1));

	for (int other = 0; needs && other < cuts->ranks; other++)
		if (other != rank && needs[other] > cut[other])
			return other;
	return -1;
}

bool cuts_consistent(const struct cuts *cuts, const guint32 *cut, int *ret_rank, int *ret_other)
{
	for (int rank = 0; rank < cuts->ranks; rank++) {
		int other = lagging_rank(cuts, rank, cut);

		if (other < 0)
			continue;
		if (ret_rank && ret_other) {
			*ret_rank = rank;
			*ret_other = other;
		}
		return false;
	}
	return true;
}

void cuts_retreat(const struct cuts *cuts, guint32 *cut)
{
	int rank, other;

	while (!cuts_consistent(cuts, cut, &rank, &other))
		cut[rank]--;
}

/* Whether some rank has continued after the rest of this round. */
static bool goes_beyond(const struct cuts *cuts, const guint32 *cut, guint round)
{
	const guint32 *calls = round_of(cuts, round);

	for (int rank = 0; rank < cuts->ranks; rank++)
		if (MIN(cut[rank], cuts->calls[rank]) > calls[rank])
			return true;
	return false;
}

bool cuts_include(const struct cuts *cuts, struct op_id point, const guint32 *cut)
{
	const struct node *node = find(cuts, point);
	const guint32 *clock = node ? node->done : NULL;
	const GArray *decisions = cuts->notes->decisions;

	for (guint i = 0; i < decisions->len; i++) {
		const struct cut_decision *decision = &g_array_index(decisions, struct cut_decision,
		                                                     i);

		if (op_id_equal(decision->point, point))
			return goes_beyond(cuts, cut, decision->round);
	}
	if (clock && !is_rank(cuts, point.rank))
		return clock_within(cuts, clock, cut);
	if (node && node->decided) /* the choice is asked for where the completion is awaited */
		return node->learnt > 0 && node->learnt < cut[point.rank];
	return clock && point.call < cut[point.rank] && clock_within(cuts, clock, cut);
}
