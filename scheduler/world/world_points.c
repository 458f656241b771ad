/* The points of a world, where the standard lets more than one thing happen: which are open now,
 * and what a choice does. */
#include "explorer/request_subsets.h"
#include "mpi_calls.h"
#include "world_internal.h"
#include "world_loops.h"

/* First come sends that may complete early, and collectives that may be left early. This includes
 * sends whose message is received already, whose only alternative is "early": so what comes after
 * never depends on what received it. Then come points with messages or complete requests. Last come
 * points where only "not yet" or a cancellation is possible. */
enum priority { PRIORITY_SEND, PRIORITY_FIRST, PRIORITY_LAST };

struct offer {
	struct open_choice choice;
	enum priority priority;
};

static const struct wire_name *waited_name(const struct rank *rank, guint index)
{
	return &g_array_index(rank->line->waited, struct wire_name, index);
}

static struct live *waited_live(const struct world *world, int number, guint index)
{
	return world_find_live(world, number, *waited_name(&world->ranks[number], index));
}

/* --- questions -------------------------------------------------------------------------------- */

/* The question that the pending call asks, if it has several answers. Not counted: questions that
 * the shim asks for itself, when Waitany and Waitsome poll; and MPI_Parrived, whose partitions MPI
 * moves by itself. */
static enum open_question question_of(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	bool waits = mpi_call_completes(rank->line->function) != MPI_CALL_COMPLETES_NONE
	             && !mpi_call_asks(rank->line->function);

	if (rank->line->waited->len == 0 || rank->line->call == rank->line->asked
	    || rank->line->function == MPI_CALL_Parrived || world_is_probe_poll(world, number)
	    || world_knows_all(world, number))
		return QUESTION_NONE;
	switch (rank->line->wait) {
	case WIRE_WAIT_ANY: return QUESTION_ANY;
	case WIRE_WAIT_SOME: return QUESTION_SOME;
	case WIRE_TEST_ALL: return QUESTION_ALL;
	case WIRE_TEST_ANY: return waits ? QUESTION_NONE : QUESTION_ANY;
	case WIRE_TEST_SOME: return waits ? QUESTION_NONE : QUESTION_SOME;
	default: return QUESTION_NONE;
	}
}

static struct asked asked_entry(int number, struct wire_name name, guint index)
{
	return (struct asked){world_op_id(number, name), index};
}

GArray *world_asked(const struct world *world, int number, const struct wire_name *names,
                    guint count)
{
	GArray *asked = g_array_new(false, false, sizeof(struct asked));

	for (guint i = 0; i < count; i++) {
		struct asked entry = asked_entry(number, names[i], i);
		const struct live *live = world_find_live(world, number, names[i]);
		const struct live *other = live ? world_find_joined(world, number, live) : NULL;
		struct asked before = other ? asked_entry(number, other->name, i) : entry;

		if (other)
			g_array_append_val(asked, before);
		g_array_append_val(asked, entry);
	}
	return asked;
}

void world_ask(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];
	g_autoptr(GArray) asked = NULL;

	rank->line->question = question_of(world, number);
	if (rank->line->question == QUESTION_NONE)
		return;
	rank->line->asked = rank->line->call;
	asked = world_asked(world, number, world_names(rank), rank->line->waited->len);
	trace_append_ask(&world->trace, world_question_id(world, number),
	                 world_thread_in_focus(world, number),
	                 (const struct asked *)(void *)asked->data, asked->len);
}

bool world_can_complete(const struct world *world, int number, struct wire_name name)
{
	const struct live *live = world_find_live(world, number, name);

	return live ? world_completable(world, number, live) : name.call != WIRE_NEVER;
}

static GArray *completable_of(const struct world *world, int number, const struct wire_name *names,
                              guint count)
{
	GArray *indices = g_array_new(false, false, sizeof(guint32));

	for (guint i = 0; i < count; i++)
		if (world_can_complete(world, number, names[i]))
			g_array_append_val(indices, i);
	return indices;
}

GArray *world_completable_indices(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];

	return completable_of(world, number, world_names(rank), rank->line->waited->len);
}

/* --- what is open ----------------------------------------------------------------------------- */

static GArray *alternatives_new(void)
{
	return g_array_new(false, false, sizeof(struct taken));
}

