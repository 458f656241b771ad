#include "world_rounds.h"

#include "common/mix.h"
#include "mpi_calls.h"
#include "round_knowledge.h"
#include "world_looks.h"

/* Rounds without a success after which answers "no" count: a few more than a program needs until it
 * does the same again. */
#define VAIN_MOST 4u
/* Rounds of a world after which they count: something may succeed in each, without end. */
#define ROUNDS_MOST 100u

/* Choices of a round, at most. */
#define CHOICES_MOST 500u

/* The state of a rank in a call that is no poll. */
struct member {
	guint32 call; /* 0: none is known */
	struct wire_digest digest;
};

/* A state in which a round began. */
struct begun_state {
	guint64 hash;
	guint64 form;  /* of what is pending, and of ranks of which no more is known */
	size_t from;   /* the polls in which ranks stand are events from here on */
	size_t since;  /* the events of the round begin here */
	guint choices; /* made before */
};

enum escape {
	ESCAPE_OPEN,    /* some poll could have been answered otherwise */
	ESCAPE_NONE,    /* nothing could have happened otherwise */
	ESCAPE_UNKNOWN, /* something could have, and it is not known where it leads */
};

struct world_rounds {
	int ranks;
	struct member *members; /* by rank; NULL: no state is known */
	/* struct begun_state: since the last time that more happened than may be in a round; a
	 * few */
	GArray *states;
	guint64 complete; /* the collectives before this one are complete */
	guint remarks;    /* when the states became empty */
	guint polls;      /* since a round began last */
	guint begun;      /* rests at which a round began */
	guint vain;       /* of these, since the last success */
	guint choices;    /* made before the last of them; `last`: its struct begun_state, from */
	size_t last, since;
	guint64 form;   /* of the last of them */
	guint64 calls;  /* of all ranks, there */
	bool is_new;    /* its state is the last of `states` */
	size_t seen;    /* length of the trace at the rest looked at last; 0: look again */
	bool succeeded; /* since a round began last */
	bool returned;
	enum escape escape; /* if it has returned */
};

struct world_rounds *world_rounds_new(int ranks)
{
	struct world_rounds *rounds = g_new0(struct world_rounds, 1);

	rounds->ranks = ranks;
	rounds->states = g_array_new(false, false, sizeof(struct begun_state));
	return rounds;
}

struct world_rounds *world_rounds_copy(const struct world_rounds *from)
{
	struct world_rounds *to = g_memdup2(from, sizeof(*from));

	if (from->members)
		to->members = g_memdup2(from->members, (gsize)from->ranks * sizeof(*from->members));
	to->states = g_array_copy(from->states);
	return to;
}

void world_rounds_free(struct world_rounds *rounds)
{
	g_free(rounds->members);
	g_array_unref(rounds->states);
	g_free(rounds);
}

/* --- what happens ----------------------------------------------------------------------------- */

/* More has happened than may be in a round. */
static void forget_states(struct world_rounds *rounds)
{
	g_array_set_size(rounds->states, 0);
}

/* Collectives that leave nothing but data. */
static bool is_of_data(guint16 function)
{
	enum mpi_call_collective kind = mpi_call_collective(function);

	return function == MPI_CALL_Start || function == MPI_CALL_Startall
	       || (kind != MPI_CALL_COLLECTIVE_NONE && kind != MPI_CALL_COLLECTIVE_CREATE
	           && kind != MPI_CALL_COLLECTIVE_ALLOCATE && kind != MPI_CALL_COLLECTIVE_DESTROY);
}

static bool leaves_only_data(guint16 function, const struct wire_op *op)
{
	switch (op->kind) {
	case WIRE_SEND: return op->mode == WIRE_STANDARD || op->mode == WIRE_SYNCHRONOUS;
	case WIRE_RECEIVE:
	case WIRE_PROBE:
	case WIRE_MPROBE: return true;
	case WIRE_COLLECTIVE: return is_of_data(function);
	default: return false;
	}
}

/* Whether the call may be in a round. */
static bool is_of_round(const struct wire_call *call)
{
	for (guint32 i = 0; i < call->op_count; i++)
		if (!leaves_only_data(call->function, &call->ops[i]))
			return false;
	return call->op_count > 0 || call->wait == WIRE_FETCH
	       || mpi_call_completes(call->function) != MPI_CALL_COMPLETES_NONE;
}

