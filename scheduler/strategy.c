#include "strategy.h"

struct search {
	struct strategy strategy;
	struct explorer *explorer;
};

static GArray *search_next(struct strategy *strategy)
{
	return explorer_next(((struct search *)strategy)->explorer);
}

static enum explorer_step search_rest(struct strategy *strategy, const struct trace *trace,
                                      const GArray *open, struct choice *ret_choice)
{
	struct search *search = (struct search *)strategy;

	if (!open) {
		explorer_lost(search->explorer);
		return EXPLORER_DROP;
	}
	return explorer_rest(search->explorer, trace, open, ret_choice);
}

static gboolean search_needs(const struct strategy *strategy, const GArray *choices)
{
	return explorer_needs(((const struct search *)strategy)->explorer, choices);
}

static void search_free(struct strategy *strategy)
{
	g_free(strategy);
}

struct strategy *strategy_search(struct explorer *explorer)
{
	struct search *search = g_new0(struct search, 1);

	search->strategy = (struct strategy){FALSE, search_next, search_rest, search_needs,
	                                     search_free};
	search->explorer = explorer;
	return &search->strategy;
}

struct follow {
	struct strategy strategy;
	GArray *choices; /* NULL once handed out */
};

static GArray *follow_next(struct strategy *strategy)
{
	return g_steal_pointer(&((struct follow *)strategy)->choices);
}

static enum explorer_step follow_rest(struct strategy *strategy, const struct trace *trace,
                                      const GArray *open, struct choice *ret_choice)
{
	const struct open_choice *first;

	(void)strategy;
	(void)trace;
	if (!open)
		return EXPLORER_DROP;
	if (open->len == 0)
		return EXPLORER_DONE;
	first = &g_array_index(open, struct open_choice, 0);
	ret_choice->point = first->point;
	ret_choice->taken = g_array_index(first->alternatives, struct op_id, 0);
	return EXPLORER_TAKE;
}

static gboolean follow_needs(const struct strategy *strategy, const GArray *choices)
{
	(void)strategy;
	(void)choices;
	return FALSE;
}

static void follow_free(struct strategy *strategy)
{
	struct follow *follow = (struct follow *)strategy;

	if (follow->choices)
		g_array_unref(follow->choices);
	g_free(follow);
}

struct strategy *strategy_path(const GArray *choices)
{
	struct follow *follow = g_new0(struct follow, 1);

	follow->strategy = (struct strategy){TRUE, follow_next, follow_rest, follow_needs,
	                                     follow_free};
	follow->choices = g_array_sized_new(FALSE, FALSE, sizeof(struct choice), choices->len);
	g_array_append_vals(follow->choices, choices->data, choices->len);
	return &follow->strategy;
}