static struct point point_here(const struct world *world, struct op_id id)
{
	return point_of(id, world->options.ranks);
}

static void add_alternative(GArray *alternatives, struct taken taken)
{
	g_array_append_val(alternatives, taken);
}

static struct offer *find_point(GArray *points, const struct point *where)
{
	for (guint i = 0; i < points->len; i++) {
		struct offer *point = &g_array_index(points, struct offer, i);

		if (point_equal(&point->choice.point, where))
			return point;
	}
	return NULL;
}

/* Adds an alternative at a point, which may also take messages. */
static void add_answer(const struct world *world, GArray *points, struct op_id id,
                       enum taken_kind kind)
{
	struct taken answer = taken_plain(kind);
	struct offer other = {{.point = point_here(world, id)}, PRIORITY_LAST};
	struct offer *point = find_point(points, &other.choice.point);

	if (!point) {
		other.choice.alternatives = alternatives_new();
		g_array_append_val(points, other);
		point = &g_array_index(points, struct offer, points->len - 1);
	}
	if (kind == TAKEN_CANCELLED)
		point->choice.question = QUESTION_RECALL;
	if (kind == TAKEN_NO && world_says_no_first(world, id.rank))
		g_array_prepend_val(point->choice.alternatives, answer);
	else
		add_alternative(point->choice.alternatives, answer);
}

/* Whether it is what the pending poll of a rank looks for, or a later one of its loop. */
static bool is_of_poll(const struct world *world, const struct point *where)
{
	const struct rank *rank = &world->ranks[where->rank];

	return where->call == rank->line->call
	       && (where->sub >= OPERATION_LATER || world_is_probe_poll(world, where->rank));
}

/* `only` is not NULL: only the messages at that point. */
static void add_messages(const struct world *world, GArray *points, const struct point *only)
{
	GArray *open = only ? matcher_open_choice(world->matcher,
	                                          point_operation(only, world->options.ranks))
	                    : matcher_open_choices(world->matcher);

	for (guint i = 0; i < open->len; i++) {
		struct offer point = {g_array_index(open, struct open_choice, i), PRIORITY_FIRST};
		const struct point *where = &point.choice.point;
		const struct live *live = NULL;

		/* Loops of polls have one point for all their messages. A rank that is looked at
		 * gets none. */
		if (where->kind == POINT_CALL
		    && (world->ranks[where->rank].is_looked_at
		        || ((where->sub >= OPERATION_LATER || world_in_loop(world, where->rank))
		            && is_of_poll(world, where)))) {
			g_array_unref(point.choice.alternatives);
			continue;
		}
		if (world->options.cancels && where->kind == POINT_CALL)
			live = world_find_live(world, where->rank,
			                       (struct wire_name){where->call, where->sub});
		if (live && live->nonblocking)
			point.choice.question = QUESTION_RECALL;
		g_array_append_val(points, point);
	}
	g_array_free(open, true);
}

/* The first requests that can be reported together, as defined in choice.h. */
static struct taken all_of(const GArray *indices)
{
	guint32 window = g_array_index(indices, guint32, 0) / TAKEN_WINDOW;
	guint64 bits = 0;

	for (guint i = 0; i < indices->len; i++) {
		guint32 index = g_array_index(indices, guint32, i);

		if (index / TAKEN_WINDOW == window)
			bits |= G_GUINT64_CONSTANT(1) << (index % TAKEN_WINDOW);
	}
	return taken_some(window, bits);
}

/* Each request alone. The one that was started first comes first, so that no request starves. */
static void add_each(const struct wire_name *names, const GArray *indices, GArray *alternatives,
                     bool oldest_first)
{
	guint32 oldest = 0;

	if (indices->len == 0)
		return;
	oldest = world_oldest(names, (const guint32 *)(const void *)indices->data, indices->len);
	if (oldest_first)
		add_alternative(alternatives, taken_one(oldest));
	for (guint i = 0; i < indices->len; i++) {
		guint32 index = g_array_index(indices, guint32, i);

		if (!oldest_first || index != oldest)
			add_alternative(alternatives, taken_one(index));
	}
}

