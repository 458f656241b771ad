#include "brute_internal.h"

#include <string.h>

static void report(const struct walk *walk, guint8 *state, int index, int reporter)
{
	state[walk->program->lines + walk->program->count + index] = (guint8)(reporter + 1);
}

/* Whether the program holds a request for it. */
static bool is_active(const struct walk *walk, const guint8 *state, int index)
{
	return brute_at(walk, index)->nonblocking && brute_states(walk, state)[index] != ABSENT
	       && brute_reporters(walk, state)[index] == 0;
}

/* Whether a question of this instruction is about the operation `of`. */
static bool is_asked(const struct walk *walk, const guint8 *state, int question, int of)
{
	const struct instruction *own = brute_at(walk, question);

	return is_active(walk, state, of)
	       && (own->kind == INSTRUCTION_TEST ? of == own->of : of < question);
}

static bool looks_for_message(const struct instruction *instruction)
{
	return brute_is_receive(instruction) || instruction->kind == INSTRUCTION_PROBE
	       || instruction->kind == INSTRUCTION_IPROBE;
}

/* Whether it waits for all members, as any collective may. */
static bool waits_for_all(const struct walk *walk, const guint8 *state, int index)
{
	return walk->program->collectives == PROGRAM_SYNC
	       || (walk->program->collectives == PROGRAM_PER_CALL
	           && brute_states(walk, state)[index] != EARLY);
}

