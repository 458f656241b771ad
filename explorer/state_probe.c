#include "state_probe.h"

#define WIDTH 2u          /* alternatives at a node */
#define STEPS_MOST 64u    /* rests below the base in one world */
#define ENOUGH_REACHED 8u /* states that say something of what is below them */

struct level {
	guint reached;  /* times that a state with a fingerprint was come to */
	guint repeated; /* of these, times that it was known */
};

/* A choice that is still to be made. */
struct waiting {
	struct choice_list *list; /* owned reference: the choices before it, the last one first */
	struct choice choice;
	guint depth; /* of the node to which it leads */
};

struct state_probe {
	GArray *base;      /* struct choice */
	GHashTable *names; /* struct state_hash: set of states */
	GArray *waiting;   /* struct waiting */
	GArray *levels;    /* struct level by depth */
	guint depth, patience;
	/* of the running world: */
	struct choice_list *here; /* choices below the base; NULL: none */
	guint at;                 /* its depth */
	guint steps;
	bool again; /* it begins again: it comes to its last state once more */
	struct state_probe_result result;
	guint repeated; /* in all */
};

static void waiting_clear(gpointer pointer)
{
	choice_list_unref(((struct waiting *)pointer)->list);
}

struct state_probe *state_probe_new(const GArray *base, guint depth, guint patience)
{
	struct state_probe *probe = g_new0(struct state_probe, 1);

	probe->base = choices_copy(base);
	probe->names = g_hash_table_new_full(state_key_hash, state_key_equal, g_free, NULL);
	probe->waiting = g_array_new(false, false, sizeof(struct waiting));
	g_array_set_clear_func(probe->waiting, waiting_clear);
	probe->levels = g_array_new(false, true, sizeof(struct level));
	g_array_set_size(probe->levels, depth + 1);
	probe->depth = depth;
	probe->patience = patience;
	return probe;
}

void state_probe_free(struct state_probe *probe)
{
	if (!probe)
		return;
	choice_list_unref(probe->here);
	g_array_unref(probe->levels);
	g_array_unref(probe->waiting);
	g_hash_table_destroy(probe->names);
	g_array_unref(probe->base);
	g_free(probe);
}

/* The base, and then the choices of the world, first made first. */
static GArray *plan_of(const struct state_probe *probe)
{
	GArray *plan = choices_copy(probe->base);
	g_autoptr(GArray) below = choice_list_choices(probe->here);

	g_array_append_vals(plan, below->data, below->len);
	return plan;
}

/* The one that is to be made highest up: branches that part early are compared first. */
static guint highest(const struct state_probe *probe)
{
	guint best = 0;

	for (guint i = 1; i < probe->waiting->len; i++)
		if (g_array_index(probe->waiting, struct waiting, i).depth
		    < g_array_index(probe->waiting, struct waiting, best).depth)
			best = i;
	return best;
}

GArray *state_probe_next(struct state_probe *probe)
{
	if (probe->result.worlds > 0) {
		const struct waiting *next;
		guint index;

		if (probe->waiting->len == 0
		    || (probe->repeated == 0 && probe->result.worlds >= probe->patience))
			return NULL;
		index = highest(probe);
		next = &g_array_index(probe->waiting, struct waiting, index);
		choice_list_unref(probe->here);
		probe->here = choice_list_new(choice_list_ref(next->list), &next->choice);
		probe->at = next->depth;
		g_array_remove_index(probe->waiting, index);
	}
	probe->result.worlds++;
	probe->steps = 0;
	probe->again = false;
	return plan_of(probe);
}

/* Whether the world goes on from this state. */
static bool note(struct state_probe *probe, const struct known_state *state)
{
	struct level *level = &g_array_index(probe->levels, struct level, probe->at);
	bool again = probe->again;

	probe->again = false;
	if (!state || state->nameless) {
		probe->result.nameless++;
		return true;
	}
	if (again && g_hash_table_contains(probe->names, &state->name))
		return true;
	probe->result.named++;
	level->reached++;
	if (g_hash_table_add(probe->names, g_memdup2(&state->name, sizeof(state->name))))
		return true;
	level->repeated++;
	probe->repeated++;
	return false;
}

enum explorer_step state_probe_rest(struct state_probe *probe, const struct known_state *state,
                                    const GArray *open, struct choice *ret_choice)
{
	const struct open_choice *first;
	bool branches;

	if (open->len == 0 || ++probe->steps > STEPS_MOST)
		return EXPLORER_DROP;
	first = &g_array_index(open, struct open_choice, 0);
	branches = first->alternatives->len > 1;
	if (branches && (!note(probe, state) || probe->at == probe->depth))
		return EXPLORER_DROP;
	probe->at += branches;
	for (guint i = MIN(first->alternatives->len, WIDTH); i-- > 1;) {
		struct waiting waiting = {
			choice_list_ref(probe->here),
			{first->point, g_array_index(first->alternatives, struct taken, i)},
			probe->at};

		g_array_append_val(probe->waiting, waiting);
	}
	*ret_choice = (struct choice){first->point,
	                              g_array_index(first->alternatives, struct taken, 0)};
	probe->here = choice_list_new(probe->here, ret_choice);
	return EXPLORER_TAKE;
}

void state_probe_again(struct state_probe *probe)
{
	probe->again = true;
}

struct state_probe_result state_probe_result(const struct state_probe *probe)
{
	struct state_probe_result result = probe->result;

	/* What happens to branch and meet at the deepest depths goes on below them. */
	for (guint depth = probe->levels->len; depth-- > 1 && result.reached < ENOUGH_REACHED;) {
		const struct level *level = &g_array_index(probe->levels, struct level, depth);

		result.reached += level->reached;
		result.repeated += level->repeated;
	}
	return result;
}
