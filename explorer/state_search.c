#include "state_search_internal.h"

/* A choice made in a state leads to another state. */
struct edge {
	struct state_hash from; /* combined with the choice */
	struct state_hash to;
};

/* --- beginning and end ------------------------------------------------------------------------ */

static void node_free(gpointer pointer)
{
	struct node *node = pointer;

	choice_list_unref(node->list);
	g_free(node);
}

static void waiting_clear(gpointer pointer)
{
	struct waiting *waiting = pointer;

	choice_list_unref(waiting->list);
	g_array_unref(waiting->choices);
	g_rc_box_release(waiting->place);
}

struct state_search *state_search_new(bool verify)
{
	struct state_search *search = g_new0(struct state_search, 1);

	search->verify = verify;
	search->nodes = g_hash_table_new_full(state_key_hash, state_key_equal, node_free, NULL);
	search->ends = g_hash_table_new_full(state_key_hash, state_key_equal, g_free, NULL);
	search->graph = state_graph_new();
	search->steps = g_hash_table_new_full(state_key_hash, state_key_equal, g_free, NULL);
	search->waiting = g_array_new(false, false, sizeof(struct waiting));
	g_array_set_clear_func(search->waiting, waiting_clear);
	search->known_before = g_array_new(false, false, sizeof(struct waiting));
	g_array_set_clear_func(search->known_before, waiting_clear);
	return search;
}

void state_search_free(struct state_search *search)
{
	if (!search)
		return;
	choice_list_unref(search->here);
	g_array_unref(search->waiting);
	g_array_unref(search->known_before);
	saved_states_free(search->saved);
	if (search->place)
		g_rc_box_release(search->place);
	state_graph_free(search->graph);
	g_hash_table_destroy(search->steps);
	g_hash_table_destroy(search->ends);
	g_hash_table_destroy(search->nodes);
	g_free(search);
}

/* --- choices as they are seen from a state ---------------------------------------------------- */

/* How many calls before the rank's last one, counted from 1; 0: not known. */
static guint32 age_of(const guint32 *calls, int ranks, gint32 rank, guint32 call)
{
	return call > 0 && rank >= 0 && rank < ranks ? calls[rank] - call + 1 : call;
}

/* The choice with relative call numbers: counted back from the last call of each rank. */
static struct choice seen_from(const guint32 *calls, int ranks, const struct choice *choice)
{
	struct choice seen = *choice;
	struct op_id *send = &seen.taken.send;

	if (seen.point.kind == POINT_CALL)
		seen.point.call = age_of(calls, ranks, seen.point.rank, seen.point.call);
	else if (seen.point.kind == POINT_LOCK)
		seen.point.call = 0; /* only one grant of each lock is open at a time */
	if (seen.taken.kind == TAKEN_MESSAGE)
		send->call = age_of(calls, ranks, send->rank, send->call);
	return seen;
}

/* --- the next world --------------------------------------------------------------------------- */

/* The last choice was made at `from` and has led to `at`. */
static void follow_saved(struct state_search *search, const struct saved_state *from,
                         const struct saved_state *at)
{
	search->from = from;
	search->at = at && at->kind == SAVED_STATES_VISITED ? at : NULL;
}

static void stand_at(struct state_search *search, struct place *place, const struct choice *made)
{
	struct place *before = search->place;

	search->place = place ? g_rc_box_acquire(place) : NULL;
	if (place)
		search->made = seen_from(place->calls, place->ranks, made);
	if (before)
		g_rc_box_release(before);
}

/* Takes ownership of `list`. `place`: where its last choice is made. */
static void begin_at(struct state_search *search, struct choice_list *list, struct place *place,
                     const struct saved_state *from, const struct saved_state *at)
{
	stand_at(search, place, list ? &list->choice : NULL);
	choice_list_unref(search->here);
	search->here = list;
	follow_saved(search, from, at);
	search->last = NULL;
	search->known = false;
	search->struck = search->left = false;
}

GArray *state_search_next(struct state_search *search)
{
	GArray *all = search->known_before->len > 0 ? search->known_before : search->waiting;
	struct waiting *top;
	struct choice choice;

	if (!search->begun) {
		search->begun = true;
		begin_at(search, NULL, NULL, NULL, search->saved);
		return g_array_new(false, false, sizeof(struct choice));
	}
	if (all->len == 0)
		return NULL;
	top = &g_array_index(all, struct waiting, all->len - 1);
	choice = g_array_index(top->choices, struct choice, top->choices->len - 1);
	begin_at(search, choice_list_new(choice_list_ref(top->list), &choice), top->place,
	         top->saved, saved_states_after(top->saved, &choice));
	search->statistics.waiting--;
	if (top->choices->len > 1)
		g_array_set_size(top->choices, top->choices->len - 1);
	else
		g_array_set_size(all, all->len - 1);
	return choice_list_choices(search->here);
}

