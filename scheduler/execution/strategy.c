#include "strategy.h"

struct search {
	struct strategy strategy;
	struct explorer *explorer;
	struct pool *pool; /* of strategy_turning */
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

static enum explorer_step search_returned(struct strategy *strategy, const struct trace *trace)
{
	struct explorer *explorer = ((struct search *)strategy)->explorer;

	return explorer_may_leave(explorer) ? explorer_returned(explorer, trace) : EXPLORER_LATER;
}

static void search_again(struct strategy *strategy)
{
	explorer_again(((struct search *)strategy)->explorer);
}

static bool search_needs(const struct strategy *strategy, const GArray *choices)
{
	return explorer_needs(((const struct search *)strategy)->explorer, choices);
}

/* What it decides with is kept by the caller. */
static void free_alone(struct strategy *strategy)
{
	g_free(strategy);
}

struct strategy *strategy_search(struct explorer *explorer)
{
	struct search *search = g_new0(struct search, 1);

	search->strategy = (struct strategy){.next = search_next,
	                                     .rest = search_rest,
	                                     .returned = search_returned,
	                                     .again = search_again,
	                                     .needs = search_needs,
	                                     .free = free_alone};
	search->strategy.awaited = explorer_awaits(explorer);
	search->explorer = explorer;
	return &search->strategy;
}

static enum explorer_step turning_rest(struct strategy *strategy, const struct trace *trace,
                                       const GArray *open, struct choice *ret_choice)
{
	struct search *search = (struct search *)strategy;
	enum explorer_step step = search_rest(strategy, trace, open, ret_choice);
	const GArray *alternatives;
	struct taken taken;

	if (step != EXPLORER_TAKE)
		return step;
	alternatives = g_array_index(open, struct open_choice, 0).alternatives;
	taken = g_array_index(alternatives, struct taken,
	                      pool_draw(search->pool, alternatives->len));
	if (!taken_equal(&taken, &ret_choice->taken) && explorer_turn(search->explorer, taken))
		ret_choice->taken = taken;
	return step;
}

struct strategy *strategy_turning(struct explorer *explorer, struct pool *pool)
{
	struct strategy *strategy = strategy_search(explorer);

	strategy->rest = turning_rest;
	((struct search *)strategy)->pool = pool;
	return strategy;
}

static bool needs_nothing(const struct strategy *strategy, const GArray *choices)
{
	(void)strategy;
	(void)choices;
	return false;
}

struct wander {
	struct strategy strategy;
	struct random_search *search;
};

static GArray *wander_next(struct strategy *strategy)
{
	if (!random_search_next(((struct wander *)strategy)->search))
		return NULL;
	return g_array_new(false, false, sizeof(struct choice));
}

static enum explorer_step wander_rest(struct strategy *strategy, const struct trace *trace,
                                      const GArray *open, struct choice *ret_choice)
{
	if (!open)
		return EXPLORER_DROP;
	return random_search_rest(((struct wander *)strategy)->search, trace, open, ret_choice);
}

static enum explorer_step wander_returned(struct strategy *strategy, const struct trace *trace)
{
	(void)trace;
	return random_search_returned(((struct wander *)strategy)->search);
}

struct strategy *strategy_random(struct random_search *search)
{
	struct wander *wander = g_new0(struct wander, 1);

	wander->strategy = (struct strategy){.wanders = true,
	                                     .next = wander_next,
	                                     .rest = wander_rest,
	                                     .returned = wander_returned,
	                                     .needs = needs_nothing,
	                                     .free = free_alone};
	wander->search = search;
	return &wander->strategy;
}

struct states {
	struct strategy strategy;
	struct state_search *search;
	struct known_state told;
	GArray *calls; /* guint32, of `told` */
	bool is_told;
	char **why;
};

static GArray *states_next(struct strategy *strategy)
{
	return state_search_next(((struct states *)strategy)->search);
}

static void states_state(struct strategy *strategy, const struct known_state *told, const char *why)
{
	struct states *states = (struct states *)strategy;

	states->is_told = told != NULL;
	if ((!told || told->nameless) && !*states->why)
		*states->why = g_strdup(why);
	if (!told)
		return;
	g_array_set_size(states->calls, 0);
	g_array_append_vals(states->calls, told->calls, (guint)told->ranks);
	states->told = *told;
	states->told.calls = (const guint32 *)(const void *)states->calls->data;
}

static enum explorer_step states_rest(struct strategy *strategy, const struct trace *trace,
                                      const GArray *open, struct choice *ret_choice)
{
	struct states *states = (struct states *)strategy;
	bool is_told = states->is_told;

	(void)trace;
	if (!open) {
		state_search_lost(states->search);
		return EXPLORER_DROP;
	}
	states->is_told = false;
	return state_search_rest(states->search, is_told ? &states->told : NULL, open, ret_choice);
}

static enum explorer_step states_returned(struct strategy *strategy, const struct trace *trace)
{
	struct states *states = (struct states *)strategy;

