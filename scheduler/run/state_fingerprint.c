#include "state_fingerprint.h"

void state_fingerprint_release(struct state_fingerprint *fingerprint)
{
	g_free(fingerprint->waits);
	g_free(fingerprint->hazard);
	g_free(fingerprint->said);
	*fingerprint = (struct state_fingerprint){0};
}

void state_fingerprint_end(struct state_fingerprint *fingerprint)
{
	struct state_fingerprint_said *said = g_steal_pointer(&fingerprint->said);

	state_fingerprint_release(fingerprint);
	fingerprint->said = said;
}

void state_fingerprint_begin(struct state_fingerprint *fingerprint, int ranks)
{
	state_fingerprint_end(fingerprint);
	fingerprint->asked = true;
	fingerprint->waits = g_new0(guint8, ranks);
	if (!fingerprint->said)
		fingerprint->said = g_new0(struct state_fingerprint_said, ranks);
}

void state_fingerprint_moves(struct state_fingerprint *fingerprint, int rank)
{
	if (fingerprint->said)
		fingerprint->said[rank].holds = false;
}

void state_fingerprint_copy(struct state_fingerprint *to, const struct state_fingerprint *from,
                            int ranks)
{
	if (from->said)
		to->said = g_memdup2(from->said, (gsize)ranks * sizeof(*from->said));
}

static void add_rank(struct state_fingerprint *fingerprint, int rank,
                     const struct state_hash *state)
{
	struct state_hash one = {{(guint64)rank, 0}};

	state_hash_add(&one, state->word[0]);
	state_hash_add(&one, state->word[1]);
	state_hash_add_member(&fingerprint->ranks, &one);
}

bool state_fingerprint_reuse(struct state_fingerprint *fingerprint, int rank)
{
	if (!fingerprint->said[rank].holds)
		return false;
	add_rank(fingerprint, rank, &fingerprint->said[rank].state);
	return true;
}

void state_fingerprint_ask(struct state_fingerprint *fingerprint, int rank)
{
	fingerprint->waits[rank] = 1;
	fingerprint->missing++;
}

void state_fingerprint_refuse(struct state_fingerprint *fingerprint, int rank, const char *why)
{
	if (!fingerprint->hazard)
		fingerprint->hazard = rank < 0 ? g_strdup(why)
		                               : g_strdup_printf("rank %d: %s", rank, why);
}

bool state_fingerprint_answer(struct state_fingerprint *fingerprint, int rank,
                              const struct wire_state *state)
{
	const struct state_hash told = {{state->hash[0], state->hash[1]}};
	struct state_fingerprint_said *said;

	if (fingerprint->missing == 0 || !fingerprint->waits[rank])
		return false;
	fingerprint->waits[rank] = 0;
	fingerprint->missing--;
	add_rank(fingerprint, rank, &told);
	said = &fingerprint->said[rank];
	if (state->hazard && *state->hazard)
		state_fingerprint_refuse(fingerprint, rank, state->hazard);
	else if (said->holds && !state_hash_equal(&said->state, &told))
		state_fingerprint_refuse(fingerprint, rank, "it changes while it waits");
	else
		*said = (struct state_fingerprint_said){true, told};
	return true;
}
