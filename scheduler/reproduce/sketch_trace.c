/* Makes the steps of one rank in one interleaving from its record. */
#include <stdlib.h>

#include "sketch_internal.h"

struct tracing {
	const struct record_finding *finding;
	const struct record_execution *execution;
	enum sketch_side side;
	int32_t rank;
	struct sketch_trace trace;
};

static struct sketch_step *step_at(const struct tracing *tracing, guint index)
{
	return tracing->trace.steps->pdata[index];
}

void sketch_step_free(gpointer data)
{
	struct sketch_step *step = data;

	if (!step)
		return;
	if (step->waits)
		g_array_unref(step->waits);
	for (int side = 0; side < SKETCH_SIDES; side++) {
		if (step->events[side].reported)
			g_array_unref(step->events[side].reported);
	}
	g_free(step);
}

static int compare_calls(const void *one, const void *other)
{
	const struct record_call *a = one, *b = other;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->call > b->call) - (a->call < b->call);
}

static const struct record_call *sketch_call(const struct record_execution *execution, int32_t rank,
                                             uint32_t call)
{
	const struct record_call key = {.rank = rank, .call = call};

	if (!execution || execution->calls->len == 0)
		return NULL;
	return bsearch(&key, execution->calls->data, execution->calls->len, sizeof(key),
	               compare_calls);
}

/* Sets the source of the message received or probed; probes are not among the matches. */
static void take_message(const struct tracing *tracing, struct sketch_step *step, uint32_t call)
{
	const struct record_execution *execution = tracing->execution;
	struct sketch_event *event = &step->events[tracing->side];

	for (guint i = 0; i < execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(execution->matches,
		                                                  struct record_match, i);

		if (match->rank == step->rank && match->call == call
		    && (step->sub == SKETCH_ANY_SUB || step->sub == match->sub)) {
			event->source = match->source;
			event->tag = match->tag;
			event->send = match->send_call;
			event->send_sub = match->send_sub;
			return;
		}
	}
	for (guint i = 0; i < execution->choices->len; i++) {
		const struct record_choice *choice = execution->choices->pdata[i];

		if (choice->rank == step->rank && choice->call == call && choice->taken.source >= 0
		    && choice->point.kind != POINT_LOCK) {
			event->source = choice->taken.source;
			event->tag = choice->taken.tag;
			event->send = choice->taken.call;
			event->send_sub = choice->taken.sub;
		}
	}
}

static enum mpi_call function_of(const struct record_call *call)
{
	return mpi_call_by_name(call->function);
}

static struct sketch_step *add_step(struct tracing *tracing, const struct record_call *call,
                                    enum sketch_kind kind, enum mpi_call function)
{
	struct sketch_step *step = g_new0(struct sketch_step, 1);

	step->kind = kind;
	step->rank = call->rank;
	step->sub = SKETCH_ANY_SUB;
	step->function = function;
	step->original = function_of(call);
	step->peer = call->peer;
	step->follows = -1;
	step->tag = call->tag;
	step->communicator = call->communicator;
	step->count = call->bytes;
	step->type = "MPI_BYTE";
	step->reduction = "MPI_BOR";
	step->place = call->place;
	for (int side = 0; side < SKETCH_SIDES; side++)
		step->events[side].source = step->events[side].tag = -1;
	step->events[tracing->side].call = call->call;
	step->events[tracing->side].meeting = call->collective;
	step->events[tracing->side].done = sketch_call(tracing->execution, call->rank,
	                                               call->call + 1);
	step->events[tracing->side].yes = call->completed == call->call;
	g_ptr_array_add(tracing->trace.steps, step);
	return step;
}

/* Whether there was a choice between messages at this call: it had MPI_ANY_SOURCE. */
static bool is_wildcard(const struct tracing *tracing, uint32_t call)
{
	for (guint i = 0; i < tracing->execution->choices->len; i++) {
		const struct record_choice *choice = tracing->execution->choices->pdata[i];

		if (choice->rank == tracing->rank && choice->call == call
		    && choice->point.kind != POINT_LOCK && choice->taken.source >= 0)
			return true;
	}
	return false;
}

/* Adds the receive of an MPI_Sendrecv. The record describes the send; its match, or the ranks it
 * waits for, describe the rest. */
