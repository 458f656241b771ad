/* Ranks of several threads in brute force. A state has for each instruction when its rank has
 * carried it out: messages are matched in that order; and for each rank whether its calls wait for
 * their turn: since it has made a thread, until a turn is given when all have ended. */
#include "brute_internal.h"

static guint8 *when(const struct walk *walk, guint8 *state, int index)
{
	return state + walk->program->lines + 2 * walk->program->count + index;
}

static guint8 *takes_turns(const struct walk *walk, guint8 *state, int rank)
{
	return state + walk->program->lines + 3 * walk->program->count + rank;
}

gsize brute_threads_size(const struct random_program *program)
{
	return (gsize)(program->count + program->ranks);
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
	if (walk->steps == STEPS_IN_TURN ? is_no_call(brute_at(walk, index)->kind)
	                                 : !brute_is_ordered(brute_at(walk, index)))
		return;
	for (int i = program->first[rank]; i < program->first[rank + 1]; i++)
		last = MAX(last, *when(walk, state, i));
	*when(walk, state, index) = (guint8)(last + 1);
}

/* The rank's first thread lives as long as the rank. */
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

/* The thread is about to make a call. */
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
	return is_alive(walk, state, line)
	       && (walk->steps != STEPS_IN_TURN || !enters(walk, state, line));
}

/* --- turns ------------------------------------------------------------------------------------ */

static bool receives(const struct instruction *own)
{
	return own->kind == INSTRUCTION_RECEIVE || own->kind == INSTRUCTION_PROBE
	       || own->kind == INSTRUCTION_MPROBE;
}

static bool same_or_any(int one, int other)
{
	return one == other || one < 0 || other < 0;
}

/* Some receive has said that any tag will do. */
static bool any_tag_was_asked(const struct walk *walk, const guint8 *state)
{
	for (int i = 0; i < walk->program->count; i++)
		if (receives(brute_at(walk, i)) && brute_at(walk, i)->tag < 0
		    && brute_states(walk, state)[i] != ABSENT)
			return true;
	return false;
}

/* What the README says of two threads that wait to be let in. */
static bool calls_race(const struct walk *walk, const guint8 *state, int one_line, int other_line)
{
	const struct instruction *one = brute_at(walk, state[one_line]);
	const struct instruction *other = brute_at(walk, state[other_line]);

	if (one->comm != other->comm)
		return false;
	if (receives(one) && receives(other))
		return same_or_any(one->peer, other->peer) && same_or_any(one->tag, other->tag);
	return one->kind == INSTRUCTION_SEND && other->kind == INSTRUCTION_SEND
	       && one->peer == other->peer
	       && (one->tag == other->tag || any_tag_was_asked(walk, state));
}

/* The lines of a rank of which one is let in, as bits; 0: none waits. */
static guint rivals(const struct walk *walk, const guint8 *state, int rank)
{
	guint lines = 0;
	int first = -1;

	for (int line = line_of_thread(walk->program, rank, 0);
	     line < walk->program->lines && walk->program->line_rank[line] == rank; line++) {
		if (!enters(walk, state, line))
			continue;
		first = first < 0 ? line : first;
		if (line == first || calls_race(walk, state, first, line))
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
	g_autofree guint8 *after = g_memdup2(state, walk->size);
	guint turn = 0;
	bool alone = false;

	for (int rank = 0; rank < walk->program->ranks; rank++) {
		guint lines = rivals(walk, state, rank);

		if (lines != 0 && (lines & (lines - 1)) == 0) {
			let_in(walk, after, g_bit_nth_lsf(lines, -1));
			alone = true;
		} else if (turn == 0) {
			turn = lines;
		}
	}
	if (alone)
		brute_reach(walk, after);
	for (int line = 0; !alone && line < walk->program->lines; line++) {
		g_autofree guint8 *next = g_memdup2(state, walk->size);

		if (!(turn & 1u << line))
			continue;
		let_in(walk, next, line);
		brute_reach(walk, next);
	}
	return alone || turn != 0;
}
