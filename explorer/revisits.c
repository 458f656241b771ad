/* Revisits: alternatives that come later. These are messages that a step's receive could have taken
 * had they been there, requests that could have been reported, receives that could have been
 * cancelled (see the overview in explorer.c). A step asks for them until the question is
 * settled. */
#include "explorer_internal.h"

/* The place of the first destination that is not below this rank. */
static guint place_of(const struct explorer *explorer, int32_t rank)
{
	guint low = 0, high = explorer->destinations->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		const struct destination *one = explorer->destinations->pdata[middle];

		if (one->rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* NULL: no choice has been made there yet. */
static struct destination *find_destination(const struct explorer *explorer, int32_t rank)
{
	guint place = place_of(explorer, rank);
	struct destination *found = place < explorer->destinations->len
	                                    ? explorer->destinations->pdata[place]
	                                    : NULL;

	return found && found->rank == rank ? found : NULL;
}

struct asking *revisits_asking(struct explorer *explorer, int32_t rank, int32_t source)
{
	struct destination *destination = find_destination(explorer, rank);

	if (!destination) {
		destination = g_malloc0(sizeof *destination
		                        + (gsize)explorer->options.ranks
		                                  * sizeof destination->asking[0]);
		destination->rank = rank;
		g_ptr_array_insert(explorer->destinations, (gint)place_of(explorer, rank),
		                   destination);
	}
	return &destination->asking[source];
}

static void destination_free(const struct explorer *explorer, struct destination *destination)
{
	for (int source = 0; source < explorer->options.ranks; source++)
		if (destination->asking[source].steps)
			g_array_free(destination->asking[source].steps, true);
	g_free(destination);
}

void revisits_init(struct explorer *explorer)
{
	explorer->settled = g_array_new(false, false, sizeof(struct settled));
	explorer->questions = g_array_new(false, false, sizeof(struct question));
	explorer->destinations = g_ptr_array_new();
}

void revisits_release(struct explorer *explorer)
{
	for (guint i = 0; i < explorer->destinations->len; i++)
		destination_free(explorer, g_ptr_array_index(explorer->destinations, i));
	g_ptr_array_free(explorer->destinations, true);
	g_array_free(explorer->settled, true);
	g_array_free(explorer->questions, true);
}

static void ask_again(struct explorer *explorer, const struct settled *settled)
{
	int32_t rank = step_at(explorer, settled->step)->id.rank;
	struct question question = {settled->step, settled->answer};
	const struct asker asker = {settled->step, settled->answer.ahead};
	GArray *steps;
	guint place;

	if (settled->source < 0) {
		g_array_append_val(explorer->questions, question);
		return;
	}
	steps = revisits_asking(explorer, rank, settled->source)->steps;
	place = steps->len;
	while (place > 0 && asker_at(steps, place - 1)->step > settled->step)
		place--;
	g_array_insert_val(steps, place, asker);
}

/* Removes the questions of this step about sources. It must be the last step that has any. */
static void stop_asking(struct explorer *explorer, guint index)
{
	int32_t rank = step_at(explorer, index)->id.rank;

	for (int32_t source = 0; source < explorer->options.ranks; source++) {
		GArray *steps = revisits_asking(explorer, rank, source)->steps;

		while (steps && steps->len > 0 && asker_at(steps, steps->len - 1)->step == index)
			g_array_set_size(steps, steps->len - 1);
	}
}

/* --- repeated polls -------------------------------------------------------------------------- */

/* Counts other answers at this step for REPEATS_BOUND. Removes the waiting alternatives beyond
 * it. */
static void bound_step(struct explorer *explorer, struct step *step)
{
	guint count = g_queue_get_length(&step->waiting);

	if (step->bounds >> REPEATS_BOUND & 1)
		return;
	step->bounds |= UINT64_C(1) << REPEATS_BOUND;
	while (count-- > 0) {
		struct alternative *waiting = g_queue_pop_head(&step->waiting);
		struct cost cost = cost_plus(&waiting->cost, UINT64_C(1) << REPEATS_BOUND);

		cost.deviations--; /* this deviation was counted before */
		cost_release(&waiting->cost);
		waiting->cost = cost;
		if (cost_of(&cost, REPEATS_BOUND) <= REPEATS_MOST) {
			g_queue_push_tail(&step->waiting, waiting);
			continue;
		}
		explorer->statistics.waiting--;
		step->seen--;
		alternative_free(waiting);
	}
}

/* Only the answer "no" is explored at this step: the same question follows. */
static void close_step(struct explorer *explorer, guint index)
{
	struct step *step = step_at(explorer, index);
	struct alternative *waiting;

	while ((waiting = g_queue_pop_head(&step->waiting))) {
		explorer->statistics.waiting--;
		alternative_free(waiting);
	}
	step->seen = 1;
	g_clear_pointer(&step->sets, g_array_unref);
	for (guint i = explorer->questions->len; i-- > 0;)
		if (g_array_index(explorer->questions, struct question, i).step == index)
			g_array_remove_index(explorer->questions, i);
	for (guint i = explorer->settled->len; i-- > 0;)
		if (g_array_index(explorer->settled, struct settled, i).step == index)
			g_array_remove_index(explorer->settled, i);
	for (int32_t source = 0; source < explorer->options.ranks; source++) {
		GArray *steps = revisits_asking(explorer, step->id.rank, source)->steps;

		for (guint i = steps ? steps->len : 0; i-- > 0;)
			if (asker_at(steps, i)->step == index)
				g_array_remove_index(steps, i);
	}
}

/* The first world that comes through a step decides: in any order of the search it answers "no"
 * first. What a later world shows depends on the order. */
static void close_repeated(struct explorer *explorer, const struct trace *trace, size_t from)
{
	for (size_t i = from == STEP_UNKNOWN ? 0 : from; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);

		if (event->kind != EVENT_REPEAT)
			continue;
		for (guint k = explorer->steps->len; k-- > 0;) {
			if (!op_id_equal(step_at(explorer, k)->id, event->op.id)
			    || !step_at(explorer, k)->undecided)
				continue;
			if (event->chosen)
				bound_step(explorer, step_at(explorer, k));
			else
				close_step(explorer, k);
		}
	}
}

void revisits_block_all(struct explorer *explorer)
{
	for (guint i = 0; i < explorer->destinations->len; i++)
		((struct destination *)explorer->destinations->pdata[i])->blocked = true;
}

void revisits_go_back(struct explorer *explorer, guint index)
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
	for (guint step = explorer->steps->len; step > index; step--)
		stop_asking(explorer, step - 1);
	for (guint i = explorer->questions->len; i-- > 0;)
		if (g_array_index(explorer->questions, struct question, i).step >= index)
			g_array_remove_index_fast(explorer->questions, i);
	for (guint i = 0; i <= index; i++)
		step_forget_complete(step_at(explorer, i), index);
	revisits_block_all(explorer);
}