static void add_exchange(struct tracing *tracing, const struct record_call *call)
{
	bool immediate = mpi_call_leaves_request(function_of(call));
	struct sketch_step *send = add_step(tracing, call, SKETCH_SEND, MPI_CALL_Isend), *receive,
			   *wait;
	const GPtrArray *ranks = tracing->finding->ranks;
	guint index = tracing->trace.steps->len - 1;

	send->immediate = true;
	send->exchange = !immediate;
	receive = add_step(tracing, call, SKETCH_RECEIVE,
	                   immediate ? MPI_CALL_Irecv : MPI_CALL_Recv);
	receive->immediate = immediate;
	receive->peer = -1;
	take_message(tracing, receive, call->call);
	receive->tag = receive->events[tracing->side].tag;
	if (!is_wildcard(tracing, call->call))
		receive->peer = receive->events[tracing->side].source;
	for (guint i = 0; receive->events[tracing->side].source < 0 && i < ranks->len; i++) {
		const struct record_rank *rank = ranks->pdata[i];

		if (rank->rank == call->rank && rank->call == call->call
		    && rank->waits_for->len == 1)
			receive->peer = g_array_index(rank->waits_for, int32_t, 0);
	}
	if (immediate)
		return;
	wait = add_step(tracing, call, SKETCH_WAIT, MPI_CALL_Wait);
	wait->waits = g_array_new(false, false, sizeof(guint));
	g_array_append_val(wait->waits, index);
}

/* MPI_Startall: adds what the matches contain. */
static void add_starts(struct tracing *tracing, const struct record_call *call)
{
	const GArray *matches = tracing->execution->matches;

	for (guint i = 0; i < matches->len; i++) {
		const struct record_match *match = &g_array_index(matches, struct record_match, i);
		bool receives = match->rank == call->rank && match->call == call->call;
		bool sends = match->source == call->rank && match->send_call == call->call;
		struct sketch_step *step;

		if (!receives && !sends)
			continue;
		step = add_step(tracing, call, sends ? SKETCH_SEND : SKETCH_RECEIVE,
		                sends ? MPI_CALL_Isend : MPI_CALL_Irecv);
		step->immediate = true;
		step->tag = match->tag;
		step->sub = sends ? match->send_sub : match->sub;
		step->peer = sends ? match->rank : match->source;
		if (receives)
			take_message(tracing, step, call->call);
	}
}

/* Whether a cancelled request is already waited for: SKETCH_CANCEL includes the wait. */
static bool is_over(const struct tracing *tracing, guint index)
{
	for (guint i = index + 1; i < tracing->trace.steps->len; i++) {
		const struct sketch_step *step = step_at(tracing, i);

		if (step->kind == SKETCH_CANCEL && g_array_index(step->waits, guint, 0) == index)
			return true;
	}
	return false;
}

/* The indices of the requests that this call completed. If it waits for ever: all requests that are
 * not complete. */
static GArray *completed_by(const struct tracing *tracing, const struct record_call *call,
                            bool for_ever)
{
	GArray *indices = g_array_new(false, false, sizeof(guint));

	for (guint i = 0; i < tracing->trace.steps->len; i++) {
		const struct sketch_step *step = step_at(tracing, i);
		const struct record_call *from = sketch_call(tracing->execution, step->rank,
		                                             step->events[tracing->side].call);

		if (step->immediate && !step->exchange && !is_over(tracing, i)
		    && (from->completed == call->call || (for_ever && from->completed == 0)))
			g_array_append_val(indices, i);
	}
	return indices;
}

static GArray *asked_about(const struct tracing *tracing, const struct record_call *call)
{
	GArray *indices = g_array_new(false, false, sizeof(guint));
	g_auto(GStrv) words = g_strsplit(call->asked, ",", -1);

	for (guint i = 0; words[i]; i++) {
		guint64 number = g_ascii_strtoull(words[i], NULL, 10);

		for (guint j = 0; j < tracing->trace.steps->len; j++) {
			const struct sketch_step *step = step_at(tracing, j);

			if (step->immediate && !step->exchange
			    && step->events[tracing->side].call == number && !is_over(tracing, j))
				g_array_append_val(indices, j);
		}
	}
	return indices;
}