void world_rounds_note_call(struct world *world, int rank, const struct wire_call *call)
{
	struct world_rounds *rounds = world->rounds;

	rounds->returned = false;
	if (world_is_poll(call->wait) && world_asks(world, rank)) {
		rounds->polls++;
		if (!call->timed)
			return;
	}
	if (call->timed || !is_of_round(call))
		forget_states(rounds);
}

void world_rounds_note_event(struct world *world, const struct event *event)
{
	switch (event->kind) {
	case EVENT_ANSWER: world->rounds->succeeded |= event->answer.kind != TAKEN_NO; return;
	case EVENT_RECALL:
	case EVENT_WAKE: forget_states(world->rounds); return;
	default: return;
	}
}

void world_rounds_note_yes(struct world *world)
{
	world->rounds->succeeded = true;
}

void world_rounds_note_digest(struct world *world, int rank, const struct wire_digest *digest)
{
	struct world_rounds *rounds = world->rounds;

	if (!rounds->members)
		rounds->members = g_new0(struct member, rounds->ranks);
	rounds->members[rank] = (struct member){world->ranks[rank].line->call, *digest};
	rounds->seen = 0;
}

/* --- the state at rest ------------------------------------------------------------------------ */

/* The poll in which the rank stands, if it is the first since another call, and made in a known
 * state; else NULL. */
static const struct poll *first_poll(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct poll *poll = rank->streak.polls->len == 1
	                                  ? &g_array_index(rank->streak.polls, struct poll, 0)
	                                  : NULL;

	return poll && rank->streak.rounds == 0 && rank->line->phase == PHASE_BLOCKED
	                       && poll->call == rank->line->call && poll_has_state(poll)
	               ? poll
	               : NULL;
}

/* The collective that leaves nothing but data, and that alone the rank waits for; NULL: none. */
static const struct live *awaited_collective(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct line *line = rank->line;
	const struct live *live;

	if (line->phase != PHASE_BLOCKED || line->waited->len != 1 || line->wait != WIRE_WAIT_ALL)
		return NULL;
	live = world_find_live(world, number, world_names(rank)[0]);
	return live && live->kind == WIRE_COLLECTIVE
	                       && is_of_data(
				       world_call_info(world, number, live->name.call)->function)
	               ? live
	               : NULL;
}

/* What was reported in the call in which the rank waits; NULL: nothing. */
static const struct member *reported(const struct world *world, int number)
{
	const struct member *members = world->rounds->members;

	return members && members[number].call == world->ranks[number].line->call ? &members[number]
	                                                                          : NULL;
}

static bool has_state(const struct world *world, int number)
{
	const struct member *member = reported(world, number);

	return member && awaited_collective(world, number)
	       && (member->digest.hash[0] != 0 || member->digest.hash[1] != 0);
}

static guint64 hash_of_digest(guint64 hash, const guint64 digest[2])
{
	return mix(mix(hash, digest[0]), digest[1]);
}

/* For what the rank waits, if it is no poll and its state is known. */
static guint64 hash_of_place(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct live *live = awaited_collective(world, number);
	guint64 hash = mix(rank->line->function,
	                   world_call_info(world, number, rank->line->call)->site);

	hash = mix(mix(hash, live->comm), rank->calls.count - live->name.call);
	hash = mix(mix(hash, (guint32)live->peer), live->types.bytes);
	return hash_of_digest(hash, world->rounds->members[number].digest.hash);
}

static guint64 hash_of_id(struct op_id id)
{
	return mix(mix((guint32)id.rank, id.call), id.sub);
}

/* Not whether data has arrived: it is in the rank's memory then, and so in its state. */
static guint64 hash_of_live(const struct live *live, int rank)
{
	guint64 hash = mix(mix((guint32)rank, live->name.call), live->name.sub);

	return mix(hash, (guint64)live->matched | (guint64)live->cancelled << 1
	                         | (guint64)live->joined << 2 | (guint64)live->probed << 3
	                         | (guint64)live->observed << 4
	                         | (guint64)live->waits_for_match << 5
	                         | (guint64)(guint32)live->decided << 32);
}

/* Requests of the ranks, without what their pending calls have begun, and without collectives that
 * they wait for. */
static guint64 hash_of_requests(const struct world *world)
{
	guint64 sum = 0;

	for (int number = 0; number < world->options.ranks; number++) {
		const struct rank *rank = &world->ranks[number];
		const struct live *awaited = awaited_collective(world, number);

		for (guint i = 0; i < rank->live->len; i++) {
			const struct live *live = &g_array_index(rank->live, struct live, i);

			if (live->name.call != rank->line->call && live != awaited)
				sum += hash_of_live(live, number);
		}
	}
	return sum;
}