/* --- checking questions ---------------------------------------------------------------------- */

static guint others_before(const struct explorer *explorer, guint index)
{
	return index > 0 ? step_at(explorer, index - 1)->others : 0;
}

/* Whether this world is the one that adds the revisit: everything that it chose after the step is
 * needed, or was the default. */
static bool is_first_witness(const struct explorer *explorer, guint index,
                             const struct choice_set *needs)
{
	guint other = last_step(explorer)->others;

	while (other > index + 1) {
		struct taken taken;
		int choice = dependence_choice(explorer->dependence,
		                               step_at(explorer, other - 1)->id, &taken);

		if (choice < 0 || !choice_set_has(needs, (guint)choice))
			return false;
		other = others_before(explorer, other - 1);
	}
	return true;
}

/* Those of the choices that were made after the step, in the order of the path. */
static GArray *needed_after(const struct explorer *explorer, const struct step *step,
                            const struct choice_set *needs)
{
	GArray *needed = g_array_new(false, false, sizeof(struct choice));

	for (guint i = step->base + 1; i < explorer->path->len; i++) {
		const struct choice *choice = choice_at(explorer->path, i);
		struct op_id id = point_operation(&choice->point, explorer->options.ranks);
		struct taken taken;
		int number = dependence_choice(explorer->dependence, id, &taken);

		if (number >= 0 && choice_set_has(needs, (guint)number))
			g_array_append_vals(needed, choice, 1);
	}
	return needed;
}

static void push_revisit(struct explorer *explorer, guint index, struct taken revisit,
                         const struct choice_set *needs)
{
	struct step *step = step_at(explorer, index);
	struct alternative *alternative;
	g_autoptr(GArray) before = NULL;

	if (!is_first_witness(explorer, index, needs))
		return;
	before = needed_after(explorer, step, needs);
	if (step->early && taken_equal(&step->early->choice.taken, &revisit)
	    && choices_same(step->early->needs, before))
		return;
	alternative = explorer_push(explorer, step, revisit, &last_step(explorer)->cost);
	if (alternative)
		alternative->needs = g_steal_pointer(&before);
}

