#include "lanes.h"

#include "../explorer/frontier.h"
#include "log.h"
#include "portfolio.h"
#include "session_internal.h"

struct lane {
	struct explorer *explorer; /* NULL: it has no part of the tree now */
	struct strategy *strategy;
	struct portfolio_turn turn; /* of a portfolio's */
	enum buffering buffering;
	struct execution *execution; /* NULL: between two interleavings */
	GArray *again;               /* the plan that is to be begun anew; NULL: none is */
	gboolean struck;             /* something outside has ended it when it was tried before */
	gboolean stopped;            /* on the way of a plan */
};

static struct lane *lane_at(const struct session *session, guint index)
{
	return session->lanes->pdata[index];
}

static guint running(const struct session *session)
{
	guint count = 0;

	for (guint i = 0; i < session->lanes->len; i++)
		count += lane_at(session, i)->execution != NULL;
	return count;
}

/* --- parts of the tree ----------------------------------------------------------------------- */

static void lane_enter(struct session *session, struct lane *lane, struct explorer *explorer,
                       enum buffering buffering)
{
	const struct path *path = session->options->path;

	lane->explorer = explorer;
	if (session->portfolio)
		lane->strategy = portfolio_strategy(session->portfolio, &lane->turn, explorer);
	else
		lane->strategy = path ? strategy_path(path->choices) : strategy_search(explorer);
	lane->buffering = buffering;
	lane->stopped = FALSE;
	session->covered[buffering].begun = TRUE;
}

static void add_left_out(struct left_out *left_out, const struct explorer_statistics *statistics)
{
	left_out->pruned += statistics->pruned;
	left_out->vouched += statistics->vouched;
	left_out->sets |= statistics->sets_left;
}

/* What has come of a part so far; it tells only what comes of it from now on. */
static void take_account(struct session *session, struct explorer *explorer,
                         enum buffering buffering)
{
	struct coverage *covered = &session->covered[buffering];
	struct explorer_statistics statistics;

	explorer_statistics_take(explorer, &statistics);
	covered->pruned += statistics.pruned;
	covered->outcomes += statistics.outcomes;
	covered->share += statistics.share;
	add_left_out(&session->left_out, &statistics);
}

/* What waits there will not be explored any more. */
static void leave_waiting(struct session *session, const struct explorer *explorer,
                          enum buffering buffering, gboolean stopped)
{
	struct explorer_statistics statistics;

	explorer_statistics(explorer, &statistics);
	session->covered[buffering].left += statistics.waiting + (stopped ? 1 : 0);
}

/* The part is done, or the session over. */
static void lane_leave(struct session *session, struct lane *lane)
{
	take_account(session, lane->explorer, lane->buffering);
	leave_waiting(session, lane->explorer, lane->buffering, lane->stopped);
	lane->strategy->free(g_steal_pointer(&lane->strategy));
	explorer_free(g_steal_pointer(&lane->explorer));
}

/* Others may go on with it. */
static void lane_return(struct session *session, struct lane *lane)
{
	take_account(session, lane->explorer, lane->buffering);
	lane->strategy->free(g_steal_pointer(&lane->strategy));
	portfolio_return(session->portfolio, &lane->turn, g_steal_pointer(&lane->explorer));
}

/* The parts of a portfolio that no lane has. */
static void each_waiting(const struct session *session,
                         void (*look)(struct explorer *explorer, enum buffering buffering,
                                      void *data),
                         void *data)
{
	for (guint i = BUFFERING_ZERO; session->portfolio && i <= BUFFERING_PER_SEND; i++) {
		const GPtrArray *parts = portfolio_parts(session->portfolio, (enum buffering)i);

		for (guint j = 0; parts && j < parts->len; j++)
			look(parts->pdata[j], (enum buffering)i, data);
	}
}

static void leave_part(struct explorer *explorer, enum buffering buffering, void *data)
{
	struct session *session = data;

	if (session->covered[buffering].begun)
		leave_waiting(session, explorer, buffering, FALSE);
}

static void count_waiting(struct explorer *explorer, enum buffering buffering, void *data)
{
	struct explorer_statistics statistics;

	(void)buffering;
	explorer_statistics(explorer, &statistics);
	*(guint64 *)data += statistics.waiting;
}

/* Takes the frontier over. */
static void add_part(GPtrArray *parts, enum buffering buffering, GVariant *frontier)
{
	struct store_part *part = g_new0(struct store_part, 1);

	part->buffering = buffering;
	part->frontier = frontier;
	g_ptr_array_add(parts, part);
}

static void save_part(struct explorer *explorer, enum buffering buffering, void *data)
{
	add_part(data, buffering, explorer_save(explorer));
}

static void lane_free(void *pointer)
{
	struct lane *lane = pointer;

	if (lane->again)
		g_array_unref(lane->again);
	g_free(lane);
}

