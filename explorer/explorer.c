#include "explorer.h"

#include "answer.h"
#include "dependence.h"
#include "spine.h"
#include "together.h"

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
 * (answer.h), because all of it shares the one property needed: what is open stays open. A request
 * that Waitany could report is complete, and stays so; a poll can always be told "not yet". So a
 * point is first in turn, has alternatives open at once, and may have late ones: requests that
 * complete later, a receive that is cancelled. Of several requests together (Waitsome) those sets
 * count that are complete at some node: what is complete at the point's own, and any late requests
 * with all those that complete as soon as they do.
 *
 * Deviations: a step costs one when it is not the first alternative open there; a late one costs
 * one more than the world that saw it, in which everything that it forgets was default. A node's
 * parent is never dearer than itself: the bound leaves out just the nodes beyond it. */

/* An answer that was not open at a step. */
struct question {
	guint step;
	struct op_id answer;
};

/* A source that had nothing for a step's receive, or such an answer (then the source is -1), about
 * which no more need be asked. */
struct settled {
	guint step;
	int32_t source;
	struct op_id answer;
	guint depth; /* steps made when it was settled */
};

/* The steps that wait for a message of one source to one rank. */
struct asking {
	GArray *steps; /* of guint, ascending; NULL: none yet */
	guint stamp;   /* of the last rest that looked */
};

/* Of a rank for whose receives choices are made. A lock of a window will be one, too; messages
 * come from real ranks alone. */
struct destination {
	bool blocked;           /* a message may be held up by an earlier receive */
	guint swept;            /* stamp of the last rest that asked all sources */
	struct asking asking[]; /* by source */
};

struct explorer {
	struct explorer_options options;
	struct dependence *dependence;
	GArray *path;            /* of struct choice: the node's, in an order that was possible */
	GPtrArray *steps;        /* of struct step */
	GArray *settled;         /* of struct settled, in the order settled */
	GArray *questions;       /* of struct question: those not settled */
	GPtrArray *destinations; /* struct destination, by rank; NULL: no choice there yet */
	GHashTable *visited;     /* set of the nodes' hashes */
	uint64_t hash;           /* of the node last visited */
	guint stamp;
	bool started;
	bool fresh; /* the next rest is the first of its world */
	struct explorer_statistics statistics;
};

struct explorer *explorer_new(const struct explorer_options *options)
{
	struct explorer *explorer = g_new0(struct explorer, 1);

	explorer->options = *options;
	explorer->dependence = dependence_new();
	explorer->path = g_array_new(FALSE, FALSE, sizeof(struct choice));
	explorer->steps = g_ptr_array_new_with_free_func((GDestroyNotify)step_free);
	explorer->settled = g_array_new(FALSE, FALSE, sizeof(struct settled));
	explorer->questions = g_array_new(FALSE, FALSE, sizeof(struct question));
	explorer->destinations = g_ptr_array_new();
	explorer->visited = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	return explorer;
}

static void destination_free(const struct explorer *explorer, struct destination *destination)
{
	for (int source = 0; destination && source < explorer->options.ranks; source++)
		if (destination->asking[source].steps)
			g_array_free(destination->asking[source].steps, TRUE);
	g_free(destination);
}

void explorer_free(struct explorer *explorer)
{
	if (!explorer)
		return;
	for (guint rank = 0; rank < explorer->destinations->len; rank++)
		destination_free(explorer, g_ptr_array_index(explorer->destinations, rank));
	g_ptr_array_free(explorer->destinations, TRUE);
	g_hash_table_destroy(explorer->visited);
	g_array_free(explorer->settled, TRUE);
	g_array_free(explorer->questions, TRUE);
	g_ptr_array_free(explorer->steps, TRUE);
	g_array_free(explorer->path, TRUE);
	dependence_free(explorer->dependence);
	g_free(explorer);
}

static struct step *step_at(const struct explorer *explorer, guint index)
{
	return g_ptr_array_index(explorer->steps, index);
}

static struct step *last_step(const struct explorer *explorer)
{
	return explorer->steps->len > 0 ? step_at(explorer, explorer->steps->len - 1) : NULL;
}

static const struct choice *choice_at(const GArray *choices, guint index)
{
	return &g_array_index(choices, struct choice, index);
}

/* NULL: no choice has been made there yet. */
static struct destination *find_destination(const struct explorer *explorer, int32_t rank)
{
	const GPtrArray *destinations = explorer->destinations;

	return (guint)rank < destinations->len ? g_ptr_array_index(destinations, rank) : NULL;
}

