#include "send_modes.h"

#include "rma_order.h"

/* If a buffer holds more messages than these, it is not checked further. */
enum { PENDING_MAX = 4096 };

/* What happens to one send. */
struct fate {
	const struct moded_send *send;
	struct op_id receive;    /* call 0: none, or one that is never known to be complete */
	bool is_probed;          /* by a matched probe: complete with MPI_Mrecv */
	guint32 begun, complete; /* the receiver's time when it knew that; 0: not yet */
	bool is_gone;            /* it may have left the buffer at any time */
};

struct check {
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

static void check_init(struct check *check, const GArray *sends)
{
	check->order = rma_order_new(check->ranks);
	check->sends = by_op();
	check->receives = by_op();
	check->fates = g_array_new(false, true, sizeof(struct fate));
	check->pending = g_new0(GPtrArray *, check->ranks);
	g_array_set_size(check->fates, sends->len);
	for (guint i = 0; i < sends->len; i++) {
		struct fate *fate = &g_array_index(check->fates, struct fate, i);

		fate->send = &g_array_index(sends, struct moded_send, i);
		g_hash_table_insert(check->sends, (gpointer)&fate->send->id, fate);
	}
	for (int rank = 0; rank < check->ranks; rank++)
		check->pending[rank] = g_ptr_array_new();
}

static void check_release(struct check *check)
{
	rma_order_free(check->order);
	g_hash_table_destroy(check->sends);
	g_hash_table_destroy(check->receives);
	g_array_unref(check->fates);
	for (int rank = 0; rank < check->ranks; rank++)
		if (check->pending[rank])
			g_ptr_array_unref(check->pending[rank]);
	g_free(check->pending);
}

/* Finds the receive of each send. If the program frees the request of a receive, no rank knows when
 * its message was received: the message counts as gone once it is matched. So does a withdrawn
 * message. */
static void find_receives(struct check *check, const struct trace *trace)
{
	g_autoptr(GHashTable) probes = by_op(), matched_probes = by_op(), complete = by_op();

	for (size_t i = 0; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);
		struct fate *fate;

		if (event->kind == EVENT_RECEIVE && event->op.kind == OPERATION_PROBE)
			g_hash_table_add(probes, (gpointer)&event->op.id);
		else if (event->kind == EVENT_RECEIVE && event->op.kind == OPERATION_MPROBE)
			g_hash_table_add(matched_probes, (gpointer)&event->op.id);
		else if (event->kind == EVENT_COMPLETE)
			g_hash_table_add(complete, (gpointer)&event->op.id);
		else if (event->kind == EVENT_CANCEL
		         && (fate = g_hash_table_lookup(check->sends, &event->op.id)))
			fate->is_gone = true;
		if (event->kind != EVENT_MATCH || g_hash_table_contains(probes, &event->op.id)
		    || !(fate = g_hash_table_lookup(check->sends, &event->other)))
			continue;
		fate->receive = event->op.id;
		fate->is_probed = g_hash_table_contains(matched_probes, &event->op.id);
		g_hash_table_insert(check->receives, &fate->receive, fate);
	}
	for (guint i = 0; i < check->fates->len; i++) {
		struct fate *fate = &g_array_index(check->fates, struct fate, i);

		fate->is_gone |= fate->receive.call != 0 && !fate->is_probed
		                 && !g_hash_table_contains(complete, &fate->receive);
	}
}

static bool is_known(const struct check *check, int rank, const struct fate *fate, guint32 time)
{
	return time != 0 && rma_order_knows(check->order, rank, fate->receive.rank, time);
}

/* The bytes that messages before this one may occupy; removes those that have left the buffer. */
static guint64 count_taken(struct check *check, GPtrArray *pending, const struct fate *fate)
{
	int rank = fate->send->id.rank;
	guint64 taken = 0;

	for (guint i = pending->len; i-- > 0;) {
		const struct fate *before = pending->pdata[i];

		if (before->is_gone || before->send->buffer != fate->send->buffer
		    || is_known(check, rank, before, before->complete))
			g_ptr_array_remove_index_fast(pending, i);
		else
			taken += before->send->needs;
	}
	return taken;
}

static void stop_checking(struct check *check, int rank)
{
	g_ptr_array_unref(check->pending[rank]);
	check->pending[rank] = NULL;
}

static void check_buffered(struct check *check, struct fate *fate)
{
	int rank = fate->send->id.rank;
	GPtrArray *pending = check->pending[rank];
	bool lacks;

	if (!pending)
		return;
	lacks = count_taken(check, pending, fate) + fate->send->needs > fate->send->offered;
	if (lacks)
		check->found(check->user, &(struct unsure_send){.send = fate->send});
	if (lacks || pending->len >= PENDING_MAX)
		stop_checking(check, rank);
	else
		g_ptr_array_add(pending, fate);
}

static void check_ready(struct check *check, const struct fate *fate)
{
	if (fate->receive.call != 0 && !is_known(check, fate->send->id.rank, fate, fate->begun))
		check->found(check->user,
		             &(struct unsure_send){.send = fate->send, .receive = fate->receive});
}

static void read_event(struct check *check, const struct event *event)
{
	struct fate *sent = event->kind == EVENT_SEND
	                            ? g_hash_table_lookup(check->sends, &event->op.id)
	                            : NULL;
	struct fate *received = event->kind == EVENT_RECEIVE || event->kind == EVENT_COMPLETE
	                                ? g_hash_table_lookup(check->receives, &event->op.id)
	                                : NULL;

	if (sent && sent->send->is_ready)
		check_ready(check, sent);
	else if (sent)
		check_buffered(check, sent);
	if (received && event->kind == EVENT_RECEIVE)
		received->begun = rma_order_tick(check->order, event->op.id.rank);
	rma_order_read(check->order, event);
	if (event->kind == EVENT_FETCH)
		received = g_hash_table_lookup(check->sends, &event->other);
	if (received && event->kind == (received->is_probed ? EVENT_FETCH : EVENT_COMPLETE))
		received->complete = rma_order_tick(check->order, event->op.id.rank);
}

void send_modes_find(const GArray *sends, const struct trace *trace, int ranks,
                     void (*found)(void *user, const struct unsure_send *unsure), void *user)
{
	struct check check = {.ranks = ranks, .found = found, .user = user};

	if (sends->len == 0)
		return;
	check_init(&check, sends);
	find_receives(&check, trace);
	for (size_t i = 0; i < trace_count(trace); i++)
		read_event(&check, trace_at(trace, i));
	check_release(&check);
}
