#include "common/mix.h"
#include "explorer_internal.h"

#include <string.h>

/* Overview. The search is a tree in which every outcome has one place. So no outcome is run twice,
 * no run is wasted, and nothing need be remembered of what was visited. (The idea is that of TruSt
 * and Must: Kokologiannakis et al., POPL 2022; Enea et al., OOPSLA 2024; here for nodes at rest.
 * The hashes of nodes are kept only for programs whose state is not a function of the choices, such
 * as programs that poll: even then no outcome is counted twice.)
 *
 * Few choices exclude each other. A message that a receive may take stays on offer to it until it
 * is taken, and no other receive can take it (rule 2 of MPI 3.1, section 3.5). So two choices
 * exclude each other only if they are made for the same receive. Making other choices first can
 * only add messages that come later.
 *
 * Let C be a node and r the first receive open there. An outcome that contains C contains exactly
 * one of these, its next node:
 * - C and r <- m, for a message m open at C;
 * - C, P and r <- m, for a message m not open at C, where P is what m depends on besides C.
 *
 * So each outcome has one sequence of nodes, its spine, that starts at the empty set. The search
 * visits what lies on spines. The first kind of node is seen at C. The second kind, a revisit, is
 * seen in worlds that continue from C with r's first alternative d: when such a world has made all
 * of P, m is there although r took another message, and C, P and r <- m is worth a visit. Many
 * worlds see the same m. One of them adds the revisit: the world in which each choice made after r
 * either is in P, or was the first alternative of the receive that was first. (That world exists:
 * it is reached from C and r <- d by taking, for each next receive, what P has for it, or else the
 * default. It is met once, because its nodes are the spine of an outcome.) What it made after r and
 * is not in P is forgotten, and will be chosen anew.
 *
 * So a step of the current spine is a receive that was first, with its alternatives that still wait
 * for a visit. For each step that is at its first alternative, and each source that had no message
 * for it, there is a question whether the source ever has one. It is kept until it is settled.
 *
 * All this holds for every point and its alternatives (choice.h), because all points have the
 * property needed: what is open stays open. A request that Waitany could report stays complete; a
 * poll can always be answered "not yet". So a point is first at some node, has alternatives that
 * are open at once, and may have alternatives that come later: requests that complete later, a
 * receive that is cancelled, and sets of requests (Waitsome), which are open when the last of them
 * is complete. Of large sets only those count that are everything complete at some node
 * (request_subsets.h).
 *
 * A rank in a loop of polls that leaves it as it was (scheduler/world/world_loops.h) is at one
 * point: which poll gets which answer next. A poll that is answered "no" and then repeated in the
 * same state needs no other answers: they lead to the same as in the loop (EVENT_REPEAT). The
 * answer "no" is taken first, so that this is known before another answer is explored. If the state
 * is not known, or another one each time, another answer is explored at a few of the earlier polls,
 * one in a path.
 *
 * Ranks with several threads have a third kind of alternative. C, P and r <- m requires that the
 * calls of P have the same numbers without the other choices. That is certain only where a rank
 * counts as one. If m depends on r's choice only for that reason, the step gets an alternative that
 * is a promise: r <- the first message of m's source that fits, as soon as there is one. In the
 * path a promise stands before what is chosen until it is kept; in the trace it stands where it was
 * kept. Worlds in which it is not kept are not outcomes of the search. A promise may also lead to
 * outcomes that contain C, P and r <- m; these are recognised by their hash. When nothing else can
 * move, a promise that is not kept is given up, and the world is completed by what is open first.
 * Its choices were then made in an order that no spine has, which can matter if threads communicate
 * through memory. The caller keeps what is new in such a run (off-tree outcomes).
 *
 * The order in which the alternatives of a step are visited does not matter: which world adds a
 * revisit follows from spines, and each spine is met once. So a step may also take another
 * alternative before its first one (explorer_turn); then the first one waits, together with the
 * step's questions. Anything that waits may be next (frontier.h, pool.h). In this way an outcome
 * that is known from another run is visited first (known_run.c).
 *
 * Deviations: a step costs one if it is not the first alternative open there. A revisit costs one
 * more than the world that saw it, in which everything that it forgets was the default. A node's
 * parent never costs more than the node. So the bound leaves out exactly the nodes beyond it.
 *
 * The same holds for each of the other bounds, which count the steps at some points only. Besides
 * what the revisit needs, the world that sees it has made only default choices since the step,
 * whatever they count for. So an outcome is within the bounds if none of them is exceeded by its
 * choices that were not the first alternative open when their point was first: on the spine, or,
 * for what a revisit needs, on the spine of the world that saw it. */

