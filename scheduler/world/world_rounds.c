#include "world_rounds.h"

#include "common/mix.h"
#include "mpi_calls.h"

/* Rounds without a success after which answers "no" count: a few more than a program needs until it
 * does the same again. */
#define VAIN_MOST 4u
/* Rounds of a world after which they count: something may succeed in each, without end. */
#define ROUNDS_MOST 100u

/* What is known of a rank. */
struct member {
	guint meetings;  /* collectives of all ranks that it has left */
	guint polls;     /* since the last of these */
	bool is_excused; /* a round of it does not count; until all ranks begin another one */
};

/* A state in which all ranks began a round. */
struct begun_state {
	guint64 hash;
	guint meetings; /* of each rank, when it was so first */
};

struct world_rounds {
	int ranks;
	struct member *members;
	/* struct begun_state: since the last time that more happened than rounds in vain; a few */
	GArray *states;
	guint begun;    /* rests at which all ranks began a round */
	guint vain;     /* of these, since the last success */
	bool succeeded; /* since the last of these */
	bool returned;
};

struct world_rounds *world_rounds_new(int ranks)
{
	struct world_rounds *rounds = g_new0(struct world_rounds, 1);

	rounds->ranks = ranks;
	rounds->members = g_new0(struct member, ranks);
	rounds->states = g_array_new(false, false, sizeof(struct begun_state));
	return rounds;
}

struct world_rounds *world_rounds_copy(const struct world_rounds *from)
{
	struct world_rounds *to = g_memdup2(from, sizeof(*from));

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

/* More has happened than a round in vain. */
static void forget_states(struct world_rounds *rounds)
{
	g_array_set_size(rounds->states, 0);
}

static void succeed(struct world_rounds *rounds)
{
	rounds->succeeded = true;
	forget_states(rounds);
}

/* Blocking collectives in which each rank waits for all, and that leave nothing but data. */
static bool is_meeting(guint16 function)
{
	switch (function) {
	case MPI_CALL_Barrier:
	case MPI_CALL_Allreduce:
	case MPI_CALL_Allreduce_c:
	case MPI_CALL_Allgather:
	case MPI_CALL_Allgather_c:
	case MPI_CALL_Allgatherv:
	case MPI_CALL_Allgatherv_c:
	case MPI_CALL_Alltoall:
	case MPI_CALL_Alltoall_c:
	case MPI_CALL_Alltoallv:
	case MPI_CALL_Alltoallv_c:
	case MPI_CALL_Alltoallw:
	case MPI_CALL_Alltoallw_c:
	case MPI_CALL_Reduce_scatter:
	case MPI_CALL_Reduce_scatter_c:
	case MPI_CALL_Reduce_scatter_block:
	case MPI_CALL_Reduce_scatter_block_c: return true;
	default: return false;
	}
}

static bool is_meeting_of_all(const struct world *world, int rank, const struct wire_call *call)
{
	int members;

	if (!is_meeting(call->function) || call->op_count != 1)
		return false;
	communicators_members(world->comms, call->ops[0].comm, rank, &members);
	return members == world->options.ranks;
}

enum round_step world_rounds_note_call(struct world *world, int rank, const struct wire_call *call)
{
	struct world_rounds *rounds = world->rounds;
	struct member *member = &rounds->members[rank];

	rounds->returned = false;
	if (call->timed)
		forget_states(rounds);
	if (world_is_poll(call->wait) && world_asks(world, rank)) {
		member->polls++;
		return ROUND_GOES_ON;
	}
	if (!is_meeting_of_all(world, rank, call)) {
		forget_states(rounds);
		return ROUND_GOES_ON;
	}
	if (member->polls == 0 || member->is_excused || rounds->vain > VAIN_MOST
	    || rounds->begun > ROUNDS_MOST)
		return ROUND_ENDS;
	member->is_excused = true;
	return ROUND_EXCUSED;
}

void world_rounds_note_event(struct world *world, const struct event *event)
{
	struct world_rounds *rounds = world->rounds;
	const struct world_call *info;

	switch (event->kind) {
	case EVENT_RECEIVE: /* what else than polls does this is a call: world_rounds_note_call */
	case EVENT_CANCEL:
	case EVENT_ASK:
	case EVENT_LATER:
	case EVENT_REPEAT:
	case EVENT_ARRIVE: return;
	case EVENT_ANSWER:
		if (event->answer.kind != TAKEN_NO)
			succeed(rounds);
		return;
	case EVENT_LEAVE:
		info = world_call_info(world, event->op.id.rank, event->op.id.call);
		if (is_meeting(info->function)) {
			rounds->members[event->op.id.rank].meetings++;
			rounds->members[event->op.id.rank].polls = 0;
			return;
		}
		forget_states(rounds);
		return;
	default: forget_states(rounds);
	}
}

void world_rounds_note_yes(struct world *world)
{
	succeed(world->rounds);
}

/* --- at rest ---------------------------------------------------------------------------------- */

/* The poll in which the rank stands, if it is the first since all ranks met, and made in a known
 * state; else NULL. */
static const struct poll *first_poll(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct poll *poll = rank->streak.polls->len == 1
	                                  ? &g_array_index(rank->streak.polls, struct poll, 0)
	                                  : NULL;

	return poll && world->rounds->members[number].polls == 1 && !rank->threads
	                       && rank->line->phase == PHASE_BLOCKED
	                       && poll->call == rank->line->call && poll_has_state(poll)
	               ? poll
	               : NULL;
}

/* Whether all ranks begin a round; *ret_state: in which state. */
static bool begin_round(const struct world *world, guint64 *ret_state)
{
	*ret_state = 0;
	for (int number = 0; number < world->options.ranks; number++) {
		const struct poll *poll = first_poll(world, number);

		if (!poll)
			return false;
		*ret_state = mix(mix(mix(*ret_state, poll->identity), poll->digest[0]),
		                 poll->digest[1]);
	}
	return true;
}

/* NULL: not so far. */
static const struct begun_state *find_state(const struct world_rounds *rounds, guint64 hash)
{
	for (guint i = 0; i < rounds->states->len; i++)
		if (g_array_index(rounds->states, struct begun_state, i).hash == hash)
			return &g_array_index(rounds->states, struct begun_state, i);
	return NULL;
}

void world_rounds_note_rest(struct world *world)
{
	struct world_rounds *rounds = world->rounds;
	struct begun_state now = {.meetings = rounds->members[0].meetings};
	const struct begun_state *before;

	if (world->windows || !begin_round(world, &now.hash)) {
		rounds->returned = false;
		return;
	}
	before = find_state(rounds, now.hash);
	if (before && before->meetings == now.meetings) /* still the same rest */
		return;
	rounds->returned = before != NULL;
	if (!before)
		g_array_append_val(rounds->states, now);
	rounds->vain = rounds->succeeded ? 0 : rounds->vain + 1;
	rounds->succeeded = false;
	rounds->begun++;
	for (int rank = 0; rank < rounds->ranks; rank++)
		rounds->members[rank].is_excused = false;
}

bool world_has_returned(const struct world *world)
{
	return world->rounds->returned;
}
