#include "brute_force.h"

#include <string.h>

enum { ABSENT = 0, POSTED = 1, MATCHED = 2 };

/* A global state: places of the ranks, then the states of the instructions. */
struct walk {
	const struct random_program *program;
	bool infinite;
	enum brute_force_steps steps;
	gsize size;
	GHashTable *seen;
	GPtrArray *stack; /* of GBytes */
	GHashTable *outcomes;
};

static const struct instruction *at(const struct walk *walk, int index)
{
	return &walk->program->instructions[index];
}

static const guint8 *states_of(const struct walk *walk, const guint8 *state)
{
	return state + walk->program->ranks;
}

static bool is_receive(const struct instruction *instruction)
{
	return instruction->kind == INSTRUCTION_RECEIVE
	       || instruction->kind == INSTRUCTION_RECEIVE_PROBED
	       || instruction->kind == INSTRUCTION_MPROBE;
}

static bool looks_for_message(const struct instruction *instruction)
{
	return is_receive(instruction) || instruction->kind == INSTRUCTION_PROBE;
}

static bool fits(const struct walk *walk, const guint8 *state, int receive, int send)
{
	const struct instruction *wanting = at(walk, receive);
	const struct instruction *message = at(walk, send);
	int peer = wanting->peer;
	int tag = wanting->tag;

	if (wanting->kind == INSTRUCTION_RECEIVE_PROBED) {
		const struct instruction *probed = at(walk, states_of(walk, state)[wanting->of]
		                                                    - MATCHED);

		peer = probed->rank;
		tag = probed->tag;
	}
	return message->peer == wanting->rank && message->comm == wanting->comm
	       && (peer < 0 || peer == message->rank) && (tag < 0 || tag == message->tag);
}

/* The two rules, as they are written in matching.md. */
static bool may_match(const struct walk *walk, const guint8 *state, int receive, int send)
{
	const guint8 *states = states_of(walk, state);
	int sender = at(walk, send)->rank;
	int receiver = at(walk, receive)->rank;

	if (states[receive] != POSTED || states[send] != POSTED
	    || !fits(walk, state, receive, send))
		return false;
	for (int i = walk->program->first[sender]; i < send; i++)
		if (at(walk, i)->kind == INSTRUCTION_SEND && states[i] == POSTED
		    && fits(walk, state, receive, i))
			return false;
	for (int i = walk->program->first[receiver]; i < receive; i++)
		if (is_receive(at(walk, i)) && states[i] == POSTED && fits(walk, state, i, send))
			return false;
	return true;
}

static bool collective_complete(const struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *own = at(walk, index);
	bool is_root = own->rank == own->root;

	for (int i = 0; i < walk->program->count; i++) {
		const struct instruction *other = at(walk, i);
		bool awaited = true;

		if (other->kind != INSTRUCTION_COLLECTIVE || other->instance != own->instance
		    || states_of(walk, state)[i] != ABSENT)
			continue;
		if (own->collective == COLLECTIVE_BCAST)
			awaited = other->rank == own->root;
		else if (own->collective == COLLECTIVE_REDUCE)
			awaited = is_root;
		else if (own->collective == COLLECTIVE_SCAN)
			awaited = other->rank < own->rank;
		if (awaited)
			return false;
	}
	return true;
}

static bool is_complete(const struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *instruction = at(walk, index);

	if (instruction->kind == INSTRUCTION_COLLECTIVE)
		return collective_complete(walk, state, index);
	if (states_of(walk, state)[index] >= MATCHED)
		return true;
	return instruction->kind == INSTRUCTION_SEND && walk->infinite && !instruction->synchronous;
}

/* Whether the rank can go on from an instruction that it has carried out. */
static bool can_leave(const struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *instruction = at(walk, index);
	const guint8 *states = states_of(walk, state);

	switch (instruction->kind) {
	case INSTRUCTION_SEND:
	case INSTRUCTION_RECEIVE:
	case INSTRUCTION_COLLECTIVE:
		return instruction->nonblocking || is_complete(walk, state, index);
	case INSTRUCTION_RECEIVE_PROBED:
	case INSTRUCTION_PROBE:
	case INSTRUCTION_MPROBE:
		return is_complete(walk, state, index);
	case INSTRUCTION_WAIT:
		return states[instruction->of] == ABSENT
		       || is_complete(walk, state, instruction->of);
	case INSTRUCTION_WAITALL:
		for (int i = walk->program->first[instruction->rank]; i < index; i++)
			if (at(walk, i)->nonblocking && states[i] != ABSENT
			    && !is_complete(walk, state, i))
				return false;
		return true;
	case INSTRUCTION_MRECV:
	case INSTRUCTION_BRANCH:
		break;
	}
	return true;
}

static int next_place(const struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *instruction = at(walk, index);
	guint8 taken;

	if (instruction->kind != INSTRUCTION_BRANCH)
		return index + 1;
	taken = states_of(walk, state)[instruction->of];
	if (taken >= MATCHED && branch_holds(instruction, at(walk, taken - MATCHED)))
		return index + 1;
	return index + 1 + instruction->skip;
}

