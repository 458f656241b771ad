/* Ranks that are held: what would let their calls return is done, and kept to be told; and what is
 * noted so that one can go back to where they stood. */
#include "world_internal.h"

/* Whether a member is in its call of the collective, and will not come out of it before it is told.
 */
static bool is_kept_in(const struct world *world, struct op_id call)
{
	const struct rank *rank = &world->ranks[call.rank];

	return call.call != 0 && !rank->threads && call.call == rank->line->call
	       && call.call >= rank->held_from
	       && (rank->line->phase == PHASE_BLOCKED || rank->line->phase == PHASE_HELD);
}

/* A rank that is let into a collective waits there, inside MPI, for those it waits for in the
 * world. The first of these that is held; -1: none is. */
static int awaited_held(const struct world *world, int number)
{
	const struct together *together = &world->ranks[number].together;
	const struct op_id *calls;
	int count, own;

	if (!world->held || together->order == ORDER_NONE)
		return -1;
	calls = collectives_calls(world->collectives, together->instance, &count);
	own = collectives_position(world->collectives, together->instance, number);
	for (int i = 0; i < (together->order == ORDER_LOWER ? own : count); i++) {
		if (together->order == ORDER_ROOT && calls[i].rank != together->root)
			continue;
		if (i != own && is_kept_in(world, calls[i]))
			return calls[i].rank;
	}
	return -1;
}

static bool must_be_kept(const struct world *world, int number, guint32 call)
{
	const struct rank *rank = &world->ranks[number];

	return !rank->threads && (call >= rank->held_from || awaited_held(world, number) >= 0);
}

void world_note_together(struct world *world, int number, const struct live *live)
{
	struct together *together = &world->ranks[number].together;

	if (live->nonblocking)
		return; /* MPI goes on with it while its members wait to be told */
	*together = (struct together){live->instance, live->order, -1};
	if (live->order == ORDER_ROOT && live->peer >= 0)
		together->root = communicators_to_world(world->comms, live->comm, number,
		                                        live->peer);
}

bool world_keep_go(struct world *world, int number, const struct wire_go *go)
{
	struct rank *rank = &world->ranks[number];

	if (!must_be_kept(world, number, go->call))
		return false;
	rank->kept = *go;
	rank->kept.done = g_memdup2(go->done, go->count * sizeof(*go->done));
	rank->line->phase = PHASE_HELD;
	world->running--;
	return true;
}

void world_hold(struct world *world, int number, guint32 from)
{
	world_tell(world,
	           &(struct world_step){.kind = WORLD_STEP_HOLD, .rank = number, .call = from});
	world->ranks[number].held_from = from;
	world->held |= from != WORLD_HOLDS_NOTHING;
}

guint32 world_held_from(const struct world *world, int number)
{
	return world->ranks[number].held_from;
}

static void let_go(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];
	g_autofree uint32_t *done = g_steal_pointer(&rank->kept.done);
	struct wire_go go = {rank->kept.call, rank->kept.count, done};

	rank->line->phase = PHASE_RUNNING;
	world->running++;
	world_go(world, number, &go);
}

void world_let_unheld_go(struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++) {
		const struct rank *rank = &world->ranks[number];

		if (rank->line->phase == PHASE_HELD
		    && !must_be_kept(world, number, rank->kept.call))
			let_go(world, number);
	}
}

void world_let_held_go(struct world *world)
{
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_UNHOLD});
	world_let_unheld_go(world);
}

bool world_holds(const struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++)
		if (world->ranks[number].line->phase == PHASE_HELD)
			return true;
	return false;
}

bool world_waits(const struct world *world, int number)
{
	enum world_phase phase = world_phase(world, number);

	return phase == PHASE_BLOCKED || phase == PHASE_HELD;
}

int world_held_with(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return rank->line->phase == PHASE_HELD && rank->kept.call < rank->held_from
	               ? awaited_held(world, number)
	               : -1;
}

const struct cut_notes *world_cut_notes(const struct world *world)
{
	return &world->cut_notes;
}

void world_note_rest(struct world *world, int number)
{
	struct cut_notes *notes = &world->cut_notes;
	struct cut_rest rest = {number, world->ranks[number].line->call,
	                        notes->rounds->len / (guint)world->options.ranks};

	g_array_append_val(notes->rests, rest);
}

void world_note_round(struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++) {
		guint32 calls = world_calls(world, number);

		g_array_append_val(world->cut_notes.rounds, calls);
	}
}

/* Where a rank that runs may be by now: behind the call that it was let out of. */
void world_note_learnt(struct world *world, int number)
{
	struct cut_notes *notes = &world->cut_notes;
	struct cut_rest rest = {number, world_calls(world, number),
	                        notes->rounds->len / (guint)world->options.ranks};

	for (int other = 0; other < world->options.ranks; other++) {
		guint32 place = world_place(world, other);

		g_array_append_val(notes->rounds, place);
	}
	g_array_append_val(notes->rests, rest);
}

guint32 world_place(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	enum world_phase phase = world_phase(world, number);
	bool over = phase == PHASE_STOPPED || phase == PHASE_ENDED;
	bool inside = over ? rank->went_inside : world_waits(world, number);

	return world_calls(world, number) + (inside ? 0 : 1);
}
