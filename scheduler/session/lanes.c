#include "lanes.h"

#include "ckpt/journal.h"
#include "executor.h"
#include "explorer/frontier.h"
#include "portfolio.h"
#include "scheduler/tools/log.h"
#include "search_bounds.h"
#include "session_context.h"

#define PROGRAM_CHANGES_FILES                                                                  \
	"the program changes files, which are not copied for each world: -j was ignored, and " \
	"one interleaving was explored at a time"

struct lanes {
	struct session *session;
	GPtrArray *waiting;               /* struct store_part: not begun, or left over */
	GPtrArray *all;                   /* struct lane */
	struct portfolio *portfolio;      /* NULL: each lane goes depth first */
	GArray *bounds;                   /* struct explorer_bound; only during the search */
	const char *reason_for_one_world; /* NULL: worlds may run side by side */
	bool tried;                       /* an interleaving has ended */
	bool held;                        /* no execution begins until the search has been saved */
	bool mixed;                       /* worlds that must not run side by side did */
	bool left;                        /* the rest is for another search */
	bool begun;                       /* an interleaving toward a known run has ended */
	guint strayed;                    /* choices of that run which it has not made */
	guint remains;                    /* bufferings with unexplored parts, one bit each */
	GPtrArray *kept;                  /* struct store_part: what was left; NULL: nothing was */
};

struct lane {
	struct plan_source source;
	struct lanes *lanes;
	struct explorer *explorer; /* NULL: it has no part of the tree now */
	struct strategy *strategy;
	struct portfolio_turn turn; /* for the part of a portfolio */
	enum buffering buffering;
	bool stopped; /* while it carried out a plan */
};

static struct lane *lane_at(const struct lanes *lanes, guint index)
{
	return lanes->all->pdata[index];
}

static struct execution *lane_execution(const struct lane *lane)
{
	return lane->source.execution;
}

static bool one_runs(const struct lanes *lanes)
{
	for (guint i = 0; i < lanes->all->len; i++)
		if (lane_execution(lane_at(lanes, i)))
			return true;
	return false;
}

/* --- parts of the tree ----------------------------------------------------------------------- */

static void lane_enter(struct lane *lane, struct explorer *explorer, enum buffering buffering)
{
	const struct lanes *lanes = lane->lanes;
	const struct position *position = session_options(lanes->session)->position;

	lane->explorer = explorer;
	if (lanes->portfolio)
		lane->strategy = portfolio_strategy(lanes->portfolio, &lane->turn, explorer);
	else
		lane->strategy = !position ? strategy_search(explorer)
		                           : session_strategy(lanes->session, position);
	lane->strategy->passes = position != NULL;
	lane->strategy->watch = session_watch(lanes->session);
	lane->buffering = buffering;
	lane->stopped = false;
	coverage_begin(session_coverage(lanes->session), buffering);
}

/* Adds the statistics of its part. The explorer counts from zero afterwards. */
static void lane_account(const struct lane *lane)
{
	struct explorer_statistics statistics;

	explorer_statistics_take(lane->explorer, &statistics);
	coverage_add_part(session_coverage(lane->lanes->session), lane->buffering, &statistics);
}

/* Counts what waits in `explorer` as not explored. */
static void leave_waiting(const struct lanes *lanes, const struct explorer *explorer,
                          enum buffering buffering, bool stopped)
{
	struct explorer_statistics statistics;

	if (lanes->left)
		return;
	explorer_statistics(explorer, &statistics);
	coverage_leave(session_coverage(lanes->session), buffering,
	               statistics.waiting + (stopped ? 1 : 0));
}

/* The part is finished, or the session ends. */
static void lane_leave(struct lane *lane)
{
	lane_account(lane);
	leave_waiting(lane->lanes, lane->explorer, lane->buffering, lane->stopped);
	lane->strategy->free(g_steal_pointer(&lane->strategy));
	explorer_free(g_steal_pointer(&lane->explorer));
}