void state_search_cut(struct state_search *search)
{
	struct waiting waiting;

	if (search->left) /* all that comes after it waits already */
		return;
	if (!search->here) {
		search->begun = false;
		return;
	}
	waiting = (struct waiting){choice_list_ref(search->here->before),
	                           g_array_new(false, false, sizeof(struct choice)),
	                           g_rc_box_acquire(search->place), search->from};
	g_array_append_val(waiting.choices, search->here->choice);
	g_array_append_val(search->at ? search->known_before : search->waiting, waiting);
	search->statistics.waiting++;
}

static bool waiting_needs(const GArray *all, const GArray *choices)
{
	for (guint i = all->len; i-- > 0;) {
		const struct choice_list *list = g_array_index(all, struct waiting, i).list;
		guint found = 0;

		if (choices->len > (list ? list->depth : 0))
			continue;
		while (found < choices->len
		       && choice_list_contains(list, &g_array_index(choices, struct choice, found)))
			found++;
		if (found == choices->len)
			return true;
	}
	return false;
}

bool state_search_needs(const struct state_search *search, const GArray *choices)
{
	return waiting_needs(search->known_before, choices)
	       || waiting_needs(search->waiting, choices);
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

/* All open choices in reverse order, so that the first one is the next. */
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

static struct state_hash name_of_choice(const struct choice *choice)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	struct state_hash name = {{0, 0}};

	point_put(bytes, &choice->point);
	taken_put(bytes, &choice->taken);
	state_hash_add_bytes(&name, bytes->data, bytes->len);
	return name;
}

static struct state_hash name_of_all(const struct known_state *state, const GArray *choices)
{
	struct state_hash sum = {{choices->len, 0}};

	for (guint i = 0; i < choices->len; i++) {
		struct choice seen = seen_from(state->calls, state->ranks,
		                               &g_array_index(choices, struct choice, i));
		struct state_hash one = name_of_choice(&seen);

		state_hash_add_member(&sum, &one);
	}
	return sum;
}

/* Keeps these choices for later, if there are any. Takes ownership of `choices`. */
static void postpone(struct state_search *search, GArray *all, GArray *choices, struct place *place)
{
	struct waiting waiting = {choice_list_ref(search->here), choices, g_rc_box_acquire(place),
	                          search->at};

	search->statistics.waiting += choices->len;
	if (choices->len > 0)
		g_array_append_val(all, waiting);
	else
		waiting_clear(&waiting);
}

/* In a state that an earlier search has visited, only choices that lead to other such states are
 * made. When all of these have a fingerprint again, what it left is next. Takes ownership of
 * `choices`. */
static enum explorer_step continue_saved(struct state_search *search, GArray *choices,
                                         struct place *place, struct choice *ret_choice)
{
	GArray *visited = g_array_new(false, false, sizeof(struct choice));
	GArray *left = g_array_new(false, false, sizeof(struct choice));
	bool any_visited;

	for (guint i = 0; i < choices->len; i++) {
		struct choice choice = g_array_index(choices, struct choice, i);
		const struct saved_state *next = saved_states_after(search->at, &choice);

		if (next)
			g_array_append_val(next->kind == SAVED_STATES_VISITED ? visited : left,
			                   choice);
	}
	search->statistics.missed += search->at->next->len - visited->len - left->len;
	g_array_unref(choices);
	any_visited = visited->len > 0;
	if (any_visited) {
		*ret_choice = g_array_index(visited, struct choice, visited->len - 1);
		g_array_set_size(visited, visited->len - 1);
	}
	postpone(search, search->waiting, left, place);
	postpone(search, search->known_before, visited, place);
	return any_visited ? EXPLORER_TAKE : EXPLORER_DROP;
}

/* Makes the last of these choices and keeps the others. Takes ownership of `choices`. */
static enum explorer_step continue_here(struct state_search *search, GArray *choices,
                                        struct place *place, struct choice *ret_choice)
{
	if (search->at)
		return continue_saved(search, choices, place, ret_choice);
	*ret_choice = g_array_index(choices, struct choice, choices->len - 1);
	g_array_set_size(choices, choices->len - 1);
	postpone(search, search->waiting, choices, place);
	return EXPLORER_TAKE;
}

