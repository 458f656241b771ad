#include "common/mix.h"
#include "explorer_internal.h"

#include <string.h>

/* A tour. The search is a tree in which every outcome has one place, so that none is run twice and
 * no run is wasted; nothing need be remembered of what was visited. (The idea is that of TruSt and
 * Must: Kokologiannakis et al., POPL 2022; Enea et al., OOPSLA 2024; here for nodes at rest. The
 * hashes of nodes are kept only for programs whose state is no function of the choices, such as
 * those that poll: even then no outcome is counted twice.)
 *
 * What may conflict is little: a message that a receive may take stays on offer to it until it is
 * taken, and nobody else can take it (rule 2). So two choices exclude each other only if they are
 * made for the same receive; all that making others first can do is add late messages.
 *
 * Let C be a node and r the first receive open there. An outcome that contains C contains exactly
 * one of these, its next node:
 * - C and r <- m, for a message m open at C;
 * - C, P and r <- m, for a message m not open at C, where P is what m depends on beside C.
 * So each outcome has one sequence of nodes, its spine, that starts at the empty set; the search
 * visits what lies on spines. The first kind it sees at C. Of the second kind it learns in worlds
 * that go on from C with r's first alternative d: once such a world has made all of P, m is seen to
 * be there although r took another message, and C, P and r <- m is worth a visit. Many worlds see
 * the same; one of them speaks up: that in which each choice made after r either is in P, or was
 * the first alternative of the receive that was first in turn. (That world exists: it is reached
 * from C and r <- d by taking, for each next receive, what P says of it, or else the default. It
 * is met once, for its nodes are the spine of an outcome.) What it made after r and is not in P is
 * forgotten; it will be chosen anew.
 *
 * So here a step of the current spine is a receive first in turn, with its alternatives that still
 * wait for a visit; and for each step still at its first alternative, and each source that had
 * nothing for it, the question whether that source ever has is kept until it is settled.
 *
 * What is said here of receives and messages holds for every point and what can be taken there
 * (choice.h), because all of it shares the one property needed: what is open stays open. A request
 * that Waitany could report is complete, and stays so; a poll can always be told "not yet". So a
 * point is first in turn, has alternatives open at once, and may have late ones: requests that
 * complete later, a receive that is cancelled; and sets of requests (Waitsome), which are there
 * once the last of them is complete. Of large sets only those count that are all that is complete
 * at some node (request_subsets.h).
 *
 * A poll that is told "no" and then asks again, with nothing in between, has come back to the
 * state that it was in, but for what the program counts: what could be answered at its first
 * question leads to the same as that answer to the second. So the other answers are left to the
 * last of such questions, where "no" is no answer any more (EVENT_REPEAT). They are told "no"
 * first, so that this is known before anything else is made of them. At a few of the others another
 * answer is explored nevertheless, one in a path.
 *
 * Ranks of several threads have alternatives of a third kind. C, P and r <- m asks that the calls
 * of P have the same numbers without what else was chosen, which is sure only where a rank counts
 * as one. Where m depends on r's choice because of that alone, the step has an alternative that
 * is a promise: r <- the first message of m's source that fits, whenever there is one. On the path
 * it stands before what is chosen until it is kept, in the trace where it was kept; worlds in which
 * it is not are no outcomes of the search. It may come to outcomes that contain C, P and r <- m as
 * well: those are known by their hash. When nothing else can go on, a promise that is not kept is
 * let go of, and the world comes to its end by what is open first: its choices were made in an
 * order that no spine has, and where threads tell each other something through memory, that can
 * matter. Of what it shows whoever runs it takes what is new.
 *
 * In which order the alternatives of a step are visited is all the same: which world speaks up
 * follows from spines, each of which is met once. So a step may also stand at another than its
 * first alternative first (explorer_turn): then the first waits, and what the step asks with it;
 * and what waits anywhere may be next (frontier.h, pool.h).
 *
 * Deviations: a step costs one when it is not the first alternative open there; a late one costs
 * one more than the world that saw it, in which everything that it forgets was default. A node's
 * parent is never dearer than itself: the bound leaves out just the nodes beyond it.
 *
 * The same holds for each of the other bounds, which count the steps at some points only: the world
 * that sees a late alternative has, besides what that needs, made nothing but default choices since
 * the step, whatever they count for. So an outcome is within the bounds when none of them is passed
 * by its own choices that were not the first alternative open when their point's turn came: on the
 * spine, or, for what a late one needs, on that of the world that saw it. */

struct explorer *explorer_new(const struct explorer_options *options)
{
	struct explorer *explorer = g_new0(struct explorer, 1);

	explorer->options = *options;
	explorer->dependence = dependence_new();
	explorer->path = g_array_new(false, false, sizeof(struct choice));
	explorer->steps = g_ptr_array_new_with_free_func((GDestroyNotify)step_free);
	if (options->from && options->from->len > 0)
		explorer->prefix = g_array_new(false, false, sizeof(struct choice));
	revisits_init(explorer);
	explorer->visited = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
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
	dependence_free(explorer->dependence);
	dependence_free(explorer->threads);
	g_free(explorer);
}

/* --- going back ---------------------------------------------------------------------------- */

/* Goes back to the node where the step `index` starts; its alternatives that wait are kept. */
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