static struct asking *asking_of(struct explorer *explorer, int32_t rank, int32_t source)
{
	struct destination *destination = find_destination(explorer, rank);

	if ((guint)rank >= explorer->destinations->len)
		g_ptr_array_set_size(explorer->destinations, rank + 1);
	if (!destination) {
		destination = g_malloc0(sizeof *destination
		                        + (gsize)explorer->options.ranks
		                                  * sizeof destination->asking[0]);
		g_ptr_array_index(explorer->destinations, rank) = destination;
	}
	return &destination->asking[source];
}

/* --- going back ---------------------------------------------------------------------------- */

static void ask_again(struct explorer *explorer, const struct settled *settled)
{
	int32_t rank = step_at(explorer, settled->step)->point.rank;
	struct question question = {settled->step, settled->answer};
	GArray *steps;
	guint place;

	if (settled->source < 0) {
		g_array_append_val(explorer->questions, question);
		return;
	}
	steps = asking_of(explorer, rank, settled->source)->steps;
	place = steps->len;
	while (place > 0 && g_array_index(steps, guint, place - 1) > settled->step)
		place--;
	g_array_insert_val(steps, place, settled->step);
}

/* The last step no longer asks anybody. */
static void stop_asking(struct explorer *explorer)
{
	guint index = explorer->steps->len - 1;
	int32_t rank = step_at(explorer, index)->point.rank;

	for (int32_t source = 0; source < explorer->options.ranks; source++) {
		GArray *steps = asking_of(explorer, rank, source)->steps;

		if (steps && steps->len > 0 && g_array_index(steps, guint, steps->len - 1) == index)
			g_array_set_size(steps, steps->len - 1);
	}
}

/* Goes back to the node where the step `index` starts; its alternatives that wait are kept. */
static void go_back(struct explorer *explorer, guint index)
{
	while (explorer->settled->len > 0) {
		guint last = explorer->settled->len - 1;
		const struct settled *settled = &g_array_index(explorer->settled, struct settled,
		                                               last);

		if (settled->depth <= index)
			break;
		ask_again(explorer, settled);
		g_array_set_size(explorer->settled, last);
	}
	while (explorer->steps->len > index + 1) {
		stop_asking(explorer);
		g_ptr_array_set_size(explorer->steps, (int)explorer->steps->len - 1);
	}
	stop_asking(explorer);
	for (guint i = explorer->questions->len; i-- > 0;)
		if (g_array_index(explorer->questions, struct question, i).step >= index)
			g_array_remove_index_fast(explorer->questions, i);
	for (guint i = 0; i <= index; i++)
		step_forget_complete(step_at(explorer, i), index);
	for (guint rank = 0; rank < explorer->destinations->len; rank++)
		if (find_destination(explorer, (int32_t)rank))
			find_destination(explorer, (int32_t)rank)->blocked = true;
	g_array_set_size(explorer->path, step_at(explorer, index)->base);
}

static guint others_before(const struct explorer *explorer, guint index)
{
	return index > 0 ? step_at(explorer, index - 1)->others : 0;
}

static GArray *path_copy_choices(const struct explorer *explorer)
{
	GArray *plan = g_array_new(FALSE, FALSE, sizeof(struct choice));

	if (explorer->path->len > 0)
		g_array_append_vals(plan, explorer->path->data, explorer->path->len);
	return plan;
}

GArray *explorer_next(struct explorer *explorer)
{
	struct alternative *alternative;
	struct step *step;
	guint index = explorer->steps->len;

	explorer->fresh = true;
	if (!explorer->started) {
		explorer->started = true;
		return path_copy_choices(explorer);
	}
	while (index > 0 && g_queue_is_empty(&step_at(explorer, index - 1)->waiting))
		index--;
	if (index == 0)
		return NULL;
	index--;
	go_back(explorer, index);
	step = step_at(explorer, index);
	alternative = g_queue_pop_head(&step->waiting);
	explorer->statistics.waiting--;
	step->first = false;
	step->others = index + 1;
	step->deviations = alternative->deviations;
	if (alternative->needs)
		g_array_append_vals(explorer->path, alternative->needs->data,
		                    alternative->needs->len);
	g_array_append_val(explorer->path, alternative->choice);
	alternative_free(alternative);
	return path_copy_choices(explorer);
}

void explorer_lost(struct explorer *explorer)
{
	explorer->statistics.wasted++;
}

/* --- looking for late messages ------------------------------------------------------------- */

/* Whether this world is the one to speak up: all that it chose after the step is needed, or was
 * the default. */