/* Every subset of a few requests; the set of all is there already. */
static bool add_sets(const struct world *world, const GArray *indices, GArray *alternatives)
{
	g_autoptr(GArray) sets = alternatives_new();
	bool all = request_subsets_answers(indices, world->options.some, sets);
	struct taken those = all_of(indices);

	for (guint i = 0; i < sets->len; i++) {
		struct taken set = g_array_index(sets, struct taken, i);

		if (!taken_equal(&set, &those))
			add_alternative(alternatives, set);
	}
	return all;
}

void world_add_answers(const struct world *world, int number, enum open_question question,
                       const struct wire_name *names, guint count, guint ahead,
                       struct open_choice *choice)
{
	g_autoptr(GArray) indices = completable_of(world, number, names, count);
	GArray *alternatives = choice->alternatives;
	guint before = alternatives->len;

	if (question == QUESTION_ALL && indices->len == count)
		add_alternative(alternatives, taken_plain(TAKEN_YES));
	if (question == QUESTION_SOME && indices->len > 1)
		add_alternative(alternatives, all_of(indices));
	if (question == QUESTION_SOME || question == QUESTION_ANY)
		add_each(names, indices, alternatives, question == QUESTION_ANY);
	if (question == QUESTION_SOME && indices->len > 1)
		choice->more |= !add_sets(world, indices, alternatives);
	for (guint i = before; i < alternatives->len; i++)
		g_array_index(alternatives, struct taken, i).ahead = (guint16)ahead;
}

static void add_question(const struct world *world, GArray *points, int number)
{
	const struct rank *rank = &world->ranks[number];
	struct offer point = {{.point = point_here(world, world_question_id(world, number)),
	                       .alternatives = alternatives_new(),
	                       .question = rank->line->question,
	                       .requests = rank->line->waited->len},
	                      PRIORITY_FIRST};
	GArray *alternatives = point.choice.alternatives;
	bool no = world_may_say_no(world, number);
	bool no_first = no && world_says_no_first(world, number);

	if (no_first)
		add_alternative(alternatives, taken_plain(TAKEN_NO));
	world_add_answers(world, number, rank->line->question, world_names(rank),
	                  rank->line->waited->len, 0, &point.choice);
	if (alternatives->len == (no_first ? 1u : 0u))
		point.priority = PRIORITY_LAST;
	if (no && !no_first)
		add_alternative(alternatives, taken_plain(TAKEN_NO));
	if (alternatives->len > 0)
		g_array_append_val(points, point);
	else
		g_array_free(alternatives, true);
}

/* The next answer in a loop of polls. */
static void add_loop(const struct world *world, GArray *points, int number)
{
	struct offer point = {.priority = PRIORITY_FIRST};

	if (!world_loop_is_open(world, number))
		return;
	point.choice = world_loop_choice(world, number);
	if (point.choice.alternatives->len > 0) {
		g_array_append_val(points, point);
		return;
	}
	open_choice_clear(&point.choice);
}

/* Whether nothing is left to wait for. */
static bool is_late_enough(const struct world *world, const struct live *live)
{
	return live->kind == WIRE_COLLECTIVE
	               ? collectives_complete(world->collectives, live->instance)
	               : live->matched && !live->probed;
}

static void add_early(const struct world *world, GArray *points, int number,
                      const struct live *live)
{
	struct offer point = {.priority = PRIORITY_SEND};

	if (!live || !live->is_decided_for || live->decided != 0)
		return;
	point.choice.point = point_here(world, world_op_id(number, live->name));
	if (find_point(points, &point.choice.point))
		return;
	point.choice.alternatives = alternatives_new();
	add_alternative(point.choice.alternatives, taken_plain(TAKEN_EARLY));
	if (!is_late_enough(world, live))
		add_alternative(point.choice.alternatives, taken_plain(TAKEN_LATE));
	g_array_append_val(points, point);
}

/* Operations for which the rank waits, or about which it asks, that may complete early. */
static void add_all_early(const struct world *world, GArray *points, int number)
{
	const struct rank *rank = &world->ranks[number];

	for (guint i = 0; i < rank->line->waited->len; i++) {
		const struct live *live = waited_live(world, number, i);

		add_early(world, points, number, live);
		if (live)
			add_early(world, points, number, world_find_joined(world, number, live));
	}
}

/* The receive that the rank wants to cancel, if it is a choice whether that comes in time; else
 * NULL. */