/* MPI_Cancel is about one request. For requests of MPI_Startall it is not known which. */
static void add_cancel(struct tracing *tracing, const struct record_call *call)
{
	GArray *indices = call->asked ? asked_about(tracing, call) : NULL;
	struct sketch_step *step, *from;
	struct sketch_event *event;

	if (!indices || indices->len != 1) {
		if (indices)
			g_array_unref(indices);
		return;
	}
	from = step_at(tracing, g_array_index(indices, guint, 0));
	event = &from->events[tracing->side];
	step = add_step(tracing, call, SKETCH_CANCEL, MPI_CALL_Cancel);
	step->waits = indices;
	event->withdrawn = step->events[tracing->side].done && from->kind == SKETCH_RECEIVE
	                   && event->send == 0;
	step->events[tracing->side].yes = event->withdrawn;
}

static void add_wait(struct tracing *tracing, const struct record_call *call)
{
	bool last = !sketch_call(tracing->execution, call->rank, call->call + 1);
	GArray *reported = completed_by(tracing, call, last && !call->asked);
	GArray *asked = call->asked ? asked_about(tracing, call) : NULL;
	struct sketch_step *step;

	if (asked && asked->len > 0) {
		step = add_step(tracing, call, SKETCH_ASK, function_of(call));
		step->waits = asked;
		step->events[tracing->side].reported = reported;
		step->events[tracing->side].yes = reported->len > 0;
		if (reported->len == 1) {
			const struct sketch_step *from = step_at(tracing,
			                                         g_array_index(reported, guint, 0));

			step->events[tracing->side].source =
				from->kind == SKETCH_RECEIVE ? from->events[tracing->side].source
							     : -1;
		}
		return;
	}
	if (asked)
		g_array_unref(asked);
	if (reported->len == 0) {
		g_array_unref(reported);
		return;
	}
	step = add_step(tracing, call, SKETCH_WAIT,
	                reported->len > 1 ? MPI_CALL_Waitall : MPI_CALL_Wait);
	step->waits = reported;
}

/* The collective to print. Collectives with other arguments, and those that create communicators,
 * become a barrier. */
static enum mpi_call written_collective(enum mpi_call function)
{
	static const enum mpi_call written[][2] = {
		[MPI_CALL_COLLECTIVE_BCAST] = {MPI_CALL_Bcast, MPI_CALL_Ibcast},
		[MPI_CALL_COLLECTIVE_REDUCE] = {MPI_CALL_Reduce, MPI_CALL_Ireduce},
		[MPI_CALL_COLLECTIVE_ALLREDUCE] = {MPI_CALL_Allreduce, MPI_CALL_Iallreduce},
		[MPI_CALL_COLLECTIVE_GATHER] = {MPI_CALL_Gather, MPI_CALL_Igather},
		[MPI_CALL_COLLECTIVE_GATHERV] = {MPI_CALL_Gather, MPI_CALL_Igather},
		[MPI_CALL_COLLECTIVE_SCATTER] = {MPI_CALL_Scatter, MPI_CALL_Iscatter},
		[MPI_CALL_COLLECTIVE_SCATTERV] = {MPI_CALL_Scatter, MPI_CALL_Iscatter},
		[MPI_CALL_COLLECTIVE_ALLGATHER] = {MPI_CALL_Allgather, MPI_CALL_Iallgather},
		[MPI_CALL_COLLECTIVE_SCAN] = {MPI_CALL_Scan, MPI_CALL_Iscan},
		[MPI_CALL_COLLECTIVE_ALLTOALL] = {MPI_CALL_Alltoall, MPI_CALL_Ialltoall},
	};
	enum mpi_call_collective collective = mpi_call_collective(function);
	bool immediate = mpi_call_leaves_request(function);

	if (collective < G_N_ELEMENTS(written) && written[collective][0] != MPI_CALL_NONE)
		return written[collective][immediate];
	return immediate && mpi_call_makes(function) == MPI_CALL_MAKES_REQUEST ? MPI_CALL_Ibarrier
	                                                                       : MPI_CALL_Barrier;
}

static bool shown_by(const struct tracing *tracing, enum finding_emit emit)
{
	return finding_kind_info(tracing->finding->kind)->emit == emit;
}

