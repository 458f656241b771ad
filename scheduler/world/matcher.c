#include "matcher.h"

#include "explorer/explorer.h"
#include "explorer/queue_key.h"

/* How it works. Waiting messages and receives are in queues. The heads of queues alone determine
 * whether two of them may match.
 *
 * All receives of one class (rank, communicator, source or any, tag or any) fit the same messages,
 * so only the first of a class can be matched. A message fits four classes. The earliest of their
 * four heads, its owner, is the only receive that rule 2 allows to take it. Of the messages of one
 * source, rule 1 allows a receive to take only the first in the queue of its tag, or, with any tag,
 * the first in the queue of all. A pair is allowed if each is the other's.
 *
 * So a class whose source is named must be checked again only if its head changes, if the first
 * message for it changes, or if the receive that owns that message goes away. For the last case the
 * class is noted with that owner. Empty queues are removed. */

enum { LINK_TAG, LINK_ALL, LINKS };

struct entry {
	struct operation op;
	uint64_t order; /* of posting */
	struct entry *next[LINKS];
	struct entry *previous[LINKS]; /* a receive uses only LINK_TAG */
	GArray *blocks; /* of struct queue_key: classes whose head wants a message that this
	                   receive owns */
};

struct queue {
	struct queue_key key;
	struct entry *first;
	struct entry *last;
	uint64_t blocker; /* order of the entry in whose `blocks` this class is noted; 0: none */
};

/* The ranks that have sent what waits at a destination, for receives from any source. */
struct sources {
	struct queue_key key; /* the key of their queues, with source OPERATION_ANY */
	GArray *ranks;        /* of int32_t, ascending */
};

struct matcher {
	int ranks;
	uint64_t posted;
	GHashTable *entries; /* by their operation's id */
	GHashTable *queues;  /* by their key; none is empty */
	GHashTable *sources; /* by their key; none is empty */
	GHashTable *chosen;  /* set of queues that hold receives matched only by choice */
	GHashTable *probes;  /* set of entries */
	GArray *checks;      /* of struct queue_key: classes with a named source to check again */
};

static bool is_probe(const struct entry *entry)
{
	return entry->op.kind == OPERATION_PROBE;
}

/* Whether it is matched only by choice. */
static bool is_chosen(const struct entry *entry)
{
	return entry->op.kind != OPERATION_SEND
	       && (entry->op.peer == OPERATION_ANY || entry->op.by_choice);
}

static struct queue_key class_key(const struct operation *receive)
{
	return (struct queue_key){receive->id.rank, receive->peer, receive->tag, false,
	                          receive->comm};
}

static struct queue_key message_key(const struct operation *send, int link)
{
	return (struct queue_key){send->peer, send->id.rank,
	                          link == LINK_ALL ? OPERATION_ANY : send->tag, true, send->comm};
}

static void entry_free(void *pointer)
{
	struct entry *entry = pointer;

	if (entry->blocks)
		g_array_free(entry->blocks, true);
	g_free(entry);
}

static void sources_free(void *pointer)
{
	struct sources *sources = pointer;

	g_array_free(sources->ranks, true);
	g_free(sources);
}

struct matcher *matcher_new(int ranks)
{
	struct matcher *matcher = g_new0(struct matcher, 1);

	matcher->ranks = ranks;
	matcher->entries = g_hash_table_new_full(op_id_key_hash, op_id_key_equal, NULL, entry_free);
	matcher->queues = g_hash_table_new_full(queue_key_hash, queue_key_equal, NULL, g_free);
	matcher->sources = g_hash_table_new_full(queue_key_hash, queue_key_equal, NULL,
	                                         sources_free);
	matcher->chosen = g_hash_table_new(NULL, NULL);
	matcher->probes = g_hash_table_new(NULL, NULL);
	matcher->checks = g_array_new(false, false, sizeof(struct queue_key));
	return matcher;
}

void matcher_free(struct matcher *matcher)
{
	if (!matcher)
		return;
	g_array_unref(matcher->checks);
	g_hash_table_destroy(matcher->probes);
	g_hash_table_destroy(matcher->chosen);
	g_hash_table_destroy(matcher->sources);
	g_hash_table_destroy(matcher->queues);
	g_hash_table_destroy(matcher->entries);
	g_free(matcher);
}

static struct queue *find_queue(const struct matcher *matcher, struct queue_key key)
{
	return g_hash_table_lookup(matcher->queues, &key);
}

static struct entry *first_of(const struct matcher *matcher, struct queue_key key)
{
	struct queue *queue = find_queue(matcher, key);

