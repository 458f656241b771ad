#include "state_search.h"

/* How a node was come to first. Nodes share the beginnings of their ways. */
struct step {
	struct step *before; /* owned in part; NULL: the beginning */
	struct choice choice;
	guint depth;
	guint users;
};

/* A state that is known. */
struct node {
	struct state_hash name;
	struct step *way;          /* held; NULL: the beginning */
	struct state_hash offered; /* of all that is open there, by how far off its calls are */
	struct choice first;       /* that was made there first, likewise */
};

/* What is to be tried at a node yet. */
struct waiting {
	struct step *way;
	GArray *choices; /* struct choice; the last one is next; never empty */
};

struct edge;

struct state_search {
	bool verify;
	bool begun;
	GHashTable *nodes;       /* set of struct node, by name */
	GHashTable *ends;        /* set of struct state_hash */
	GHashTable *steps;       /* verify: struct edge, the set of those known */
	GArray *waiting;         /* struct waiting, the next one last */
	struct step *here;       /* the way of the world that runs */
	const struct node *last; /* the known state in which its last choice was made; NULL: none,
	                            or one without a name */
	struct choice made;      /* verify: that choice, by how far off its call was */
	bool known;              /* verify: it has come to a known state */
	struct state_statistics statistics;
};

/* That a choice made in a state leads to another one. */
struct edge {
	struct state_hash from; /* with the choice */
	struct state_hash to;
};

static guint name_hash(gconstpointer name)
{
	return (guint)((const struct state_hash *)name)->word[0];
}

static gboolean name_equal(gconstpointer one, gconstpointer other)
{
	return state_hash_equal(one, other);
}

/* --- ways ------------------------------------------------------------------------------------- */

static struct step *step_hold(struct step *step)
{
	if (step)
		step->users++;
	return step;
}

static void step_let_go(struct step *step)
{
	while (step && --step->users == 0) {
		struct step *before = step->before;

		g_free(step);
		step = before;
	}
}

/* Takes over `before`. */
static struct step *step_new(struct step *before, const struct choice *choice)
{
	struct step *step = g_new0(struct step, 1);

	step->before = before;
	step->choice = *choice;
	step->depth = before ? before->depth + 1 : 1;
	step->users = 1;
	return step;
}

static GArray *way_choices(const struct step *step)
{
	guint count = step ? step->depth : 0;
	GArray *choices = g_array_sized_new(false, false, sizeof(struct choice), count);

	g_array_set_size(choices, count);
	for (; step; step = step->before)
		g_array_index(choices, struct choice, step->depth - 1) = step->choice;
	return choices;
}

static bool way_equal(const struct step *one, const struct step *other)
{
	for (; one && other && one != other; one = one->before, other = other->before)
		if (one->depth != other->depth || !choice_equal(&one->choice, &other->choice))
			return false;
	return one == other;
}

static bool way_begins_with(const struct step *step, const struct step *beginning)
{
	guint depth = beginning ? beginning->depth : 0;

	while (step && step->depth > depth)
		step = step->before;
	return way_equal(step, beginning);
}

static bool way_contains(const struct step *step, const struct choice *choice)
{
	for (; step; step = step->before)
		if (choice_equal(&step->choice, choice))
			return true;
	return false;
}

/* --- beginning and end ------------------------------------------------------------------------ */

static void node_free(gpointer pointer)
{
	struct node *node = pointer;

	step_let_go(node->way);
	g_free(node);
}

static void waiting_clear(gpointer pointer)
{
	struct waiting *waiting = pointer;

	step_let_go(waiting->way);
	g_array_unref(waiting->choices);
}

struct state_search *state_search_new(bool verify)
{
	struct state_search *search = g_new0(struct state_search, 1);

	search->verify = verify;
	search->nodes = g_hash_table_new_full(name_hash, name_equal, node_free, NULL);
	search->ends = g_hash_table_new_full(name_hash, name_equal, g_free, NULL);
	search->steps = g_hash_table_new_full(name_hash, name_equal, g_free, NULL);
	search->waiting = g_array_new(false, false, sizeof(struct waiting));
	g_array_set_clear_func(search->waiting, waiting_clear);
	return search;
}

void state_search_free(struct state_search *search)
{
	if (!search)
		return;
	step_let_go(search->here);
	g_array_unref(search->waiting);
	g_hash_table_destroy(search->steps);
	g_hash_table_destroy(search->ends);
	g_hash_table_destroy(search->nodes);
	g_free(search);
}