/* Returns the part to the portfolio, for any lane. */
static void lane_return(struct lane *lane)
{
	lane_account(lane);
	lane->strategy->free(g_steal_pointer(&lane->strategy));
	portfolio_return(lane->lanes->portfolio, &lane->turn, g_steal_pointer(&lane->explorer));
}

/* Calls `function` for each part of the portfolio that no lane has. */
static void each_waiting(const struct lanes *lanes,
                         void (*function)(struct explorer *explorer, enum buffering buffering,
                                          void *data),
                         void *data)
{
	for (guint i = BUFFERING_ZERO; lanes->portfolio && i <= BUFFERING_PER_SEND; i++) {
		const GPtrArray *parts = portfolio_parts(lanes->portfolio, (enum buffering)i);

		for (guint j = 0; parts && j < parts->len; j++)
			function(parts->pdata[j], (enum buffering)i, data);
	}
}

static void leave_part(struct explorer *explorer, enum buffering buffering, void *data)
{
	const struct lanes *lanes = data;

	if (coverage_has_begun(session_coverage(lanes->session), buffering))
		leave_waiting(lanes, explorer, buffering, false);
}

static void count_waiting(struct explorer *explorer, enum buffering buffering, void *data)
{
	struct explorer_statistics statistics;

	(void)buffering;
	explorer_statistics(explorer, &statistics);
	*(guint64 *)data += statistics.waiting;
}

GPtrArray *lanes_no_parts(void)
{
	return g_ptr_array_new_with_free_func((GDestroyNotify)store_part_free);
}

void lanes_add_part(GPtrArray *parts, enum buffering buffering, GVariant *frontier)
{
	struct store_part *part = g_new0(struct store_part, 1);

	part->buffering = buffering;
	part->frontier = frontier;
	g_ptr_array_add(parts, part);
}

static void save_part(struct explorer *explorer, enum buffering buffering, void *data)
{
	lanes_add_part(data, buffering, explorer_save(explorer));
}

/* Returns the next part not begun here; NULL: there is none, or it cannot be read. */
static struct explorer *load_part(struct lanes *lanes, enum buffering *ret_buffering)
{
	const struct session_options *options = session_options(lanes->session);
	struct explorer_options search = search_bounds_explorer(options, lanes->bounds);
	struct store_part *part;
	struct explorer *explorer;

	if (lanes->waiting->len == 0)
		return NULL;
	part = g_ptr_array_steal_index(lanes->waiting, 0);
	*ret_buffering = (enum buffering)part->buffering;
	if (options->toward && !part->frontier && options->toward->buffering == *ret_buffering) {
		search.toward = options->toward->choices;
		search.toward_trace = options->toward_trace;
	}
	explorer = part->frontier ? explorer_load(&search, part->frontier) : explorer_new(&search);
	if (!explorer)
		session_fail(lanes->session,
		             "%s: this store is damaged: what is left to explore cannot be read",
		             options->store);
	store_part_free(part);
	return explorer;
}

static bool enter_next_part(struct lane *lane)
{
	struct lanes *lanes = lane->lanes;
	enum buffering buffering;
	struct explorer *explorer;

	explorer = lanes->portfolio ? portfolio_take(lanes->portfolio, &lane->turn)
	                            : load_part(lanes, &buffering);
	if (!explorer)
		return false;
	if (lanes->portfolio)
		buffering = lane->turn.buffering;
	lane_enter(lane, explorer, buffering);
	return true;
}

/* Opens all parts at once, to be explored in any order. */
static void open_portfolio(struct lanes *lanes)
{
	const struct session_options *options = session_options(lanes->session);
	enum buffering buffering;
	struct explorer *explorer;

	if (options->order == SESSION_ORDER_DEPTH || options->position)
		return;
	lanes->portfolio = portfolio_new(
		options->order, options->max_seconds > 0 ? session_host(lanes->session) : NULL);
	while ((explorer = load_part(lanes, &buffering)))
		portfolio_add(lanes->portfolio, buffering, explorer);
}