/* Records the result of a question. Returns whether it is settled. Takes ownership of `needs`. */
static bool settle(struct explorer *explorer, const struct settled *question,
                   enum alternative_state state, struct taken revisit, struct choice_set *needs)
{
	switch (state) {
	case ALTERNATIVE_NONE:
	case ALTERNATIVE_BLOCKED: return false;
	case ALTERNATIVE_POSSIBLE:
		push_revisit(explorer, question->step, revisit, needs);
		choice_set_unref(needs);
		break;
	case ALTERNATIVE_NEVER: break;
	}
	g_array_append_vals(explorer->settled, question, 1);
	return true;
}

/* A message of this source depends on what is taken at this step by rank, but not by thread. It may
 * come without it, so the step gets a promise as an alternative. One promise is enough, whichever
 * world adds it, so the step does not ask again. */
static enum alternative_state ask_threads(struct explorer *explorer, guint index, int32_t source)
{
	struct step *step = step_at(explorer, index);
	enum alternative_state state = dependence_may_come(explorer->threads, step->id, source);

	if (state == ALTERNATIVE_POSSIBLE)
		explorer_push(explorer, step, taken_promise(source), &step->cost);
	return state;
}

/* Returns whether this step's question for this source is settled. */
static bool ask_source(struct explorer *explorer, const struct asker *asker, int32_t source)
{
	const guint index = asker->step;
	struct op_id receive = step_at(explorer, index)->id, send = {0};
	const struct settled question = {
		index, source, {.ahead = (uint16_t)asker->ahead}, explorer->steps->len};
	struct choice_set *needs = NULL;
	enum alternative_state state;

	state = dependence_alternative(explorer->dependence, receive, asker->ahead, source, &send,
	                               &needs);
	if (state == ALTERNATIVE_BLOCKED)
		find_destination(explorer, receive.rank)->blocked = true;
	if (explorer->threads && state == ALTERNATIVE_POSSIBLE
	    && !dependence_is_safe(explorer->threads, receive, send)) {
		choice_set_unref(needs);
		state = ALTERNATIVE_NONE;
	}
	if (explorer->threads && state != ALTERNATIVE_POSSIBLE) {
		state = ask_threads(explorer, index, source);
		if (state == ALTERNATIVE_POSSIBLE)
			return true;
	}
	return settle(explorer, &question, state, taken_ahead(taken_message(send), asker->ahead),
	              needs);
}

static const struct complete_request *complete_at(const GArray *complete, guint index)
{
	return &g_array_index(complete, struct complete_request, index);
}

static void set_unref(void *set)
{
	choice_set_unref(set);
}

static struct op_id question_of(const struct step *step, guint ahead)
{
	struct op_id id = step->id;

	if (ahead > 0)
		id.sub = OPERATION_LATER + ahead;
	return id;
}

/* The requests from place `from` on have become complete. */
static void push_sets(struct explorer *explorer, guint index, const struct step_sets *asked,
                      guint from)
{
	const struct step *step = step_at(explorer, index);
	g_autoptr(GArray) answers = g_array_new(false, false, sizeof(struct taken));
	g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(set_unref);

	explorer->statistics.sets_left |= !request_subsets_find(
		explorer->dependence, question_of(step, asked->ahead), asked->complete, from,
		explorer->options.some, answers, sets);
	for (guint i = 0; i < sets->len; i++)
		push_revisit(explorer, index,
		             taken_ahead(g_array_index(answers, struct taken, i), asked->ahead),
		             g_ptr_array_index(sets, i));
}

static void note_complete(struct step *step, struct taken answer, guint depth)
{
	struct complete_request request = {answer.request, depth};
	GArray *complete = step_find_sets(step, answer.ahead);

	if (complete)
		g_array_append_val(complete, request);
}

/* Returns whether the question about this answer is settled. */
static bool ask_answer(struct explorer *explorer, guint index, struct taken answer)
{
	struct step *step = step_at(explorer, index);
	const struct settled question = {index, -1, answer, explorer->steps->len};
	struct choice_set *needs = NULL;
	enum alternative_state state;

	state = dependence_answer(explorer->dependence, step->id, &answer, &needs);
	if (state == ALTERNATIVE_POSSIBLE)
		note_complete(step, answer, explorer->steps->len);
	return settle(explorer, &question, state, answer, needs);
}

/* Adds the sets with requests that have become complete at this node. */
static void ask_sets(struct explorer *explorer, guint index, const struct step_sets *asked)
{
	const GArray *complete = asked->complete;
	guint from = complete->len;

	while (from > 0 && complete_at(complete, from - 1)->depth == explorer->steps->len)
		from--;
	if (from < complete->len)
		push_sets(explorer, index, asked, from);
}