/* --- the next world --------------------------------------------------------------------------- */

static void take_place(struct state_search *search, struct step *way)
{
	step_let_go(search->here);
	search->here = way;
	search->last = NULL;
	search->known = false;
}

GArray *state_search_next(struct state_search *search)
{
	struct waiting *top;
	struct choice choice;

	if (!search->begun) {
		search->begun = true;
		return g_array_new(false, false, sizeof(struct choice));
	}
	if (search->waiting->len == 0)
		return NULL;
	top = &g_array_index(search->waiting, struct waiting, search->waiting->len - 1);
	choice = g_array_index(top->choices, struct choice, top->choices->len - 1);
	take_place(search, step_new(step_hold(top->way), &choice));
	search->statistics.waiting--;
	if (top->choices->len > 1)
		g_array_set_size(top->choices, top->choices->len - 1);
	else
		g_array_set_size(search->waiting, search->waiting->len - 1);
	return way_choices(search->here);
}

bool state_search_needs(const struct state_search *search, const GArray *choices)
{
	for (guint i = search->waiting->len; i-- > 0;) {
		const struct step *way = g_array_index(search->waiting, struct waiting, i).way;
		guint found = 0;

		if (choices->len > (way ? way->depth : 0))
			continue;
		while (found < choices->len
		       && way_contains(way, &g_array_index(choices, struct choice, found)))
			found++;
		if (found == choices->len)
			return true;
	}
	return false;
}

void state_search_lost(struct state_search *search)
{
	search->statistics.lost++;
}

/* --- a world at rest -------------------------------------------------------------------------- */

static bool comes_first(const struct open_choice *open)
{
	enum taken_kind kind = g_array_index(open->alternatives, struct taken, 0).kind;

	return kind == TAKEN_THREAD || kind == TAKEN_EARLY || kind == TAKEN_LATE;
}

/* All that can be chosen, the last first: so the first one ends up next. */
static GArray *choices_of(const GArray *open)
{
	GArray *choices = g_array_new(false, false, sizeof(struct choice));
	guint points = comes_first(&g_array_index(open, struct open_choice, 0)) ? 1 : open->len;

	for (guint i = points; i-- > 0;) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);

		for (guint j = one->alternatives->len; j-- > 0;) {
			struct choice choice = {one->point,
			                        g_array_index(one->alternatives, struct taken, j)};

			g_array_append_val(choices, choice);
		}
	}
	return choices;
}

/* How many calls ago its rank made it, from 1; 0: not known. */
static guint32 age_of(const struct state_told *told, gint32 rank, guint32 call)
{
	return call > 0 && rank >= 0 && rank < told->ranks ? told->calls[rank] - call + 1 : call;
}

/* By how long ago the calls were made that it is of. */
static struct choice seen_from(const struct state_told *told, const struct choice *choice)
{
	struct choice seen = *choice;
	struct op_id *send = &seen.taken.send;

	if (seen.point.kind == POINT_CALL)
		seen.point.call = age_of(told, seen.point.rank, seen.point.call);
	if (seen.taken.kind == TAKEN_MESSAGE)
		send->call = age_of(told, send->rank, send->call);
	return seen;
}

static struct state_hash name_of_choice(const struct choice *choice)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	struct state_hash name = {{0, 0}};

	point_put(bytes, &choice->point);
	taken_put(bytes, &choice->taken);
	state_hash_add_bytes(&name, bytes->data, bytes->len);
	return name;
}

static struct state_hash name_of_all(const struct state_told *told, const GArray *choices)
{
	struct state_hash sum = {{choices->len, 0}};

	for (guint i = 0; i < choices->len; i++) {
		struct choice seen = seen_from(told, &g_array_index(choices, struct choice, i));
		struct state_hash one = name_of_choice(&seen);

		state_hash_add_member(&sum, &one);
	}
	return sum;
}

/* Goes on with the last of these, and keeps the others; `choices` is taken over. */
static struct choice go_on(struct state_search *search, GArray *choices)
{
	struct choice first = g_array_index(choices, struct choice, choices->len - 1);
	struct waiting waiting = {step_hold(search->here), choices};

	g_array_set_size(choices, choices->len - 1);
	search->statistics.waiting += choices->len;
	if (choices->len > 0)
		g_array_append_val(search->waiting, waiting);
	else
		waiting_clear(&waiting);
	return first;
}

