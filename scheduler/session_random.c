/* Random walks instead of the search (--random): one after the other, under each buffering in turn,
 * until they bring nothing new or something stops them. */
#include "session_internal.h"

/* Of one buffering. */
struct tree {
	enum buffering buffering;
	struct random_search *search;
	struct strategy *strategy;
	gboolean done;
};

/* The bounds within which only the default is taken (session_bounds.c), a bit each. */
static guint64 fixed_bounds(const struct session_options *options)
{
	guint64 fixed = 0;

	for (guint i = 0; options->bounds && i < options->bounds->len; i++)
		if (g_array_index(options->bounds, struct bound, i).kind == BOUND_REGION)
			fixed |= G_GUINT64_CONSTANT(1) << i;
	return fixed;
}

static void tree_init(struct tree *tree, const struct session_options *options,
                      enum buffering buffering)
{
	tree->buffering = buffering;
	tree->search = random_search_new(options->seed, (uint32_t)buffering, fixed_bounds(options));
	tree->strategy = strategy_random(tree->search);
}

static void tree_release(struct tree *tree)
{
	tree->strategy->free(tree->strategy);
	random_search_free(tree->search);
}

static gboolean is_enough(struct session *session)
{
	guint64 most = session->options->max_interleavings;

	if (most > 0 && session->interleavings >= most && !session->stop_reason)
		session->stop_reason = g_strdup_printf(
			"stopped by --max-interleavings %" G_GUINT64_FORMAT, most);
	return session->error || session->stop_reason;
}

static void walk(struct session *session, struct tree *tree)
{
	struct random_statistics before, after;
	GArray *plan = tree->strategy->next(tree->strategy);

	if (!plan) {
		tree->done = TRUE;
		return;
	}
	random_search_statistics(tree->search, &before);
	session_carry_out(session, tree->strategy, tree->buffering, plan);
	session_account(session, session->current);
	session_drop(session, session->current);
	random_search_statistics(tree->search, &after);
	session->runs += after.runs - before.runs;
	session_doubt_outcomes(session);
	session_release_snapshots(session);
	if (session_save_is_due(session))
		session_save(session);
}

void session_wander(struct session *session)
{
	struct tree trees[BUFFERING_PER_SEND + 1];
	guint count = 0;
	gboolean done = FALSE;

	for (guint buffering = BUFFERING_ZERO; buffering <= BUFFERING_PER_SEND; buffering++) {
		trees[count] = (struct tree){0};
		if (session->options->bufferings & 1u << buffering)
			tree_init(&trees[count++], session->options, (enum buffering)buffering);
	}
	while (!done) {
		done = TRUE;
		for (guint i = 0; i < count && !is_enough(session); i++) {
			if (!trees[i].done)
				walk(session, &trees[i]);
			done = done && trees[i].done;
		}
		done = done || is_enough(session);
	}
	for (guint i = 0; i < count; i++)
		tree_release(&trees[i]);
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