/* Whether the finding is that the object created here is never freed. */
static bool is_left(const struct tracing *tracing, const struct record_call *call)
{
	const GPtrArray *ranks = tracing->finding->ranks;

	for (guint i = 0; shown_by(tracing, FINDING_EMIT_LEAVE) && i < ranks->len; i++) {
		const struct record_rank *rank = ranks->pdata[i];

		if (rank->rank == call->rank && rank->call == 0
		    && g_str_equal(rank->function, call->function)
		    && place_equal(&rank->place, &call->place))
			return true;
	}
	return false;
}

/* Adds the creation of objects that are never freed by local calls that the record does not have;
 * they come at the end. */
static void add_left(struct tracing *tracing, uint32_t last)
{
	const GPtrArray *ranks = tracing->finding->ranks;

	for (guint i = 0; shown_by(tracing, FINDING_EMIT_LEAVE) && i < ranks->len; i++) {
		const struct record_rank *rank = ranks->pdata[i];
		const struct record_call call = {.rank = rank->rank,
		                                 .call = last,
		                                 .function = rank->function,
		                                 .place = rank->place,
		                                 .peer = -1,
		                                 .tag = -1};
		bool known = rank->rank != tracing->rank || rank->call > 0;

		for (guint j = 0; j < tracing->trace.steps->len && !known; j++) {
			const struct sketch_step *step = step_at(tracing, j);

			known = step->original == mpi_call_by_name(rank->function)
			        && place_equal(&step->place, &rank->place);
		}
		if (!known)
			add_step(tracing, &call, SKETCH_MAKE, function_of(&call));
	}
}

/* Adds the write to a buffer if the finding is a write before this call completes the operation. */
static void add_write(struct tracing *tracing, const struct record_call *call)
{
	const GPtrArray *ranks = tracing->finding->ranks;
	const struct record_rank *begin, *end;
	struct sketch_step *step;

	if (!shown_by(tracing, FINDING_EMIT_WRITE) || ranks->len < 2)
		return;
	begin = ranks->pdata[0];
	end = ranks->pdata[1];
	for (guint i = 0; i < tracing->trace.steps->len; i++) {
		struct sketch_step *from = step_at(tracing, i);

		if (end->rank != call->rank || end->call != call->call || !from->immediate
		    || from->events[tracing->side].call != begin->call)
			continue;
		from->count = MAX(from->count, sizeof(int));
		step = add_step(tracing, call, SKETCH_WRITE, function_of(call));
		step->waits = g_array_new(false, false, sizeof(guint));
		g_array_append_val(step->waits, i);
		return;
	}
}

static void add_collective(struct tracing *tracing, const struct record_call *call)
{
	enum mpi_call function = function_of(call), written = written_collective(function);

	if (mpi_call_begins_mpi(function) || mpi_call_ends_mpi(function))
		return;
	if (is_left(tracing, call)) {
		add_step(tracing, call, SKETCH_MAKE, function);
		return;
	}
	add_step(tracing, call, SKETCH_COLLECTIVE, written)->immediate = mpi_call_leaves_request(
		written);
}

static void add_send(struct tracing *tracing, const struct record_call *call, bool immediate)
{
	enum mpi_call_send_mode mode = mpi_call_send_mode(function_of(call));
	bool buffered = mode == MPI_CALL_SEND_MODE_BUFFERED;
	enum mpi_call written;

	if (buffered) /* it does not wait */
		written = MPI_CALL_Isend;
	else if (mode == MPI_CALL_SEND_MODE_SYNCHRONOUS)
		written = immediate ? MPI_CALL_Issend : MPI_CALL_Ssend;
	else
		written = immediate ? MPI_CALL_Isend : MPI_CALL_Send;
	add_step(tracing, call, SKETCH_SEND, written)->immediate = immediate || buffered;
}

static void add_receive(struct tracing *tracing, const struct record_call *call, bool immediate)
{
	struct sketch_step *step = add_step(tracing, call, SKETCH_RECEIVE,
	                                    immediate ? MPI_CALL_Irecv : MPI_CALL_Recv);

	step->immediate = immediate;
	take_message(tracing, step, call->call);
}