static guint64 hash_of_messages(const struct world *world)
{
	guint64 sum = 0;
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, world->messages);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct message *message = value;

		sum += mix(mix(hash_of_id(message->id), hash_of_id(message->probe)),
		           (guint64)message->seen | (guint64)message->recalled << 1);
	}
	return sum;
}

/* Collectives that some members have begun and others not, without those in which ranks wait: they
 * may be another one each time. */
static guint64 hash_of_collectives(const struct world *world)
{
	const struct collectives *all = world->collectives;
	const guint64 count = collectives_count(all);
	guint64 sum = 0;
	int members;

	while (world->rounds->complete < count
	       && collectives_complete(all, world->rounds->complete))
		world->rounds->complete++;
	for (guint64 i = world->rounds->complete; i < count; i++) {
		const struct op_id *calls = collectives_calls(all, i, &members);

		if (collectives_complete(all, i))
			continue;
		for (int j = 0; j < members; j++) {
			const struct live *awaited = calls[j].call != 0 ? awaited_collective(
							     world, calls[j].rank)
			                                                : NULL;

			if (calls[j].call != 0 && !(awaited && awaited->instance == i))
				sum += hash_of_id(calls[j]);
		}
	}
	return sum;
}

/* What every rank waits for. false: no round begins. A rank of which the state is not known is the
 * same only while it does not move. */
static bool hash_ranks(const struct world *world, guint64 *ret_form, guint64 *ret_hash)
{
	guint polls = 0;

	*ret_form = *ret_hash = 0;
	for (int number = 0; number < world->options.ranks; number++) {
		const struct rank *rank = &world->ranks[number];
		const struct poll *poll = first_poll(world, number);

		if (rank->threads || (!poll && rank->streak.polls->len > 0))
			return false;
		polls += poll != NULL;
		if (poll)
			*ret_hash = hash_of_digest(mix(*ret_hash, poll->identity), poll->digest);
		else if (has_state(world, number))
			*ret_hash = mix(*ret_hash, hash_of_place(world, number));
		else
			*ret_form = mix(mix(*ret_form, (guint32)number), rank->calls.count);
	}
	return polls > 0;
}

/* Whether a round begins, and in which state: without `from`. */
static bool begin_round(const struct world *world, struct begun_state *ret)
{
	if (world->windows || entered_any_failed(world->entered)
	    || !hash_ranks(world, &ret->form, &ret->hash))
		return false;
	ret->form = mix(mix(ret->form, hash_of_requests(world)), hash_of_messages(world));
	ret->form = mix(ret->form, hash_of_collectives(world));
	ret->hash = mix(ret->hash, ret->form);
	ret->choices = world->choices->len;
	ret->since = trace_count(&world->trace);
	return true;
}

/* The first of the events by which the ranks made the polls in which they stand. */
static size_t find_polls(const struct world *world)
{
	size_t index = trace_count(&world->trace);

	for (int number = 0; number < world->options.ranks; number++) {
		const struct poll *poll = first_poll(world, number);
		size_t at = trace_count(&world->trace);

		if (!poll)
			continue;
		while (at > 0 && !op_id_equal(trace_at(&world->trace, at - 1)->op.id, poll->point))
			at--;
		index = MIN(index, at > 0 ? at - 1 : 0);
	}
	return index;
}

/* --- rounds ----------------------------------------------------------------------------------- */

static const struct begun_state *find_state(const struct world_rounds *rounds, guint64 hash)
{
	for (guint i = 0; i < rounds->states->len; i++)
		if (g_array_index(rounds->states, struct begun_state, i).hash == hash)
			return &g_array_index(rounds->states, struct begun_state, i);
	return NULL;
}

/* Asks ranks that wait in collectives for their states. */
static bool ask_for_states(struct world *world)
{
	bool asked = false;

	for (int number = 0; number < world->options.ranks; number++)
		if (!reported(world, number) && awaited_collective(world, number))
			asked |= world_ask_for_state(world, number);
	return asked;
}

/* Whether each rank that polls knows of all choices since event `since`; `from` as in struct
 * begun_state. */
static bool all_know(const struct world *world, size_t from, size_t since)
{
	struct round_knowledge *knowledge = round_knowledge_new(&world->trace, from, since);
	bool known = true;

	for (int number = 0; known && number < world->options.ranks; number++)
		known = !first_poll(world, number) || round_knowledge_has_all(knowledge, number);
	round_knowledge_free(knowledge);
	return known;
}

