#include "known_sends.h"

#include "rma_order.h"

static bool is_among(const GArray *sends, struct op_id id)
{
	for (guint i = 0; i < sends->len; i++)
		if (op_id_equal(g_array_index(sends, struct op_id, i), id))
			return true;
	return false;
}

bool known_sends_any(const struct trace *trace, int ranks, const GArray *sends, int rank)
{
	struct rma_order *order = rma_order_new(ranks);
	g_autofree guint32 *first = g_new0(guint32,
	                                   ranks); /* time of a rank's first send of these */
	bool is_known = false;

	for (size_t i = 0; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);
		const int sender = event->op.id.rank;

		if (event->kind == EVENT_SEND && first[sender] == 0
		    && is_among(sends, event->op.id))
			first[sender] = rma_order_tick(order, sender);
		rma_order_read(order, event);
	}
	for (int sender = 0; sender < ranks; sender++)
		is_known |= first[sender] > 0
		            && rma_order_knows(order, rank, sender, first[sender]);
	rma_order_free(order);
	return is_known;
}