static const struct live *recalled_receive(const struct world *world, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct live *live = rank->line->wait == WIRE_CANCEL ? waited_live(world, number, 0)
	                                                          : NULL;

	return live && live->kind == WIRE_RECEIVE && live->by_choice && !live->matched
	                       && !live->cancelled
	               ? live
	               : NULL;
}

static int compare_points(const void *a, const void *b)
{
	const struct offer *left = a;
	const struct offer *right = b;

	if (left->priority != right->priority)
		return left->priority < right->priority ? -1 : 1;
	return point_compare(&left->choice.point, &right->choice.point);
}

/* For the line in focus. */
static void add_of_line(const struct world *world, GArray *points, int number)
{
	const struct rank *rank = &world->ranks[number];
	const struct live *receive;

	if (rank->line->phase != PHASE_BLOCKED || rank->is_looked_at)
		return;
	receive = recalled_receive(world, number);
	if (receive)
		add_answer(world, points, world_op_id(number, receive->name), TAKEN_CANCELLED);
	if (world_in_loop(world, number))
		add_loop(world, points, number);
	else if (rank->line->question != QUESTION_NONE)
		add_question(world, points, number);
	else if (world_is_probe_poll(world, number) && world_may_say_no(world, number))
		add_answer(world, points, world_op_id(number, *waited_name(rank, 0)), TAKEN_NO);
	if (world->options.buffering == BUFFERING_PER_SEND
	    || world->options.collectives == COLLECTIVES_PER_CALL)
		add_all_early(world, points, number);
}

/* Which of several threads of the rank is admitted. */
static void add_turn(const struct world *world, GArray *points, int number)
{
	g_autoptr(GArray) rivals = NULL;
	struct offer point = {{.point = point_here(world, world_turn_id(world, number))},
	                      PRIORITY_SEND};

	if (!world->ranks[number].threads)
		return;
	rivals = world_rivals(world, number);
	if (rivals->len < 2 || world_turn_is_held(world, number))
		return;
	point.choice.alternatives = alternatives_new();
	for (guint i = 0; i < rivals->len; i++)
		add_alternative(point.choice.alternatives,
		                taken_thread(g_array_index(rivals, guint32, i)));
	g_array_append_val(points, point);
}

static void add_of_rank(struct world *world, GArray *points, int number)
{
	add_turn(world, points, number);
	for (guint i = 0; i < world_lines(world, number); i++) {
		world_focus(world, number, i);
		add_of_line(world, points, number);
	}
}

GArray *world_list_open(struct world *world, const struct point *only)
{
	g_autoptr(GArray) points = g_array_new(false, false, sizeof(struct offer));
	GArray *open = g_array_new(false, false, sizeof(struct open_choice));

	add_messages(world, points, only);
	if (only && only->kind != POINT_LOCK)
		add_of_rank(world, points, only->rank);
	for (int number = 0; !only && number < world->options.ranks; number++)
		add_of_rank(world, points, number);
	g_array_sort(points, compare_points);
	for (guint i = 0; i < points->len; i++)
		g_array_append_val(open, g_array_index(points, struct offer, i).choice);
	return open;
}

GArray *world_open_choices(struct world *world)
{
	GArray *open;

	world_tell(world, &(struct world_step){.kind = WORLD_STEP_OPEN});
	open = world_may_decide(world) ? world_list_open(world, NULL)
	                               : g_array_new(false, false, sizeof(struct open_choice));
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_OFFERED, .open = open});
	return open;
}

/* --- choosing --------------------------------------------------------------------------------- */

static bool reports_complete(const struct world *world, int number, const struct taken *answer)
{
	const struct rank *rank = &world->ranks[number];

	for (guint i = taken_next(answer, 0, rank->line->waited->len); i < rank->line->waited->len;
	     i = taken_next(answer, i + 1, rank->line->waited->len)) {
		if (!world_can_complete(world, number, *waited_name(rank, i)))
			return false;
	}
	return true;
}

static bool fits_question(const struct rank *rank, const struct taken *answer)
{
	switch (answer->kind) {
	case TAKEN_NO: return world_is_poll(rank->line->wait);
	case TAKEN_YES: return rank->line->question == QUESTION_ALL;
	case TAKEN_ONE:
		return rank->line->question != QUESTION_ALL
		       && answer->request < rank->line->waited->len;
	case TAKEN_SOME: return rank->line->question == QUESTION_SOME;
	default: return false;
	}
}