/* Whether nothing is open but what the first polls of ranks ask. */
static bool only_polls_are_open(struct world *world)
{
	GArray *open = world_list_open(world, NULL);
	bool only = true;

	for (guint i = 0; only && i < open->len; i++) {
		const struct point *point = &g_array_index(open, struct open_choice, i).point;
		const struct poll *poll = point->rank < world->options.ranks
		                                  ? first_poll(world, point->rank)
		                                  : NULL;

		only = poll
		       && op_id_equal(point_operation(point, world->options.ranks), poll->point);
	}
	open_choices_free(open);
	return only;
}

static enum escape find_escape(const struct world *world, const struct begun_state *since)
{
	bool had_others = false;

	for (guint i = since->choices; i < world->choices->len; i++) {
		const struct choice *choice = &g_array_index(world->choices, struct choice, i);

		if (world_alternatives(world, i)->len == 0)
			continue;
		if (choice->taken.kind == TAKEN_NO)
			return ESCAPE_OPEN;
		had_others = true;
	}
	return had_others || round_may_differ(&world->trace, since->from, since->since)
	               ? ESCAPE_UNKNOWN
	               : ESCAPE_NONE;
}

static void come_back(struct world *world, const struct begun_state *before)
{
	struct world_rounds *rounds = world->rounds;

	rounds->returned = only_polls_are_open(world)
	                   && all_know(world, before->from, before->since);
	if (!rounds->returned)
		return;
	rounds->escape = find_escape(world, before);
	if (rounds->escape == ESCAPE_UNKNOWN)
		world_limit(world, LIMIT_POLLS);
}

static guint64 count_calls(const struct world *world)
{
	guint64 calls = 0;

	for (int number = 0; number < world->options.ranks; number++)
		calls += world->ranks[number].calls.count;
	return calls;
}

/* Something was received where the round begins: that is the state to come back to. */
static void begin_later(struct world_rounds *rounds, struct begun_state *now)
{
	now->from = rounds->last;
	rounds->choices = now->choices;
	rounds->since = now->since;
	rounds->form = now->form;
	g_array_index(rounds->states, struct begun_state, rounds->states->len - 1) = *now;
}

/* A round ends where all ranks that poll know of all that was chosen in it. Elsewhere some are a
 * part of a round ahead of others. */
static void note_round(struct world *world, struct begun_state *now)
{
	struct world_rounds *rounds = world->rounds;
	const bool is_round = rounds->states->len > 0;
	bool excused = is_round && (rounds->succeeded || rounds->form == now->form);
	const struct begun_state *before;

	if (is_round && !all_know(world, rounds->last, rounds->since)) {
		if (now->choices - rounds->choices > CHOICES_MOST)
			forget_states(rounds);
		return;
	}
	if (!is_round)
		rounds->remarks = remarks_count(world->remarks);
	rounds->vain = rounds->succeeded ? 0 : rounds->vain + 1;
	rounds->begun++;
	rounds->succeeded = false;
	rounds->polls = 0;
	rounds->choices = now->choices;
	rounds->last = now->from = find_polls(world);
	rounds->form = now->form;
	excused = excused && rounds->vain <= VAIN_MOST && rounds->begun <= ROUNDS_MOST;
	world_excuse_polls(world, excused);
	rounds->since = now->since;
	rounds->calls = count_calls(world);
	before = find_state(rounds, now->hash);
	rounds->is_new = !before;
	if (!before)
		g_array_append_vals(rounds->states, now, 1);
	else if (rounds->remarks == remarks_count(world->remarks))
		come_back(world, before);
}

bool world_rounds_note_rest(struct world *world)
{
	struct world_rounds *rounds = world->rounds;
	struct begun_state now;

	if (rounds->seen == trace_count(&world->trace)) /* still the same rest */
		return false;
	rounds->returned = false;
	if (rounds->polls == 0
	    && !(rounds->states->len > 0 && rounds->is_new && rounds->calls == count_calls(world)))
		return false;
	if (!begin_round(world, &now))
		return false;
	if (ask_for_states(world))
		return true;
	rounds->seen = trace_count(&world->trace);
	if (rounds->polls == 0)
		begin_later(rounds, &now);
	else
		note_round(world, &now);
	return false;
}

bool world_has_returned(const struct world *world)
{
	return world->rounds->returned;
}

bool world_goes_round_for_ever(const struct world *world)
{
	return world->rounds->returned && world->rounds->escape == ESCAPE_NONE;
}
