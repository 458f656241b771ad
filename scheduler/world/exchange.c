#include "exchange.h"

#include <string.h>

struct side {
	guint8 partners; /* enum wire_partners */
	guint peer_count, part_count, type_count;
	gint32 *peers;
	guint64 *bytes;
	struct types *types; /* without bytes */
};

struct exchange {
	struct side sends, receives;
};

static bool is_one_or(guint count, guint each)
{
	return count == 1 || count == each;
}

static bool is_sound(const struct wire_side *report, guint group)
{
	guint each = report->partners == WIRE_WITH_LISTED ? report->peer_count : group;

	return report->partners == WIRE_WITH_NOBODY
	       || (is_one_or(report->part_count, each) && is_one_or(report->type_count, each));
}

bool exchange_is_sound(const struct wire_op *op, guint group)
{
	return is_sound(&op->sends, group) && is_sound(&op->receives, group);
}

static void take_side(const struct wire_side *report, struct side *side)
{
	side->partners = report->partners;
	side->peer_count = report->peer_count;
	side->part_count = report->part_count;
	side->type_count = report->type_count;
	side->peers = g_memdup2(report->peers, report->peer_count * sizeof(*side->peers));
	side->bytes = g_memdup2(report->bytes, report->part_count * sizeof(*side->bytes));
	side->types = g_new0(struct types, report->type_count);
	for (guint i = 0; i < report->type_count; i++)
		side->types[i] = types_of_runs(&report->types[i], 0);
}

static void side_clear(struct side *side)
{
	g_free(side->peers);
	g_free(side->bytes);
	g_free(side->types);
}

static void clear_side(gpointer pointer)
{
	struct exchange *exchange = pointer;

	side_clear(&exchange->sends);
	side_clear(&exchange->receives);
}

struct exchange *exchange_of(const struct wire_op *op)
{
	struct exchange *exchange;

	if (op->sends.partners == WIRE_WITH_NOBODY && op->receives.partners == WIRE_WITH_NOBODY)
		return NULL;
	exchange = g_rc_box_new0(struct exchange);
	take_side(&op->sends, &exchange->sends);
	take_side(&op->receives, &exchange->receives);
	return exchange;
}

struct exchange *exchange_ref(struct exchange *exchange)
{
	return exchange ? g_rc_box_acquire(exchange) : NULL;
}

void exchange_unref(struct exchange *exchange)
{
	if (exchange)
		g_rc_box_release_full(exchange, clear_side);
}

static struct types side_part(const struct side *side, guint i)
{
	struct types types = side->types[side->type_count == 1 ? 0 : i];

	types.bytes = side->bytes[side->part_count == 1 ? 0 : i];
	return types;
}

/* How often the side has this partner. If it has several parts (two neighbours are the same rank),
 * only their amount is returned. */
static guint find_partner(const struct side *side, int peer, struct types *ret)
{
	guint found = 0;

	*ret = (struct types){0};
	if (side->partners == WIRE_WITH_EACH && peer >= 0) {
		*ret = side_part(side, (guint)peer);
		return 1;
	}
	for (guint i = 0; i < side->peer_count; i++) {
		struct types one;

		if (side->peers[i] != peer)
			continue;
		one = side_part(side, i);
		if (found++ > 0)
			one = (struct types){.bytes = ret->bytes + one.bytes};
		*ret = one;
	}
	return found;
}

bool exchange_reaches(const struct exchange *exchange, int to)
{
	struct types unused;

	return exchange && find_partner(&exchange->sends, to, &unused) > 0;
}

struct exchange_difference exchange_compare(const struct exchange *sender, int from,
                                            const struct exchange *receiver, int to)
{
	struct exchange_difference difference = {EXCHANGE_FITS};
	guint sent, expected;

	if (!sender || !receiver)
		return difference;
	sent = find_partner(&sender->sends, to, &difference.sent);
	expected = find_partner(&receiver->receives, from, &difference.expected);
	if (sender->sends.partners == WIRE_WITH_LISTED
	    && receiver->receives.partners == WIRE_WITH_LISTED && sent != expected)
		difference.fault = EXCHANGE_NEIGHBOR;
	else if (sent == 0 || expected == 0)
		return difference;
	else if (!types_match(&difference.sent, &difference.expected))
		difference.fault = EXCHANGE_TYPE; /* the amounts may differ for that reason */
	else if (difference.sent.bytes != difference.expected.bytes)
		difference.fault = EXCHANGE_AMOUNT;
	return difference;
}
