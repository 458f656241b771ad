/* Loops of polls. */
#include "brute_internal.h"

#include <string.h>

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