static bool is_first_witness(const struct explorer *explorer, guint index,
                             const struct choice_set *needs)
{
	guint other = last_step(explorer)->others;

	while (other > index + 1) {
		struct op_id taken;
		int choice = dependence_choice(explorer->dependence,
		                               step_at(explorer, other - 1)->point, &taken);

		if (choice < 0 || !choice_set_has(needs, (guint)choice))
			return false;
		other = others_before(explorer, other - 1);
	}
	return true;
}

static bool too_dear(struct explorer *explorer, guint deviations)
{
	if (explorer->options.deviations < 0 || deviations <= (guint)explorer->options.deviations)
		return false;
	explorer->statistics.pruned++;
	return true;
}

static void push(struct explorer *explorer, struct step *step, struct op_id taken, GArray *needs,
                 guint deviations)
{
	step_wait(step, taken, needs, deviations);
	explorer->statistics.waiting++;
}

static void push_late(struct explorer *explorer, guint index, struct op_id late,
                      const struct choice_set *needs)
{
	struct step *step = step_at(explorer, index);
	guint deviations = last_step(explorer)->deviations + 1;
	GArray *choices;

	if (!is_first_witness(explorer, index, needs) || too_dear(explorer, deviations))
		return;
	choices = g_array_new(FALSE, FALSE, sizeof(struct choice));
	for (guint i = step->base + 1; i < explorer->path->len; i++) {
		const struct choice *choice = choice_at(explorer->path, i);
		struct op_id taken;
		int number = dependence_choice(explorer->dependence, choice->point, &taken);

		if (number >= 0 && choice_set_has(needs, (guint)number))
			g_array_append_vals(choices, choice, 1);
	}
	push(explorer, step, late, choices, deviations);
}

/* Whether the question of this step for this source is settled now. */
static bool ask(struct explorer *explorer, guint index, int32_t source)
{
	struct op_id receive = step_at(explorer, index)->point;
	struct settled settled = {index, source, {0}, explorer->steps->len};
	struct choice_set *needs;
	struct op_id send;

	switch (dependence_alternative(explorer->dependence, receive, source, &send, &needs)) {
	case ALTERNATIVE_NONE:
		return false;
	case ALTERNATIVE_BLOCKED:
		find_destination(explorer, receive.rank)->blocked = true;
		return false;
	case ALTERNATIVE_POSSIBLE:
		push_late(explorer, index, send, needs);
		choice_set_unref(needs);
		break;
	case ALTERNATIVE_NEVER:
		break;
	}
	g_array_append_val(explorer->settled, settled);
	return true;
}

static const struct complete_request *complete_at(const struct step *step, guint index)
{
	return &g_array_index(step->complete, struct complete_request, index);
}

static void set_unref(void *set)
{
	choice_set_unref(set);
}

/* Requests have become complete, those from place `from` on. */
static void push_sets(struct explorer *explorer, guint index, guint from)
{
	const struct step *step = step_at(explorer, index);
	g_autoptr(GArray) answers = g_array_new(FALSE, FALSE, sizeof(struct op_id));
	g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(set_unref);

	together_find(explorer->dependence, step->point, step->complete, from, answers, sets);
	for (guint i = 0; i < sets->len; i++)
		push_late(explorer, index, g_array_index(answers, struct op_id, i),
		          g_ptr_array_index(sets, i));
}

static void note_complete(struct step *step, uint32_t index, guint depth)
{
	struct complete_request request = {index, depth};

	if (step->complete)
		g_array_append_val(step->complete, request);
}

/* Whether the question about this answer is settled now. */
static bool ask_answer(struct explorer *explorer, const struct question *question)
{
	struct step *step = step_at(explorer, question->step);
	struct settled settled = {question->step, -1, question->answer, explorer->steps->len};
	struct choice_set *needs;

	switch (dependence_answer(explorer->dependence, step->point, question->answer, &needs)) {
	case ALTERNATIVE_NONE:
	case ALTERNATIVE_BLOCKED:
		return false;
	case ALTERNATIVE_POSSIBLE:
		push_late(explorer, question->step, question->answer, needs);
		note_complete(step, question->answer.call, explorer->steps->len);
		choice_set_unref(needs);
		break;
	case ALTERNATIVE_NEVER:
		break;
	}
	g_array_append_val(explorer->settled, settled);
	return true;
}

