/* The points of a fake world where a choice can be made, and what comes of it. */
#include "../../explorer/together.h"
#include "fake_world_internal.h"

/* Sends that may complete early come first, even those that are matched already (of these it is not
 * asked whether they wait): so that what comes after never depends on what matched them. Then come
 * points with messages or complete requests, last
 * those where nothing is possible but to say "no" or to cancel. */
enum priority { PRIORITY_SEND, PRIORITY_FIRST, PRIORITY_LAST };

struct point {
	struct open_choice choice;
	enum priority priority;
};

static GArray *alternatives_new(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct op_id));
}

static void add(GArray *alternatives, struct op_id taken)
{
	g_array_append_val(alternatives, taken);
}

/* The instruction at which the rank stands, if it has begun with it; or -1. */
static int pending(const struct world *world, int rank)
{
	int index = world->place[rank];

	if (index == world->program->first[rank + 1] || world->states[index] == ABSENT)
		return -1;
	return index;
}

static struct point *find_point(GArray *points, struct op_id id)
{
	for (guint i = 0; i < points->len; i++) {
		struct point *point = &g_array_index(points, struct point, i);

		if (op_id_equal(point->choice.point, id))
			return point;
	}
	return NULL;
}

/* One more alternative at a point that takes messages, if there are any. */
static void add_answer(GArray *points, struct op_id id, enum answer_kind kind,
                       enum open_question question)
{
	struct point *point = find_point(points, id);
	struct point other = {{.point = id, .question = question}, PRIORITY_LAST};

	if (!point) {
		other.choice.alternatives = alternatives_new();
		g_array_append_val(points, other);
		point = &g_array_index(points, struct point, points->len - 1);
	}
	add(point->choice.alternatives, answer_make(kind));
}

static void add_messages(const struct world *world, GArray *points)
{
	GArray *open = matcher_open_choices(world->matcher);

	for (guint i = 0; i < open->len; i++) {
		struct point point = {g_array_index(open, struct open_choice, i), PRIORITY_FIRST};
		const struct instruction *receive = world_at(
			world, world_index_of(world, point.choice.point));

		if (world->program->cancels && receive->nonblocking)
			point.choice.question = QUESTION_RECALL;
		g_array_append_val(points, point);
	}
	g_array_free(open, TRUE);
}

static bool may_say_no(enum instruction_kind kind)
{
	return kind != INSTRUCTION_WAITANY && kind != INSTRUCTION_WAITSOME;
}

static enum open_question question_of(enum instruction_kind kind)
{
	switch (kind) {
	case INSTRUCTION_TEST:
	case INSTRUCTION_TESTALL:
		return QUESTION_ALL;
	case INSTRUCTION_TESTSOME:
	case INSTRUCTION_WAITSOME:
		return QUESTION_SOME;
	default:
		return QUESTION_ANY;
	}
}

/* Every set of a few that are complete, but that of all. */
static void add_sets(const struct world *world, guint64 complete, GArray *alternatives)
{
	g_autoptr(GArray) indices = g_array_new(FALSE, FALSE, sizeof(guint32));
	g_autoptr(GArray) sets = alternatives_new();

	for (guint32 i = 0; i < ANSWER_WINDOW; i++)
		if (complete >> i & 1)
			g_array_append_val(indices, i);
	together_sets(indices, world->some, sets);
	for (guint i = 0; i < sets->len; i++)
		if (!op_id_equal(g_array_index(sets, struct op_id, i), answer_some(0, complete)))
			add(alternatives, g_array_index(sets, struct op_id, i));
}

static void add_question(const struct world *world, GArray *points, int index)
{
	enum instruction_kind kind = world_at(world, index)->kind;
	g_autoptr(GArray) asked = world_asked(world, index);
	struct point point = {{.point = world_id_of(world, index),
	                       .alternatives = alternatives_new(),
	                       .question = question_of(kind),
	                       .requests = asked->len},
	                      PRIORITY_FIRST};
	GArray *alternatives = point.choice.alternatives;
	guint64 complete = 0;

	g_assert_cmpuint(asked->len, <, ANSWER_WINDOW);
	for (guint i = 0; i < asked->len; i++)
		if (world_is_complete(world, g_array_index(asked, int, i)))
			complete |= G_GUINT64_CONSTANT(1) << i;
	if (point.choice.question == QUESTION_ALL) {
		if (complete == (G_GUINT64_CONSTANT(1) << asked->len) - 1)
			add(alternatives, answer_make(ANSWER_YES));
	} else {
		if (point.choice.question == QUESTION_SOME && complete & (complete - 1))
			add(alternatives, answer_some(0, complete));
		for (guint i = 0; i < asked->len; i++)
			if (complete >> i & 1)
				add(alternatives, answer_one(i));
		if (point.choice.question == QUESTION_SOME && complete)
			add_sets(world, complete, alternatives);
	}
	if (alternatives->len == 0)
		point.priority = PRIORITY_LAST;
	if (may_say_no(kind))
		add(alternatives, answer_make(ANSWER_NO));
	if (alternatives->len > 0)
		g_array_append_val(points, point);
	else
		g_array_free(alternatives, TRUE);
}

/* Whether there is nothing left to wait for. */
static bool is_late_enough(const struct world *world, int index)
{
	return world_at(world, index)->kind == INSTRUCTION_COLLECTIVE
	               ? world_all_have_come(world, index)
	               : world->states[index] != POSTED;
}

