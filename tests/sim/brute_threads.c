/* Ranks with several threads in brute force. A state has, for each instruction, its position in the
 * order of execution: messages are matched in that order. For each rank it has whether its calls
 * wait for turns: from the start of a thread until a turn is given after all have ended. Where
 * threads take turns it also has what receives and probes wait for (brute_postpone). */
#include "brute_internal.h"

static guint8 *when(const struct walk *walk, guint8 *state, int index)
{
	return state + walk->program->lines + 2 * walk->program->count + index;
}

static guint8 *takes_turns(const struct walk *walk, guint8 *state, int rank)
{
	return state + walk->program->lines + 3 * walk->program->count + rank;
}

/* What is awaited at an instruction: 0, or the rank + 1; the upper bits hold how many were awaited
 * before. */
#define AWAITED_BITS 4u

static guint8 *awaits(const struct walk *walk, guint8 *state, int index)
{
	const struct random_program *program = walk->program;

	return state + program->lines + 3 * program->count + program->ranks + index;
}

gsize brute_threads_size(const struct random_program *program)
{
	return (gsize)(2 * program->count + program->ranks);
}

bool brute_is_postponed(const struct walk *walk, const guint8 *state, int index)
{
	return walk->program->threads && *awaits(walk, (guint8 *)state, index) != 0;
}

static bool awaits_rank(const struct walk *walk, const guint8 *state, int index, int rank)
{
	guint8 awaited = *awaits(walk, (guint8 *)state, index);

	return (awaited & ((1u << AWAITED_BITS) - 1)) == (guint)rank + 1;
}

void brute_stop_waiting(const struct walk *walk, guint8 *state, int index)
{
	if (walk->program->threads)
		*awaits(walk, state, index) = 0;
}

static guint count_postponed(const struct walk *walk, const guint8 *state)
{
	guint count = 0;

	for (int i = 0; walk->program->threads && i < walk->program->count; i++)
		count += brute_is_postponed(walk, state, i);
	return count;
}

bool brute_waits_in_vain(const struct walk *walk, const guint8 *state)
{
	return count_postponed(walk, state) > 0;
}

static bool has_message(const struct walk *walk, const guint8 *state, int index, int source)
{
	for (int i = walk->program->first[source]; i < walk->program->first[source + 1]; i++)
		if (brute_at(walk, i)->kind == INSTRUCTION_SEND
		    && brute_may_match(walk, state, index, i))
			return true;
	return false;
}

void brute_postpone(struct walk *walk, const guint8 *state, int index)
{
	const struct instruction *own = brute_at(walk, index);
	guint before = count_postponed(walk, state);

	for (int rank = 0; walk->steps == STEPS_AWAITED && rank < walk->program->ranks; rank++) {
		guint8 *after;

		if (rank == own->rank || (own->peer >= 0 && own->peer != rank)
		    || has_message(walk, state, index, rank))
			continue;
		g_assert_cmpuint(before, <, 1u << AWAITED_BITS);
		after = brute_copy(walk, state);
		*awaits(walk, after, index) = (guint8)(before << AWAITED_BITS | ((guint)rank + 1));
		brute_reach(walk);
	}
}

bool brute_take_awaited(struct walk *walk, const guint8 *state)
{
	for (guint before = 0; before < 1u << AWAITED_BITS; before++) {
		for (int i = 0; i < walk->program->count; i++) {
			guint8 awaited = *awaits(walk, (guint8 *)state, i);

			if (awaited == 0 || awaited >> AWAITED_BITS != before)
				continue;
			for (int rank = 0; rank < walk->program->ranks; rank++)
				if (awaits_rank(walk, state, i, rank)
				    && has_message(walk, state, i, rank))
					return brute_match_from(walk, state, i, rank);
		}
	}
	return false;
}

bool brute_in_turn(const struct walk *walk)
{
	return walk->steps == STEPS_IN_TURN || walk->steps == STEPS_AWAITED;
}

bool brute_is_ordered(const struct instruction *own)
{
	return own->kind == INSTRUCTION_SEND || own->kind == INSTRUCTION_RECEIVE
	       || own->kind == INSTRUCTION_IPROBE;
}

int brute_when(const struct walk *walk, const guint8 *state, int index)
{
	return *when(walk, (guint8 *)state, index);
}

bool brute_is_before(const struct walk *walk, const guint8 *state, int one, int other)
{
	if (!walk->program->threads)
		return one < other;
	return brute_when(walk, state, one) < brute_when(walk, state, other);
}

void brute_note_call(const struct walk *walk, guint8 *state, int index)
{
	const struct random_program *program = walk->program;
	int rank = brute_at(walk, index)->rank, last = 0;

	if (brute_at(walk, index)->kind == INSTRUCTION_SPAWN)
		*takes_turns(walk, state, rank) = true;
	if (brute_in_turn(walk) ? is_no_call(brute_at(walk, index)->kind)
	                        : !brute_is_ordered(brute_at(walk, index)))
		return;
	for (int i = program->first[rank]; i < program->first[rank + 1]; i++)
		last = MAX(last, *when(walk, state, i));
	*when(walk, state, index) = (guint8)(last + 1);
}

/* Whether the thread is alive. A rank's first thread lives as long as the rank. */
static bool is_alive(const struct walk *walk, const guint8 *state, int line)
{
	const struct random_program *program = walk->program;
	int rank = program->line_rank[line], thread = line - line_of_thread(program, rank, 0);

	for (int i = program->first[rank]; i < program->first[rank + 1]; i++)
		if (brute_at(walk, i)->kind == INSTRUCTION_SPAWN
		    && brute_at(walk, i)->peer == thread)
			return brute_states(walk, state)[i] != ABSENT
			       && state[line] < program->line_first[line + 1];
	return thread == 0;
}