static void reach(struct walk *walk, const guint8 *state)
{
	g_autoptr(GBytes) bytes = g_bytes_new(state, walk->size);

	if (g_hash_table_contains(walk->seen, bytes))
		return;
	g_hash_table_add(walk->seen, g_bytes_ref(bytes));
	g_ptr_array_add(walk->stack, bytes);
}

static bool step_rank(struct walk *walk, const guint8 *state, int rank)
{
	g_autofree guint8 *after = g_memdup2(state, walk->size);
	int index = state[rank];

	if (index == walk->program->first[rank + 1])
		return false;
	if (states_of(walk, state)[index] == ABSENT)
		after[walk->program->ranks + index] = POSTED;
	else if (can_leave(walk, state, index))
		after[rank] = (guint8)next_place(walk, state, index);
	else
		return false;
	reach(walk, after);
	return true;
}

static bool match_pairs(struct walk *walk, const guint8 *state, int receive)
{
	bool moved = false;

	for (int send = 0; send < walk->program->count; send++) {
		g_autofree guint8 *after = NULL;

		if (at(walk, send)->kind != INSTRUCTION_SEND
		    || !may_match(walk, state, receive, send))
			continue;
		after = g_memdup2(state, walk->size);
		after[walk->program->ranks + receive] = (guint8)(MATCHED + send);
		if (at(walk, receive)->kind != INSTRUCTION_PROBE)
			after[walk->program->ranks + send] = (guint8)(MATCHED + receive);
		reach(walk, after);
		moved = true;
	}
	return moved;
}

static void expand(struct walk *walk, GBytes *bytes)
{
	const guint8 *state = g_bytes_get_data(bytes, NULL);
	bool moved = false;

	for (int rank = 0; rank < walk->program->ranks; rank++) {
		moved = step_rank(walk, state, rank) || moved;
		if (moved && walk->steps == STEPS_FIRST)
			return;
	}
	for (int i = 0; i < walk->program->count; i++)
		if (states_of(walk, state)[i] == POSTED && looks_for_message(at(walk, i)))
			moved = match_pairs(walk, state, i) || moved;
	if (!moved)
		g_hash_table_add(walk->outcomes,
		                 outcome_new(walk->program, state, states_of(walk, state)));
}

GHashTable *brute_force(const struct random_program *program, bool infinite_buffering,
                        enum brute_force_steps steps, guint most)
{
	struct walk walk = {.program = program, .infinite = infinite_buffering, .steps = steps};
	g_autofree guint8 *start = NULL;

	g_assert_cmpint(program->count, <, 250);
	walk.size = (gsize)(program->ranks + program->count);
	start = g_malloc0(walk.size);
	for (int rank = 0; rank < program->ranks; rank++)
		start[rank] = (guint8)program->first[rank];
	walk.seen = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                  (GDestroyNotify)g_bytes_unref, NULL);
	walk.outcomes = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
	                                      (GDestroyNotify)g_bytes_unref, NULL);
	walk.stack = g_ptr_array_new();
	reach(&walk, start);
	while (walk.stack->len > 0 && g_hash_table_size(walk.seen) <= most)
		expand(&walk, g_ptr_array_steal_index(walk.stack, walk.stack->len - 1));
	if (walk.stack->len > 0)
		g_clear_pointer(&walk.outcomes, g_hash_table_destroy);
	g_ptr_array_free(walk.stack, TRUE);
	g_hash_table_destroy(walk.seen);
	return walk.outcomes;
}

GBytes *outcome_new(const struct random_program *program, const guint8 *places,
                    const guint8 *states)
{
	gsize ranks = (gsize)program->ranks;
	gsize size = ranks + (gsize)program->count;
	guint8 *bytes = g_malloc(size);

	memcpy(bytes, places, ranks);
	memcpy(bytes + ranks, states, (gsize)program->count);
	return g_bytes_new_take(bytes, size);
}

static int call_of(const struct random_program *program, const guint8 *states, int index)
{
	int call = PROGRAM_FIRST_CALL;

	for (int i = program->first[program->instructions[index].rank]; i < index; i++)
		call += states[i] != ABSENT && program->instructions[i].kind != INSTRUCTION_BRANCH;
	return call;
}

char *outcome_describe(const struct random_program *program, GBytes *outcome)
{
	const guint8 *places = g_bytes_get_data(outcome, NULL);
	const guint8 *states = places + program->ranks;
	GString *text = g_string_new(NULL);

	for (int i = 0; i < program->count; i++) {
		const struct instruction *own = &program->instructions[i];
		int send = states[i] - MATCHED;

		if (send < 0 || own->kind == INSTRUCTION_SEND)
			continue;
		g_string_append_printf(
			text, "%s%d.%d%s%d.%d", text->len > 0 ? " " : "", own->rank,
			call_of(program, states, i), own->kind == INSTRUCTION_PROBE ? "~" : "<-",
			program->instructions[send].rank, call_of(program, states, send));
	}
	g_string_append(text, "; ended");
	for (int rank = 0; rank < program->ranks; rank++)
		if (places[rank] == program->first[rank + 1])
			g_string_append_printf(text, " %d", rank);
	return g_string_free(text, FALSE);
}