struct explorer *explorer_new(const struct explorer_options *options)
{
	struct explorer *explorer = g_new0(struct explorer, 1);

	explorer->options = *options;
	explorer->dependence = dependence_new();
	explorer->path = g_array_new(false, false, sizeof(struct choice));
	explorer->steps = g_ptr_array_new_with_free_func((GDestroyNotify)step_free);
	if (options->from && options->from->len > 0)
		explorer->prefix = g_array_new(false, false, sizeof(struct choice));
	if (options->toward)
		explorer->pending = g_array_new(false, false, sizeof(struct choice));
	revisits_init(explorer);
	explorer->visited = g_hash_table_new(NULL, NULL);
	return explorer;
}

void explorer_free(struct explorer *explorer)
{
	if (!explorer)
		return;
	revisits_release(explorer);
	g_hash_table_unref(explorer->visited);
	g_ptr_array_free(explorer->steps, true);
	g_array_free(explorer->path, true);
	if (explorer->prefix)
		g_array_free(explorer->prefix, true);
	explorer_drop_known(explorer);
	g_clear_pointer(&explorer->pending, g_array_unref);
	dependence_free(explorer->dependence);
	dependence_free(explorer->threads);
	g_free(explorer);
}

/* --- going back ---------------------------------------------------------------------------- */

/* Returns to the node where the step `index` starts. Its waiting alternatives are kept. */
void explorer_go_back(struct explorer *explorer, guint index)
{
	revisits_go_back(explorer, index);
	g_ptr_array_set_size(explorer->steps, (int)index + 1);
	g_array_set_size(explorer->path, step_at(explorer, index)->base);
}

static GArray *path_copy_choices(const struct explorer *explorer)
{
	GArray *plan = g_array_new(false, false, sizeof(struct choice));

	if (explorer->path->len > 0)
		g_array_append_vals(plan, explorer->path->data, explorer->path->len);
	return plan;
}

/* The last step takes this alternative, which no longer waits. */
static void take_alternative(struct explorer *explorer, const struct alternative *alternative)
{
	guint index = explorer->steps->len - 1;
	struct step *step = last_step(explorer);

	explorer->statistics.waiting--;
	step->first = alternative->first;
	step->others = index + 1;
	if (step->first)
		step->others = index > 0 ? step_at(explorer, index - 1)->others : 0;
	cost_release(&step->cost);
	step->cost = cost_copy(&alternative->cost);
	if (step->first)
		revisits_resume(explorer);
}

GArray *explorer_next(struct explorer *explorer)
{
	struct alternative *alternative;
	struct step *step;
	guint index = explorer->steps->len;

	explorer->fresh = true;
	explorer->gave_up = false;
	explorer->begun = 0;
	if (explorer->prefix)
		g_array_set_size(explorer->prefix, 0);
	if (explorer->pending) /* what a stopped world had to make is in the plan */
		g_array_set_size(explorer->pending, 0);
	if (!explorer->started) {
		explorer->started = true;
		if (explorer->options.toward)
			explorer_read_known(explorer);
		return path_copy_choices(explorer);
	}
	if (explorer->cut) {
		explorer->cut = false;
		return path_copy_choices(explorer);
	}
	while (index > 0 && g_queue_is_empty(&step_at(explorer, index - 1)->waiting))
		index--;
	if (index == 0)
		return NULL;
	index--;
	explorer_go_back(explorer, index);
	step = step_at(explorer, index);
	alternative = g_queue_pop_head(&step->waiting);
	take_alternative(explorer, alternative);
	if (alternative->needs)
		g_array_append_vals(explorer->path, alternative->needs->data,
		                    alternative->needs->len);
	g_array_append_val(explorer->path, alternative->choice);
	alternative_free(alternative);
	explorer->begun = index + 1;
	return path_copy_choices(explorer);
}

/* A hash as key of `visited`: without memory of its own, as the set has no bound. */
static gpointer node_key(uint64_t node)
{
	_Static_assert(sizeof(gpointer) >= sizeof(uint64_t), "");
	return (gpointer)(uintptr_t)node;
}