int brute_living(const struct walk *walk, const guint8 *state, int rank)
{
	int count = 0;

	for (int line = line_of_thread(walk->program, rank, 1);
	     line < walk->program->lines && walk->program->line_rank[line] == rank; line++)
		count += is_alive(walk, state, line);
	return count;
}

/* Whether the thread is about to make a call. */
static bool enters(const struct walk *walk, const guint8 *state, int line)
{
	if (!is_alive(walk, state, line) || state[line] >= walk->program->line_first[line + 1]
	    || brute_states(walk, state)[state[line]] != ABSENT
	    || !*takes_turns(walk, (guint8 *)state, walk->program->line_rank[line]))
		return false;
	return needs_turn(brute_at(walk, state[line])->kind);
}

bool brute_may_go(const struct walk *walk, const guint8 *state, int line)
{
	return is_alive(walk, state, line) && (!brute_in_turn(walk) || !enters(walk, state, line));
}

/* --- turns ------------------------------------------------------------------------------------ */

static bool receives(const struct instruction *own)
{
	return own->kind == INSTRUCTION_RECEIVE || own->kind == INSTRUCTION_PROBE
	       || own->kind == INSTRUCTION_MPROBE;
}

static bool looks(const struct instruction *own)
{
	return receives(own) || own->kind == INSTRUCTION_IPROBE;
}

static bool same_or_any(int one, int other)
{
	return one == other || one < 0 || other < 0;
}

/* Whether some receive or probe accepts any tag. Where sends have different tags, it may see either
 * one first. */
static bool any_tag_was_asked(const struct walk *walk, const guint8 *state)
{
	for (int i = 0; i < walk->program->count; i++)
		if (looks(brute_at(walk, i)) && brute_at(walk, i)->tag < 0
		    && brute_states(walk, state)[i] != ABSENT)
			return true;
	return false;
}

/* Whether one receives what the other looks for. */
static bool look_for_same(const struct instruction *one, const struct instruction *other)
{
	return looks(one) && looks(other) && (receives(one) || receives(other))
	       && one->comm == other->comm && same_or_any(one->peer, other->peer)
	       && same_or_any(one->tag, other->tag);
}

/* Whether two waiting calls race, as docs/choices.md defines it. */
static bool calls_race(const struct instruction *one, const struct instruction *other, bool any_tag)
{
	if (one->comm != other->comm)
		return false;
	if (receives(one) && receives(other))
		return look_for_same(one, other);
	return one->kind == INSTRUCTION_SEND && other->kind == INSTRUCTION_SEND
	       && one->peer == other->peer && (one->tag == other->tag || any_tag);
}

bool threads_are_apart(const struct random_program *program)
{
	bool any_tag = false;

	for (int i = 0; i < program->count; i++)
		any_tag |= looks(&program->instructions[i]) && program->instructions[i].tag < 0;
	for (int i = 0; i < program->count; i++)
		for (int k = i + 1; k < program->count; k++)
			if (program->instructions[i].rank == program->instructions[k].rank
			    && line_of(program, i) != line_of(program, k)
			    && (calls_race(&program->instructions[i], &program->instructions[k],
			                   any_tag)
			        || look_for_same(&program->instructions[i],
			                         &program->instructions[k])))
				return false;
	return true;
}

/* The lines of a rank of which one is admitted, as bits; 0: none waits. */
static guint rivals(const struct walk *walk, const guint8 *state, int rank)
{
	guint lines = 0;
	int first = -1;

	for (int line = line_of_thread(walk->program, rank, 0);
	     line < walk->program->lines && walk->program->line_rank[line] == rank; line++) {
		if (!enters(walk, state, line))
			continue;
		first = first < 0 ? line : first;
		if (line == first
		    || calls_race(brute_at(walk, state[first]), brute_at(walk, state[line]),
		                  any_tag_was_asked(walk, state)))
			lines |= 1u << line;
	}
	return lines;
}

static void let_in(const struct walk *walk, guint8 *state, int line)
{
	int rank = walk->program->line_rank[line];

	*takes_turns(walk, state, rank) = brute_living(walk, state, rank) > 0;
	state[walk->program->lines + state[line]] = POSTED;
	brute_note_call(walk, state, state[line]);
}

bool brute_admit(struct walk *walk, const guint8 *state)
{
	guint8 *after = brute_copy(walk, state);
	bool alone = false;

	for (int rank = 0; rank < walk->program->ranks; rank++) {
		guint lines = rivals(walk, state, rank);

		if (lines == 0 || (lines & (lines - 1)) != 0)
			continue;
		let_in(walk, after, g_bit_nth_lsf(lines, -1));
		alone = true;
	}
	if (alone)
		brute_reach(walk);
	return alone;
}

bool brute_take_turns(struct walk *walk, const guint8 *state)
{
	guint turn = 0;

	for (int rank = 0; turn == 0 && rank < walk->program->ranks; rank++)
		turn = rivals(walk, state, rank);
	for (int line = 0; line < walk->program->lines; line++) {
		guint8 *next = brute_copy(walk, state);

		if (!(turn & 1u << line))
			continue;
		let_in(walk, next, line);
		brute_reach(walk);
	}
	return turn != 0;
}