static bool allows_turn(const struct world *world, const struct choice *choice)
{
	int number = choice->point.rank;
	g_autoptr(GArray) rivals = world_rivals(world, number);
	struct point point = point_here(world, world_turn_id(world, number));

	if (world_turn_is_held(world, number))
		return false;
	for (guint i = 0; rivals->len > 1 && i < rivals->len; i++) {
		if (choice->taken.kind == TAKEN_THREAD
		    && choice->taken.thread == g_array_index(rivals, guint32, i))
			return point_equal(&choice->point, &point);
	}
	return false;
}

static bool line_allows(const struct world *world, const struct choice *choice)
{
	int number = choice->point.rank;
	enum taken_kind kind = choice->taken.kind;
	struct op_id id = point_operation(&choice->point, world->options.ranks);
	const struct rank *rank = &world->ranks[number];
	const struct live *live;

	if (rank->line->phase != PHASE_BLOCKED || rank->is_looked_at || choice->taken.ahead > 0
	    || (kind == TAKEN_NO && world_must_say_yes(world, number))
	    || (world_in_loop(world, number) && !world_loop_is_open(world, number)))
		return false;
	if (rank->line->question != QUESTION_NONE
	    && op_id_equal(id, world_question_id(world, number)))
		return fits_question(rank, &choice->taken)
		       && reports_complete(world, number, &choice->taken);
	live = world_find_live(world, number,
	                       (struct wire_name){choice->point.call, choice->point.sub});
	if (!live)
		return false;
	if (kind == TAKEN_NO)
		return world_is_probe_poll(world, number) && live == waited_live(world, number, 0);
	if (kind == TAKEN_CANCELLED)
		return live == recalled_receive(world, number);
	return (kind == TAKEN_EARLY || kind == TAKEN_LATE) && live->is_decided_for
	       && live->decided == 0;
}

/* Puts the line in focus that waits for the answer. */
static bool allows_answer(struct world *world, const struct choice *choice)
{
	int number = choice->point.rank;

	if (number < 0 || number >= world->options.ranks || choice->point.kind == POINT_LOCK)
		return false;
	if (choice->point.kind == POINT_TURN)
		return allows_turn(world, choice);
	for (guint i = 0; i < world_lines(world, number); i++) {
		world_focus(world, number, i);
		if (line_allows(world, choice))
			return true;
	}
	return false;
}

/* Stores what else could have been taken at this moment, and whether the choice is the default. */
static void note_alternatives(struct world *world, const struct choice *choice)
{
	bool first = false;
	bool has_lines = choice->point.kind != POINT_LOCK;
	guint focus = has_lines ? world->ranks[choice->point.rank].focus : 0;
	GArray *open = world_list_open(world, &choice->point);
	GArray *others = alternatives_new();

	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);

		if (!point_equal(&one->point, &choice->point))
			continue;
		for (guint j = 0; j < one->alternatives->len; j++) {
			struct taken taken = g_array_index(one->alternatives, struct taken, j);

			if (!taken_equal(&taken, &choice->taken))
				g_array_append_val(others, taken);
			else
				first = j == 0;
		}
	}
	if (has_lines)
		world_focus(world, choice->point.rank, focus);
	open_choices_free(open);
	g_ptr_array_add(world->alternatives, others);
	g_array_append_val(world->first, first);
}

void world_give_answer(struct world *world, int number, const struct taken *answer)
{
	struct rank *rank = &world->ranks[number];
	g_autoptr(GArray) done = g_array_sized_new(false, false, sizeof(guint32), 1);

	for (guint32 i = taken_next(answer, 0, rank->line->waited->len);
	     i < rank->line->waited->len; i = taken_next(answer, i + 1, rank->line->waited->len))
		g_array_append_val(done, i);
	world_note_answer(world, number, answer->kind != TAKEN_NO); /* needs the poll's probe */
	world_withdraw_probes(world, number, false);
	world_release(world, number, (const guint32 *)(const void *)done->data, done->len);
}

