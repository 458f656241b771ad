/* Answers that are known before all ranks are at rest. */
#include "world_arrival.h"
#include "world_internal.h"
#include "world_loops.h"

/* Whether every request is complete, or at least the one that was started first, which comes before
 * all others (world_oldest). */
static bool cannot_change(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct wire_name *names = world_names(rank);
	guint count = rank->line->waited->len, oldest = 0;

	for (guint i = 1; i < count; i++)
		if (world_compare_names(names[i], names[oldest]) < 0)
			oldest = i;
	if (rank->line->question == QUESTION_ANY)
		return count > 0 && world_can_complete(world, number, names[oldest]);
	for (guint i = 0; i < count; i++)
		if (!world_can_complete(world, number, names[i]))
			return false;
	return rank->line->question != QUESTION_NONE;
}

/* Whether "not yet" comes first at rest. */
static bool may_be_denied(const struct world *world, int number)
{
	return world_may_say_no(world, number) && world_says_no_first(world, number);
}

/* The answer that the pending call of a rank gets if nothing is chosen otherwise. */
static bool answer_of(struct world *world, int number, struct choice *ret_choice)
{
	const struct rank *rank = &world->ranks[number];
	struct open_choice choice = {0};
	bool any;

	if (rank->threads || rank->line->phase != PHASE_BLOCKED || rank->is_looked_at
	    || rank->immediate.is_held || world_in_loop(world, number)
	    || may_be_denied(world, number) || !cannot_change(world, number)
	    || world_would_defer(world, number))
		return false;
	choice.alternatives = g_array_new(false, false, sizeof(struct taken));
	world_add_answers(world, number, rank->line->question, world_names(rank),
	                  rank->line->waited->len, 0, &choice);
	any = choice.alternatives->len > 0;
	*ret_choice = (struct choice){
		.point = point_of(world_question_id(world, number), world->options.ranks)};
	if (any)
		ret_choice->taken = g_array_index(choice.alternatives, struct taken, 0);
	g_array_unref(choice.alternatives);
	return any;
}

void world_note_asking(struct world *world, int number)
{
	world->ranks[number].certain = world->certain = world->options.hurries;
}

bool world_next_certain(struct world *world, struct choice *ret_choice)
{
	for (int number = 0; world->certain && number < world->options.ranks; number++) {
		if (!world->ranks[number].certain)
			continue;
		world->ranks[number].certain = false;
		if (world_may_decide(world) && answer_of(world, number, ret_choice))
			return true;
	}
	world->certain = false;
	return false;
}