static bool collective_complete(const struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *own = brute_at(walk, index);
	bool is_root = own->rank == own->root;
	bool all = waits_for_all(walk, state, index);

	for (int i = 0; i < walk->program->count; i++) {
		const struct instruction *other = brute_at(walk, i);
		bool awaited = true;

		if (other->kind != INSTRUCTION_COLLECTIVE || other->instance != own->instance
		    || brute_states(walk, state)[i] != ABSENT)
			continue;
		if (all)
			return false;
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

/* Whether a matched probe took the message of this send, and no Mrecv has begun to receive it. */
static bool is_probed(const struct walk *walk, const guint8 *state, int send)
{
	const guint8 *states = brute_states(walk, state);
	int taker = states[send] - MATCHED;

	if (walk->early == 0 || brute_at(walk, send)->kind != INSTRUCTION_SEND
	    || states[send] < MATCHED || states[send] >= EARLY
	    || brute_at(walk, taker)->kind != INSTRUCTION_MPROBE)
		return false;
	for (int i = brute_first(walk, taker); i < walk->program->count; i++)
		if (brute_at(walk, i)->kind == INSTRUCTION_MRECV && brute_at(walk, i)->of == taker
		    && states[i] != ABSENT)
			return false;
	return true;
}

static bool is_complete(const struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *instruction = brute_at(walk, index);

	if (instruction->kind == INSTRUCTION_COLLECTIVE)
		return collective_complete(walk, state, index);
	if (brute_states(walk, state)[index] >= MATCHED
	    && (!is_probed(walk, state, index) || state[walk->early + (gsize)index]))
		return true;
	return instruction->kind == INSTRUCTION_SEND && walk->buffering == PROGRAM_INFINITE
	       && !instruction->synchronous;
}

static bool asks_about_any(const struct walk *walk, const guint8 *state, int question)
{
	for (int i = brute_first(walk, question); i < question; i++)
		if (is_asked(walk, state, question, i))
			return true;
	return false;
}

/* Whether the rank can continue after an instruction that it has executed. */
static bool can_leave(const struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *instruction = brute_at(walk, index);
	const guint8 *states = brute_states(walk, state);

	switch (instruction->kind) {
	case INSTRUCTION_SEND:
	case INSTRUCTION_RECEIVE:
	case INSTRUCTION_COLLECTIVE:
		return instruction->nonblocking || is_complete(walk, state, index);
	case INSTRUCTION_RECEIVE_PROBED:
	case INSTRUCTION_PROBE:
	case INSTRUCTION_MPROBE:
	case INSTRUCTION_IPROBE: return is_complete(walk, state, index);
	case INSTRUCTION_WAIT:
		return !is_active(walk, state, instruction->of)
		       || is_complete(walk, state, instruction->of);
	case INSTRUCTION_WAITALL:
		for (int i = brute_first(walk, index); i < index; i++)
			if (is_active(walk, state, i) && !is_complete(walk, state, i))
				return false;
		return true;
	case INSTRUCTION_CANCEL:
		return !is_active(walk, state, instruction->of)
		       || states[instruction->of] != POSTED;
	case INSTRUCTION_TEST:
	case INSTRUCTION_TESTALL:
	case INSTRUCTION_TESTANY:
	case INSTRUCTION_TESTSOME:
	case INSTRUCTION_WAITANY:
	case INSTRUCTION_WAITSOME: return !asks_about_any(walk, state, index);
	case INSTRUCTION_FETCH:
	case INSTRUCTION_LOCK: return states[index] >= MATCHED;
	case INSTRUCTION_JOIN: return brute_living(walk, state, instruction->rank) == 0;
	case INSTRUCTION_START:
	case INSTRUCTION_WAIT_WINDOW: return brute_exposure_ready(walk, state, index);
	default: break;
	}
	return true;
}

static bool branch_taken(const struct walk *walk, const guint8 *state,
                         const struct instruction *branch)
{
	guint8 taken = brute_states(walk, state)[branch->of];

	if (is_question(brute_at(walk, branch->of)->kind))
		return taken == MATCHED
		       && (branch->request < 0
		           || brute_reporters(walk, state)[branch->request] == branch->of + 1);
	return taken >= MATCHED && taken < EARLY
	       && branch_holds(branch, brute_at(walk, taken - MATCHED));
}

static int next_place(const struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *instruction = brute_at(walk, index);

	if (instruction->kind != INSTRUCTION_BRANCH || branch_taken(walk, state, instruction))
		return index + 1;
	return index + 1 + instruction->skip;
}

void brute_reach(struct walk *walk)
{
	const guint8 *added = state_set_add(walk->seen);

	if (added)
		g_ptr_array_add(walk->stack, (gpointer)added);
}

static bool can_step(const struct walk *walk, const guint8 *state, int line)
{
	int index = state[line];

	if (index < walk->program->line_first[line + 1]
	    && brute_at(walk, index)->kind == INSTRUCTION_LOOP)
		return brute_may_end_round(walk, state, line);
	return index < walk->program->line_first[line + 1]
	       && (!walk->program->threads || brute_may_go(walk, state, line))
	       && (brute_states(walk, state)[index] == ABSENT || can_leave(walk, state, index));
}

/* The rank leaves its instruction. */
static void reach_next(struct walk *walk, guint8 *after, int line)
{
	after[line] = (guint8)next_place(walk, after, after[line]);
	brute_reach(walk);
}

static void leave(struct walk *walk, const guint8 *state, int line)
{
	guint8 *after = brute_copy(walk, state);
	int index = state[line];
	const struct instruction *instruction = brute_at(walk, index);

	if (instruction->kind == INSTRUCTION_WAIT && is_active(walk, state, instruction->of))
		report(walk, after, instruction->of, index);
	for (int i = walk->program->line_first[line];
	     instruction->kind == INSTRUCTION_WAITALL && i < index; i++)
		if (is_active(walk, state, i))
			report(walk, after, i, index);
	if (is_question(instruction->kind))
		after[walk->program->lines + index] = MATCHED;
	reach_next(walk, after, line);
}

static bool step_line(struct walk *walk, const guint8 *state, int line)
{
	if (!can_step(walk, state, line))
		return false;
	if (brute_at(walk, state[line])->kind == INSTRUCTION_LOOP) {
		guint8 *after = brute_copy(walk, state);

		brute_end_round(walk, after, line);
		brute_reach(walk);
		return true;
	}
	if (brute_states(walk, state)[state[line]] == ABSENT) {
		guint8 *after = brute_copy_with(walk, state, state[line], POSTED);

		brute_access(walk, after, state[line]);
		if (walk->program->threads)
			brute_note_call(walk, after, state[line]);
		brute_reach(walk);
	} else {
		leave(walk, state, line);
	}
	return true;
}

bool brute_match_from(struct walk *walk, const guint8 *state, int receive, int source)
{
	bool moved = false;

	for (guint i = 0; i < walk->send_count; i++) {
		int send = walk->sends[i];
		guint8 *after;

		if ((source >= 0 && brute_at(walk, send)->rank != source)
		    || !brute_may_match(walk, state, receive, send))
			continue;
		after = brute_copy(walk, state);
		after[walk->program->lines + receive] = (guint8)(MATCHED + send);
		if (walk->early > 0 && brute_states(walk, state)[send] == EARLY)
			after[walk->early + (gsize)send] = true;
		if (brute_is_receive(brute_at(walk, receive)))
			after[walk->program->lines + send] = (guint8)(MATCHED + receive);
		brute_stop_waiting(walk, after, receive);
		brute_reach(walk);
		moved = true;
	}
	return moved;
}

static bool match_pairs(struct walk *walk, const guint8 *state, int receive)
{
	return brute_match_from(walk, state, receive, -1);
}

/* Whether it can be matched without a choice. */
static bool can_match_by_itself(const struct walk *walk, const guint8 *state, int receive)
{
	const struct instruction *own = brute_at(walk, receive);

	if (brute_states(walk, state)[receive] != POSTED || !looks_for_message(own)
	    || own->kind == INSTRUCTION_IPROBE || is_chosen(walk->program, own))
		return false;
	for (guint i = 0; i < walk->send_count; i++)
		if (brute_may_match(walk, state, receive, walk->sends[i]))
			return true;
	return false;
}

/* Whether only choices can move anything. */
static bool at_rest(const struct walk *walk, const guint8 *state)
{
	for (int line = 0; line < walk->program->lines; line++)
		if (can_step(walk, state, line))
			return false;
	for (int i = 0; i < walk->program->count; i++)
		if (can_match_by_itself(walk, state, i))
			return false;
	return true;
}

/* Answers the question with the operations in `reported`, a bit for each instruction of the
 * rank. */
static void answer(struct walk *walk, const guint8 *state, int line, guint64 reported)
{
	int index = state[line];
	int first = walk->program->line_first[line];
	guint8 *after = brute_copy_with(walk, state, index, reported ? MATCHED : NO);

	for (int i = first; i < index; i++)
		if (reported >> (i - first) & 1)
			report(walk, after, i, index);
	reach_next(walk, after, line);
}

static bool may_say_no(const struct instruction *instruction)
{
	return instruction->kind != INSTRUCTION_WAITANY
	       && instruction->kind != INSTRUCTION_WAITSOME;
}

/* The instructions of the line that its question is about, a bit for each; *ret_complete: the
 * complete ones. */
static guint64 asked_of(const struct walk *walk, const guint8 *state, int line,
                        guint64 *ret_complete)
{
	int index = state[line];
	int first = walk->program->line_first[line];
	guint64 asked = 0;

	*ret_complete = 0;
	g_assert_cmpint(index - first, <, 64);
	for (int i = first; i < index; i++) {
		guint64 bit = G_GUINT64_CONSTANT(1) << (i - first);

		if (!is_asked(walk, state, index, i))
			continue;
		asked |= bit;
		if (is_complete(walk, state, i))
			*ret_complete |= bit;
	}
	return asked;
}

static bool asks_about_all(enum instruction_kind kind)
{
	return kind == INSTRUCTION_TEST || kind == INSTRUCTION_TESTALL;
}

/* Whether an answer other than "no" is possible. */
static bool has_answer(const struct walk *walk, const guint8 *state, int line)
{
	guint64 complete, asked = asked_of(walk, state, line, &complete);

	return asks_about_all(brute_at(walk, state[line])->kind) ? complete == asked
	                                                         : complete != 0;
}

bool brute_goes_round_alone(const struct walk *walk, const guint8 *state, int line)
{
	guint8 *now = brute_copy(walk, state);
	guint8 *states = now + walk->program->lines;
	int loop = loop_of(walk->program, state[line]);

	if (loop < 0
	    || first_reported(walk->program, states, brute_reporters(walk, state), loop) < loop
	    || (brute_at(walk, loop)->flushed && states[loop] == ABSENT))
		return false;
	for (int i = brute_at(walk, loop)->of; i < loop; i++) {
		guint64 complete;

		now[line] = (guint8)i;
		states[i] = POSTED;
		if (is_question(brute_at(walk, i)->kind)) {
			asked_of(walk, now, line, &complete);
			if (complete != 0 && has_answer(walk, now, line))
				return false;
			continue;
		}
		for (guint send = 0; send < walk->send_count; send++)
			if (brute_may_match(walk, now, i, walk->sends[send]))
				return false;
	}
	return true;
}

/* Adds a state for each possible answer. */
static bool answer_question(struct walk *walk, const guint8 *state, int line)
{
	int index = state[line];
	enum instruction_kind kind = brute_at(walk, index)->kind;
	bool together = asks_about_all(kind);
	bool some = kind == INSTRUCTION_TESTSOME || kind == INSTRUCTION_WAITSOME;
	guint64 complete, asked = asked_of(walk, state, line, &complete);

	if (together && complete == asked)
		answer(walk, state, line, asked);
	for (guint64 left = complete; !together && left; left &= left - 1)
		answer(walk, state, line, left & -left);
	for (guint64 set = complete; some && set; set = (set - 1) & complete)
		if ((guint)__builtin_popcountll(set) <= walk->some
		    || (set == complete && at_rest(walk, state)))
			answer(walk, state, line, set);
	if (may_say_no(brute_at(walk, index)))
		answer(walk, state, line, 0);
	return complete || may_say_no(brute_at(walk, index));
}

/* Adds what a rank can do besides steps and matches: get an answer, or cancel a receive. */
static bool choose(struct walk *walk, const guint8 *state, int line)
{
	int index = state[line];
	const struct instruction *instruction;

	if (index == walk->program->line_first[line + 1] || can_step(walk, state, line))
		return false;
	instruction = brute_at(walk, index);
	if (is_question(instruction->kind))
		return answer_question(walk, state, line);
	if (instruction->kind == INSTRUCTION_IPROBE && brute_must_find(walk, state, index))
		return false;
	if (instruction->kind == INSTRUCTION_IPROBE)
		brute_copy_with(walk, state, index, NO);
	else if (instruction->kind == INSTRUCTION_CANCEL)
		brute_copy_with(walk, state, instruction->of, CANCELLED);
	else
		return false;
	brute_reach(walk);
	return true;
}

static bool may_be_early(const struct walk *walk, int index)
{
	const struct instruction *own = brute_at(walk, index);

	if (own->kind == INSTRUCTION_COLLECTIVE)
		return walk->program->collectives == PROGRAM_PER_CALL
		       && own->collective != COLLECTIVE_BARRIER
		       && own->collective != COLLECTIVE_FENCE;
	return own->kind == INSTRUCTION_SEND && !own->synchronous
	       && walk->buffering == PROGRAM_PER_SEND;
}

/* A standard send may complete at any time, and a collective may wait no longer than it must. That
 * they do not is also possible. */
static void complete_early(struct walk *walk, const guint8 *state)
{
	for (int i = 0; i < walk->program->count; i++) {
		if (!may_be_early(walk, i))
			continue;
		if (brute_states(walk, state)[i] == POSTED) {
			brute_copy_with(walk, state, i, EARLY);
		} else if (is_probed(walk, state, i)) {
			brute_copy(walk, state)[walk->early + (gsize)i] = true;
		} else {
			continue;
		}
		brute_reach(walk);
	}
}

static bool match_by_itself(struct walk *walk, const guint8 *state)
{
	for (int i = 0; i < walk->program->count; i++)
		if (can_match_by_itself(walk, state, i))
			return match_pairs(walk, state, i);
	return false;
}

/* Adds each outcome of this instruction in this state, if there is one other than "no". */
static bool decide(struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *own = brute_at(walk, index);
	int line = line_of(walk->program, index);
	bool waits_here = state[line] == index && !can_step(walk, state, line);

	if (brute_states(walk, state)[index] != POSTED || brute_is_postponed(walk, state, index))
		return false;
	if (looks_for_message(own) && match_pairs(walk, state, index)) {
		brute_postpone(walk, state, index);
		if (own->kind == INSTRUCTION_IPROBE)
			choose(walk, state, line); /* "no", unless it must find the message */
		return true;
	}
	return waits_here && is_question(own->kind) && has_answer(walk, state, line)
	       && choose(walk, state, line);
}

static bool say_no(struct walk *walk, const guint8 *state, int index)
{
	int line = line_of(walk->program, index);

	if (state[line] != index || brute_states(walk, state)[index] != POSTED
	    || brute_is_postponed(walk, state, index) || !choose(walk, state, line))
		return false;
	if (looks_for_message(brute_at(walk, index)))
		brute_postpone(walk, state, index);
	return true;
}

/* Decides the first call, by rank, that has an outcome other than "no"; if there is none, any. */
static bool decide_first(struct walk *walk, const guint8 *state,
                         bool (*decides)(struct walk *walk, const guint8 *state, int index))
{
	for (int rank = 0; rank < walk->program->ranks; rank++)
		for (int call = 1; call <= walk->program->count; call++)
			for (int i = walk->program->first[rank]; i < walk->program->first[rank + 1];
			     i++)
				if (brute_when(walk, state, i) == call && decides(walk, state, i))
					return true;
	return false;
}

/* Takes a step that does not affect other ranks. For programs with threads: sends and receives
 * alone make many states there. */
static bool step_alone(struct walk *walk, const guint8 *state)
{
	for (int line = 0; line < walk->program->lines; line++)
		if (can_step(walk, state, line)
		    && (brute_states(walk, state)[state[line]] != ABSENT
		        || !brute_is_ordered(brute_at(walk, state[line]))))
			return step_line(walk, state, line);
	return false;
}

/* Whether two accesses meet in this state, and none did before. */
static bool note_conflict(struct walk *walk, const guint8 *state)
{
	guint8 *noted = brute_copy(walk, state);

	if (*brute_conflicted(walk, noted) || !brute_conflicts(walk, state))
		return false;
	*brute_conflicted(walk, noted) = true;
	brute_reach(walk);
	return true;
}

/* Records the outcome: nothing moves any more. */
static void take_outcome(struct walk *walk, const guint8 *state)
{
	GBytes *outcome = outcome_new(walk->program, state, brute_states(walk, state),
	                              brute_reporters(walk, state));

	if (walk->program->conflicts && *brute_conflicted(walk, (guint8 *)state))
		g_hash_table_add(walk->conflicting, g_bytes_ref(outcome));
	g_hash_table_add(walk->outcomes, outcome);
}

static void expand(struct walk *walk, const guint8 *state)
{
	bool moved = false;

	if (walk->program->conflicts && note_conflict(walk, state))
		return;
	if (walk->program->threads && step_alone(walk, state))
		return;
	for (int line = 0; line < walk->program->lines; line++) {
		moved = step_line(walk, state, line) || moved;
		if (moved && walk->steps != STEPS_ANY_TIME)
			return;
	}
	if (brute_in_turn(walk)
	    && (match_by_itself(walk, state) || brute_admit(walk, state)
	        || brute_take_awaited(walk, state) || brute_take_turns(walk, state)
	        || decide_first(walk, state, decide) || decide_first(walk, state, say_no)))
		return;
	if (brute_waits_in_vain(walk, state))
		return;
	if (walk->program->windows && brute_take_places(walk, state, &moved))
		return;
	for (int i = 0; i < walk->program->count; i++)
		if (brute_states(walk, state)[i] == POSTED && looks_for_message(brute_at(walk, i)))
			moved = match_pairs(walk, state, i) || moved;
	for (int line = 0; line < walk->program->lines; line++)
		moved = (choose(walk, state, line) && !brute_goes_round(walk, state, line))
		        || moved;
	complete_early(walk, state);
	if (!moved)
		take_outcome(walk, state);
}

static GHashTable *outcomes_new(void)
{
	return g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref,
	                             NULL);
}

/* The outcomes, or those in which accesses conflict. NULL: more than `most` states. */
static GHashTable *walk_all(struct walk *walk, guint most, bool conflicting)
{
	const struct random_program *program = walk->program;
	guint8 *start;
	GHashTable *ret = NULL;

	g_assert_cmpint(program->count, <, EARLY - MATCHED);
	walk->size = (gsize)(program->lines + 2 * program->count);
	if (program->threads)
		walk->size += brute_threads_size(program);
	if (program->windows)
		walk->size += brute_windows_size(program);
	walk->early = 0;
	for (int i = 0; i < program->count && walk->early == 0; i++)
		if (program->instructions[i].kind == INSTRUCTION_MPROBE)
			walk->early = walk->size;
	if (walk->early > 0)
		walk->size += (gsize)program->count;
	for (int i = 0; i < program->count; i++)
		if (program->instructions[i].kind == INSTRUCTION_SEND)
			walk->sends[walk->send_count++] = (guint8)i;
	walk->seen = state_set_new(walk->size);
	start = state_set_draft(walk->seen);
	memset(start, 0, walk->size);
	for (int line = 0; line < program->lines; line++)
		start[line] = (guint8)program->line_first[line];
	walk->outcomes = outcomes_new();
	walk->conflicting = outcomes_new();
	walk->stack = g_ptr_array_new();
	brute_reach(walk);
	while (walk->stack->len > 0 && state_set_count(walk->seen) <= most)
		expand(walk, g_ptr_array_steal_index(walk->stack, walk->stack->len - 1));
	brute_disregard_fetches(program, walk->outcomes, walk->conflicting);
	if (walk->stack->len == 0)
		ret = g_hash_table_ref(conflicting ? walk->conflicting : walk->outcomes);
	g_ptr_array_free(walk->stack, true);
	state_set_free(walk->seen);
	g_hash_table_unref(walk->outcomes);
	g_hash_table_unref(walk->conflicting);
	return ret;
}

GHashTable *brute_force(const struct random_program *program, enum program_buffering buffering,
                        enum brute_force_steps steps, guint some, guint most)
{
	struct walk walk = {
		.program = program, .buffering = buffering, .steps = steps, .some = some};

	return walk_all(&walk, most, false);
}

GHashTable *brute_force_conflicts(const struct random_program *program,
                                  enum program_buffering buffering, guint most)
{
	struct walk walk = {
		.program = program, .buffering = buffering, .steps = STEPS_ANY_TIME, .some = 1};

	return program->conflicts ? walk_all(&walk, most, true) : outcomes_new();
}