static void choose_answer(struct world *world, const struct choice *choice)
{
	int number = choice->point.rank;
	struct op_id id = point_operation(&choice->point, world->options.ranks);
	struct live *live = world_find_live(world, number, (struct wire_name){id.call, id.sub});
	struct event event = {
		.kind = EVENT_ANSWER, .op.id = id, .answer = choice->taken, .chosen = true};

	world_append_event(world, &event);
	if (choice->taken.ahead > 0) {
		world_loop_choose(world, choice);
		return;
	}
	switch (choice->taken.kind) {
	case TAKEN_THREAD: world_admit_thread(world, number, choice->taken.thread); break;
	case TAKEN_EARLY:
	case TAKEN_LATE:
		live->decided = (int)choice->taken.kind;
		if (live->kind == WIRE_COLLECTIVE && choice->taken.kind == TAKEN_LATE)
			live->order = ORDER_ALL;
		world_try_release(world, number);
		break;
	case TAKEN_CANCELLED: world_withdraw_receive(world, number, live); break;
	default: world_give_answer(world, number, &choice->taken); break;
	}
}

/* A receive that names its source takes its message: this is not shown as a choice. */
static bool is_plain(const struct world *world, const struct choice *choice)
{
	struct wire_name name = {choice->point.call, choice->point.sub};
	const struct live *live;

	if (choice->taken.kind != TAKEN_MESSAGE || choice->point.kind != POINT_CALL)
		return false;
	live = world_find_live(world, choice->point.rank, name);
	return live && live->kind == WIRE_RECEIVE && live->peer != WIRE_ANY;
}

/* If a poll's probe gets a message, the poll is answered "yes". */
static void note_found(struct world *world, struct op_id probe, struct op_id send)
{
	for (guint i = 0; probe.rank < world->options.ranks && i < world_lines(world, probe.rank);
	     i++) {
		world_focus(world, probe.rank, i);
		if (world->ranks[probe.rank].line->phase != PHASE_BLOCKED
		    || world->ranks[probe.rank].line->call != probe.call
		    || !world_is_probe_poll(world, probe.rank))
			continue;
		if (world_loop_is_open(world, probe.rank))
			world_loop_note_found(world, probe.rank, send);
		world_note_found(world, probe.rank, send);
	}
}

/* An answer to a later poll of a loop. */
static bool allows_ahead(const struct world *world, const struct choice *choice,
                         struct op_id *ret_send)
{
	int number = choice->point.rank;

	return choice->point.kind == POINT_CALL && number >= 0 && number < world->options.ranks
	       && world_loop_allows(world, choice, ret_send);
}

static bool allows_message(const struct world *world, struct match *match)
{
	int number = match->receive.rank;

	if (number < world->options.ranks && world->ranks[number].is_looked_at)
		return false;
	return matcher_allows(world->matcher, match->receive, &match->send);
}

bool world_choose(struct world *world, struct choice *choice)
{
	bool is_ahead = choice->taken.ahead > 0;
	bool is_message = choice->taken.kind == TAKEN_MESSAGE && !is_ahead;
	struct match match = {.receive = point_operation(&choice->point, world->options.ranks)};
	bool plain;

	world_tell(world, &(struct world_step){.kind = WORLD_STEP_CHOOSE, .choice = *choice});
	if (is_message)
		match.send = choice->taken.send;
	if (!world_may_decide(world)
	    || (is_ahead     ? !allows_ahead(world, choice, &match.send)
	        : is_message ? !allows_message(world, &match)
	                     : !allows_answer(world, choice)))
		return world_tell_answer(world, false);
	if (choice->taken.kind == TAKEN_MESSAGE)
		choice->taken.send = match.send;
	world_note_decision(world, &match.receive);
	plain = is_plain(world, choice);
	g_array_append_val(world->choices, *choice);
	g_array_append_val(world->plain, plain);
	note_alternatives(world, choice);
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_CHOSEN, .choice = *choice});
	world->idle = (struct world_idle){0};
	if (!is_message) {
		choose_answer(world, choice);
	} else {
		note_found(world, match.receive, match.send);
		matcher_match(world->matcher, match.receive, match.send);
		if (choice->point.kind == POINT_LOCK)
			world_on_grant(world, &match);
		else
			world_on_match(world, &match, true);
	}
	world_settle(world);
	return world_tell_answer(world, true);
}