/* Takes half of the waiting plans of the lane with the largest estimated share. */
static bool enter_split(struct lane *lane)
{
	const struct lanes *lanes = lane->lanes;
	struct lane *richest = NULL;
	struct explorer *explorer;
	double most = 0;

	for (guint i = 0; i < lanes->all->len; i++) {
		struct lane *other = lane_at(lanes, i);
		double share = other->explorer ? explorer_waiting_share(other->explorer) : 0;
		struct explorer_statistics has;

		if (share <= most)
			continue;
		explorer_statistics(other->explorer, &has);
		/* A lane keeps its last plan if it has nothing else to run. */
		if ((has.waiting == 1 && !plan_source_is_busy(&other->source))
		    || explorer_split_width(other->explorer) == 0)
			continue;
		most = share;
		richest = other;
	}
	if (!richest)
		return false;
	explorer = explorer_split(richest->explorer,
	                          (explorer_split_width(richest->explorer) + 1) / 2, 1);
	lane->turn = richest->turn;
	lane_enter(lane, explorer, richest->buffering);
	return true;
}

/* --- one interleaving after the other ---------------------------------------------------- */

static bool lane_may_go_on(const struct plan_source *source)
{
	const struct lanes *lanes = ((const struct lane *)source)->lanes;

	return session_may_go_on(lanes->session) && !lanes->mixed;
}

/* The next plan of its part of the tree or of the next part; NULL: none now. */
static GArray *lane_plan(struct lane *lane)
{
	GArray *plan = NULL;

	while (!plan) {
		if (!lane->explorer && !enter_next_part(lane) && !enter_split(lane))
			return NULL;
		if (session_has_failed(lane->lanes->session)) /* the part cannot be read */
			return NULL;
		plan = lane->strategy->next(lane->strategy);
		if (!plan)
			lane_leave(lane);
	}
	return plan;
}

/* Whether nothing but one interleaving is wanted, and nobody says which. */
static bool is_only_one(const struct session *session, const GArray *plan)
{
	const struct session_options *options = session_options(session);

	return options->position && plan->len == 0 && !options->guide && !options->conduct
	       && !options->every_call_waits && g_str_equal(options->command, "run");
}

static bool lane_next(struct plan_source *source, struct run_request *ret_request)
{
	struct lane *lane = (struct lane *)source;
	const struct lanes *lanes = lane->lanes;
	g_autoptr(GArray) plan = NULL;

	if (lanes->held || lanes->left || !lane_may_go_on(source)
	    || ((lanes->reason_for_one_world || !lanes->tried) && one_runs(lanes)))
		return false;
	plan = lane_plan(lane);
	if (!plan)
		return false;
	lane->stopped = session_is_enough(lanes->session);
	if (lane->stopped) {
		explorer_cut(lane->explorer);
		return false;
	}
	if (one_runs(lanes) && session_journal(lanes->session))
		journal_share(session_journal(lanes->session));
	*ret_request = (struct run_request){
		.position = session_position(lanes->session, plan, lane->buffering),
		.strategy = lane->strategy,
		.saves = session_saves(lanes->session, lane->buffering),
		.hurries = is_only_one(lanes->session, plan)};
	session_request(lanes->session, ret_request, CALLS_NEW);
	return true;
}

/* Called when an execution has ended. Whether files were changed while several worlds ran, so that
 * they may have disturbed each other. From then on one world runs at a time. */
static bool have_disturbed(struct lanes *lanes)
{
	const struct journal *journal = session_journal(lanes->session);

	if (lanes->reason_for_one_world || session_options(lanes->session)->jobs < 2 || !journal
	    || journal_is_empty(journal))
		return false;
	lanes->reason_for_one_world = PROGRAM_CHANGES_FILES;
	return one_runs(lanes);
}

/* Saves the search when it is time. Executions that have ended must be accounted for first; until
 * then no new one begins. */
