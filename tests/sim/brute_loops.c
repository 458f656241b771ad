/* Polls: loops of them, and what they must find. */
#include "brute_internal.h"

#include <string.h>

/* Whether the rank has begun a second thread. */
static bool has_threads(const struct walk *walk, const guint8 *state, int rank)
{
	for (int i = walk->program->first[rank]; i < walk->program->first[rank + 1]; i++)
		if (brute_at(walk, i)->kind == INSTRUCTION_SPAWN
		    && brute_states(walk, state)[i] != ABSENT)
			return true;
	return false;
}

bool brute_must_find(const struct walk *walk, const guint8 *state, int index)
{
	const guint8 *states = brute_states(walk, state);

	if (has_threads(walk, state, brute_at(walk, index)->rank))
		return false;
	for (int i = brute_first(walk, index); i < index; i++) {
		enum instruction_kind kind = brute_at(walk, i)->kind;

		if ((kind == INSTRUCTION_PROBE || kind == INSTRUCTION_IPROBE)
		    && states[i] >= MATCHED && states[i] < EARLY
		    && brute_is_there(walk, state, index, states[i] - MATCHED))
			return true;
	}
	return false;
}

static bool is_meeting(const struct walk *walk, const guint8 *state, int line)
{
	return state[line] < walk->program->line_first[line + 1]
	       && brute_at(walk, state[line])->kind == INSTRUCTION_LOOP
	       && brute_at(walk, state[line])->shared;
}

bool brute_may_end_round(const struct walk *walk, const guint8 *state, int line)
{
	if (!is_meeting(walk, state, line))
		return true;
	for (int other = 0; other < walk->program->lines; other++)
		if (!is_meeting(walk, state, other))
			return false;
	return line == 0;
}

/* All ranks have met: they go back together, or on. */
static void end_meeting(const struct walk *walk, guint8 *state)
{
	const struct random_program *program = walk->program;
	guint8 *states = state + program->lines;
	bool vain = false, reported = false;

	for (int line = 0; line < program->lines; line++) {
		int loop = state[line];

		for (int i = brute_at(walk, loop)->of; i < loop; i++)
			vain = vain || states[i] == NO;
		reported = reported
		           || first_reported(program, states, brute_reporters(walk, state), loop)
		                      < loop;
	}
	for (int line = 0; line < program->lines; line++) {
		int loop = state[line], first = brute_at(walk, loop)->of;

		if (vain && !reported) {
			state[line] = (guint8)first;
			memset(states + first, ABSENT, (gsize)(loop - first));
		} else {
			state[line]++;
		}
	}
}

static void end_own_round(const struct walk *walk, guint8 *state, int line)
{
	int loop = state[line], first = brute_at(walk, loop)->of;
	guint8 *states = state + walk->program->lines;
	int reported = first_reported(walk->program, states, brute_reporters(walk, state), loop);
	bool vain = false;

	for (int i = first; i < loop; i++)
		vain = vain || states[i] == NO;
	if (reported == loop && vain) {
		state[line] = (guint8)first;
		memset(states + first, ABSENT, (gsize)(loop - first));
		if (brute_at(walk, loop)->flushed)
			states[loop] = MATCHED;
		return;
	}
	for (int i = first; i < reported; i++)
		if (states[i] == NO)
			states[i] = ABSENT;
	state[line]++;
}

void brute_end_round(const struct walk *walk, guint8 *state, int line)
{
	if (is_meeting(walk, state, line))
		end_meeting(walk, state);
	else
		end_own_round(walk, state, line);
}

bool brute_goes_round(const struct walk *walk, const guint8 *state, int line)
{
	int loop = loop_of(walk->program, state[line]);

	for (int other = 0;
	     loop >= 0 && brute_at(walk, loop)->shared && other < walk->program->lines; other++)
		if (state[other] == walk->program->line_first[other + 1]
		    || !brute_goes_round_alone(walk, state, other))
			return false;
	return brute_goes_round_alone(walk, state, line);
}