	(void)trace;
	states->is_told = false;
	return state_search_returned(states->search);
}

static bool states_need(const struct strategy *strategy, const GArray *choices)
{
	return state_search_needs(((const struct states *)strategy)->search, choices);
}

static void states_free(struct strategy *strategy)
{
	g_array_unref(((struct states *)strategy)->calls);
	g_free(strategy);
}

struct strategy *strategy_states(struct state_search *search, bool verifies, char **why)
{
	struct states *states = g_new0(struct states, 1);

	states->strategy = (struct strategy){.verifies = verifies,
	                                     .next = states_next,
	                                     .rest = states_rest,
	                                     .needs = states_need,
	                                     .state = states_state,
	                                     .returned = states_returned,
	                                     .free = states_free};
	states->search = search;
	states->calls = g_array_new(false, false, sizeof(guint32));
	states->why = why;
	return &states->strategy;
}

struct probe {
	struct strategy strategy;
	struct state_probe *probe;
	struct known_state told; /* without the numbers of calls */
	bool is_told;
};

static GArray *probe_next(struct strategy *strategy)
{
	return state_probe_next(((struct probe *)strategy)->probe);
}

static void probe_state(struct strategy *strategy, const struct known_state *told, const char *why)
{
	struct probe *probe = (struct probe *)strategy;

	(void)why;
	probe->is_told = told != NULL;
	if (told)
		probe->told = (struct known_state){.name = told->name, .nameless = told->nameless};
}

static enum explorer_step probe_rest(struct strategy *strategy, const struct trace *trace,
                                     const GArray *open, struct choice *ret_choice)
{
	struct probe *probe = (struct probe *)strategy;
	bool is_told = probe->is_told;

	(void)trace;
	probe->is_told = false;
	if (!open)
		return EXPLORER_DROP;
	return state_probe_rest(probe->probe, is_told ? &probe->told : NULL, open, ret_choice);
}

static void probe_again(struct strategy *strategy)
{
	state_probe_again(((struct probe *)strategy)->probe);
}

static enum explorer_step probe_returned(struct strategy *strategy, const struct trace *trace)
{
	(void)strategy;
	(void)trace;
	return EXPLORER_DROP;
}

struct strategy *strategy_probe(struct state_probe *probe)
{
	struct probe *strategy = g_new0(struct probe, 1);

	strategy->strategy = (struct strategy){.next = probe_next,
	                                       .rest = probe_rest,
	                                       .returned = probe_returned,
	                                       .again = probe_again,
	                                       .needs = needs_nothing,
	                                       .state = probe_state,
	                                       .free = free_alone};
	strategy->probe = probe;
	return &strategy->strategy;
}

enum explorer_step strategy_take_first(const GArray *open, enum explorer_step at_end,
                                       struct choice *ret_choice)
{
	return open ? explorer_take_first(open, at_end, ret_choice) : EXPLORER_DROP;
}

struct follow {
	struct strategy strategy;
	GArray *choices; /* NULL after `next` */
};

static GArray *follow_next(struct strategy *strategy)
{
	return g_steal_pointer(&((struct follow *)strategy)->choices);
}

static enum explorer_step follow_rest(struct strategy *strategy, const struct trace *trace,
                                      const GArray *open, struct choice *ret_choice)
{
	(void)strategy;
	(void)trace;
	return strategy_take_first(open, EXPLORER_DONE, ret_choice);
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

	follow->strategy = (struct strategy){.fills_gaps = true,
	                                     .next = follow_next,
	                                     .rest = follow_rest,
	                                     .needs = needs_nothing,
	                                     .free = follow_free};
	follow->choices = choices_copy(choices);
	return &follow->strategy;
}
