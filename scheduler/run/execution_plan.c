/* The plan that an execution follows: what it makes, keeps back and lets go of. */
#include "execution_internal.h"
#include "scheduler/world/matcher.h"

bool execution_follow_plan(struct execution *execution)
{
	for (guint i = 0; i < execution->plan->len; i++) {
		struct choice choice = g_array_index(execution->plan, struct choice, i);

		choice.taken.promised = false;
		if (world_choose(execution->world, &choice)) {
			g_array_remove_index(execution->plan, i);
			return true;
		}
	}
	return false;
}

void execution_hide_planned(const struct execution *execution, GArray *open)
{
	for (guint i = open->len; i-- > 0;) {
		struct open_choice *choice = &g_array_index(open, struct open_choice, i);

		if (!choices_find(execution->plan, &choice->point))
			continue;
		g_array_unref(choice->alternatives);
		g_array_remove_index(open, i);
	}
}

/* Whether something is open that promises keep back. */
static bool keeps_back(const struct execution *execution)
{
	GArray *open;
	bool kept = false;

	if (!choices_promise(execution->plan))
		return false;
	open = world_open_choices(execution->world);
	for (guint i = 0; i < open->len; i++) {
		const struct choice *planned = choices_find(
			execution->plan, &g_array_index(open, struct open_choice, i).point);

		kept |= planned && planned->taken.promised;
	}
	open_choices_free(open);
	return kept;
}

bool execution_tell_no(struct execution *execution, const GArray *awaited)
{
	bool kept = !execution->passed_by && keeps_back(execution);
	bool told = world_answer_polls(execution->world, awaited);

	execution->passed_by |= kept && told;
	return told;
}

bool execution_let_go(struct execution *execution)
{
	if (execution->passed_by)
		return false;
	execution->promises = g_array_new(false, false, sizeof(struct choice));
	execution->made_before = world_choices(execution->world)->len;
	for (guint i = 0; i < execution->plan->len;) {
		struct choice choice = g_array_index(execution->plan, struct choice, i);

		i += !choice.taken.promised;
		if (!choice.taken.promised)
			continue;
		g_array_append_val(execution->promises, choice);
		g_array_remove_index(execution->plan, i);
	}
	execution->result.let_go = true;
	execution->result.stalled = execution->result.livelock = false;
	execution->result.how_sure = NULL;
	stall_rest(execution->stall);
	return true;
}

struct position *execution_position(const struct execution *execution)
{
	const GArray *made = world_choices(execution->world);
	bool let_go = execution->promises != NULL;
	g_autoptr(GArray) choices = choices_copy(let_go ? execution->promises : execution->plan);

	g_array_prepend_vals(choices, made->data, let_go ? execution->made_before : made->len);
	return position_with_choices(execution->target, choices);
}
