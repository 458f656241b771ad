/* Which message a receive or probe may take. */
#include "brute_internal.h"

bool brute_is_receive(const struct instruction *instruction)
{
	return instruction->kind == INSTRUCTION_RECEIVE
	       || instruction->kind == INSTRUCTION_RECEIVE_PROBED
	       || instruction->kind == INSTRUCTION_MPROBE;
}

static bool fits(const struct walk *walk, const guint8 *state, int receive, int send)
{
	const struct instruction *wanting = brute_at(walk, receive);
	const struct instruction *message = brute_at(walk, send);
	int peer = wanting->peer;
	int tag = wanting->tag;

	if (wanting->kind == INSTRUCTION_RECEIVE_PROBED) {
		const struct instruction *probed = brute_at(
			walk, brute_states(walk, state)[wanting->of] - MATCHED);

		peer = probed->rank;
		tag = probed->tag;
	}
	return message->peer == wanting->rank && message->comm == wanting->comm
	       && (peer < 0 || peer == message->rank) && (tag < 0 || tag == message->tag);
}

static bool is_waiting(guint8 state)
{
	return state == POSTED || state == EARLY;
}

/* Whether a receive before `before` waits, and may take this message. */
static bool has_taker(const struct walk *walk, const guint8 *state, int before, int send)
{
	int rank = brute_at(walk, before)->rank;

	for (int i = walk->program->first[rank]; i < walk->program->first[rank + 1]; i++)
		if (brute_is_before(walk, state, i, before) && brute_is_receive(brute_at(walk, i))
		    && brute_states(walk, state)[i] == POSTED && fits(walk, state, i, send))
			return true;
	return false;
}

/* Whether the message is the first one of its source that the receive may take; `left`: of those
 * that earlier receives leave. */
static bool is_first(const struct walk *walk, const guint8 *state, int receive, int send, bool left)
{
	const guint8 *states = brute_states(walk, state);
	int sender = brute_at(walk, send)->rank;

	if (states[receive] != POSTED || !is_waiting(states[send])
	    || !fits(walk, state, receive, send))
		return false;
	for (int i = walk->program->first[sender]; i < walk->program->first[sender + 1]; i++)
		if (brute_is_before(walk, state, i, send)
		    && brute_at(walk, i)->kind == INSTRUCTION_SEND && is_waiting(states[i])
		    && fits(walk, state, receive, i)
		    && !(left && has_taker(walk, state, receive, i)))
			return false;
	return true;
}

bool brute_is_there(const struct walk *walk, const guint8 *state, int probe, int send)
{
	return is_first(walk, state, probe, send, true);
}

/* The two rules of MPI 3.1, section 3.5 (docs/internals/matching-and-gate.md). */
bool brute_may_match(const struct walk *walk, const guint8 *state, int receive, int send)
{
	return is_first(walk, state, receive, send, false)
	       && !has_taker(walk, state, receive, send);
}
