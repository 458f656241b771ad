#include "send_modes.h"

#include "rma_order.h"

/* If a buffer holds more messages than these, it is not checked further. */
enum { PENDING_MAX = 4096 };

/* What happens to one send. */
struct fate {
	const struct moded_send *send;
	struct op_id receive;    /* call 0: none, or one that is never known to be complete */
	guint32 begun, complete; /* the receiver's time when it knew that; 0: not yet */
	bool is_gone;            /* it may have left the buffer at any time */
};

struct look {
	int ranks;
	struct rma_order *order;
	GHashTable *sends, *receives; /* struct fate by op_id; not owned */
	GArray *fates;
	GPtrArray **pending; /* struct fate by rank: in the buffer; NULL: not checked any more */
	void (*found)(void *user, const struct unsure_send *unsure);
	void *user;
};

static GHashTable *by_op(void)
{
	return g_hash_table_new(op_id_key_hash, op_id_key_equal);
}

static void look_init(struct look *look, const GArray *sends)
{
	look->order = rma_order_new(look->ranks);
	look->sends = by_op();
	look->receives = by_op();
	look->fates = g_array_new(false, true, sizeof(struct fate));
	look->pending = g_new0(GPtrArray *, look->ranks);
	g_array_set_size(look->fates, sends->len);
	for (guint i = 0; i < sends->len; i++) {
		struct fate *fate = &g_array_index(look->fates, struct fate, i);

		fate->send = &g_array_index(sends, struct moded_send, i);
		g_hash_table_insert(look->sends, (gpointer)&fate->send->id, fate);
	}
	for (int rank = 0; rank < look->ranks; rank++)
		look->pending[rank] = g_ptr_array_new();
}

static void look_release(struct look *look)
{
	rma_order_free(look->order);
	g_hash_table_destroy(look->sends);
	g_hash_table_destroy(look->receives);
	g_array_unref(look->fates);
	for (int rank = 0; rank < look->ranks; rank++)
		if (look->pending[rank])
			g_ptr_array_unref(look->pending[rank]);
	g_free(look->pending);
}

/* Finds the receive of each send. If the program frees the request of a receive, no rank knows when
 * its message was received: the message counts as gone once it is matched. So does a withdrawn
 * message. */
static void find_receives(struct look *look, const struct trace *trace)
{
	g_autoptr(GHashTable) probes = by_op(), complete = by_op();

	for (size_t i = 0; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);
		struct fate *fate;

		if (event->kind == EVENT_RECEIVE && event->op.kind == OPERATION_PROBE)
			g_hash_table_add(probes, (gpointer)&event->op.id);
		else if (event->kind == EVENT_COMPLETE)
			g_hash_table_add(complete, (gpointer)&event->op.id);
		else if (event->kind == EVENT_CANCEL
		         && (fate = g_hash_table_lookup(look->sends, &event->op.id)))
			fate->is_gone = true;
		if (event->kind != EVENT_MATCH || g_hash_table_contains(probes, &event->op.id)
		    || !(fate = g_hash_table_lookup(look->sends, &event->other)))
			continue;
		fate->receive = event->op.id;
		g_hash_table_insert(look->receives, &fate->receive, fate);
	}
	for (guint i = 0; i < look->fates->len; i++) {
		struct fate *fate = &g_array_index(look->fates, struct fate, i);

		fate->is_gone |= fate->receive.call != 0
		                 && !g_hash_table_contains(complete, &fate->receive);
	}
}

static bool is_known(const struct look *look, int rank, const struct fate *fate, guint32 time)
{
	return time != 0 && rma_order_knows(look->order, rank, fate->receive.rank, time);
}

/* The bytes that messages before this one may occupy; removes those that have left the buffer. */
static guint64 count_taken(struct look *look, GPtrArray *pending, const struct fate *fate)
{
	int rank = fate->send->id.rank;
	guint64 taken = 0;

	for (guint i = pending->len; i-- > 0;) {
		const struct fate *before = pending->pdata[i];

		if (before->is_gone || before->send->buffer != fate->send->buffer
		    || is_known(look, rank, before, before->complete))
			g_ptr_array_remove_index_fast(pending, i);
		else
			taken += before->send->needs;
	}
	return taken;
}

static void stop_looking(struct look *look, int rank)
{
	g_ptr_array_unref(look->pending[rank]);
	look->pending[rank] = NULL;
}

static void look_at_buffered(struct look *look, struct fate *fate)
{
	int rank = fate->send->id.rank;
	GPtrArray *pending = look->pending[rank];
	bool lacks;

	if (!pending)
		return;
	lacks = count_taken(look, pending, fate) + fate->send->needs > fate->send->offered;
	if (lacks)
		look->found(look->user, &(struct unsure_send){.send = fate->send});
	if (lacks || pending->len >= PENDING_MAX)
		stop_looking(look, rank);
	else
		g_ptr_array_add(pending, fate);
}

static void look_at_ready(struct look *look, const struct fate *fate)
{
	if (fate->receive.call != 0 && !is_known(look, fate->send->id.rank, fate, fate->begun))
		look->found(look->user,
		            &(struct unsure_send){.send = fate->send, .receive = fate->receive});
}

static void read_event(struct look *look, const struct event *event)
{
	struct fate *sent = event->kind == EVENT_SEND
	                            ? g_hash_table_lookup(look->sends, &event->op.id)
	                            : NULL;
	struct fate *received = event->kind == EVENT_RECEIVE || event->kind == EVENT_COMPLETE
	                                ? g_hash_table_lookup(look->receives, &event->op.id)
	                                : NULL;

	if (sent && sent->send->is_ready)
		look_at_ready(look, sent);
	else if (sent)
		look_at_buffered(look, sent);
	if (received && event->kind == EVENT_RECEIVE)
		received->begun = rma_order_tick(look->order, event->op.id.rank);
	rma_order_read(look->order, event);
	if (received && event->kind == EVENT_COMPLETE)
		received->complete = rma_order_tick(look->order, event->op.id.rank);
}

void send_modes_find(const GArray *sends, const struct trace *trace, int ranks,
                     void (*found)(void *user, const struct unsure_send *unsure), void *user)
{
	struct look look = {.ranks = ranks, .found = found, .user = user};

	if (sends->len == 0)
		return;
	look_init(&look, sends);
	find_receives(&look, trace);
	for (size_t i = 0; i < trace_count(trace); i++)
		read_event(&look, trace_at(trace, i));
	look_release(&look);
}