static void ask_answers(struct explorer *explorer)
{
	guint kept = 0;

	for (guint i = 0; i < explorer->questions->len; i++) {
		struct question question = g_array_index(explorer->questions, struct question, i);

		if (!ask_answer(explorer, &question))
			g_array_index(explorer->questions, struct question, kept++) = question;
	}
	g_array_set_size(explorer->questions, kept);
	for (guint i = 0; i < explorer->steps->len; i++) {
		const struct step *step = step_at(explorer, i);
		guint from = step->complete ? step->complete->len : 0;

		while (from > 0 && complete_at(step, from - 1)->depth == explorer->steps->len)
			from--;
		if (step->complete && from < step->complete->len)
			push_sets(explorer, i, from);
	}
}

static void ask_all(struct explorer *explorer, int32_t rank, int32_t source)
{
	struct destination *destination = find_destination(explorer, rank);
	struct asking *asking = destination ? &destination->asking[source] : NULL;
	guint kept = 0;

	if (!asking || !asking->steps || asking->stamp == explorer->stamp)
		return;
	asking->stamp = explorer->stamp;
	for (guint i = 0; i < asking->steps->len; i++) {
		guint index = g_array_index(asking->steps, guint, i);

		if (!ask(explorer, index, source))
			g_array_index(asking->steps, guint, kept++) = index;
	}
	g_array_set_size(asking->steps, kept);
}

static void ask_sources(struct explorer *explorer, int32_t rank)
{
	struct destination *destination = find_destination(explorer, rank);

	if (!destination || destination->swept == explorer->stamp)
		return;
	destination->swept = explorer->stamp;
	destination->blocked = false;
	for (int32_t source = 0; source < explorer->options.ranks; source++)
		ask_all(explorer, rank, source);
}

/* Asks what the events from `from` on may have settled: a message may be unblocked, or new. */
static void look_for_late(struct explorer *explorer, const struct trace *trace, size_t from)
{
	explorer->stamp++;
	for (guint rank = 0; from == STEP_UNKNOWN && rank < explorer->destinations->len; rank++)
		ask_sources(explorer, (int32_t)rank);
	for (size_t i = from; i < trace->count; i++) {
		const struct event *event = &trace->events[i];
		const struct destination *destination;

		if (event->kind != EVENT_MATCH && event->kind != EVENT_CANCEL)
			continue;
		destination = find_destination(explorer, event->op.id.rank);
		if (destination && destination->blocked)
			ask_sources(explorer, event->op.id.rank);
	}
	for (size_t i = from; i < trace->count; i++)
		if (trace->events[i].kind == EVENT_SEND)
			ask_all(explorer, trace->events[i].op.peer, trace->events[i].op.id.rank);
	ask_answers(explorer);
}

/* --- a world at rest ----------------------------------------------------------------------- */

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
	explorer->statistics.events += trace->count - known;
	return from;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b ^ a >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return a ^ a >> 29;
}

static uint64_t node_hash(const struct choice *choice)
{
	uint64_t hash = mix(0x6d70, (uint32_t)choice->point.rank);

	hash = mix(mix(hash, choice->point.call), choice->point.sub);
	hash = mix(mix(hash, (uint32_t)choice->taken.rank), choice->taken.call);
	return mix(hash, choice->taken.sub);
}

/* Whether the trace holds the choices of the path and no others. */
static bool holds_path(const struct explorer *explorer)
{
	if (dependence_choices(explorer->dependence) != explorer->path->len)
		return false;
	for (guint i = 0; i < explorer->path->len; i++) {
		const struct choice *choice = choice_at(explorer->path, i);
		struct op_id send;

		if (dependence_choice(explorer->dependence, choice->point, &send) < 0
		    || !op_id_equal(send, choice->taken))
			return false;
	}
	return true;
}

/* Notes the node of the path; false: it was noted before. */
static bool visit(struct explorer *explorer)
{
	guint from = explorer->fresh ? 0 : explorer->path->len - 1;

	if (explorer->fresh)
		explorer->hash = 0;
	for (guint i = from; i < explorer->path->len; i++)
		explorer->hash += node_hash(choice_at(explorer->path, i));
	if (!g_hash_table_add(explorer->visited, g_memdup2(&explorer->hash, sizeof explorer->hash)))
		return false;
	explorer->statistics.visited++;
	return true;
}

static bool is_open(const struct open_choice *open, struct op_id taken)
{
	for (guint i = 0; i < open->alternatives->len; i++)
		if (op_id_equal(g_array_index(open->alternatives, struct op_id, i), taken))
			return true;
	return false;
}