static void save_in_time(struct lanes *lanes)
{
	lanes->held = false;
	if (lanes->mixed || !session_save_is_due(lanes->session))
		return;
	for (guint i = 0; i < lanes->all->len; i++) {
		const struct execution *execution = lane_execution(lane_at(lanes, i));

		lanes->held |= execution && execution_result(execution)->phase >= EXECUTION_ENDING;
	}
	if (!lanes->held) {
		session_save(lanes->session);
		session_leave_time(lanes->session);
	}
}

/* The choices of --from, below which the whole search lies, were not possible. */
static void fail_to_lead(struct session *session)
{
	g_autofree char *path = path_print(session_options(session)->from);

	session_fail(session,
	             "--from %s: the program does not make all of these choices; use the program "
	             "and the arguments that the path comes from",
	             path);
}

/* The first whole execution was led to what a known run came to. */
static void note_beginning(struct lanes *lanes, const struct lane *lane,
                           const struct execution *execution)
{
	const enum discard discard = execution_result(execution)->discard;

	if (!session_options(lanes->session)->toward || lanes->begun || !session_is_whole(execution)
	    || discard == DISCARD_DROPPED || discard == DISCARD_RETURNED)
		return;
	lanes->begun = true;
	lanes->strayed = explorer_strayed(lane->explorer);
}

static void lane_ended(struct plan_source *source, struct execution *execution)
{
	struct lane *lane = (struct lane *)source;
	struct lanes *lanes = lane->lanes;

	if (session_is_whole(execution) && !explorer_has_begun(lane->explorer))
		fail_to_lead(lanes->session);
	lanes->mixed = lanes->mixed || (session_is_whole(execution) && have_disturbed(lanes));
	lanes->tried = true;
	note_beginning(lanes, lane, execution);
	if (!session_finish(lanes->session, execution,
	                    !lanes->mixed && !session_knows(lanes->session, execution))
	    && !lanes->mixed) {
		lane->stopped = true;
		explorer_cut(lane->explorer);
	} else if (lanes->portfolio) {
		lane_return(lane);
	}
	lanes->left = session_turns_to_states(lanes->session);
	save_in_time(lanes);
}

static void add_lane(struct lanes *lanes)
{
	static const struct plan_source_type type = {
		.next = lane_next, .may_go_on = lane_may_go_on, .ended = lane_ended};
	struct lane *lane = g_new0(struct lane, 1);

	lane->source.type = &type;
	lane->lanes = lanes;
	g_ptr_array_add(lanes->all, lane);
}

/* Whether the lane has an unexplored part. An execution that is running counts as not begun. */
static bool lane_has_rest(const struct lane *lane)
{
	return lane->explorer
	       && (plan_source_is_busy(&lane->source) || !explorer_is_done(lane->explorer));
}

static void note_remaining(struct explorer *explorer, enum buffering buffering, void *data)
{
	struct lanes *lanes = data;

	(void)explorer;
	lanes->remains |= 1u << buffering;
}

/* Ends the exploration in all lanes. */
static void leave_all(struct lanes *lanes)
{
	each_waiting(lanes, note_remaining, lanes);
	for (guint i = 0; i < lanes->waiting->len; i++)
		lanes->remains |=
			1u << ((const struct store_part *)lanes->waiting->pdata[i])->buffering;
	for (guint i = 0; i < lanes->all->len; i++) {
		struct lane *lane = lane_at(lanes, i);

		if (lane_has_rest(lane))
			note_remaining(lane->explorer, lane->buffering, lanes);
		if (lane->explorer)
			lane_leave(lane);
	}
	each_waiting(lanes, leave_part, lanes);
}

void lanes_explore(struct lanes *lanes)
{
	struct session *session = lanes->session;
	const struct session_options *options = session_options(session);

	lanes->bounds = search_bounds(options);
	open_portfolio(lanes);
	for (guint i = 0; i < MAX(options->jobs, 1); i++)
		add_lane(lanes);
	executor_run(session_executor(session),
	             (struct plan_source *const *)(void *)lanes->all->pdata, lanes->all->len);
	if (lanes->mixed)
		log_debug(LOG_SESSION, "worlds have changed files while others ran");
	else
		session_save(session);
	if (lanes->left)
		lanes->kept = lanes_parts(lanes);
	leave_all(lanes);
	session_release_snapshots(session);
	g_clear_pointer(&lanes->bounds, g_array_unref);
}

