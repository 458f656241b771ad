/* Random walks instead of the search (--random): one after the other, under each buffering in turn,
 * until they bring nothing new or something stops them. */
#include "session_internal.h"

/* Bounds within which only the default is taken (session_bounds.c), a bit each. */
static guint64 fixed_bounds(const struct session_options *options)
{
	guint64 fixed = 0;

	for (guint i = 0; options->bounds && i < options->bounds->len; i++)
		if (g_array_index(options->bounds, struct bound, i).kind == BOUND_REGION)
			fixed |= G_GUINT64_CONSTANT(1) << i;
	return fixed;
}

static struct random_search *walks_of(struct session *session, guint buffering)
{
	const struct session_options *options = session->options;

	if (!session->walks[buffering])
		session->walks[buffering] = random_search_new(options->seed, (uint32_t)buffering,
		                                              fixed_bounds(options));
	return session->walks[buffering];
}

static guint64 runs_of(const struct random_search *search)
{
	struct random_statistics statistics;

	random_search_statistics(search, &statistics);
	return statistics.runs;
}

/* FALSE: there is no walk to be made any more. */
static gboolean walk(struct session *session, struct strategy *strategy, enum buffering buffering)
{
	struct random_search *search = session->walks[buffering];
	guint64 before = runs_of(search);
	GArray *plan = strategy->next(strategy);

	if (!plan)
		return FALSE;
	session_finish(session, session_carry_out(session, strategy, buffering, plan), TRUE);
	session->runs += runs_of(search) - before;
	if (session_save_is_due(session))
		session_save(session);
	return TRUE;
}

/* Whose turn it is: where the fewest walks have been made, so that it follows from those alone,
 * also when they are gone on with. 0: nowhere any more. */
static guint next_buffering(struct session *session, guint bufferings)
{
	guint next = 0;

	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		if (bufferings & 1u << i
		    && (next == 0 || runs_of(session->walks[i]) < runs_of(session->walks[next])))
			next = i;
	return next;
}

void session_wander(struct session *session)
{
	struct strategy *strategies[BUFFERING_PER_SEND + 1] = {NULL};
	guint bufferings = session->options->bufferings; /* those that are not done */
	guint next;

	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		if (bufferings & 1u << i)
			strategies[i] = strategy_random(walks_of(session, i));
	while (!session_is_enough(session) && (next = next_buffering(session, bufferings)) > 0)
		if (!walk(session, strategies[next], (enum buffering)next))
			bufferings &= ~(1u << next);
	session_save(session);
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		if (strategies[i])
			strategies[i]->free(strategies[i]);
}

void session_wander_save(const struct session *session, GVariantDict *state)
{
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		g_autofree char *name = g_strdup_printf("walks-%u", i);
		g_autoptr(GVariant) saved = NULL;

		if (!session->walks[i])
			continue;
		saved = random_search_save(session->walks[i]);
		g_variant_dict_insert_value(state, name, saved);
	}
}

void session_wander_recall(struct session *session, GVariantDict *state)
{
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		g_autofree char *name = g_strdup_printf("walks-%u", i);
		g_autoptr(GVariant) saved = g_variant_dict_lookup_value(
			state, name, G_VARIANT_TYPE(RANDOM_SEARCH_TYPE));

		if (!saved)
			continue;
		if (!random_search_restore(walks_of(session, i), saved))
			session_fail(session,
			             "%s: this store is damaged: what is known of random walks "
			             "cannot be read",
			             session->options->store);
		session->runs += runs_of(session->walks[i]);
	}
}

void session_wander_release(struct session *session)
{
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		random_search_free(g_steal_pointer(&session->walks[i]));
}

char *session_wander_words(const struct session *session)
{
	GString *text = g_string_new(NULL);

	g_string_printf(text,
	                "random search, seed %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT
	                " distinct interleaving%s in %" G_GUINT64_FORMAT " run%s, not exhaustive",
	                session->options->seed, session->interleavings,
	                session->interleavings == 1 ? "" : "s", session->runs,
	                session->runs == 1 ? "" : "s");
	if (session->stop_reason)
		g_string_append_printf(text, ", %s", session->stop_reason);
	return g_string_free(text, FALSE);
}
