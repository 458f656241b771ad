#include "run_ahead.h"

#include <string.h>

struct rank_ahead {
	guint32 below, most;        /* first call that has to wait: now; ever */
	guint32 call;               /* that the world has not let go; 0: none */
	struct wire_buffer put_off; /* frames; those from `heard` on wait */
	gsize heard;
};

struct run_ahead {
	int ranks;
	bool hurries;
	guint in_calls; /* ranks in such a call */
	guint waiting;  /* ranks with messages that were put off */
	struct rank_ahead rank[];
};

static struct run_ahead *new_for(int ranks)
{
	struct run_ahead *run_ahead = g_malloc0(sizeof(*run_ahead)
	                                        + (gsize)ranks * sizeof(struct rank_ahead));

	run_ahead->ranks = ranks;
	return run_ahead;
}

struct run_ahead *run_ahead_new_hurrying(int ranks)
{
	struct run_ahead *run_ahead = new_for(ranks);

	run_ahead->hurries = true;
	return run_ahead;
}

bool run_ahead_hurries(const struct run_ahead *run_ahead)
{
	return run_ahead && run_ahead->hurries;
}

struct run_ahead *run_ahead_new(const struct position *target)
{
	int ranks = position_path(target)->ranks;
	struct run_ahead *run_ahead = new_for(ranks);

	for (int rank = 0; rank < ranks; rank++)
		run_ahead->rank[rank].below = run_ahead->rank[rank].most = position_calls(target,
		                                                                          rank);
	return run_ahead;
}

void run_ahead_free(struct run_ahead *run_ahead)
{
	for (int rank = 0; run_ahead && rank < run_ahead->ranks; rank++)
		wire_buffer_release(&run_ahead->rank[rank].put_off);
	g_free(run_ahead);
}

guint32 run_ahead_below(const struct run_ahead *run_ahead, int rank)
{
	return run_ahead ? run_ahead->rank[rank].below : 0;
}

bool run_ahead_limit(struct run_ahead *run_ahead, int rank, guint32 call)
{
	if (call >= run_ahead_below(run_ahead, rank))
		return false;
	run_ahead->rank[rank].below = call;
	return true;
}

static bool is_waiting(const struct rank_ahead *rank)
{
	return rank->put_off.count > rank->heard;
}

bool run_ahead_puts_off(struct run_ahead *run_ahead, int rank, const struct wire_message *message)
{
	struct rank_ahead *own = run_ahead ? &run_ahead->rank[rank] : NULL;

	if (!own || (own->call == 0 && !is_waiting(own)))
		return false;
	run_ahead->waiting += !is_waiting(own);
	wire_encode(&own->put_off, message);
	g_assert(!own->put_off.failed);
	return true;
}

static void take_next(struct run_ahead *run_ahead, struct rank_ahead *rank,
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
	run_ahead->waiting--;
}

bool run_ahead_next(struct run_ahead *run_ahead, int *ret_rank, struct wire_message *ret_message)
{
	if (!run_ahead || run_ahead->waiting == 0)
		return false;
	for (int rank = 0; rank < run_ahead->ranks; rank++) {
		struct rank_ahead *own = &run_ahead->rank[rank];

		if (own->call != 0 || !is_waiting(own))
			continue;
		take_next(run_ahead, own, ret_message);
		*ret_rank = rank;
		return true;
	}
	return false;
}

void run_ahead_forget(struct run_ahead *run_ahead, int rank)
{
	if (!run_ahead)
		return;
	run_ahead->waiting -= is_waiting(&run_ahead->rank[rank]);
	run_ahead->rank[rank].put_off.count = run_ahead->rank[rank].heard = 0;
	run_ahead_let_go(run_ahead, rank);
}

static bool may_be_marked(const struct run_ahead *run_ahead, const struct rank_ahead *rank,
                          const struct wire_call *call)
{
	bool all = call->wait == WIRE_WAIT_NONE || call->wait == WIRE_WAIT_ALL;

	if (!run_ahead->hurries)
		return call->call < rank->most && all;
	return all || call->wait == WIRE_WAIT_ANY;
}

bool run_ahead_begin(struct run_ahead *run_ahead, int rank, const struct wire_call *call)
{
	struct rank_ahead *own = run_ahead ? &run_ahead->rank[rank] : NULL;

	if (!own || !may_be_marked(run_ahead, own, call))
		return false;
	if (call->wait == WIRE_WAIT_NONE)
		return true;
	own->call = call->call;
	run_ahead->in_calls++;
	return true;
}

bool run_ahead_is_in(const struct run_ahead *run_ahead, int rank, guint32 call)
{
	return run_ahead && call != 0 && run_ahead->rank[rank].call == call;
}

void run_ahead_let_go(struct run_ahead *run_ahead, int rank)
{
	run_ahead->in_calls -= run_ahead->rank[rank].call != 0;
	run_ahead->rank[rank].call = 0;
}

bool run_ahead_is_any(const struct run_ahead *run_ahead)
{
	return run_ahead && run_ahead->in_calls > 0;
}