GPtrArray *lanes_new(void)
{
	return g_ptr_array_new_with_free_func(lane_free);
}

/* The next part that is not begun here; NULL: there is none, or it cannot be read. */
static struct explorer *load_part(struct session *session, enum buffering *ret_buffering)
{
	const struct session_options *options = session->options;
	const struct explorer_options search = {
		options->ranks,
		options->deviations,
		(const struct explorer_bound *)(const void *)session->bounds->data,
		session->bounds->len,
		options->some,
	};
	struct store_part *part;
	struct explorer *explorer;

	if (session->parts->len == 0)
		return NULL;
	part = g_ptr_array_steal_index(session->parts, 0);
	*ret_buffering = (enum buffering)part->buffering;
	explorer = part->frontier ? explorer_load(&search, part->frontier) : explorer_new(&search);
	if (!explorer)
		session_fail(session,
		             "%s: this store is damaged: what is left to explore cannot be read",
		             options->store);
	store_part_free(part);
	return explorer;
}

static gboolean enter_next_part(struct session *session, struct lane *lane)
{
	enum buffering buffering;
	struct explorer *explorer;

	explorer = session->portfolio ? portfolio_take(session->portfolio, &lane->turn)
	                              : load_part(session, &buffering);
	if (!explorer)
		return FALSE;
	if (session->portfolio)
		buffering = lane->turn.buffering;
	lane_enter(session, lane, explorer, buffering);
	return TRUE;
}

/* All parts are there at once, to be gone on with in any order. */
static void open_portfolio(struct session *session)
{
	const struct session_options *options = session->options;
	enum buffering buffering;
	struct explorer *explorer;

	if (options->order == SESSION_ORDER_DEPTH || options->path)
		return;
	session->portfolio = portfolio_new(options->order, options->max_seconds > 0);
	while ((explorer = load_part(session, &buffering)))
		portfolio_add(session->portfolio, buffering, explorer);
}

/* Half of what waits where it is thought to be most. */
static gboolean enter_split(struct session *session, struct lane *lane)
{
	struct lane *richest = NULL;
	struct explorer *explorer;
	double most = 0;

	for (guint i = 0; i < session->lanes->len; i++) {
		struct lane *other = lane_at(session, i);
		double share = other->explorer ? explorer_waiting_share(other->explorer) : 0;
		struct explorer_statistics has;

		if (share <= most)
			continue;
		explorer_statistics(other->explorer, &has);
		/* the last one is its own when it has nothing to do meanwhile */
		if ((has.waiting == 1 && !other->execution)
		    || explorer_split_width(other->explorer) == 0)
			continue;
		most = share;
		richest = other;
	}
	if (!richest)
		return FALSE;
	explorer = explorer_split(richest->explorer,
	                          (explorer_split_width(richest->explorer) + 1) / 2, 1);
	lane->turn = richest->turn;
	lane_enter(session, lane, explorer, richest->buffering);
	return TRUE;
}

/* --- one interleaving after the other ---------------------------------------------------- */

/* Begins the next interleaving, if there is one and it may be. */
static void lane_start(struct session *session, struct lane *lane)
{
	GArray *plan = NULL;

	while (!plan) {
		if (running(session) > 0 && (session->alone || !session->tried))
			return;
		if (session->error || session->stop_reason || session->mixed)
			return;
		if (!lane->explorer && !enter_next_part(session, lane)
		    && !enter_split(session, lane))
			return;
		plan = lane->again ? g_steal_pointer(&lane->again)
		                   : lane->strategy->next(lane->strategy);
		if (!plan)
			lane_leave(session, lane);
	}
	lane->stopped = session_is_enough(session);
	if (lane->stopped) {
		g_array_unref(plan);
		explorer_cut(lane->explorer);
		return;
	}
	lane->execution = session_begin(session, lane->strategy, lane->buffering, plan);
	lane->execution->struck_before = lane->struck;
	lane->struck = FALSE;
}

/* Files have been changed while several worlds ran, which may have disturbed each other. */
static gboolean are_mixed(struct session *session)
{
	if (session->alone || session->options->jobs < 2 || !session->journal
	    || journal_is_empty(session->journal))
		return FALSE;
	session->alone = SESSION_CHANGES_FILES;
	return running(session) > 1;
}

static void lane_finish(struct session *session, struct lane *lane)
{
	struct execution *execution = lane->execution;

	session->mixed = session->mixed || (session_is_whole(execution) && are_mixed(session));
	session->tried = TRUE;
	lane->execution = NULL;
	if (!session_finish(session, execution, !session->mixed) && !session->mixed) {
		lane->stopped = TRUE;
		explorer_cut(lane->explorer);
	} else if (session->portfolio) {
		lane_return(session, lane);
	}
}

