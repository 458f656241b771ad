#include "recorded_messages.h"

#include <string.h>

/* What has to be equal so that messages are received in order. */
struct channel_key {
	guint64 comm;
	gint32 source, target, tag;
	gint32 unused;
};

struct channel {
	GArray *sends;    /* struct recorded_operation */
	GArray *receives; /* struct recorded_operation: of this source and tag, in order */
	bool is_blurred;  /* an earlier receive from any source or with any tag took an unknown
	                   * message, which may be one of these */
};

/* A probe finds the message that the next receive of its channel would take. */
struct found {
	struct recorded_operation probe;
	struct channel *channel;
	guint at; /* of the send in the channel */
};

struct recorded_messages {
	GArray *found;        /* struct found */
	GHashTable *channels; /* struct channel_key to struct channel */
	GArray *open;         /* struct recorded_operation: receives that are not known to have
	                       * taken a message, and take several sources or tags */
	guint untold;
};

static guint key_hash(gconstpointer pointer)
{
	const struct channel_key *key = pointer;

	return (guint)key->comm * 31 + (guint)key->source * 2654435761u
	       + (guint)key->target * 40503u + (guint)key->tag;
}

static gboolean key_equal(gconstpointer one, gconstpointer other)
{
	return memcmp(one, other, sizeof(struct channel_key)) == 0;
}

static void free_channel(void *data)
{
	struct channel *channel = data;

	g_array_unref(channel->sends);
	g_array_unref(channel->receives);
	g_free(channel);
}

struct recorded_messages *recorded_messages_new(void)
{
	struct recorded_messages *messages = g_new0(struct recorded_messages, 1);

	messages->channels = g_hash_table_new_full(key_hash, key_equal, g_free, free_channel);
	messages->open = g_array_new(false, false, sizeof(struct recorded_operation));
	messages->found = g_array_new(false, false, sizeof(struct found));
	return messages;
}

void recorded_messages_free(struct recorded_messages *messages)
{
	g_hash_table_unref(messages->channels);
	g_array_unref(messages->open);
	g_array_unref(messages->found);
	g_free(messages);
}

static struct channel *channel_of(struct recorded_messages *messages, guint64 comm, gint32 source,
                                  gint32 target, gint32 tag)
{
	const struct channel_key key = {comm, source, target, tag, 0};
	struct channel *channel = g_hash_table_lookup(messages->channels, &key);

	if (channel)
		return channel;
	channel = g_new0(struct channel, 1);
	channel->sends = g_array_new(false, false, sizeof(struct recorded_operation));
	channel->receives = g_array_new(false, false, sizeof(struct recorded_operation));
	g_hash_table_insert(messages->channels, g_memdup2(&key, sizeof(key)), channel);
	return channel;
}

void recorded_messages_send(struct recorded_messages *messages,
                            const struct recorded_operation *send)
{
	struct channel *channel = channel_of(messages, send->comm, send->rank, send->peer,
	                                     send->tag);

	g_array_append_vals(channel->sends, send, 1);
}

/* An earlier receive of this rank would have taken the message, unless it had taken another one
 * before: which one is not known. */
static bool is_open_to(const struct recorded_messages *messages,
                       const struct recorded_operation *receive)
{
	for (guint i = 0; i < messages->open->len; i++) {
		const struct recorded_operation *open = &g_array_index(
			messages->open, struct recorded_operation, i);

		if (open->rank == receive->rank && open->comm == receive->comm
		    && (open->peer == RECORDED_ANY || open->peer == receive->peer)
		    && (open->tag == RECORDED_ANY || open->tag == receive->tag))
			return true;
	}
	return false;
}

void recorded_messages_receive(struct recorded_messages *messages,
                               const struct recorded_operation *receive)
{
	struct channel *channel;

	if (receive->peer == RECORDED_ANY || receive->tag == RECORDED_ANY) {
		g_array_append_vals(messages->open, receive, 1);
		return;
	}
	channel = channel_of(messages, receive->comm, receive->peer, receive->rank, receive->tag);
	channel->is_blurred |= is_open_to(messages, receive);
	if (!channel->is_blurred)
		g_array_append_vals(channel->receives, receive, 1);
	else if (receive->is_taken)
		messages->untold++;
}

void recorded_messages_probe(struct recorded_messages *messages,
                             const struct recorded_operation *probe)
{
	struct channel *channel = channel_of(messages, probe->comm, probe->peer, probe->rank,
	                                     probe->tag);
	const struct found found = {*probe, channel, channel->receives->len};

	if (!channel->is_blurred && !is_open_to(messages, probe))
		g_array_append_val(messages->found, found);
}

void recorded_messages_found(struct recorded_messages *messages,
                             void (*match)(void *user, const struct recorded_operation *send,
                                           const struct recorded_operation *probe),
                             void *user)
{
	for (guint i = 0; i < messages->found->len; i++) {
		const struct found *found = &g_array_index(messages->found, struct found, i);
		const GArray *sends = found->channel->sends;

		if (found->at < sends->len)
			match(user, &g_array_index(sends, struct recorded_operation, found->at),
			      &found->probe);
	}
}

/* Receives behind the last one that is known to have taken a message may have taken none. */
static guint last_taken(const struct channel *channel)
{
	guint count = channel->receives->len;

	while (count > 0
	       && !g_array_index(channel->receives, struct recorded_operation, count - 1).is_taken)
		count--;
	return count;
}

static gint compare(gconstpointer one, gconstpointer other)
{
	const struct recorded_operation *a = *(struct recorded_operation *const *)one,
					*b = *(struct recorded_operation *const *)other;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return (a->sub > b->sub) - (a->sub < b->sub);
}

guint recorded_messages_match(struct recorded_messages *messages,
                              void (*match)(void *user, const struct recorded_operation *send,
                                            const struct recorded_operation *receive),
                              void *user)
{
	g_autoptr(GPtrArray) receives = g_ptr_array_new();
	g_autoptr(GHashTable) sends = g_hash_table_new(NULL, NULL); /* by receive */
	GHashTableIter each;
	gpointer value;

	g_hash_table_iter_init(&each, messages->channels);
	while (g_hash_table_iter_next(&each, NULL, &value)) {
		const struct channel *channel = value;
		const guint count = last_taken(channel);

		for (guint i = 0; i < count; i++) {
			struct recorded_operation *receive = &g_array_index(
				channel->receives, struct recorded_operation, i);

			if (i >= channel->sends->len) {
				messages->untold += receive->is_taken;
				continue;
			}
			g_ptr_array_add(receives, receive);
			g_hash_table_insert(
				sends, receive,
				&g_array_index(channel->sends, struct recorded_operation, i));
		}
	}
	g_ptr_array_sort(receives, compare);
	for (guint i = 0; i < receives->len; i++)
		match(user, g_hash_table_lookup(sends, receives->pdata[i]), receives->pdata[i]);
	return messages->untold;
}
