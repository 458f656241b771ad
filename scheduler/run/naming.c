#include "naming.h"

void naming_release(struct naming *naming)
{
	g_free(naming->waits);
	g_free(naming->hazard);
	*naming = (struct naming){0};
}

void naming_begin(struct naming *naming, int ranks)
{
	naming_release(naming);
	naming->asked = true;
	naming->waits = g_new0(guint8, ranks);
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
	struct state_hash one = {{(guint64)rank, 0}};

	if (naming->missing == 0 || !naming->waits[rank])
		return false;
	naming->waits[rank] = 0;
	naming->missing--;
	if (state->hazard && *state->hazard)
		naming_refuse(naming, rank, state->hazard);
	state_hash_add(&one, state->hash[0]);
	state_hash_add(&one, state->hash[1]);
	state_hash_add_member(&naming->ranks, &one);
	return true;
}