static gboolean has_ended(const struct lane *lane)
{
	return lane->execution && !lane->execution->again && session_has_ended(lane->execution);
}

static gboolean must_fall_back(const struct session *session)
{
	for (guint i = 0; i < session->lanes->len; i++)
		if (lane_at(session, i)->execution && lane_at(session, i)->execution->again)
			return TRUE;
	return FALSE;
}

static gboolean one_has_ended(struct session *session)
{
	for (guint i = 0; i < session->lanes->len; i++)
		if (has_ended(lane_at(session, i)))
			return TRUE;
	return session->error || must_fall_back(session);
}

/* Writes what is left when it is time to; FALSE: as soon as what has ended is accounted for. */
static gboolean save(struct session *session)
{
	if (!session_save_is_due(session))
		return TRUE;
	for (guint i = 0; i < session->lanes->len; i++) {
		const struct execution *execution = lane_at(session, i)->execution;

		if (execution && execution->state >= EXECUTION_ENDING)
			return FALSE;
	}
	session_save(session);
	return TRUE;
}

static gboolean none_is_ending(struct session *session)
{
	for (guint i = 0; i < session->lanes->len; i++) {
		const struct execution *execution = lane_at(session, i)->execution;

		if (execution && execution->state == EXECUTION_ENDING)
			return FALSE;
	}
	return TRUE;
}

/* Those that run are stopped where they are; those that have come to their end count. */
static void stop_all(struct session *session)
{
	session_each_execution(session, execution_cut_short);
	session_pump(session, none_is_ending, RANKS_PATIENCE_S);
	for (guint i = 0; i < session->lanes->len; i++)
		if (lane_at(session, i)->execution)
			lane_finish(session, lane_at(session, i));
}

static void finish_ended(struct session *session)
{
	for (guint i = 0; i < session->lanes->len && !session->mixed; i++)
		if (has_ended(lane_at(session, i)))
			lane_finish(session, lane_at(session, i));
	/* --fail-fast, for one */
	if (session->error || session->stop_reason || session->mixed)
		stop_all(session);
	else if (must_fall_back(session))
		lanes_fall_back(session);
}

void lanes_explore(struct session *session)
{
	gboolean held = FALSE; /* none may start, so that the search can be saved */

	session->bounds = session_explorer_bounds(session->options);
	open_portfolio(session);
	for (guint i = 0; i < MAX(session->options->jobs, 1); i++)
		g_ptr_array_add(session->lanes, g_new0(struct lane, 1));
	while (TRUE) {
		for (guint i = 0; i < session->lanes->len && !held; i++)
			if (!lane_at(session, i)->execution)
				lane_start(session, lane_at(session, i));
		if (running(session) == 0)
			break;
		session_pump(session, one_has_ended, 0);
		finish_ended(session);
		held = !save(session);
	}
	if (session->mixed)
		log_debug(LOG_SESSION, "worlds have changed files while others ran");
	else
		session_save(session);
	for (guint i = 0; i < session->lanes->len; i++)
		if (lane_at(session, i)->explorer)
			lane_leave(session, lane_at(session, i));
	each_waiting(session, leave_part, session);
	session_release_snapshots(session);
	g_clear_pointer(&session->bounds, g_array_unref);
	if (!session->stop_reason)
		session->exploration->incomplete_reason = session_left_out_words(session);
}

/* --- for others -------------------------------------------------------------------------- */

void lanes_fall_back(struct session *session)
{
	session_pump(session, none_is_ending, RANKS_PATIENCE_S);
	for (guint i = 0; i < session->lanes->len; i++) {
		struct lane *lane = lane_at(session, i);

		if (!lane->execution || !lane->execution->again)
			continue;
		lane->again = session_plan_again(lane->execution);
		lane->struck = lane->execution->struck || lane->execution->struck_before;
		session_drop(session, g_steal_pointer(&lane->execution));
	}
	session_renew_job(session);
}

static gboolean holds(const GArray *choices, const struct choice *choice)
{
	for (guint i = 0; i < choices->len; i++) {
		const struct choice *other = &g_array_index(choices, struct choice, i);

		if (op_id_equal(other->point, choice->point)
		    && op_id_equal(other->taken, choice->taken))
			return TRUE;
	}
	return FALSE;
}

/* A world that is running may add plans that go on from any node it has come to. */
static gboolean comes_through(const struct execution *execution, const GArray *choices)
{
	g_autoptr(GArray) all = session_plan_again(execution);

	for (guint i = 0; i < choices->len; i++)
		if (!holds(all, &g_array_index(choices, struct choice, i)))
			return FALSE;
	return TRUE;
}