/* The last step stands at this alternative, which waits no longer. */
static void stand_at(struct explorer *explorer, const struct alternative *alternative)
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
		revisits_take_up(explorer);
}

GArray *explorer_next(struct explorer *explorer)
{
	struct alternative *alternative;
	struct step *step;
	guint index = explorer->steps->len;

	explorer->fresh = true;
	explorer->let_go = false;
	explorer->begun = 0;
	if (explorer->prefix)
		g_array_set_size(explorer->prefix, 0);
	if (!explorer->started) {
		explorer->started = true;
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
	stand_at(explorer, alternative);
	if (alternative->needs)
		g_array_append_vals(explorer->path, alternative->needs->data,
		                    alternative->needs->len);
	g_array_append_val(explorer->path, alternative->choice);
	alternative_free(alternative);
	explorer->begun = index + 1;
	return path_copy_choices(explorer);
}

/* Another world will come to where this one has let go of promises. */
static void come_again(struct explorer *explorer)
{
	if (!explorer->let_go)
		return;
	explorer->let_go = false;
	explorer->statistics.wasted--;
	explorer->statistics.visited--;
	g_hash_table_remove(explorer->visited, &explorer->node);
}

/* All that the world has shown so far has been made use of: it goes on from the last node, which it
 * has not come to. */
void explorer_cut(struct explorer *explorer)
{
	explorer->cut = true;
	come_again(explorer);
}

void explorer_again(struct explorer *explorer)
{
	explorer->fresh = true;
	come_again(explorer);
}

bool explorer_is_done(const struct explorer *explorer)
{
	return explorer->started && !explorer->cut && explorer->statistics.waiting == 0;
}

void explorer_lost(struct explorer *explorer)
{
	explorer->begun = explorer->steps->len;
	explorer->statistics.wasted += !explorer->let_go;
}

/* --- alternatives ---------------------------------------------------------------------------- */

/* Whether a node that costs so much is within all bounds; counts it if not. */
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

/* What each thread depends on, once there are several. */
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

/* Reads what is new; returns the first event that the node before had not seen, or STEP_UNKNOWN. */
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

/* In a reproducible program the same rank's message is the same one. */
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

/* How many there are; ret_hash: NULL, or gets a hash of them. */
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

/* Whether the trace holds the choices of the path, but for promises, and no others. */
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

/* Notes the node of the path; false: it was noted before. */
static bool visit(struct explorer *explorer)
{
	guint from = explorer->fresh ? 0 : explorer->path->len - 1;
	uint64_t pending;

	if (explorer->fresh)
		explorer->hash = 0;
	for (guint i = from; i < explorer->path->len; i++)
		explorer->hash += choice_hash(choice_at(explorer->path, i));
	count_pending(explorer, &pending);
	explorer->node = explorer->hash + pending;
	if (!g_hash_table_add(explorer->visited, g_memdup2(&explorer->node, sizeof explorer->node)))
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
}

/* How likely a walk from the root, which takes any of the alternatives known at each step alike,
 * would come to this outcome: one over it is an unbiased guess at how many there are (Knuth,
 * Estimating the efficiency of backtrack programs, 1975), and the sum over those visited a guess at
 * the part of the tree that they are (Kilby et al., Estimating search tree size, AAAI 2006). */
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

enum explorer_step explorer_rest(struct explorer *explorer, const struct trace *trace,
                                 const GArray *open, struct choice *ret_choice)
{
	size_t from;

	if (explorer->let_go) /* no part of the search any more */
		return explorer_take_first(open, EXPLORER_DONE, ret_choice);
	if (!explorer_is_led(explorer))
		return explorer_follow_prefix(explorer, open, ret_choice);
	from = read_trace(explorer, trace);
	if (explorer->fresh)
		explorer->promises = choices_promise(explorer->path);
	if ((explorer->fresh && !holds_path(explorer)) || !visit(explorer)) {
		explorer->begun = explorer->steps->len;
		explorer->statistics.wasted++;
		return EXPLORER_DROP;
	}
	explorer->fresh = false;
	revisits_look(explorer, trace, from);
	if (open->len == 0) {
		explorer->begun = explorer->steps->len;
		if (count_pending(explorer, NULL) > 0) {
			explorer->let_go = true;
			explorer->statistics.wasted++;
			return EXPLORER_LET_GO;
		}
		explorer->statistics.outcomes++;
		explorer->statistics.share += share(explorer);
		return EXPLORER_DONE;
	}
	step_forward(explorer, trace, &g_array_index(open, struct open_choice, 0), ret_choice);
	return EXPLORER_TAKE;
}

bool explorer_turn(struct explorer *explorer, struct taken taken)
{
	struct step *step = last_step(explorer);
	GList *item = step ? step->waiting.head : NULL; /* NULL: it is led */
	struct alternative *alternative, *aside;

	if (explorer->let_go)
		return false;
	while (item && !taken_equal(&((struct alternative *)item->data)->choice.taken, &taken))
		item = item->next;
	if (!item)
		return false;
	alternative = item->data;
	g_queue_delete_link(&step->waiting, item);
	revisits_put_aside(explorer);
	aside = step_wait(step, choice_at(explorer->path, step->base)->taken,
	                  cost_copy(&step->cost));
	aside->first = true;
	explorer->statistics.waiting++;
	stand_at(explorer, alternative);
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
