#include "ahead.h"

#include <string.h>

struct rank_ahead {
	guint32 below, most;        /* calls that need not wait now; that were ever told so */
	guint32 call;               /* that the world has not let go; 0: none */
	struct wire_buffer put_off; /* frames, from `heard` on */
	gsize heard;
};

struct ahead {
	int ranks;
	guint in_calls; /* ranks of which there is such a call */
	guint waiting;  /* ranks of which something is put off */
	struct rank_ahead rank[];
};

struct ahead *ahead_new(const struct position *target)
{
	int ranks = position_path(target)->ranks;
	struct ahead *ahead = g_malloc0(sizeof(*ahead) + (gsize)ranks * sizeof(struct rank_ahead));

	ahead->ranks = ranks;
	for (int rank = 0; rank < ranks; rank++)
		ahead->rank[rank].below = ahead->rank[rank].most = position_calls(target, rank);
	return ahead;
}

void ahead_free(struct ahead *ahead)
{
	for (int rank = 0; ahead && rank < ahead->ranks; rank++)
		wire_buffer_release(&ahead->rank[rank].put_off);
	g_free(ahead);
}

guint32 ahead_below(const struct ahead *ahead, int rank)
{
	return ahead ? ahead->rank[rank].below : 0;
}

bool ahead_limit(struct ahead *ahead, int rank, guint32 call)
{
	if (call >= ahead_below(ahead, rank))
		return false;
	ahead->rank[rank].below = call;
	return true;
}

static bool is_waiting(const struct rank_ahead *rank)
{
	return rank->put_off.count > rank->heard;
}

bool ahead_puts_off(struct ahead *ahead, int rank, const struct wire_message *message)
{
	struct rank_ahead *own = ahead ? &ahead->rank[rank] : NULL;

	if (!own || (own->call == 0 && !is_waiting(own)))
		return false;
	ahead->waiting += !is_waiting(own);
	wire_encode(&own->put_off, message);
	g_assert(!own->put_off.failed);
	return true;
}

static void take_next(struct ahead *ahead, struct rank_ahead *rank,
                      struct wire_message *ret_message)
{
	const guint8 *bytes = rank->put_off.bytes + rank->heard;
	long length = wire_frame_length(bytes, rank->put_off.count - rank->heard);

	if (wire_decode(bytes, (size_t)length, ret_message) != 0)
		g_assert_not_reached();
	rank->heard += (gsize)length;
	if (is_waiting(rank))
		return;
	rank->heard = rank->put_off.count = 0;
	ahead->waiting--;
}

bool ahead_next(struct ahead *ahead, int *ret_rank, struct wire_message *ret_message)
{
	if (!ahead || ahead->waiting == 0)
		return false;
	for (int rank = 0; rank < ahead->ranks; rank++) {
		struct rank_ahead *own = &ahead->rank[rank];

		if (own->call != 0 || !is_waiting(own))
			continue;
		take_next(ahead, own, ret_message);
		*ret_rank = rank;
		return true;
	}
	return false;
}

void ahead_forget(struct ahead *ahead, int rank)
{
	if (!ahead)
		return;
	ahead->waiting -= is_waiting(&ahead->rank[rank]);
	ahead->rank[rank].put_off.count = ahead->rank[rank].heard = 0;
	ahead_let_go(ahead, rank);
}

bool ahead_begin(struct ahead *ahead, int rank, const struct wire_call *call)
{
	struct rank_ahead *own = ahead ? &ahead->rank[rank] : NULL;

	if (!own || call->call >= own->most
	    || (call->wait != WIRE_WAIT_NONE && call->wait != WIRE_WAIT_ALL))
		return false;
	if (call->wait == WIRE_WAIT_NONE)
		return true;
	own->call = call->call;
	ahead->in_calls++;
	return true;
}

bool ahead_is_in(const struct ahead *ahead, int rank, guint32 call)
{
	return ahead && call != 0 && ahead->rank[rank].call == call;
}

void ahead_let_go(struct ahead *ahead, int rank)
{
	ahead->in_calls -= ahead->rank[rank].call != 0;
	ahead->rank[rank].call = 0;
}

bool ahead_is_any(const struct ahead *ahead)
{
	return ahead && ahead->in_calls > 0;
}