static void ask_answers(struct explorer *explorer)
{
	guint kept = 0;

	for (guint i = 0; i < explorer->questions->len; i++) {
		struct question question = g_array_index(explorer->questions, struct question, i);

		if (!ask_answer(explorer, question.step, question.answer))
			g_array_index(explorer->questions, struct question, kept++) = question;
	}
	g_array_set_size(explorer->questions, kept);
	for (guint i = 0; i < explorer->steps->len; i++) {
		const struct step *step = step_at(explorer, i);

		for (guint k = 0; step->sets && k < step->sets->len; k++)
			ask_sets(explorer, i, &g_array_index(step->sets, struct step_sets, k));
	}
}

/* Asks for all steps of this rank that wait for a message of this source. */
static void ask_steps(struct explorer *explorer, int32_t rank, int32_t source)
{
	struct destination *destination = find_destination(explorer, rank);
	struct asking *asking = destination ? &destination->asking[source] : NULL;
	guint kept = 0;

	if (!asking || !asking->steps || asking->stamp == explorer->stamp)
		return;
	asking->stamp = explorer->stamp;
	for (guint i = 0; i < asking->steps->len; i++) {
		struct asker asker = *asker_at(asking->steps, i);

		if (!ask_source(explorer, &asker, source))
			g_array_index(asking->steps, struct asker, kept++) = asker;
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
		ask_steps(explorer, rank, source);
}

void revisits_check(struct explorer *explorer, const struct trace *trace, size_t from)
{
	explorer->stamp++;
	close_repeated(explorer, trace, from);
	for (guint i = 0; from == STEP_UNKNOWN && i < explorer->destinations->len; i++)
		ask_sources(explorer,
		            ((struct destination *)explorer->destinations->pdata[i])->rank);
	for (size_t i = from; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);
		const struct destination *destination;

		if (event->kind != EVENT_MATCH && event->kind != EVENT_CANCEL)
			continue;
		destination = find_destination(explorer, event->op.id.rank);
		if (destination && destination->blocked)
			ask_sources(explorer, event->op.id.rank);
	}
	for (size_t i = from; i < trace_count(trace); i++)
		if (trace_at(trace, i)->kind == EVENT_SEND)
			ask_steps(explorer, trace_at(trace, i)->op.peer,
			          trace_at(trace, i)->op.id.rank);
	ask_answers(explorer);
}

/* --- adding questions ------------------------------------------------------------------------ */

static bool is_open(const struct open_choice *open, struct taken taken)
{
	for (guint i = 0; i < open->alternatives->len; i++)
		if (taken_equal(&g_array_index(open->alternatives, struct taken, i), &taken))
			return true;
	return false;
}

static void start_asking(struct explorer *explorer, int32_t rank, int32_t source, guint index,
                         guint ahead)
{
	struct asking *asking = revisits_asking(explorer, rank, source);
	const struct asker asker = {index, ahead};

	if (!asking->steps)
		asking->steps = g_array_new(false, false, sizeof(asker));
	g_array_append_val(asking->steps, asker);
}

/* The step asks for all sources except those that have a message for it already. */
static void start_asking_sources(struct explorer *explorer, const struct open_choice *open,
                                 guint ahead)
{
	guint index = explorer->steps->len - 1;
	struct op_id id = step_at(explorer, index)->id;
	g_autofree bool *is_there = g_new0(bool, explorer->options.ranks);

	for (guint i = 0; i < open->alternatives->len; i++) {
		const struct taken *taken = &g_array_index(open->alternatives, struct taken, i);

		if (taken->kind == TAKEN_MESSAGE && taken->ahead == ahead
		    && taken->send.rank < explorer->options.ranks)
			is_there[taken->send.rank] = true;
	}
	for (int32_t source = 0; source < explorer->options.ranks; source++)
		if (!is_there[source]
		    && dependence_may_take(explorer->dependence, id, ahead, source))
			start_asking(explorer, id.rank, source, index, ahead);
}

static void start_asking_for(struct explorer *explorer, const struct open_choice *open,
                             struct taken answer)
{
	struct question question = {explorer->steps->len - 1, answer};

	if (!is_open(open, answer))
		g_array_append_val(explorer->questions, question);
}

/* Asks for each single request, unless that is open. */
static void start_asking_for_each(struct explorer *explorer, const struct open_choice *open,
                                  guint ahead, guint requests)
{
	g_autofree bool *is_there = g_new0(bool, requests + 1);

	for (guint i = 0; i < open->alternatives->len; i++) {
		const struct taken *taken = &g_array_index(open->alternatives, struct taken, i);

		if (taken->kind == TAKEN_ONE && taken->ahead == ahead && taken->request < requests)
			is_there[taken->request] = true;
	}
	for (uint32_t i = 0; i < requests; i++) {
		struct question question = {explorer->steps->len - 1,
		                            taken_ahead(taken_one(i), ahead)};

		if (!is_there[i])
			g_array_append_val(explorer->questions, question);
	}
}

