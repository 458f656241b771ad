#include "state_search.h"

#include "saved_states.h"

/* A state that is known. */
struct node {
	struct state_hash name;
	struct choice_list *list;  /* held; NULL: the beginning */
	struct state_hash offered; /* of all that is open there, by how far off its calls are */
	struct choice first;       /* that was made there first, likewise */
};

/* What is to be tried at a node yet. */
struct waiting {
	struct choice_list *list;
	GArray *choices;                 /* struct choice; the last one is next; never empty */
	const struct saved_state *saved; /* the end of that way, if an earlier search was there */
};

struct edge;

struct state_search {
	bool verify;
	bool begun;
	GHashTable *nodes;         /* set of struct node, by name */
	GHashTable *ends;          /* set of struct state_hash */
	GHashTable *steps;         /* verify: struct edge, the set of those known */
	GArray *waiting;           /* struct waiting, the next one last */
	GArray *known_before;      /* the same, before these: what an earlier search has visited */
	struct saved_state *saved; /* that search; NULL: there was none */
	const struct saved_state
		*from; /* of it, where the last choice on `here` was made; NULL: no part */
	const struct saved_state *at; /* and where it led */
	struct choice_list *here;     /* the way of the world that runs */
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

/* --- beginning and end ------------------------------------------------------------------------ */

static void node_free(gpointer pointer)
{
	struct node *node = pointer;

	choice_list_let_go(node->list);
	g_free(node);
}

static void waiting_clear(gpointer pointer)
{
	struct waiting *waiting = pointer;

	choice_list_let_go(waiting->list);
	g_array_unref(waiting->choices);
}

struct state_search *state_search_new(bool verify)
{
	struct state_search *search = g_new0(struct state_search, 1);