/* Another world will reach the node where this one has given up promises. */
static void undo_giving_up(struct explorer *explorer)
{
	if (!explorer->gave_up)
		return;
	explorer->gave_up = false;
	explorer->statistics.wasted--;
	explorer->statistics.visited--;
	g_hash_table_remove(explorer->visited, node_key(explorer->node));
}

/* Everything that the world has shown so far has been used. The next plan continues from the last
 * node, which this world has not reached. */
void explorer_cut(struct explorer *explorer)
{
	explorer->cut = true;
	undo_giving_up(explorer);
}

void explorer_again(struct explorer *explorer)
{
	explorer->fresh = true;
	undo_giving_up(explorer);
}

bool explorer_is_done(const struct explorer *explorer)
{
	return explorer->started && !explorer->cut && explorer->statistics.waiting == 0;
}

void explorer_lost(struct explorer *explorer)
{
	if (explorer->pending && explorer->pending->len > 0)
		explorer_undo_pending(explorer);
	explorer->begun = explorer->steps->len;
	explorer->statistics.wasted += !explorer->gave_up;
}

/* --- alternatives ---------------------------------------------------------------------------- */

/* Whether a node of this cost is within all bounds; counts it if not. */
static bool within_bounds(struct explorer *explorer, const struct cost *cost)
{
	const struct explorer_options *options = &explorer->options;
	bool within = options->deviations < 0 || cost->deviations <= (guint)options->deviations;

	for (guint i = 0; i < options->bound_count; i++) {
		if (cost_of(cost, i) <= options->bounds[i].most)
			continue;
		if (options->bounds[i].vouched) {
			explorer->statistics.vouched++;
			return false;
		}
		within = false;
	}
	explorer->statistics.pruned += !within;
	return within && cost_of(cost, REPEATS_BOUND) <= REPEATS_MOST;
}

struct alternative *explorer_push(struct explorer *explorer, struct step *step, struct taken taken,
                                  const struct cost *before)
{
	struct cost cost = cost_plus(before, step->bounds);

	if (!within_bounds(explorer, &cost)) {
		cost_release(&cost);
		return NULL;
	}
	step->seen++;
	explorer->statistics.waiting++;
	return step_wait(step, taken, cost);
}

/* --- a world at rest ----------------------------------------------------------------------- */

/* Reads what each thread depends on, once there are several threads. */
static void read_threads(struct explorer *explorer, const struct trace *trace)
{
	if (!explorer->threads && !dependence_has_threads(explorer->dependence))
		return;
	if (!explorer->threads)
		explorer->threads = dependence_of_threads();
	else if (explorer->fresh)
		dependence_rewind(explorer->threads, dependence_common(explorer->threads, trace));
	dependence_read(explorer->threads, trace);
}

/* Reads new events. Returns the first event that the previous node had not seen, or
 * STEP_UNKNOWN. */
static size_t read_trace(struct explorer *explorer, const struct trace *trace)
{
	const struct step *step = last_step(explorer);
	size_t known = dependence_count(explorer->dependence);
	size_t from = known;

	if (explorer->fresh) {
		size_t common = dependence_common(explorer->dependence, trace);

		from = step && step->events <= common ? step->events : STEP_UNKNOWN;
		for (guint i = 0; i < explorer->steps->len; i++)
			if (step_at(explorer, i)->events > common)
				step_at(explorer, i)->events = STEP_UNKNOWN;
		dependence_rewind(explorer->dependence, common);
		known = common;
	}
	dependence_read(explorer->dependence, trace);
	read_threads(explorer, trace);
	explorer->statistics.events += trace_count(trace) - known;
	return from;
}

/* In a reproducible program the messages of one rank are also the same send. */
static bool is_same(const struct taken *made, const struct taken *planned)
{
	return taken_equal(made, planned)
	       && (made->kind != TAKEN_MESSAGE || planned->promised
	           || op_id_equal(made->send, planned->send));
}

/* Whether this choice of the path is a promise that has not been kept so far. */
static bool is_pending(const struct explorer *explorer, const struct choice *choice)
{
	struct op_id id = point_operation(&choice->point, explorer->options.ranks);
	struct taken taken;

	return choice->taken.promised && dependence_choice(explorer->dependence, id, &taken) < 0;
}

