/* The exploration itself: the parts of the tree, one after the other. */
#include "../explorer/frontier.h"
#include "session_internal.h"

double session_seconds(const struct session *session)
{
	return session->seconds_before
	       + (double)(g_get_monotonic_time() - session->started) / G_USEC_PER_SEC;
}

/* Whether no further interleaving may be started. */
static gboolean is_enough(struct session *session)
{
	guint64 most = session->options->max_interleavings;

	if (most > 0 && session->interleavings >= most && !session->stop_reason)
		session->stop_reason = g_strdup_printf(
			"stopped by --max-interleavings %" G_GUINT64_FORMAT, most);
	return session->error || session->stop_reason;
}

/* Runs one plan after the other; the search is left where it was stopped. TRUE: on the way of a
 * plan. */
static gboolean run_plans(struct session *session, struct strategy *strategy,
                          enum buffering buffering)
{
	struct explorer *explorer = session->explorer;
	GArray *plan;

	while (!session->error && !session->stop_reason && (plan = strategy->next(strategy))) {
		gboolean stopped = is_enough(session);

		if (stopped) {
			g_array_unref(plan);
		} else {
			session_carry_out(session, strategy, buffering, plan);
			stopped = session->current->state != EXECUTION_OVER
			          || session->current->cut_short || session->error;
			session_account(session);
			session_drop_current(session);
		}
		if (stopped) {
			explorer_cut(explorer);
			return TRUE;
		}
		session_doubt_outcomes(session);
		session_release_snapshots(session, strategy);
		session_save(session, buffering, FALSE);
	}
	return FALSE;
}

static void explore(struct session *session, enum buffering buffering, struct explorer *explorer)
{
	const struct session_options *options = session->options;
	struct strategy *strategy = options->path ? strategy_path(options->path->choices)
	                                          : strategy_search(explorer);
	struct coverage *covered = &session->covered[buffering];
	guint64 before = session->interleavings;
	gboolean stopped;
	struct explorer_statistics statistics;

	session->explorer = explorer;
	stopped = run_plans(session, strategy, buffering);
	explorer_statistics(explorer, &statistics);
	covered->begun = TRUE;
	covered->explored += session->interleavings - before;
	covered->left += statistics.waiting + (stopped ? 1 : 0);
	covered->pruned += statistics.pruned;
	session->pruned += statistics.pruned;
	session->vouched += statistics.vouched;
	session_save(session, buffering, TRUE);
	session->explorer = NULL;
	session_release_snapshots(session, NULL);
	strategy->free(strategy);
}

void session_search(struct session *session)
{
	const struct session_options *options = session->options;
	g_autoptr(GArray) bounds = session_explorer_bounds(options);
	const struct explorer_options search = {
		options->ranks,
		options->deviations,
		(const struct explorer_bound *)(const void *)bounds->data,
		bounds->len,
	};

	while (session->parts->len > 0 && !session->error && !session->stop_reason) {
		struct store_part *part = g_ptr_array_steal_index(session->parts, 0);
		struct explorer *explorer = part->frontier ? explorer_load(&search, part->frontier)
		                                           : explorer_new(&search);

		if (explorer)
			explore(session, (enum buffering)part->buffering, explorer);
		else
			session_fail(session,
			             "%s: this store is damaged: what is left to explore "
			             "cannot be read",
			             options->store);
		explorer_free(explorer);
		store_part_free(part);
	}
	if (session->pruned > 0 && !session->stop_reason)
		session->exploration->incomplete_reason = session_bounds_words(session);
}
