#include "random_walks.h"

#include "executor.h"
#include "scheduler/world/bounds.h"
#include "session_context.h"

struct random_walks {
	struct plan_source source;
	struct session *session;
	struct random_search *searches[BUFFERING_PER_SEND + 1]; /* by buffering; NULL: none */
	struct strategy *strategies[BUFFERING_PER_SEND + 1];    /* the same, during the walks */
	guint bufferings;                                       /* those with walks left */
	guint turn;                                             /* the current buffering */
	guint64 before;                                         /* walks made before this session */
	guint64 made;                                           /* walks that have ended */
};

/* Bounds within which only the default is allowed (search_bounds.c), one bit each. */
static guint64 fixed_bounds(const struct session_options *options)
{
	guint64 fixed = 0;

	for (guint i = 0; options->bounds && i < options->bounds->len; i++)
		if (g_array_index(options->bounds, struct bound, i).kind == BOUND_REGION)
			fixed |= G_GUINT64_CONSTANT(1) << i;
	return fixed;
}

static void add_search(struct random_walks *walks, guint buffering)
{
	const struct session_options *options = session_options(walks->session);

	if (!walks->searches[buffering])
		walks->searches[buffering] = random_search_new(
			options->ranks, options->seed, (uint32_t)buffering, fixed_bounds(options));
}

static guint64 runs_of(const struct random_search *search)
{
	struct random_statistics statistics;

	random_search_statistics(search, &statistics);
	return statistics.runs;
}

/* The buffering with the fewest walks. This depends on nothing else, so a resumed session continues
 * the same way. 0: no buffering is left. */
static guint next_buffering(const struct random_walks *walks)
{
	guint next = 0;

	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		if (walks->bufferings & 1u << i
		    && (next == 0 || runs_of(walks->searches[i]) < runs_of(walks->searches[next])))
			next = i;
	return next;
}

static bool walks_may_go_on(const struct plan_source *source)
{
	return session_may_go_on(((const struct random_walks *)source)->session);
}

static bool walks_next(struct plan_source *source, struct run_request *ret_request)
{
	struct random_walks *walks = (struct random_walks *)source;
	struct strategy *strategy = NULL;
	g_autoptr(GArray) plan = NULL;

	while (!plan && !session_is_enough(walks->session)
	       && (walks->turn = next_buffering(walks)) > 0) {
		walks->before = runs_of(walks->searches[walks->turn]);
		strategy = walks->strategies[walks->turn];
		plan = strategy->next(strategy);
		if (!plan)
			walks->bufferings &= ~(1u << walks->turn);
	}
	if (!plan)
		return false;
	*ret_request = (struct run_request){
		.position = session_position(walks->session, plan, (enum buffering)walks->turn),
		.strategy = strategy,
		.saves = session_saves(walks->session, (enum buffering)walks->turn)};
	session_request(walks->session, ret_request, CALLS_NEW);
	return true;
}

static void walks_ended(struct plan_source *source, struct execution *execution)
{
	struct random_walks *walks = (struct random_walks *)source;

	session_finish(walks->session, execution, true);
	walks->made += runs_of(walks->searches[walks->turn]) - walks->before;
	if (session_save_is_due(walks->session))
		session_save(walks->session);
}

struct random_walks *random_walks_new(struct session *session)
{
	static const struct plan_source_type type = {
		.next = walks_next, .may_go_on = walks_may_go_on, .ended = walks_ended};
	struct random_walks *walks = g_new0(struct random_walks, 1);

	walks->source.type = &type;
	walks->session = session;
	return walks;
}

void random_walks_free(struct random_walks *walks)
{
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		random_search_free(walks->searches[i]);
	g_free(walks);
}

void random_walks_explore(struct random_walks *walks)
{
	walks->bufferings = session_options(walks->session)->bufferings;
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		if (!(walks->bufferings & 1u << i))
			continue;
		add_search(walks, i);
		walks->strategies[i] = strategy_random(walks->searches[i]);
	}
	executor_run(session_executor(walks->session), (struct plan_source *[]){&walks->source}, 1);
	session_save(walks->session);
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		if (walks->strategies[i])
			walks->strategies[i]->free(g_steal_pointer(&walks->strategies[i]));
}

guint64 random_walks_made(const struct random_walks *walks)
{
	return walks->made;
}

void random_walks_save(const struct random_walks *walks, GVariantDict *state)
{
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		g_autofree char *name = g_strdup_printf("walks-%u", i);
		g_autoptr(GVariant) saved = NULL;

		if (!walks->searches[i])
			continue;
		saved = random_search_save(walks->searches[i]);
		g_variant_dict_insert_value(state, name, saved);
	}
}

void random_walks_restore(struct random_walks *walks, GVariantDict *state)
{
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		g_autofree char *name = g_strdup_printf("walks-%u", i);
		g_autoptr(GVariant) saved = g_variant_dict_lookup_value(
			state, name, G_VARIANT_TYPE(RANDOM_SEARCH_TYPE));

		if (!saved)
			continue;
		add_search(walks, i);
		if (!random_search_restore(walks->searches[i], saved))
			session_fail(walks->session,
			             "%s: this store is damaged: its random walks cannot be read",
			             session_options(walks->session)->store);
		walks->made += runs_of(walks->searches[i]);
	}
}

char *random_walks_words(const struct random_walks *walks)
{
	const struct session *session = walks->session;
	guint64 interleavings = session_interleavings(session);
	GString *text = g_string_new(NULL);

	g_string_printf(text,
	                "random search, seed %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT
	                " distinct interleaving%s in %" G_GUINT64_FORMAT " run%s, not exhaustive",
	                session_options(session)->seed, interleavings,
	                interleavings == 1 ? "" : "s", walks->made, walks->made == 1 ? "" : "s");
	if (session_stop_reason(session))
		g_string_append_printf(text, ", %s", session_stop_reason(session));
	return g_string_free(text, false);
}