static void add_early(const struct world *world, GArray *points, int index)
{
	struct point point = {{.point = world_id_of(world, index)}, PRIORITY_SEND};

	if (!world_is_decided_for(world, index) || world->decided[index] != 0)
		return;
	point.choice.alternatives = alternatives_new();
	add(point.choice.alternatives, answer_make(ANSWER_EARLY));
	if (!is_late_enough(world, index))
		add(point.choice.alternatives, answer_make(ANSWER_LATE));
	g_array_append_val(points, point);
}

/* What may complete early of that for which the rank waits, or asks. */
static void add_all_early(const struct world *world, GArray *points, int index)
{
	const struct instruction *own = world_at(world, index);

	if (own->kind == INSTRUCTION_SEND || own->kind == INSTRUCTION_COLLECTIVE)
		add_early(world, points, index);
	if (own->kind == INSTRUCTION_WAIT && world_is_active(world, own->of))
		add_early(world, points, own->of);
	if (own->kind == INSTRUCTION_WAITALL || is_question(own->kind)) {
		g_autoptr(GArray) asked = world_asked(world, index);

		for (guint i = 0; i < asked->len; i++)
			add_early(world, points, g_array_index(asked, int, i));
	}
}

static int compare_points(const void *a, const void *b)
{
	const struct point *left = a;
	const struct point *right = b;

	if (left->priority != right->priority)
		return left->priority < right->priority ? -1 : 1;
	return op_id_compare(left->choice.point, right->choice.point);
}

GArray *world_open(const struct world *world)
{
	g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(struct point));
	GArray *open = g_array_new(FALSE, FALSE, sizeof(struct open_choice));

	add_messages(world, points);
	for (int rank = 0; rank < world->program->ranks; rank++) {
		int index = pending(world, rank);
		const struct instruction *own = index < 0 ? NULL : world_at(world, index);

		if (!own)
			continue;
		if (own->kind == INSTRUCTION_IPROBE)
			add_answer(points, world_id_of(world, index), ANSWER_NO, QUESTION_NONE);
		if (own->kind == INSTRUCTION_CANCEL)
			add_answer(points, world_id_of(world, own->of), ANSWER_CANCELLED,
			           QUESTION_RECALL);
		if (is_question(own->kind))
			add_question(world, points, index);
		add_all_early(world, points, index);
	}
	g_array_sort(points, compare_points);
	for (guint i = 0; i < points->len; i++)
		g_array_append_val(open, g_array_index(points, struct point, i).choice);
	return open;
}

static bool answer_allowed(const struct world *world, int index, struct op_id answer)
{
	g_autoptr(GArray) asked = world_asked(world, index);

	for (guint i = answer_next(answer, 0, asked->len); i < asked->len;
	     i = answer_next(answer, i + 1, asked->len))
		if (!world_is_complete(world, g_array_index(asked, int, i)))
			return false;
	return true;
}

bool world_allows(const struct world *world, const struct choice *choice)
{
	struct op_id taken = choice->taken;
	GArray *open;
	bool allowed = false;
	int index;

	if (!answer_is(taken))
		return matcher_allows(world->matcher, choice->point, &taken);
	if (answer_kind(taken) == ANSWER_LATE)
		taken = answer_make(ANSWER_EARLY); /* asked as long as that is */
	index = pending(world, choice->point.rank);
	if (index >= 0 && is_question(world_at(world, index)->kind)
	    && op_id_equal(world_id_of(world, index), choice->point))
		return answer_allowed(world, index, taken);
	open = world_open(world);
	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);

		for (guint k = 0; k < one->alternatives->len; k++)
			allowed = allowed
			          || (op_id_equal(one->point, choice->point)
			              && op_id_equal(
					      g_array_index(one->alternatives, struct op_id, k),
					      taken));
	}
	open_choices_free(open);
	return allowed;
}

static void give_answer(struct world *world, int index, struct op_id answer)
{
	g_autoptr(GArray) asked = world_asked(world, index);

	world->states[index] = answer_kind(answer) == ANSWER_NO ? NO : MATCHED;
	for (guint i = answer_next(answer, 0, asked->len); i < asked->len;
	     i = answer_next(answer, i + 1, asked->len))
		world_report(world, g_array_index(asked, int, i), index);
}

static void choose_answer(struct world *world, const struct choice *choice)
{
	int index = world_index_of(world, choice->point);

	world_note(world, (struct event){.kind = EVENT_ANSWER,
	                                 .chosen = true,
	                                 .op.id = choice->point,
	                                 .other = choice->taken});
	switch (answer_kind(choice->taken)) {
	case ANSWER_EARLY:
	case ANSWER_LATE:
		world->decided[index] = answer_kind(choice->taken);
		break;
	case ANSWER_CANCELLED:
		matcher_withdraw(world->matcher, choice->point);
		world->states[index] = CANCELLED;
		break;
	default:
		if (world_at(world, index)->kind == INSTRUCTION_IPROBE) {
			matcher_withdraw(world->matcher, choice->point);
			world->states[index] = NO;
		} else {
			give_answer(world, index, choice->taken);
		}
		break;
	}
}

void world_choose(struct world *world, const struct choice *choice)
{
	struct match match = {choice->point, choice->taken};

	g_assert_true(world_allows(world, choice));
	g_array_append_vals(world->choices, choice, 1);
	if (answer_is(choice->taken)) {
		choose_answer(world, choice);
	} else {
		matcher_match(world->matcher, match.receive, match.send);
		world_note_match(world, match, true);
	}
	world_settle(world);
}
