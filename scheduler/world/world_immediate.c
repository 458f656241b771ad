/* A rank may go round in a loop of calls that all return at once: MPI_Waitsome of no active
 * request, MPI_Probe of MPI_PROC_NULL, MPI_Sendrecv with itself. No other rank takes part in them.
 * Nothing would ever stop such a rank, and the others would wait for it for ever.
 *
 * Polls answered "no" may lie between these calls: they move nothing either.
 *
 * After many of these calls in a row, some are held until all ranks are at rest, as polls are. The
 * ranks are then asked for a digest (scheduler/liveness/livelock_detector.h), which shows whether
 * the rank comes back to the same state. If it does not, it goes on, and is looked at again
 * later. */
#include "world_internal.h"

enum {
	FIRST = 20000, /* calls before the first look */
	OWN = 10,      /* calls for which one counts that moves something: these take longer */
	POLL = 40,     /* calls for which a poll counts: it waits until all ranks are at rest */
	HELD = 250     /* calls held in one look: four looks of the detector */
};

/* Whether the operation has to do with no other rank. */
static bool is_own(const struct world *world, int number, const struct wire_op *op)
{
	int count;

	switch (op->kind) {
	case WIRE_SEND:
	case WIRE_RECEIVE:
	case WIRE_PROBE:
	case WIRE_MPROBE:
		return op->peer != WIRE_ANY
		       && communicators_to_world(world->comms, op->comm, number, op->peer)
		                  == number;
	case WIRE_COLLECTIVE:
		communicators_members(world->comms, op->comm, number, &count);
		return count == 1;
	default: return false;
	}
}

/* A probe that comes to a message that was reported before. */
static bool repeats_probe(const struct world *world, int number, const struct wire_call *call)
{
	const struct live *live = call->op_count == 1
	                                  ? world_find_live(world, number, call->ops[0].name)
	                                  : NULL;

	return live && live->kind == WIRE_PROBE && !live->by_choice && !world->ranks[number].threads
	       && world_is_poll(call->wait);
}

/* Whether others may have to do with the answer. */
static bool asks_others(const struct world *world, int number, const struct wire_call *call)
{
	return world_is_poll(call->wait) && call->waited_count > 0
	       && !world_knows_all(world, number) && !repeats_probe(world, number, call);
}

/* Whether the call concerns only its rank, and is no end. */
static bool concerns_itself(const struct world *world, int number, const struct wire_call *call)
{
	const struct rank *rank = &world->ranks[number];

	if (rank->threads || call->wait == WIRE_ABORT || call->wait == WIRE_CANCEL
	    || asks_others(world, number, call)
	    || (rank->line->phase == PHASE_BLOCKED
	        && (rank->line->ends_mpi || rank->line->question != QUESTION_NONE)))
		return false;
	for (uint32_t i = 0; i < call->op_count; i++)
		if (!is_own(world, number, &call->ops[i]) && !repeats_probe(world, number, call))
			return false;
	return true;
}

static bool returns_at_once(const struct world *world, int number, const struct wire_call *call)
{
	for (uint32_t i = 0; i < call->waited_count; i++)
		if (!world_can_complete(world, number, call->waited[i]))
			return false;
	return true;
}

static guint weight_of(const struct wire_call *call)
{
	return call->op_count + call->waited_count > 0 ? OWN : 1;
}

void world_hold_immediate(struct world *world, int number, const struct wire_call *call)
{
	struct rank *rank = &world->ranks[number];
	struct immediate *immediate = &rank->immediate;

	immediate->is_own = concerns_itself(world, number, call);
	immediate->is_held = immediate->is_own && rank->line->phase == PHASE_BLOCKED
	                     && immediate->calls >= MAX(immediate->next, FIRST);
}

void world_end_immediate(struct world *world, int number)
{
	struct immediate *immediate = &world->ranks[number].immediate;

	if (immediate->held > 0)
		world->idle = (struct world_idle){0};
	*immediate = (struct immediate){0};
}

void world_note_immediate(struct world *world, int number, const struct wire_call *call)
{
	struct rank *rank = &world->ranks[number];
	struct immediate *immediate = &rank->immediate;
	bool is_poll = asks_others(world, number, call) && !rank->threads;

	if (!is_poll && (!immediate->is_own || !returns_at_once(world, number, call))) {
		if (immediate->is_own)
			world_end_polls(world, number);
		world_end_immediate(world, number);
		return;
	}
	immediate->calls += is_poll ? POLL : weight_of(call);
	if (!immediate->is_held)
		return;
	world->idle.immediate = true;
	if (++immediate->held == HELD) {
		immediate->held = 0;
		immediate->next = 2 * immediate->calls;
		world->idle = (struct world_idle){0};
	}
}
