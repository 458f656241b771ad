#include "state_fingerprint.h"

#include "explorer/rank_name.h"

void state_fingerprint_release(struct state_fingerprint *fingerprint)
{
	g_free(fingerprint->waits);
	g_free(fingerprint->hazard);
	g_free(fingerprint->reports);
	*fingerprint = (struct state_fingerprint){0};
}

void state_fingerprint_end(struct state_fingerprint *fingerprint)
{
	struct state_fingerprint_report *last = g_steal_pointer(&fingerprint->reports);

	state_fingerprint_release(fingerprint);
	fingerprint->reports = last;
}

void state_fingerprint_begin(struct state_fingerprint *fingerprint, int ranks)
{
	state_fingerprint_end(fingerprint);
	fingerprint->asked = true;
	fingerprint->waits = g_new0(guint8, ranks);
	if (!fingerprint->reports)
		fingerprint->reports = g_new0(struct state_fingerprint_report, ranks);
}

void state_fingerprint_moves(struct state_fingerprint *fingerprint, int rank)
{
	if (fingerprint->reports)
		fingerprint->reports[rank].holds = false;
}

void state_fingerprint_copy(struct state_fingerprint *to, const struct state_fingerprint *from,
                            int ranks)
{
	if (from->reports)
		to->reports = g_memdup2(from->reports, (gsize)ranks * sizeof(*from->reports));
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
	if (!fingerprint->reports[rank].holds)
		return false;
	add_rank(fingerprint, rank, &fingerprint->reports[rank].state);
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
		                               : g_strdup_printf("rank %s: %s", rank_name(rank),
		                                                 why);
}

bool state_fingerprint_answer(struct state_fingerprint *fingerprint, int rank,
                              const struct wire_state *state)
{
	const struct state_hash reported = {{state->hash[0], state->hash[1]}};
	struct state_fingerprint_report *last;

	if (fingerprint->missing == 0 || !fingerprint->waits[rank])
		return false;
	fingerprint->waits[rank] = 0;
	fingerprint->missing--;
	add_rank(fingerprint, rank, &reported);
	last = &fingerprint->reports[rank];
	if (state->hazard && *state->hazard)
		state_fingerprint_refuse(fingerprint, rank, state->hazard);
	else if (last->holds && !state_hash_equal(&last->state, &reported))
		state_fingerprint_refuse(fingerprint, rank, "it changes while it waits");
	else
		*last = (struct state_fingerprint_report){true, reported};
	return true;
}
