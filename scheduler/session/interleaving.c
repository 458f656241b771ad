#include "interleaving.h"

#include "scheduler/store/record.h"

struct interleaving *interleaving_new(struct session *session, enum interleaving_calls calls,
                                      bool stacks)
{
	struct interleaving *interleaving = g_new0(struct interleaving, 1);

	interleaving->session = session;
	interleaving->verdict = verdict_new();
	interleaving->calls = calls;
	if (stacks)
		interleaving->stacks = g_array_new(false, false, sizeof(struct record_stack));
	return interleaving;
}

void interleaving_free(struct interleaving *interleaving)
{
	if (interleaving->strategy)
		interleaving->strategy->free(interleaving->strategy);
	verdict_free(interleaving->verdict);
	if (interleaving->stacks)
		g_array_unref(interleaving->stacks);
	g_free(interleaving);
}

void interleaving_renew(void *data)
{
	struct interleaving *interleaving = data;

	verdict_free(interleaving->verdict);
	interleaving->verdict = verdict_new();
	if (interleaving->stacks)
		g_array_set_size(interleaving->stacks, 0);
}