gboolean lanes_need(const struct session *session, const struct frozen *frozen)
{
	const GArray *choices = world_choices(frozen->world);

	for (guint i = 0; i < session->lanes->len; i++) {
		const struct lane *lane = lane_at(session, i);

		if (lane->explorer && lane->buffering == world_options(frozen->world)->buffering
		    && (lane->strategy->needs(lane->strategy, choices)
		        || (lane->execution && comes_through(lane->execution, choices))))
			return TRUE;
	}
	return session->portfolio
	       && portfolio_needs(session->portfolio, world_options(frozen->world)->buffering,
	                          choices);
}

gboolean lanes_have_part(const struct session *session, enum buffering buffering)
{
	const GPtrArray *parts = session->portfolio ? portfolio_parts(session->portfolio, buffering)
	                                            : NULL;

	for (guint i = 0; i < session->parts->len; i++)
		if (((const struct store_part *)session->parts->pdata[i])->buffering
		    == (guint)buffering)
			return TRUE;
	return parts && parts->len > 0;
}

/* Trees, or parts of them, that are not begun. */
static guint not_begun(const struct session *session)
{
	guint count = session->parts->len;

	for (guint i = BUFFERING_ZERO; session->portfolio && i <= BUFFERING_PER_SEND; i++)
		count += !session->covered[i].begun && lanes_have_part(session, (enum buffering)i);
	return count;
}

/* An estimate, from the part of each tree that the outcomes so far are thought to be; trees not
 * begun are taken to be as large as the others. Of a tree that an earlier session began, that part
 * is not known. Of the parts of a shard it is known how much they are thought to be. */
static double estimate_left(const struct session *session, guint64 waiting)
{
	double total = 0, seen = 0, share_seen = 0, share_own = 0;
	guint begun = 0;

	for (guint buffering = 0; buffering < G_N_ELEMENTS(session->covered); buffering++) {
		double outcomes = (double)session->covered[buffering].outcomes;
		double share = session->covered[buffering].share;

		for (guint i = 0; i < session->lanes->len; i++) {
			const struct lane *lane = lane_at(session, i);
			struct explorer_statistics now;

			if (!lane->explorer || lane->buffering != buffering)
				continue;
			explorer_statistics(lane->explorer, &now);
			outcomes += (double)now.outcomes;
			share += now.share;
		}
		share_own += session->own_share[buffering];
		share_seen += share;
		if (outcomes <= 0 || share <= 0)
			continue;
		total += outcomes / MIN(share, 1);
		seen += outcomes;
		begun++;
	}
	if (session->options->resume || begun == 0)
		return -1;
	if (session->options->shards > 1)
		return MAX(seen * (share_own / share_seen - 1), (double)waiting);
	return MAX(total - seen, (double)waiting) + total / begun * not_begun(session);
}

void lanes_progress(const struct session *session, struct session_progress *progress)
{
	for (guint i = 0; i < session->lanes->len; i++) {
		const struct lane *lane = lane_at(session, i);
		struct explorer_statistics statistics;

		if (lane->explorer) {
			explorer_statistics(lane->explorer, &statistics);
			progress->waiting += statistics.waiting;
		}
		if (lane->execution)
			progress->depth = MAX(progress->depth,
			                      world_choices(lane->execution->world)->len);
	}
	each_waiting(session, count_waiting, &progress->waiting);
	progress->left = estimate_left(session, progress->waiting);
}

struct left_out lanes_left_out(const struct session *session)
{
	struct left_out left_out = session->left_out;

	for (guint i = 0; i < session->lanes->len; i++) {
		struct explorer_statistics now = {0};

		if (lane_at(session, i)->explorer)
			explorer_statistics(lane_at(session, i)->explorer, &now);
		add_left_out(&left_out, &now);
	}
	return left_out;
}

/* An execution that has begun counts as not begun. */
static GVariant *rest_of(const struct lane *lane)
{
	if (lane->execution || lane->again)
		return explorer_save_running(lane->explorer);
	return explorer_is_done(lane->explorer) ? NULL : explorer_save(lane->explorer);
}

GPtrArray *lanes_parts(const struct session *session)
{
	GPtrArray *parts = g_ptr_array_new_with_free_func((GDestroyNotify)store_part_free);

	for (guint i = 0; i < session->lanes->len; i++) {
		const struct lane *lane = lane_at(session, i);
		GVariant *frontier = lane->explorer ? rest_of(lane) : NULL;

		if (frontier)
			add_part(parts, lane->buffering, frontier);
	}
	each_waiting(session, save_part, parts);
	for (guint i = 0; i < session->parts->len; i++) {
		const struct store_part *waiting = session->parts->pdata[i];
		struct store_part *part = g_memdup2(waiting, sizeof(*waiting));

		if (part->frontier)
			g_variant_ref(part->frontier);
		g_ptr_array_add(parts, part);
	}
	return parts;
}
