#include "strategy.h"

static GArray *search_next(struct strategy *strategy)
{
	return explorer_next(strategy->data);
}

static enum explorer_step search_rest(struct strategy *strategy, const struct trace *trace,
                                      const GArray *open, struct choice *ret_choice)
{
	if (!open) {
		explorer_lost(strategy->data);
		return EXPLORER_DROP;
	}
	return explorer_rest(strategy->data, trace, open, ret_choice);
}

static enum explorer_step search_returned(struct strategy *strategy, const struct trace *trace)
{
	struct explorer *explorer = strategy->data;

	return explorer_may_leave(explorer) ? explorer_returned(explorer, trace) : EXPLORER_LATER;
}

static void search_again(struct strategy *strategy)
{
	explorer_again(strategy->data);
}

/* What it decides with is kept by the caller. */
static void free_alone(struct strategy *strategy)
{
	g_free(strategy);
}

struct strategy *strategy_search(struct explorer *explorer)
{
	const struct strategy strategy = {.next = search_next,
	                                  .rest = search_rest,
	                                  .returned = search_returned,
	                                  .again = search_again,
	                                  .free = free_alone,
	                                  .awaited = explorer_awaits(explorer),
	                                  .data = explorer};

	return g_memdup2(&strategy, sizeof(strategy));
}

struct turning {
	struct strategy strategy;
	struct pool *pool;
};

static enum explorer_step turning_rest(struct strategy *strategy, const struct trace *trace,
                                       const GArray *open, struct choice *ret_choice)
{
	enum explorer_step step = search_rest(strategy, trace, open, ret_choice);
	const GArray *alternatives;
	struct taken taken;

	if (step != EXPLORER_TAKE)
		return step;
	alternatives = g_array_index(open, struct open_choice, 0).alternatives;
	taken = g_array_index(alternatives, struct taken,
	                      pool_draw(((struct turning *)strategy)->pool, alternatives->len));
	if (!taken_equal(&taken, &ret_choice->taken) && explorer_turn(strategy->data, taken))
		ret_choice->taken = taken;
	return step;
}

struct strategy *strategy_turning(struct explorer *explorer, struct pool *pool)
{
	g_autofree struct strategy *search = strategy_search(explorer);
	struct turning *turning = g_new0(struct turning, 1);

	turning->strategy = *search;
	turning->strategy.rest = turning_rest;
	turning->pool = pool;
	return &turning->strategy;
}

static GArray *wander_next(struct strategy *strategy)
{
	return random_search_next(strategy->data) ? g_array_new(false, false, sizeof(struct choice))
	                                          : NULL;
}

static enum explorer_step wander_rest(struct strategy *strategy, const struct trace *trace,
                                      const GArray *open, struct choice *ret_choice)
{
	return open ? random_search_rest(strategy->data, trace, open, ret_choice) : EXPLORER_DROP;
}

static enum explorer_step wander_returned(struct strategy *strategy, const struct trace *trace)
{
	(void)trace;
	return random_search_returned(strategy->data);
}

struct strategy *strategy_random(struct random_search *search)
{
	const struct strategy strategy = {.wanders = true,
	                                  .next = wander_next,
	                                  .rest = wander_rest,
	                                  .returned = wander_returned,
	                                  .free = free_alone,
	                                  .data = search};

	return g_memdup2(&strategy, sizeof(strategy));
}

struct states {
	struct strategy strategy;
	struct known_state told;
	GArray *calls; /* guint32, of `told` */
	bool is_told;
	char **why;
};

static GArray *states_next(struct strategy *strategy)
{
	return state_search_next(strategy->data);
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
		state_search_lost(strategy->data);
		return EXPLORER_DROP;
	}
	states->is_told = false;
	return state_search_rest(strategy->data, is_told ? &states->told : NULL, open, ret_choice);
}

static enum explorer_step states_returned(struct strategy *strategy, const struct trace *trace)
{
	(void)trace;
	((struct states *)strategy)->is_told = false;
	return state_search_returned(strategy->data);
}

static void states_struck(struct strategy *strategy)
{
	state_search_struck(strategy->data);
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
	                                     .state = states_state,
	                                     .returned = states_returned,
	                                     .struck = states_struck,
	                                     .free = states_free,
	                                     .data = search};
	states->calls = g_array_new(false, false, sizeof(guint32));
	states->why = why;
	return &states->strategy;
}

struct probe {
	struct strategy strategy;
	struct known_state told; /* without the numbers of calls */
	bool is_told;
};

static GArray *probe_next(struct strategy *strategy)
{
	return state_probe_next(strategy->data);
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
	return state_probe_rest(strategy->data, is_told ? &probe->told : NULL, open, ret_choice);
}

static void probe_again(struct strategy *strategy)
{
	state_probe_again(strategy->data);
}

static enum explorer_step probe_returned(struct strategy *strategy, const struct trace *trace)
{
	(void)strategy;
	(void)trace;
	return EXPLORER_DROP;
}

struct strategy *strategy_probe(struct state_probe *state_probe)
{
	struct probe *probe = g_new0(struct probe, 1);

	probe->strategy = (struct strategy){.next = probe_next,
	                                    .rest = probe_rest,
	                                    .returned = probe_returned,
	                                    .again = probe_again,
	                                    .state = probe_state,
	                                    .free = free_alone,
	                                    .data = state_probe};
	return &probe->strategy;
}

enum explorer_step strategy_take_first(const GArray *open, enum explorer_step at_end,
                                       struct choice *ret_choice)
{
	return open ? explorer_take_first(open, at_end, ret_choice) : EXPLORER_DROP;
}

/* Its data are the choices; NULL after `next`. */
static GArray *follow_next(struct strategy *strategy)
{
	return g_steal_pointer(&strategy->data);
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
	if (strategy->data)
		g_array_unref(strategy->data);
	g_free(strategy);
}

struct strategy *strategy_path(const GArray *choices)
{
	const struct strategy strategy = {.fills_gaps = true,
	                                  .next = follow_next,
	                                  .rest = follow_rest,
	                                  .free = follow_free,
	                                  .data = choices_copy(choices)};

	return g_memdup2(&strategy, sizeof(strategy));
}