/* The step asks all sources but those that have something for it already. */
static void start_asking_sources(struct explorer *explorer, const struct open_choice *open)
{
	guint index = explorer->steps->len - 1;
	guint next = 0;

	for (int32_t source = 0; source < explorer->options.ranks; source++) {
		struct asking *asking = asking_of(explorer, open->point.rank, source);

		if (next < open->alternatives->len
		    && g_array_index(open->alternatives, struct op_id, next).rank == source) {
			next++;
			continue;
		}
		if (!dependence_may_take(explorer->dependence, open->point, source))
			continue;
		if (!asking->steps)
			asking->steps = g_array_new(FALSE, FALSE, sizeof(guint));
		g_array_append_val(asking->steps, index);
	}
}

static void start_asking_for(struct explorer *explorer, const struct open_choice *open,
                             struct op_id answer)
{
	struct question question = {explorer->steps->len - 1, answer};

	if (!is_open(open, answer))
		g_array_append_val(explorer->questions, question);
}

/* The requests that are complete already, and the sets of them that were complete before others. */
static void start_with_complete(struct explorer *explorer, struct step *step,
                                const struct open_choice *open)
{
	g_autoptr(GArray) answers = g_array_new(FALSE, FALSE, sizeof(struct op_id));
	g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(set_unref);

	step->complete = g_array_new(FALSE, FALSE, sizeof(struct complete_request));
	for (uint32_t i = 0; i < open->requests; i++) {
		struct choice_set *needs;

		if (!dependence_complete(explorer->dependence, open->point, i, &needs))
			continue;
		note_complete(step, i, 0);
		choice_set_unref(needs);
	}
	together_find(explorer->dependence, step->point, step->complete, 0, answers, sets);
	for (guint i = 0; i < answers->len; i++) {
		struct op_id answer = g_array_index(answers, struct op_id, i);

		if (!is_open(open, answer) && !too_dear(explorer, step->deviations + 1))
			push(explorer, step, answer, NULL, step->deviations + 1);
	}
}

static void start_asking(struct explorer *explorer, const struct open_choice *open)
{
	struct step *step = last_step(explorer);

	if (open->question == QUESTION_NONE || open->question == QUESTION_RECALL)
		start_asking_sources(explorer, open);
	if (open->question == QUESTION_RECALL)
		start_asking_for(explorer, open, answer_make(ANSWER_CANCELLED));
	if (open->question == QUESTION_ALL)
		start_asking_for(explorer, open, answer_make(ANSWER_YES));
	if (open->question == QUESTION_SOME)
		start_with_complete(explorer, step, open);
	if (open->question != QUESTION_ANY && open->question != QUESTION_SOME)
		return;
	for (uint32_t i = 0; i < open->requests; i++)
		start_asking_for(explorer, open, answer_one(i));
}

static void step_forward(struct explorer *explorer, const struct trace *trace,
                         const struct open_choice *open, struct choice *ret_choice)
{
	const struct step *before = last_step(explorer);
	struct step *step = step_new(open->point, explorer->path->len);

	step->others = before ? before->others : 0;
	step->deviations = before ? before->deviations : 0;
	step->events = trace->count;
	for (guint i = 1; i < open->alternatives->len; i++)
		if (!too_dear(explorer, step->deviations + 1))
			push(explorer, step, g_array_index(open->alternatives, struct op_id, i),
			     NULL, step->deviations + 1);
	g_ptr_array_add(explorer->steps, step);
	start_asking(explorer, open);
	ret_choice->point = open->point;
	ret_choice->taken = g_array_index(open->alternatives, struct op_id, 0);
	g_array_append_val(explorer->path, *ret_choice);
}

enum explorer_step explorer_rest(struct explorer *explorer, const struct trace *trace,
                                 const GArray *open, struct choice *ret_choice)
{
	size_t from = read_trace(explorer, trace);

	if ((explorer->fresh && !holds_path(explorer)) || !visit(explorer)) {
		explorer->statistics.wasted++;
		return EXPLORER_DROP;
	}
	explorer->fresh = false;
	look_for_late(explorer, trace, from);
	if (open->len == 0) {
		explorer->statistics.outcomes++;
		return EXPLORER_DONE;
	}
	step_forward(explorer, trace, &g_array_index(open, struct open_choice, 0), ret_choice);
	return EXPLORER_TAKE;
}

bool explorer_needs(const struct explorer *explorer, const GArray *choices)
{
	return spine_needs(explorer->steps, explorer->path, choices);
}

void explorer_statistics(const struct explorer *explorer, struct explorer_statistics *ret)
{
	*ret = explorer->statistics;
}
