#include "naming.h"

void naming_release(struct naming *naming)
{
	g_free(naming->waits);
	g_free(naming->hazard);
	g_free(naming->said);
	*naming = (struct naming){0};
}

void naming_end(struct naming *naming)
{
	struct naming_said *said = g_steal_pointer(&naming->said);

	naming_release(naming);
	naming->said = said;
}

void naming_begin(struct naming *naming, int ranks)
{
	naming_end(naming);
	naming->asked = true;
	naming->waits = g_new0(guint8, ranks);
	if (!naming->said)
		naming->said = g_new0(struct naming_said, ranks);
}

void naming_moves(struct naming *naming, int rank)
{
	if (naming->said)
		naming->said[rank].holds = false;
}

void naming_copy(struct naming *to, const struct naming *from, int ranks)
{
	if (from->said)
		to->said = g_memdup2(from->said, (gsize)ranks * sizeof(*from->said));
}

static void add_rank(struct naming *naming, int rank, const struct state_hash *state)
{
	struct state_hash one = {{(guint64)rank, 0}};

	state_hash_add(&one, state->word[0]);
	state_hash_add(&one, state->word[1]);
	state_hash_add_member(&naming->ranks, &one);
}

bool naming_recall(struct naming *naming, int rank)
{
	if (!naming->said[rank].holds)
		return false;
	add_rank(naming, rank, &naming->said[rank].state);
	return true;
}

void naming_ask(struct naming *naming, int rank)
{
	naming->waits[rank] = 1;
	naming->missing++;
}

void naming_refuse(struct naming *naming, int rank, const char *why)
{
	if (!naming->hazard)
		naming->hazard = rank < 0 ? g_strdup(why)
		                          : g_strdup_printf("rank %d: %s", rank, why);
}

bool naming_answer(struct naming *naming, int rank, const struct wire_state *state)
{
	const struct state_hash told = {{state->hash[0], state->hash[1]}};
	struct naming_said *said;

	if (naming->missing == 0 || !naming->waits[rank])
		return false;
	naming->waits[rank] = 0;
	naming->missing--;
	add_rank(naming, rank, &told);
	said = &naming->said[rank];
	if (state->hazard && *state->hazard)
		naming_refuse(naming, rank, state->hazard);
	else if (said->holds && !state_hash_equal(&said->state, &told))
		naming_refuse(naming, rank, "it changes while it waits");
	else
		*said = (struct naming_said){true, told};
	return true;
}