void lanes_explore_left(struct lanes *lanes)
{
	if (lanes->kept)
		lanes_set_waiting(lanes, g_steal_pointer(&lanes->kept));
	g_ptr_array_set_size(lanes->all, 0);
	g_clear_pointer(&lanes->portfolio, portfolio_free);
	lanes->left = false;
	lanes->remains = 0;
	lanes_explore(lanes);
}

/* Each buffering has its own tree. That of the known run comes first. */
static void add_trees(struct lanes *lanes, const struct session_options *options)
{
	const enum buffering first = options->toward ? options->toward->buffering : BUFFERING_ANY;

	if (options->toward)
		lanes_add_part(lanes->waiting, first, NULL);
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		if (options->bufferings & 1u << i && i != first)
			lanes_add_part(lanes->waiting, (enum buffering)i, NULL);
}

struct lanes *lanes_new(struct session *session)
{
	const struct session_options *options = session_options(session);
	struct lanes *lanes = g_new0(struct lanes, 1);

	lanes->session = session;
	lanes->reason_for_one_world = options->reason_for_one_world;
	lanes->all = g_ptr_array_new_with_free_func(g_free);
	lanes->waiting = lanes_no_parts();
	add_trees(lanes, options);
	return lanes;
}

void lanes_free(struct lanes *lanes)
{
	g_ptr_array_unref(lanes->waiting);
	if (lanes->kept)
		g_ptr_array_unref(lanes->kept);
	g_ptr_array_unref(lanes->all);
	portfolio_free(lanes->portfolio);
	g_free(lanes);
}

/* --- queries ----------------------------------------------------------------------------- */

bool lanes_have_begun(const struct lanes *lanes, guint *ret_strayed)
{
	*ret_strayed = lanes->strayed;
	return lanes->begun;
}

static bool choices_hold(const GArray *choices, const struct choice *choice)
{
	const struct choice *other = choices_find(choices, &choice->point);

	return other && taken_equal(&other->taken, &choice->taken);
}

/* Whether a running world passes through this node. It may add plans below any such node. */
static bool comes_through(const struct execution *execution, const GArray *choices)
{
	struct position *position = execution_position(execution);
	const GArray *all = position_path(position)->choices;
	bool through = true;

	for (guint i = 0; through && i < choices->len; i++)
		through = choices_hold(all, &g_array_index(choices, struct choice, i));
	position_free(position);
	return through;
}

const GPtrArray *lanes_waiting(const struct lanes *lanes)
{
	return lanes->waiting;
}

void lanes_set_waiting(struct lanes *lanes, GPtrArray *parts)
{
	g_ptr_array_unref(lanes->waiting);
	lanes->waiting = parts;
}

guint lanes_left(const struct lanes *lanes)
{
	return lanes->left ? lanes->remains : 0;
}

const char *lanes_reason_for_one_world(const struct lanes *lanes)
{
	return lanes->reason_for_one_world;
}

bool lanes_are_mixed(const struct lanes *lanes)
{
	return lanes->mixed;
}

bool lanes_need(const struct lanes *lanes, const struct world *world)
{
	const GArray *choices = world_choices(world);
	enum buffering buffering = world_options(world)->buffering;

	for (guint i = 0; i < lanes->all->len; i++) {
		const struct lane *lane = lane_at(lanes, i);

		if (lane->explorer && lane->buffering == buffering
		    && ((!lane->strategy->passes && explorer_needs(lane->explorer, choices))
		        || (lane_execution(lane) && comes_through(lane_execution(lane), choices))))
			return true;
	}
	return lanes->portfolio && portfolio_needs(lanes->portfolio, buffering, choices);
}