/* The last choice has led from the last known state to this one. verify: checks that it always
 * does. */
static void record_step(struct state_search *search, const struct state_hash *to)
{
	struct state_hash choice;
	struct edge *edge;
	const struct edge *known;

	if (!search->verify || !search->last || !search->here || search->left)
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

/* --- the graph -------------------------------------------------------------------------------- */

static struct place *place_new(guint number, const struct known_state *state)
{
	const int ranks = state ? state->ranks : 0;
	struct place *place = g_rc_box_alloc0(sizeof(*place) + (gsize)ranks * sizeof(guint32));

	place->number = number;
	place->ranks = ranks;
	for (int rank = 0; rank < ranks; rank++)
		place->calls[rank] = state->calls[rank];
	return place;
}

/* The last choice has led to this state or end. */
static void connect(struct state_search *search, const struct known_state *state, guint to)
{
	const struct place *from = search->place;
	g_autofree guint32 *calls = NULL;
	const int ranks = from && state ? MIN(from->ranks, state->ranks) : 0;

	if (!from)
		return;
	calls = g_new0(guint32, ranks);
	for (int rank = 0; rank < ranks; rank++)
		calls[rank] = state->calls[rank] - from->calls[rank];
	state_graph_connect(search->graph, from->number, &search->made, to, calls, ranks);
}

/* The number of a state that has not been visited by this process. An earlier search may have, or a
 * world that was started again. */
static guint number_of_new(struct state_search *search, const struct known_state *state,
                           const GArray *choices)
{
	g_autoptr(GArray) seen = g_array_new(false, false, sizeof(struct choice));
	guint number = search->place ? state_graph_after(search->graph, search->place->number,
	                                                 &search->made)
	                             : state_graph_first(search->graph);

	if (number > 0)
		return number;
	if (!state)
		state_graph_blur(search->graph);
	for (guint i = choices->len; i-- > 0;) {
		struct choice choice = g_array_index(choices, struct choice, i);

		if (state)
			choice = seen_from(state->calls, state->ranks, &choice);
		g_array_append_val(seen, choice);
	}
	number = state_graph_add(search->graph, seen);
	connect(search, state, number);
	return number;
}

/* --- a world goes on -------------------------------------------------------------------------- */

static void move(struct state_search *search, const struct node *node, struct place *place,
                 const struct choice *choice)
{
	search->last = node;
	follow_saved(search, search->at, saved_states_after(search->at, choice));
	search->here = choice_list_new(search->here, choice);
	stand_at(search, place, choice);
}

/* `named`: the state has a fingerprint, and is recorded. */
static enum explorer_step visit(struct state_search *search, const struct known_state *state,
                                bool named, GArray *choices, struct choice *ret_choice)
{
	struct place *place = place_new(number_of_new(search, state, choices), state);
	enum explorer_step step;
	struct node *node = NULL;

	search->statistics.states += !search->at;
	if (named) {
		node = g_new0(struct node, 1);
		node->name = state->name;
		node->list = choice_list_ref(search->here);
		node->offered = name_of_all(state, choices);
		node->number = place->number;
		g_hash_table_add(search->nodes, node);
	}
	*ret_choice = g_array_index(choices, struct choice, choices->len - 1);
	step = continue_here(search, choices, place, ret_choice);
	if (node)
		node->first = seen_from(state->calls, state->ranks, ret_choice);
	if (step == EXPLORER_TAKE)
		move(search, node, place, ret_choice);
	g_rc_box_release(place);
	return step;
}

/* False: no open choice is the same. */
static bool find_choice(const struct known_state *state, const GArray *choices,
                        const struct choice *first, struct choice *ret_choice)
{
	for (guint i = 0; i < choices->len; i++) {
		struct choice seen;

		*ret_choice = g_array_index(choices, struct choice, i);
		seen = seen_from(state->calls, state->ranks, ret_choice);
		if (choice_equal(&seen, first))
			return true;
	}
	return false;
}

static void note_known(struct state_search *search)
{
	search->statistics.merged += !search->known && !search->at;
	search->known = true;
}

/* The state is known. If this world made the same choices as the first one there, it is that world,
 * started again. */
static enum explorer_step visit_known(struct state_search *search, const struct known_state *state,
                                      const struct node *node, GArray *choices,
                                      struct choice *ret_choice)
{
	bool same = choice_list_equal(node->list, search->here), found;
	struct state_hash offered;
	struct place *place;

	connect(search, state, node->number);
	if (!same && choice_list_begins_with(search->here, node->list)) {
		search->statistics.circles++;
		return visit(search, state, false, choices, ret_choice);
	}
	if (!same)
		note_known(search);
	offered = name_of_all(state, choices);
	found = find_choice(state, choices, &node->first, ret_choice);
	g_array_unref(choices);
	if (!same && !search->verify)
		return EXPLORER_DROP;
	if (!found || !state_hash_equal(&offered, &node->offered)) {
		search->statistics.differed++;
		return EXPLORER_DROP;
	}
	place = place_new(node->number, state);
	move(search, node, place, ret_choice);
	g_rc_box_release(place);
	return EXPLORER_TAKE;
}

/* Whether such a choice is open depends on the order of others. */
static bool is_unsteady(const struct open_choice *open)
{
	return open->point.kind == POINT_LOCK || open->later || comes_first(open);
}

enum explorer_step state_search_returned(struct state_search *search)
{
	state_graph_blur(search->graph);
	note_known(search);
	return EXPLORER_DROP;
}

void state_search_struck(struct state_search *search)
{
	search->struck = true;
}

/* All choices that an earlier search had left or made here wait for other worlds. */
static void leave_saved(struct state_search *search, const struct known_state *state)
{
	GArray *visited = g_array_new(false, false, sizeof(struct choice));
	GArray *left = g_array_new(false, false, sizeof(struct choice));
	g_autoptr(GArray) all = g_array_new(false, false, sizeof(struct choice));
	struct place *place;

	for (guint i = search->at->next->len; i-- > 0;) {
		const struct saved_state *next = search->at->next->pdata[i];

		g_array_append_val(next->kind == SAVED_STATES_VISITED ? visited : left,
		                   next->choice);
		g_array_append_val(all, next->choice);
	}
	place = place_new(number_of_new(search, state, all), state);
	state_graph_blur(search->graph);
	postpone(search, search->waiting, left, place);
	postpone(search, search->known_before, visited, place);
	g_rc_box_release(place);
	search->at = NULL;
	search->left = true;
}

/* Whether a choice that an earlier search had left or made here is not among these. */
static bool lacks_saved(const struct state_search *search, const GArray *choices)
{
	guint found = 0;

	for (guint i = 0; i < choices->len; i++)
		found += saved_states_after(search->at, &g_array_index(choices, struct choice, i))
		         != NULL;
	return search->at && found < search->at->next->len;
}

enum explorer_step state_search_rest(struct state_search *search, const struct known_state *state,
                                     const GArray *open, struct choice *ret_choice)
{
	const bool named = state && !state->nameless;
	const struct node *node;
	GArray *choices = open->len > 0 ? choices_of(open)
	                                : g_array_new(false, false, sizeof(struct choice));

	if (search->struck && lacks_saved(search, choices))
		leave_saved(search, state);
	if (search->left || open->len == 0) {
		search->statistics.missed += search->at ? search->at->next->len : 0;
		g_array_unref(choices);
		return EXPLORER_DONE;
	}
	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);

		if (is_unsteady(one))
			state_graph_blur(search->graph);
		search->statistics.sets_left |= one->more;
	}
	if (named)
		record_step(search, &state->name);
	else
		search->statistics.nameless += !search->at;
	node = named ? g_hash_table_lookup(search->nodes, &state->name) : NULL;
	return node ? visit_known(search, state, node, choices, ret_choice)
	            : visit(search, state, named, choices, ret_choice);
}

struct end *state_search_end_new(const struct state_hash *name, guint number)
{
	struct end *end = g_new0(struct end, 1);

	end->name = *name;
	end->number = number;
	return end;
}

bool state_search_end(struct state_search *search, const struct state_hash *outcome)
{
	struct end *end = g_hash_table_lookup(search->ends, outcome);
	const bool is_new = !end;

	record_step(search, outcome);
	if (is_new) {
		end = state_search_end_new(outcome, state_graph_add_end(search->graph));
		g_hash_table_add(search->ends, end);
	}
	connect(search, NULL, end->number);
	search->ended = end->number;
	search->statistics.merged += !is_new && !search->known;
	search->statistics.states += is_new;
	search->statistics.ends += is_new;
	return is_new;
}

guint state_search_ended(const struct state_search *search)
{
	return search->ended;
}

enum graph_answer state_search_count(const struct state_search *search, GArray **ret_ends)
{
	return state_graph_count(search->graph, ret_ends);
}

void state_search_statistics(const struct state_search *search, struct state_statistics *ret)
{
	*ret = search->statistics;
}
