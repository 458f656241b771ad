/* Held ranks. What lets their calls return is done in the world, but the order is kept. This file
 * also notes what is needed to return to the place where they were held. */
#include "world_internal.h"

/* The line that waits in this call; NULL: none. */
static const struct line *line_in(const struct rank *rank, guint32 call)
{
	for (guint i = 0; i < rank->lines->len; i++) {
		const struct line *line = rank->lines->pdata[i];

		if (line->call == call
		    && (line->phase == PHASE_BLOCKED || line->phase == PHASE_HELD))
			return line;
	}
	return NULL;
}

/* Whether a member waits in its call of the collective, and does not leave it until the world lets
 * it. */
static bool is_kept_in(const struct world *world, struct op_id call)
{
	const struct rank *rank = &world->ranks[call.rank];

	return call.call != 0 && call.call >= rank->held_from && line_in(rank, call.call);
}

/* A rank that is let into a collective waits there, inside MPI, for the members that it waits for
 * in the world. Returns the first of these that is held; -1: none. */
static int awaited_held(const struct world *world, int number, const struct line *line)
{
	const struct request_subset *together = &line->together;
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

static bool must_be_kept(const struct world *world, int number, const struct line *line,
                         guint32 call)
{
	return call >= world->ranks[number].held_from || awaited_held(world, number, line) >= 0;
}

void world_note_together(struct world *world, int number, const struct live *live)
{
	struct request_subset *together = &world->ranks[number].line->together;

	if (live->nonblocking)
		return; /* MPI goes on with it while its members wait for their orders */
	*together = (struct request_subset){live->instance, live->order, -1};
	if (live->order == ORDER_ROOT && live->peer >= 0)
		together->root = communicators_to_world(world->comms, live->comm, number,
		                                        live->peer);
}

bool world_keep_go(struct world *world, int number, const struct wire_go *go)
{
	struct line *line = world->ranks[number].line;

	if (!must_be_kept(world, number, line, go->call))
		return false;
	line->kept = *go;
	line->kept.done = g_memdup2(go->done, go->count * sizeof(*go->done));
	line->phase = PHASE_HELD;
	world->running--;
	return true;
}

void world_give_orders(struct world *world, const struct world_orders *orders)
{
	world->orders = *orders;
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

/* For the line in focus. */
static void release_held(struct world *world, int number)
{
	struct line *line = world->ranks[number].line;
	const struct wire_go go = line->kept;
	g_autofree uint32_t *done = g_steal_pointer(&line->kept.done);

	line->phase = PHASE_RUNNING;
	world->running++;
	world_wake(world, number);
	world_go(world, number, &go);
}

void world_let_unheld_go(struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++) {
		const struct rank *rank = &world->ranks[number];
		guint focus = rank->focus;

		for (guint i = 0; i < world_lines(world, number); i++) {
			world_focus(world, number, i);
			if (rank->line->phase == PHASE_HELD
			    && !must_be_kept(world, number, rank->line, rank->line->kept.call))
				release_held(world, number);
		}
		world_focus(world, number, focus);
	}
}

void world_let_held_go(struct world *world)
{
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_UNHOLD});
	world_let_unheld_go(world);
}

/* The line that is held in this call (0: in any); NULL: none. */
static const struct line *held_line(const struct world *world, int number, guint32 call)
{
	const struct rank *rank = &world->ranks[number];

	for (guint i = 0; i < rank->lines->len; i++) {
		const struct line *line = rank->lines->pdata[i];

		if (line->phase == PHASE_HELD && (call == 0 || line->kept.call == call))
			return line;
	}
	return NULL;
}

bool world_holds(const struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++)
		if (held_line(world, number, 0) || world_turn_is_held(world, number))
			return true;
	return false;
}

bool world_holds_call(const struct world *world, int number, guint32 call)
{
	return held_line(world, number, call) != NULL;
}

bool world_waits(const struct world *world, int number)
{
	enum world_phase phase = world_phase(world, number);

	return phase == PHASE_BLOCKED || phase == PHASE_HELD;
}

int world_held_with(const struct world *world, int number)
{
	const struct line *line = held_line(world, number, 0);

	return line && line->kept.call < world->ranks[number].held_from
	               ? awaited_held(world, number, line)
	               : -1;
}

const struct cut_notes *world_cut_notes(const struct world *world)
{
	return &world->cut_notes;
}

static guint count_rounds(const struct world *world)
{
	return world->cut_notes.rounds->len / (guint)world->options.ranks;
}

void world_note_rest(struct world *world, int number)
{
	struct cut_notes *notes = &world->cut_notes;
	struct cut_rest rest = {
		.rank = number, .call = world_calls(world, number), .round = count_rounds(world)};

	g_array_append_val(notes->rests, rest);
}

void world_note_round(struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++) {
		guint32 calls = world_calls(world, number);

		g_array_append_val(world->cut_notes.rounds, calls);
	}
}

/* A running rank may have left its last call by now. */
static void note_places(struct world *world)
{
	for (int number = 0; number < world->options.ranks; number++) {
		guint32 place = world_place(world, number);

		g_array_append_val(world->cut_notes.rounds, place);
	}
}

void world_note_learnt(struct world *world, int number)
{
	world_note_rest(world, number);
	note_places(world);
}

bool world_holds_up_rest(const struct world *world)
{
	for (int number = 0; world_has_threads(world) && number < world->options.ranks; number++)
		if (held_line(world, number, 0))
			return true;
	return false;
}

bool world_may_decide(const struct world *world)
{
	if (world_holds_up_rest(world))
		return false;
	for (int number = 0; number < world->options.ranks; number++)
		if (world_keeps_out(world, number))
			return false;
	return true;
}

void world_note_decision(struct world *world, const struct op_id *point)
{
	struct cut_notes *notes = &world->cut_notes;
	guint round = count_rounds(world);

	if (!world->options.every_call_waits || !world_has_threads(world))
		return;
	note_places(world);
	for (int number = 0; number < world->options.ranks; number++) {
		struct cut_rest rest = {.rank = number,
		                        .call = world_calls(world, number),
		                        .round = round,
		                        .all = true};

		g_array_append_val(notes->rests, rest);
	}
	world_note_round(world);
	if (point) {
		struct cut_decision decision = {*point, round + 1};

		g_array_append_val(notes->decisions, decision);
	}
}

/* While a turn is held, no thread is admitted. To go on from there, one needs the call that the
 * turn leads to. */
void world_note_admitted(struct world *world, int number)
{
	if (world->options.every_call_waits && world_has_threads(world)) {
		guint places = (count_rounds(world) - 2) * (guint)world->options.ranks;

		g_array_index(world->cut_notes.rounds, guint32,
		              places + (guint)number) = world_calls(world, number) + 1;
	}
}

bool world_is_in_blocking_call(const struct world *world, int number)
{
	return line_in(&world->ranks[number], world_calls(world, number)) != NULL;
}

guint32 world_place(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	enum world_phase phase = world_phase(world, number);
	bool over = phase == PHASE_STOPPED || phase == PHASE_ENDED;
	bool inside = over ? rank->went_into_call : world_is_in_blocking_call(world, number);

	return world_calls(world, number) + (inside ? 0 : 1);
}