/* From the last known state the last choice has led to this one; does it always? */
static void note_step(struct state_search *search, const struct state_hash *to)
{
	struct state_hash choice;
	struct edge *edge;
	const struct edge *known;

	if (!search->verify || !search->last || !search->here)
		return;
	choice = name_of_choice(&search->made);
	edge = g_new0(struct edge, 1);
	edge->from = search->last->name;
	state_hash_add(&edge->from, choice.word[0]);
	state_hash_add(&edge->from, choice.word[1]);
	edge->to = *to;
	known = g_hash_table_lookup(search->steps, &edge->from);
	if (!known) {
		g_hash_table_insert(search->steps, edge, edge);
		return;
	}
	if (state_hash_equal(&known->to, to))
		search->statistics.verified++;
	else
		search->statistics.differed++;
	g_free(edge);
}

static void move(struct state_search *search, const struct state_told *told,
                 const struct node *node, const struct choice *choice)
{
	search->last = node;
	search->here = step_new(search->here, choice);
	if (node)
		search->made = seen_from(told, choice);
}

/* NULL: it is not to be known again. */
static enum explorer_step visit(struct state_search *search, const struct state_told *told,
                                GArray *choices, struct choice *ret_choice)
{
	struct node *node = NULL;

	search->statistics.states++;
	if (told) {
		node = g_new0(struct node, 1);
		node->name = told->name;
		node->way = step_hold(search->here);
		node->offered = name_of_all(told, choices);
		g_hash_table_add(search->nodes, node);
	}
	*ret_choice = go_on(search, choices);
	if (node)
		node->first = seen_from(told, ret_choice);
	move(search, told, node, ret_choice);
	return EXPLORER_TAKE;
}

/* false: there is nothing like it. */
static bool find_choice(const struct state_told *told, const GArray *choices,
                        const struct choice *first, struct choice *ret_choice)
{
	for (guint i = 0; i < choices->len; i++) {
		struct choice seen;

		*ret_choice = g_array_index(choices, struct choice, i);
		seen = seen_from(told, ret_choice);
		if (choice_equal(&seen, first))
			return true;
	}
	return false;
}

/* In a state that is known. By the way by which it was found, it is the world that was there first,
 * begun again. */
static enum explorer_step come_again(struct state_search *search, const struct state_told *told,
                                     const struct node *node, GArray *choices,
                                     struct choice *ret_choice)
{
	bool same = way_equal(node->way, search->here), found;
	struct state_hash offered;

	if (!same && way_begins_with(search->here, node->way)) {
		search->statistics.circles++;
		return visit(search, NULL, choices, ret_choice);
	}
	if (!same && !search->known) {
		search->statistics.merged++;
		search->known = true;
	}
	offered = name_of_all(told, choices);
	found = find_choice(told, choices, &node->first, ret_choice);
	g_array_unref(choices);
	if (!same && !search->verify)
		return EXPLORER_DROP;
	if (!found || !state_hash_equal(&offered, &node->offered)) {
		search->statistics.differed++;
		return EXPLORER_DROP;
	}
	move(search, told, node, ret_choice);
	return EXPLORER_TAKE;
}

enum explorer_step state_search_rest(struct state_search *search, const struct state_told *told,
                                     const GArray *open, struct choice *ret_choice)
{
	const struct node *node;
	GArray *choices;

	if (open->len == 0)
		return EXPLORER_DONE;
	choices = choices_of(open);
	for (guint i = 0; i < open->len; i++)
		search->statistics.sets_left |= g_array_index(open, struct open_choice, i).more;
	if (told)
		note_step(search, &told->name);
	else
		search->statistics.nameless++;
	node = told ? g_hash_table_lookup(search->nodes, &told->name) : NULL;
	return node ? come_again(search, told, node, choices, ret_choice)
	            : visit(search, told, choices, ret_choice);
}

bool state_search_end(struct state_search *search, const struct state_hash *outcome)
{
	note_step(search, outcome);
	if (!g_hash_table_add(search->ends, g_memdup2(outcome, sizeof(*outcome)))) {
		search->statistics.merged += !search->known;
		return false;
	}
	search->statistics.states++;
	search->statistics.ends++;
	return true;
}

void state_search_statistics(const struct state_search *search, struct state_statistics *ret)
{
	*ret = search->statistics;
}