static void add_probe(struct tracing *tracing, const struct record_call *call)
{
	bool polls = mpi_call_asks(function_of(call));
	const struct record_call *send;
	struct sketch_step *step;

	if (call->kind == RECORD_CALL_PROBE || polls) {
		step = add_step(tracing, call, SKETCH_PROBE,
		                polls ? MPI_CALL_Iprobe : MPI_CALL_Probe);
		take_message(tracing, step, call->call);
	}
	/* A matched probe receives the whole message. */
	if (call->kind == RECORD_CALL_MPROBE && (!polls || call->completed == call->call)) {
		add_receive(tracing, call, false);
		step = step_at(tracing, tracing->trace.steps->len - 1);
		send = sketch_call(tracing->execution, step->events[tracing->side].source,
		                   step->events[tracing->side].send);
		step->count = send ? send->bytes : 0;
		if (polls && step->peer < 0)
			step->peer = step->events[tracing->side].source;
	}
}

/* Whether the rank holds the lock that this call releases. */
static bool rank_holds(const struct tracing *tracing, const struct record_call *call)
{
	bool all = function_of(call) == MPI_CALL_Win_unlock_all;
	int held = 0;

	for (guint i = 0; i < tracing->trace.steps->len; i++) {
		const struct sketch_step *step = step_at(tracing, i);
		bool of_all = step->function == MPI_CALL_Win_lock_all
		              || step->function == MPI_CALL_Win_unlock_all;

		if (step->kind == SKETCH_LOCK && step->window == call->communicator
		    && step->peer == call->peer && of_all == all)
			held += mpi_call_lock(step->function) == MPI_CALL_LOCK_TAKES ? 1 : -1;
	}
	return held > 0;
}

/* A lock that is taken without a request (MPI_MODE_NOCHECK) is not one here. */
static void add_lock(struct tracing *tracing, const struct record_call *call)
{
	enum mpi_call function = function_of(call);
	struct sketch_step *step;

	if (call->communicator == 0
	    || (mpi_call_lock(function) == MPI_CALL_LOCK_GIVES_BACK && !rank_holds(tracing, call)))
		return;
	step = add_step(tracing, call, SKETCH_LOCK, function);
	step->window = call->communicator;
	step->communicator = 0;
}

static void add_call(struct tracing *tracing, const struct record_call *call)
{
	enum mpi_call function = function_of(call);
	bool immediate = mpi_call_leaves_request(function);

	if (mpi_call_lock(function) != MPI_CALL_LOCK_NONE)
		add_lock(tracing, call);
	else if (function == MPI_CALL_Startall)
		add_starts(tracing, call);
	else if (call->kind == RECORD_CALL_SEND && call->operations > 1)
		add_exchange(tracing, call);
	else if (call->kind == RECORD_CALL_SEND)
		add_send(tracing, call, immediate);
	else if (call->kind == RECORD_CALL_RECEIVE)
		add_receive(tracing, call, immediate);
	else if (call->kind == RECORD_CALL_PROBE || call->kind == RECORD_CALL_MPROBE)
		add_probe(tracing, call);
	else if (call->kind == RECORD_CALL_COLLECTIVE)
		add_collective(tracing, call);
	else if (mpi_call_completes(function) != MPI_CALL_COMPLETES_NONE)
		add_wait(tracing, call);
	else if (function == MPI_CALL_Cancel)
		add_cancel(tracing, call);
}

struct sketch_trace sketch_trace_make(const struct record_finding *finding,
                                      const struct record_execution *execution, int32_t rank,
                                      enum sketch_side side)
{
	struct tracing tracing = {finding, execution, side, rank, {0}};
	const struct record_call *call = NULL;

	tracing.trace.steps = g_ptr_array_new_with_free_func(sketch_step_free);
	for (uint32_t number = 1; execution; number++) {
		const struct record_call *next = sketch_call(execution, rank, number);

		if (!next)
			break;
		call = next;
		add_write(&tracing, call);
		add_call(&tracing, call);
	}
	if (call && side == SKETCH_BAD)
		add_left(&tracing, call->call);
	tracing.trace.known = execution != NULL;
	tracing.trace.stuck = !call || function_of(call) != MPI_CALL_Finalize;
	return tracing.trace;
}