/* The number of pending promises; ret_hash: NULL, or receives a hash of them. */
static guint count_pending(const struct explorer *explorer, uint64_t *ret_hash)
{
	guint count = 0;

	if (ret_hash)
		*ret_hash = 0;
	for (guint i = 0; explorer->promises && i < explorer->path->len; i++) {
		const struct choice *choice = choice_at(explorer->path, i);

		if (!is_pending(explorer, choice))
			continue;
		if (ret_hash)
			*ret_hash += mix(choice_hash(choice), 0x70726f);
		count++;
	}
	return count;
}

/* Whether the trace contains exactly the choices of the path, except for promises. */
static bool holds_path(const struct explorer *explorer)
{
	if (dependence_choices(explorer->dependence) + count_pending(explorer, NULL)
	    != explorer->path->len)
		return false;
	for (guint i = 0; i < explorer->path->len; i++) {
		const struct choice *choice = choice_at(explorer->path, i);
		struct op_id id = point_operation(&choice->point, explorer->options.ranks);
		struct taken taken;

		if (is_pending(explorer, choice))
			continue;
		if (dependence_choice(explorer->dependence, id, &taken) < 0
		    || !is_same(&taken, &choice->taken))
			return false;
	}
	return true;
}

/* Marks the node of the path as visited. False: it was visited before. */
static bool visit(struct explorer *explorer)
{
	const struct step *step = last_step(explorer);
	guint from = explorer->fresh || !step ? 0 : step->base;
	uint64_t pending;

	if (explorer->fresh)
		explorer->hash = 0;
	for (guint i = from; i < explorer->path->len; i++)
		explorer->hash += choice_hash(choice_at(explorer->path, i));
	count_pending(explorer, &pending);
	explorer->node = explorer->hash + pending;
	if (!g_hash_table_add(explorer->visited, node_key(explorer->node)))
		return false;
	explorer->statistics.visited++;
	return true;
}

static void step_forward(struct explorer *explorer, const struct trace *trace,
                         const struct open_choice *open, struct choice *ret_choice)
{
	const struct step *before = last_step(explorer);
	struct step *step = step_new(open->point, explorer->options.ranks, explorer->path->len);

	step->others = before ? before->others : 0;
	if (before)
		step->cost = cost_copy(&before->cost);
	step->bounds = open->bounds;
	step->events = trace_count(trace);
	explorer->statistics.sets_left |= open->more;
	for (guint i = 1; i < open->alternatives->len; i++)
		explorer_push(explorer, step, g_array_index(open->alternatives, struct taken, i),
		              &step->cost);
	g_ptr_array_add(explorer->steps, step);
	revisits_start(explorer, open);
	ret_choice->point = open->point;
	ret_choice->taken = g_array_index(open->alternatives, struct taken, 0);
	g_array_append_val(explorer->path, *ret_choice);
	step->undecided = ret_choice->taken.kind == TAKEN_NO;
}

/* The probability that a walk from the root, which takes each alternative known at a step with
 * equal probability, reaches this outcome. Its inverse is an unbiased estimate of the number of
 * outcomes (Knuth, Estimating the efficiency of backtrack programs, 1975). The sum over the visited
 * outcomes estimates their part of the tree (Kilby et al., Estimating search tree size, AAAI
 * 2006). */
static double share(const struct explorer *explorer)
{
	double product = 1;

	for (guint i = 0; i < explorer->steps->len; i++)
		product /= step_at(explorer, i)->seen;
	return product;
}

enum explorer_step explorer_take_first(const GArray *open, enum explorer_step at_end,
                                       struct choice *ret_choice)
{
	const struct open_choice *first;

	if (open->len == 0)
		return at_end;
	first = &g_array_index(open, struct open_choice, 0);
	ret_choice->point = first->point;
	ret_choice->taken = g_array_index(first->alternatives, struct taken, 0);
	return EXPLORER_TAKE;
}

/* Reads what is new of a world at rest. False: this node is dropped. */
static bool read_node(struct explorer *explorer, const struct trace *trace)
{
	size_t from = read_trace(explorer, trace);

	if (explorer->fresh)
		explorer->promises = choices_promise(explorer->path);
	if ((explorer->fresh && !holds_path(explorer)) || !visit(explorer)) {
		explorer->begun = explorer->steps->len;
		explorer->statistics.wasted++;
		return false;
	}
	explorer->fresh = false;
	revisits_check(explorer, trace, from);
	return true;
}