	search->verify = verify;
	search->nodes = g_hash_table_new_full(state_key_hash, state_key_equal, node_free, NULL);
	search->ends = g_hash_table_new_full(state_key_hash, state_key_equal, g_free, NULL);
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
	choice_list_let_go(search->here);
	g_array_unref(search->waiting);
	g_array_unref(search->known_before);
	saved_states_free(search->saved);
	g_hash_table_destroy(search->steps);
	g_hash_table_destroy(search->ends);
	g_hash_table_destroy(search->nodes);
	g_free(search);
}

/* --- the next world --------------------------------------------------------------------------- */

/* The last choice was made at `from`, and has led to `at`. */
static void follow_saved(struct state_search *search, const struct saved_state *from,
                         const struct saved_state *at)
{
	search->from = from;
	search->at = at && at->kind == SAVED_STATES_VISITED ? at : NULL;
}

/* `way` is taken over. */
static void take_place(struct state_search *search, struct choice_list *list,
                       const struct saved_state *from, const struct saved_state *at)
{
	choice_list_let_go(search->here);
	search->here = list;
	follow_saved(search, from, at);
	search->last = NULL;
	search->known = false;
}

GArray *state_search_next(struct state_search *search)
{
	GArray *all = search->known_before->len > 0 ? search->known_before : search->waiting;
	struct waiting *top;
	struct choice choice;

	if (!search->begun) {
		search->begun = true;
		take_place(search, NULL, NULL, search->saved);
		return g_array_new(false, false, sizeof(struct choice));
	}
	if (all->len == 0)
		return NULL;
	top = &g_array_index(all, struct waiting, all->len - 1);
	choice = g_array_index(top->choices, struct choice, top->choices->len - 1);
	take_place(search, choice_list_new(choice_list_hold(top->list), &choice), top->saved,
	           saved_states_after(top->saved, &choice));
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

	if (!search->here) {
		search->begun = false;
		return;
	}
	waiting = (struct waiting){choice_list_hold(search->here->before),
	                           g_array_new(false, false, sizeof(struct choice)), search->from};
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
	else if (seen.point.kind == POINT_LOCK)
		seen.point.call = 0; /* one grant of each is open at a time */
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

/* Keeps these for later, if there are any; `choices` is taken over. */
static void put_off(struct state_search *search, GArray *all, GArray *choices)
{
	struct waiting waiting = {choice_list_hold(search->here), choices, search->at};

	search->statistics.waiting += choices->len;
	if (choices->len > 0)
		g_array_append_val(all, waiting);
	else
		waiting_clear(&waiting);
}

/* Of what an earlier search has visited nothing is gone on with but what leads to other such
 * states, and, when all of these have a name again, what it has left; `choices` is taken over. */
static enum explorer_step go_on_as_before(struct state_search *search, GArray *choices,
                                          struct choice *ret_choice)
{
	GArray *visited = g_array_new(false, false, sizeof(struct choice));
	GArray *left = g_array_new(false, false, sizeof(struct choice));
	bool goes_on;

	for (guint i = 0; i < choices->len; i++) {
		struct choice choice = g_array_index(choices, struct choice, i);
		const struct saved_state *next = saved_states_after(search->at, &choice);

		if (next)
			g_array_append_val(next->kind == SAVED_STATES_VISITED ? visited : left,
			                   choice);
	}
	search->statistics.missed += search->at->next->len - visited->len - left->len;
	g_array_unref(choices);
	goes_on = visited->len > 0;
	if (goes_on) {
		*ret_choice = g_array_index(visited, struct choice, visited->len - 1);
		g_array_set_size(visited, visited->len - 1);
	}
	put_off(search, search->waiting, left);
	put_off(search, search->known_before, visited);
	return goes_on ? EXPLORER_TAKE : EXPLORER_DROP;
}

/* Goes on with the last of these, and keeps the others; `choices` is taken over. */
static enum explorer_step go_on(struct state_search *search, GArray *choices,
                                struct choice *ret_choice)
{
	if (search->at)
		return go_on_as_before(search, choices, ret_choice);
	*ret_choice = g_array_index(choices, struct choice, choices->len - 1);
	g_array_set_size(choices, choices->len - 1);
	put_off(search, search->waiting, choices);
	return EXPLORER_TAKE;
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
	follow_saved(search, search->at, saved_states_after(search->at, choice));
	search->here = choice_list_new(search->here, choice);
	if (node)
		search->made = seen_from(told, choice);
}

/* NULL: it is not to be known again. */
static enum explorer_step visit(struct state_search *search, const struct state_told *told,
                                GArray *choices, struct choice *ret_choice)
{
	enum explorer_step step;
	struct node *node = NULL;

	search->statistics.states += !search->at;
	if (told) {
		node = g_new0(struct node, 1);
		node->name = told->name;
		node->list = choice_list_hold(search->here);
		node->offered = name_of_all(told, choices);
		g_hash_table_add(search->nodes, node);
	}
	*ret_choice = g_array_index(choices, struct choice, choices->len - 1);
	step = go_on(search, choices, ret_choice);
	if (node)
		node->first = seen_from(told, ret_choice);
	if (step == EXPLORER_TAKE)
		move(search, told, node, ret_choice);
	return step;
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
	bool same = choice_list_equal(node->list, search->here), found;
	struct state_hash offered;

	if (!same && choice_list_begins_with(search->here, node->list)) {
		search->statistics.circles++;
		return visit(search, NULL, choices, ret_choice);
	}
	if (!same && !search->known) {
		search->statistics.merged += !search->at;
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

	if (open->len == 0) {
		search->statistics.missed += search->at ? search->at->next->len : 0;
		return EXPLORER_DONE;
	}
	choices = choices_of(open);
	for (guint i = 0; i < open->len; i++)
		search->statistics.sets_left |= g_array_index(open, struct open_choice, i).more;
	if (told)
		note_step(search, &told->name);
	else
		search->statistics.nameless += !search->at;
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

/* --- to go on later --------------------------------------------------------------------------- */

static void write_waiting(struct saved_states_writer *writer, const GArray *all)
{
	for (guint i = 0; i < all->len; i++) {
		const struct waiting *waiting = &g_array_index(all, struct waiting, i);

		for (guint j = 0; j < waiting->choices->len; j++) {
			const struct choice *choice = &g_array_index(waiting->choices,
			                                             struct choice, j);

			saved_states_write_waiting(writer, waiting->list, choice,
			                           saved_states_after(waiting->saved, choice));
		}
	}
}

static GVariant *save_ends(const struct state_search *search)
{
	GVariantBuilder builder;
	GHashTableIter iter;
	gpointer end;

	g_variant_builder_init(&builder, G_VARIANT_TYPE("a(tt)"));
	g_hash_table_iter_init(&iter, search->ends);
	while (g_hash_table_iter_next(&iter, &end, NULL)) {
		const struct state_hash *name = end;

		g_variant_builder_add(&builder, "(tt)", name->word[0], name->word[1]);
	}
	return g_variant_builder_end(&builder);
}

GVariant *state_search_save(const struct state_search *search)
{
	const struct state_statistics *has = &search->statistics;
	struct saved_states_writer *writer = saved_states_writer_new();
	GHashTableIter iter;
	gpointer node;

	g_hash_table_iter_init(&iter, search->nodes);
	while (g_hash_table_iter_next(&iter, &node, NULL))
		saved_states_write_visited(writer, ((const struct node *)node)->list);
	write_waiting(writer, search->known_before);
	write_waiting(writer, search->waiting);
	if (!search->begun && search->saved)
		saved_states_write_all(writer, search->saved);
	return g_variant_ref_sink(g_variant_new(
		"(b(tttttt)b@a(tt)@" SAVED_STATES_TYPE ")", search->begun || search->saved,
		has->states, has->ends, has->nameless, has->circles, has->merged, has->missed,
		has->sets_left, save_ends(search), saved_states_writer_end(writer)));
}

static void read_ends(struct state_search *search, GVariant *ends)
{
	struct state_hash name;
	GVariantIter iter;

	g_variant_iter_init(&iter, ends);
	while (g_variant_iter_next(&iter, "(tt)", &name.word[0], &name.word[1]))
		g_hash_table_add(search->ends, g_memdup2(&name, sizeof(name)));
}

bool state_search_restore(struct state_search *search, GVariant *saved)
{
	struct state_statistics *has = &search->statistics;
	g_autoptr(GVariant) ends = NULL, lists = NULL;
	gboolean begun, sets_left; /* GVariant */

	g_variant_get(saved, "(b(tttttt)b@a(tt)@" SAVED_STATES_TYPE ")", &begun, &has->states,
	              &has->ends, &has->nameless, &has->circles, &has->merged, &has->missed,
	              &sets_left, &ends, &lists);
	has->sets_left = sets_left;
	read_ends(search, ends);
	if (!begun)
		return true;
	search->saved = saved_states_load(lists);
	search->begun = search->saved
	                && !saved_states_waits(search->saved); /* then nothing is left */
	return search->saved != NULL;
}