/* Notes the requests that are complete already, and adds the sets of them that were complete before
 * others. Small sets are open. */
static void start_with_complete(struct explorer *explorer, const struct open_choice *open,
                                guint ahead, guint requests)
{
	struct step *step = last_step(explorer);
	struct op_id question = question_of(step, ahead);
	g_autoptr(GArray) answers = g_array_new(false, false, sizeof(struct taken));
	g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(set_unref);
	GArray *complete = step_add_sets(step, ahead);

	for (uint32_t i = 0; i < requests; i++) {
		struct choice_set *needs;

		if (!dependence_complete(explorer->dependence, question, i, &needs))
			continue;
		note_complete(step, taken_ahead(taken_one(i), ahead), 0);
		choice_set_unref(needs);
	}
	request_subsets_find(explorer->dependence, question, complete, 0, 0, answers, sets);
	for (guint i = 0; i < answers->len; i++) {
		struct taken answer = taken_ahead(g_array_index(answers, struct taken, i), ahead);

		if (!is_open(open, answer))
			explorer_push(explorer, step, answer, &step->cost);
	}
}

/* The other polls of a loop. */
static void start_asking_later(struct explorer *explorer, const struct open_choice *open)
{
	for (guint i = 0; open->later && i < open->later->len; i++) {
		const struct open_later *one = &g_array_index(open->later, struct open_later, i);

		if (one->question == QUESTION_NONE)
			start_asking_sources(explorer, open, one->ahead);
		if (one->question == QUESTION_ALL)
			start_asking_for(explorer, open,
			                 taken_ahead(taken_plain(TAKEN_YES), one->ahead));
		if (one->question == QUESTION_SOME)
			start_with_complete(explorer, open, one->ahead, one->requests);
		if (one->question == QUESTION_ANY || one->question == QUESTION_SOME)
			start_asking_for_each(explorer, open, one->ahead, one->requests);
	}
}

void revisits_start(struct explorer *explorer, const struct open_choice *open)
{
	if (open->question == QUESTION_NONE || open->question == QUESTION_RECALL)
		start_asking_sources(explorer, open, 0);
	if (open->question == QUESTION_RECALL)
		start_asking_for(explorer, open, taken_plain(TAKEN_CANCELLED));
	if (open->question == QUESTION_ALL)
		start_asking_for(explorer, open, taken_plain(TAKEN_YES));
	if (open->question == QUESTION_SOME)
		start_with_complete(explorer, open, 0, open->requests);
	if (open->question == QUESTION_ANY || open->question == QUESTION_SOME)
		start_asking_for_each(explorer, open, 0, open->requests);
	start_asking_later(explorer, open);
}

void revisits_suspend(struct explorer *explorer)
{
	guint index = explorer->steps->len - 1;
	struct step *step = last_step(explorer);
	const struct destination *destination = find_destination(explorer, step->id.rank);

	step->sources = g_array_new(false, false, sizeof(struct step_source));
	step->answers = g_array_new(false, false, sizeof(struct taken));
	for (int32_t source = 0; destination && source < explorer->options.ranks; source++) {
		const GArray *steps = destination->asking[source].steps;

		for (guint i = steps ? steps->len : 0;
		     i > 0 && asker_at(steps, i - 1)->step == index; i--) {
			struct step_source asked = {source, asker_at(steps, i - 1)->ahead};

			g_array_append_val(step->sources, asked);
		}
	}
	stop_asking(explorer, index);
	for (guint i = explorer->questions->len; i-- > 0;) {
		struct question question = g_array_index(explorer->questions, struct question, i);

		if (question.step != index)
			continue;
		g_array_append_val(step->answers, question.answer);
		g_array_remove_index_fast(explorer->questions, i);
	}
}

void revisits_resume(struct explorer *explorer)
{
	guint index = explorer->steps->len - 1;
	struct step *step = last_step(explorer);

	for (guint i = 0; step->sources && i < step->sources->len; i++) {
		const struct step_source *asked = &g_array_index(step->sources, struct step_source,
		                                                 i);

		start_asking(explorer, step->id.rank, asked->source, index, asked->ahead);
	}
	for (guint i = 0; step->answers && i < step->answers->len; i++) {
		struct question question = {index, g_array_index(step->answers, struct taken, i)};

		g_array_append_val(explorer->questions, question);
	}
	step_ask_nothing(step);
}