	return queue ? queue->first : NULL;
}

static struct sources *find_sources(const struct matcher *matcher, struct queue_key key)
{
	key.source = OPERATION_ANY;
	return g_hash_table_lookup(matcher->sources, &key);
}

/* The first index whose rank is not lower. */
static guint source_place(const GArray *ranks, int32_t rank)
{
	guint from = 0, end = ranks->len;

	while (from < end) {
		guint middle = from + (end - from) / 2;

		if (g_array_index(ranks, int32_t, middle) < rank)
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}

/* The queue holds messages, and is not empty any more. */
static void add_source(struct matcher *matcher, struct queue_key key)
{
	struct sources *sources = find_sources(matcher, key);

	if (!sources) {
		sources = g_new0(struct sources, 1);
		sources->key = key;
		sources->key.source = OPERATION_ANY;
		sources->ranks = g_array_new(false, false, sizeof(int32_t));
		g_hash_table_insert(matcher->sources, &sources->key, sources);
	}
	g_array_insert_val(sources->ranks, source_place(sources->ranks, key.source), key.source);
}

static void remove_source(struct matcher *matcher, struct queue_key key)
{
	struct sources *sources = find_sources(matcher, key);

	g_array_remove_index(sources->ranks, source_place(sources->ranks, key.source));
	if (sources->ranks->len == 0)
		g_hash_table_remove(matcher->sources, &sources->key);
}

static void enqueue(struct matcher *matcher, struct queue_key key, struct entry *entry, int link)
{
	struct queue *queue = find_queue(matcher, key);

	if (!queue) {
		queue = g_new0(struct queue, 1);
		queue->key = key;
		g_hash_table_insert(matcher->queues, &queue->key, queue);
		if (key.messages)
			add_source(matcher, key);
	}
	if (is_chosen(entry))
		g_hash_table_add(matcher->chosen, queue);
	entry->previous[link] = queue->last;
	if (queue->last)
		queue->last->next[link] = entry;
	else
		queue->first = entry;
	queue->last = entry;
}

static void dequeue(struct matcher *matcher, struct queue_key key, struct entry *entry, int link)
{
	struct queue *queue = find_queue(matcher, key);
	struct entry *next = entry->next[link];
	struct entry *previous = entry->previous[link];

	if (previous)
		previous->next[link] = next;
	else
		queue->first = next;
	if (next)
		next->previous[link] = previous;
	else
		queue->last = previous;
	if (!queue->first) {
		g_hash_table_remove(matcher->chosen, queue);
		g_hash_table_remove(matcher->queues, &queue->key);
		if (key.messages)
			remove_source(matcher, key);
	}
}

static void check_later(struct matcher *matcher, struct queue_key class)
{
	if (class.source != OPERATION_ANY)
		g_array_append_val(matcher->checks, class);
}

/* The first message may have changed for the two classes that name this source and fit this tag. */
static void check_message(struct matcher *matcher, const struct operation *send)
{
	struct queue_key class = {send->peer, send->id.rank, send->tag, false, send->comm};

	check_later(matcher, class);
	class.tag = OPERATION_ANY;
	check_later(matcher, class);
}

void matcher_post(struct matcher *matcher, const struct operation *operation)
{
	struct entry *entry = g_new0(struct entry, 1);

	entry->op = *operation;
	entry->order = ++matcher->posted;
	g_hash_table_insert(matcher->entries, &entry->op.id, entry);
	if (operation->kind == OPERATION_SEND) {
		for (int link = 0; link < LINKS; link++)
			enqueue(matcher, message_key(operation, link), entry, link);
		check_message(matcher, operation);
	} else if (is_probe(entry)) {
		g_hash_table_add(matcher->probes, entry);
	} else {
		enqueue(matcher, class_key(operation), entry, LINK_TAG);
		check_later(matcher, class_key(operation));
	}
}

/* Removes an operation from all queues and frees it. */
static void drop_entry(struct matcher *matcher, struct entry *entry)
{
	if (entry->op.kind == OPERATION_SEND) {
		for (int link = 0; link < LINKS; link++)
			dequeue(matcher, message_key(&entry->op, link), entry, link);
		check_message(matcher, &entry->op);
	} else if (is_probe(entry)) {
		g_hash_table_remove(matcher->probes, entry);
	} else {
		dequeue(matcher, class_key(&entry->op), entry, LINK_TAG);
		check_later(matcher, class_key(&entry->op));
		for (guint i = 0; entry->blocks && i < entry->blocks->len; i++)
			check_later(matcher, g_array_index(entry->blocks, struct queue_key, i));
	}
	g_hash_table_remove(matcher->entries, &entry->op.id);
}

/* The receive to which rule 2 gives this message; NULL: none. */
static struct entry *owner_of(const struct matcher *matcher, const struct operation *send)
{
	struct entry *owner = NULL;

	for (int class = 0; class < 4; class ++) {
		struct queue_key key = {send->peer, class & 1 ? OPERATION_ANY : send->id.rank,
		                        class & 2 ? OPERATION_ANY : send->tag, false, send->comm};
		struct entry *head = first_of(matcher, key);

		if (head && (!owner || head->order < owner->order))
			owner = head;
	}
	return owner;
}

/* The message of this source that rule 1 leaves to the receive; NULL: none. */
static struct entry *message_for(const struct matcher *matcher, const struct operation *receive,
                                 int32_t source)
{
	struct queue_key key = {receive->id.rank, source, receive->tag, true, receive->comm};

	return first_of(matcher, key);
}

static bool allowed(const struct matcher *matcher, const struct entry *receive,
                    const struct entry *message)
{
	const struct entry *owner = owner_of(matcher, &message->op);

	if (is_probe(receive))
		return !owner || owner->order > receive->order;
	return owner == receive;
}

static struct entry *find_entry(const struct matcher *matcher, struct op_id id)
{
	return g_hash_table_lookup(matcher->entries, &id);
}

bool matcher_allows(const struct matcher *matcher, struct op_id receive, struct op_id *send)
{
	struct entry *entry = find_entry(matcher, receive);
	struct entry *message;

	if (!entry || entry->op.kind == OPERATION_SEND)
		return false;
	if (entry->op.peer != OPERATION_ANY && entry->op.peer != send->rank)
		return false;
	message = message_for(matcher, &entry->op, send->rank);
	if (!message || (send->call != 0 && !op_id_equal(message->op.id, *send)))
		return false;
	if (!allowed(matcher, entry, message))
		return false;
	*send = message->op.id;
	return true;
}

void matcher_match(struct matcher *matcher, struct op_id receive, struct op_id send)
{
	struct entry *entry = find_entry(matcher, receive);
	struct entry *message = find_entry(matcher, send);

	g_return_if_fail(entry && message && operation_fits(&entry->op, &message->op));
	if (!is_probe(entry))
		drop_entry(matcher, message);
	drop_entry(matcher, entry);
}

bool matcher_withdraw(struct matcher *matcher, struct op_id id)
{
	struct entry *entry = find_entry(matcher, id);

	if (!entry)
		return false;
	drop_entry(matcher, entry);
	return true;
}

static void note_match(struct matcher *matcher, GArray *matches, struct entry *receive,
                       struct entry *message)
{
	struct match match = {receive->op.id, message->op.id};

	g_array_append_val(matches, match);
	matcher_match(matcher, match.receive, match.send);
}

/* Matches the head of a class that names its source, or notes what prevents it. */
static void check_class(struct matcher *matcher, struct queue_key class, GArray *matches)
{
	struct queue *queue = find_queue(matcher, class);
	struct entry *message;
	struct entry *owner;

	message = queue ? message_for(matcher, &queue->first->op, class.source) : NULL;
	if (!message)
		return;
	owner = owner_of(matcher, &message->op);
	if (owner == queue->first && is_chosen(owner))
		return;
	if (owner == queue->first) {
		note_match(matcher, matches, owner, message);
	} else if (queue->blocker != owner->order) {
		queue->blocker = owner->order;
		if (!owner->blocks)
			owner->blocks = g_array_new(false, false, sizeof(struct queue_key));
		g_array_append_val(owner->blocks, class);
	}
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *const *left = a;
	const struct entry *const *right = b;

	return op_id_compare((*left)->op.id, (*right)->op.id);
}

static GPtrArray *sorted_entries(GHashTable *table)
{
	GPtrArray *entries = g_ptr_array_sized_new(g_hash_table_size(table));
	GHashTableIter iter;
	void *entry;

	g_hash_table_iter_init(&iter, table);
	while (g_hash_table_iter_next(&iter, NULL, &entry))
		g_ptr_array_add(entries, entry);
	g_ptr_array_sort(entries, compare_entries);
	return entries;
}

static void settle_probes(struct matcher *matcher, GArray *matches)
{
	g_autoptr(GPtrArray) probes = NULL;

	if (g_hash_table_size(matcher->probes) == 0)
		return;
	probes = sorted_entries(matcher->probes);
	for (guint i = 0; i < probes->len; i++) {
		struct entry *probe = g_ptr_array_index(probes, i);
		struct entry *message;

		if (is_chosen(probe))
			continue;
		message = message_for(matcher, &probe->op, probe->op.peer);
		if (message && allowed(matcher, probe, message))
			note_match(matcher, matches, probe, message);
	}
}

void matcher_settle(struct matcher *matcher, GArray *matches)
{
	/* a match appends more */
	for (guint i = 0; i < matcher->checks->len; i++)
		check_class(matcher, g_array_index(matcher->checks, struct queue_key, i), matches);
	g_array_set_size(matcher->checks, 0);
	settle_probes(matcher, matches);
}

static void add_candidate(const struct matcher *matcher, struct open_choice *choice,
                          const struct entry *receive, int32_t source)
{
	const struct entry *message = message_for(matcher, &receive->op, source);
	struct taken taken;

	if (!message || !allowed(matcher, receive, message))
		return;
	if (!choice->alternatives)
		choice->alternatives = g_array_new(false, false, sizeof(struct taken));
	taken = taken_message(message->op.id);
	g_array_append_val(choice->alternatives, taken);
}

static void add_open_choice(const struct matcher *matcher, GArray *open,
                            const struct entry *receive)
{
	const struct operation *op = &receive->op;
	struct open_choice choice = {.point = point_of(op->id, matcher->ranks)};
	struct queue_key key = {op->id.rank, OPERATION_ANY, op->tag, true, op->comm};
	const struct sources *sources = op->peer == OPERATION_ANY ? find_sources(matcher, key)
	                                                          : NULL;

	if (op->peer != OPERATION_ANY)
		add_candidate(matcher, &choice, receive, op->peer);
	for (guint i = 0; sources && i < sources->ranks->len; i++)
		add_candidate(matcher, &choice, receive, g_array_index(sources->ranks, int32_t, i));
	if (choice.alternatives)
		g_array_append_val(open, choice);
}

static int compare_open(const void *a, const void *b)
{
	const struct open_choice *left = a;
	const struct open_choice *right = b;

	return point_compare(&left->point, &right->point);
}

GArray *matcher_open_choices(const struct matcher *matcher)
{
	GArray *open = g_array_new(false, false, sizeof(struct open_choice));
	GHashTableIter iter;
	void *item;

	g_hash_table_iter_init(&iter, matcher->chosen);
	while (g_hash_table_iter_next(&iter, NULL, &item))
		if (is_chosen(((struct queue *)item)->first))
			add_open_choice(matcher, open, ((struct queue *)item)->first);
	g_hash_table_iter_init(&iter, matcher->probes);
	while (g_hash_table_iter_next(&iter, NULL, &item))
		if (is_chosen(item))
			add_open_choice(matcher, open, item);
	g_array_sort(open, compare_open);
	return open;
}

GArray *matcher_open_choice(const struct matcher *matcher, struct op_id id)
{
	GArray *open = g_array_new(false, false, sizeof(struct open_choice));
	const struct entry *entry = find_entry(matcher, id);

	if (entry && is_chosen(entry)
	    && (is_probe(entry) || first_of(matcher, class_key(&entry->op)) == entry))
		add_open_choice(matcher, open, entry);
	return open;
}

void open_choice_clear(struct open_choice *choice)
{
	g_array_unref(choice->alternatives);
	if (choice->later)
		g_array_unref(choice->later);
}

void open_choices_free(GArray *open)
{
	if (!open)
		return;
	for (guint i = 0; i < open->len; i++)
		open_choice_clear(&g_array_index(open, struct open_choice, i));
	g_array_free(open, true);
}

static int compare_order(const void *a, const void *b)
{
	const struct entry *const *left = a;
	const struct entry *const *right = b;

	return (*left)->order < (*right)->order ? -1 : (*left)->order > (*right)->order;
}

struct matcher *matcher_copy(const struct matcher *matcher)
{
	struct matcher *copy = matcher_new(matcher->ranks);
	g_autoptr(GPtrArray) entries = sorted_entries(matcher->entries);

	g_ptr_array_sort(entries, compare_order);
	for (guint i = 0; i < entries->len; i++)
		matcher_post(copy, &((struct entry *)g_ptr_array_index(entries, i))->op);
	return copy;
}

void matcher_leftovers(const struct matcher *matcher, GArray *sends, GArray *receives)
{
	g_autoptr(GPtrArray) entries = sorted_entries(matcher->entries);

	for (guint i = 0; i < entries->len; i++) {
		const struct entry *entry = g_ptr_array_index(entries, i);

		g_array_append_val(entry->op.kind == OPERATION_SEND ? sends : receives, entry->op);
	}
}