bool lanes_have_part(const struct lanes *lanes, enum buffering buffering)
{
	const GPtrArray *parts = lanes->portfolio ? portfolio_parts(lanes->portfolio, buffering)
	                                          : NULL;

	for (guint i = 0; i < lanes->waiting->len; i++)
		if (((const struct store_part *)lanes->waiting->pdata[i])->buffering
		    == (guint)buffering)
			return true;
	return parts && parts->len > 0;
}

/* The number of trees, or parts of them, that are not begun. */
static guint not_begun(const struct lanes *lanes)
{
	const struct coverage *coverage = session_coverage(lanes->session);
	guint count = lanes->waiting->len;

	for (guint i = BUFFERING_ZERO; lanes->portfolio && i <= BUFFERING_PER_SEND; i++)
		count += !coverage_has_begun(coverage, (enum buffering)i)
		         && lanes_have_part(lanes, (enum buffering)i);
	return count;
}

/* No estimate after --resume: what the earlier session explored of a tree is not known. */
static double estimate_left(const struct lanes *lanes, guint64 waiting)
{
	const struct session_options *options = session_options(lanes->session);
	struct coverage_now now = {
		.waiting = waiting, .not_begun = not_begun(lanes), .shard = options->shards > 1};

	for (guint i = 0; i < lanes->all->len; i++) {
		const struct lane *lane = lane_at(lanes, i);
		struct explorer_statistics statistics;

		if (!lane->explorer)
			continue;
		explorer_statistics(lane->explorer, &statistics);
		now.outcomes[lane->buffering] += (double)statistics.outcomes;
		now.share[lane->buffering] += statistics.share;
	}
	return options->resume ? -1
	                       : coverage_estimate_left(session_coverage(lanes->session), &now);
}

void lanes_progress(const struct lanes *lanes, struct session_progress *progress)
{
	for (guint i = 0; i < lanes->all->len; i++) {
		const struct lane *lane = lane_at(lanes, i);
		struct explorer_statistics statistics;

		if (!lane->explorer)
			continue;
		explorer_statistics(lane->explorer, &statistics);
		progress->waiting += statistics.waiting;
	}
	each_waiting(lanes, count_waiting, &progress->waiting);
	progress->left = estimate_left(lanes, progress->waiting);
}

struct left_out lanes_left_out(const struct lanes *lanes)
{
	struct left_out left_out = coverage_left_out(session_coverage(lanes->session));

	for (guint i = 0; i < lanes->all->len; i++) {
		struct explorer_statistics now = {0};

		if (lane_at(lanes, i)->explorer)
			explorer_statistics(lane_at(lanes, i)->explorer, &now);
		left_out_add(&left_out, &now);
	}
	return left_out;
}

/* NULL: none. */
static GVariant *lane_rest(const struct lane *lane)
{
	if (!lane_has_rest(lane))
		return NULL;
	return plan_source_is_busy(&lane->source) ? explorer_save_running(lane->explorer)
	                                          : explorer_save(lane->explorer);
}

static void add_copies(GPtrArray *parts, const GPtrArray *others)
{
	for (guint i = 0; i < others->len; i++) {
		const struct store_part *part = others->pdata[i];

		lanes_add_part(parts, (enum buffering)part->buffering,
		               part->frontier ? g_variant_ref(part->frontier) : NULL);
	}
}

GPtrArray *lanes_parts(const struct lanes *lanes)
{
	GPtrArray *parts = lanes_no_parts();

	for (guint i = 0; i < lanes->all->len; i++) {
		const struct lane *lane = lane_at(lanes, i);
		GVariant *frontier = lane_rest(lane);

		if (frontier)
			lanes_add_part(parts, lane->buffering, frontier);
	}
	each_waiting(lanes, save_part, parts);
	add_copies(parts, lanes->waiting);
	return parts;
}

GPtrArray *lanes_parts_left(const struct lanes *lanes)
{
	GPtrArray *parts = lanes_no_parts();

	add_copies(parts, lanes->kept ? lanes->kept : lanes->waiting);
	return parts;
}