/* The world is over, and has been read as a whole. */
static void end_world(struct explorer *explorer)
{
	explorer->begun = explorer->steps->len;
	for (guint i = 0; i < explorer->steps->len; i++)
		step_at(explorer, i)->undecided = false;
	explorer->statistics.share += share(explorer);
}

bool explorer_may_leave(const struct explorer *explorer)
{
	return !explorer->gave_up && !explorer->known && !explorer->prefix
	       && (!explorer->pending || explorer->pending->len == 0);
}

enum explorer_step explorer_returned(struct explorer *explorer, const struct trace *trace)
{
	if (!read_node(explorer, trace))
		return EXPLORER_DROP;
	end_world(explorer);
	return EXPLORER_RETURNED;
}

enum explorer_step explorer_rest(struct explorer *explorer, const struct trace *trace,
                                 const GArray *open, struct choice *ret_choice)
{
	if (explorer->gave_up) /* no longer part of the search */
		return explorer_take_first(open, EXPLORER_DONE, ret_choice);
	if (!explorer_prefix_is_made(explorer))
		return explorer_follow_prefix(explorer, open, ret_choice);
	if (explorer->pending && explorer->pending->len > 0)
		return explorer_make_pending(explorer, open, ret_choice);
	if (!read_node(explorer, trace))
		return EXPLORER_DROP;
	if (open->len == 0) {
		explorer->begun = explorer->steps->len;
		if (count_pending(explorer, NULL) > 0) {
			explorer->gave_up = true;
			explorer->statistics.wasted++;
			return EXPLORER_GIVE_UP;
		}
		explorer_settle_known(explorer);
		end_world(explorer);
		explorer->statistics.outcomes++;
		return EXPLORER_DONE;
	}
	step_forward(explorer, trace, &g_array_index(open, struct open_choice, 0), ret_choice);
	return explorer->known ? explorer_take_known(explorer, open, ret_choice) : EXPLORER_TAKE;
}

void explorer_put_off_first(struct explorer *explorer)
{
	struct step *step = last_step(explorer);
	struct alternative *first;

	revisits_suspend(explorer);
	first = step_wait(step, choice_at(explorer->path, step->base)->taken, step->cost);
	step->cost = (struct cost){0};
	first->first = true;
	explorer->statistics.waiting++;
}

void explorer_take_first_later(struct explorer *explorer)
{
	struct step *step = last_step(explorer);
	GList *item = step->waiting.head;
	struct alternative *first;

	while (!((const struct alternative *)item->data)->first)
		item = item->next;
	first = item->data;
	g_queue_delete_link(&step->waiting, item);
	take_alternative(explorer, first);
	g_array_append_val(explorer->path, first->choice);
	alternative_free(first);
}

bool explorer_turn(struct explorer *explorer, struct taken taken)
{
	struct step *step = last_step(explorer);
	/* NULL: the world still follows the prefix */
	GList *item = step ? step->waiting.head : NULL;
	struct alternative *alternative;

	if (explorer->gave_up || !step
	    || choice_at(explorer->path, step->base)->taken.kind == TAKEN_NO)
		return false; /* after "no", the others may turn out to be unnecessary */
	while (item && !taken_equal(&((struct alternative *)item->data)->choice.taken, &taken))
		item = item->next;
	if (!item)
		return false;
	alternative = item->data;
	g_queue_delete_link(&step->waiting, item);
	explorer_put_off_first(explorer);
	take_alternative(explorer, alternative);
	g_array_index(explorer->path, struct choice, step->base).taken = taken;
	alternative_free(alternative);
	return true;
}

void explorer_statistics_take(struct explorer *explorer, struct explorer_statistics *ret)
{
	*ret = explorer->statistics;
	memset(&explorer->statistics, 0, sizeof explorer->statistics);
	explorer->statistics.waiting = ret->waiting;
}

void explorer_forget_trace(struct explorer *explorer)
{
	dependence_free(explorer->dependence);
	explorer->dependence = dependence_new();
	if (!explorer->threads)
		return;
	dependence_free(explorer->threads);
	explorer->threads = dependence_of_threads();
}

bool explorer_needs(const struct explorer *explorer, const GArray *choices)
{
	return spine_needs(explorer->steps, explorer->path, choices);
}

void explorer_statistics(const struct explorer *explorer, struct explorer_statistics *ret)
{
	*ret = explorer->statistics;
}
