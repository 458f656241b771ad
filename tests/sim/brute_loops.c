/* Polls: loops of them, and what they must find. */
#include "brute_internal.h"

#include <string.h>

bool brute_must_find(const struct walk *walk, const guint8 *state, int index)
{
	const guint8 *states = brute_states(walk, state);

	if (walk->program->lines > walk->program->ranks)
		return false;
	for (int i = brute_first(walk, index); i < index; i++) {
		enum instruction_kind kind = brute_at(walk, i)->kind;

		if ((kind == INSTRUCTION_PROBE || kind == INSTRUCTION_IPROBE)
		    && states[i] >= MATCHED && states[i] < EARLY
		    && brute_may_match(walk, state, index, states[i] - MATCHED))
			return true;
	}
	return false;
}

void brute_end_round(const struct walk *walk, guint8 *state, int line)
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
