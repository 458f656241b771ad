#include "state_search.h"

#include "saved_states.h"

/* A known state. */
struct node {
	struct state_hash name;
	struct choice_list *list;  /* owned reference; NULL: the beginning */
	struct state_hash offered; /* hash of all choices open there, with relative call numbers */
	struct choice first;       /* the choice made there first, with relative call numbers */
};

/* Choices that are still to be made at a node. */
struct waiting {
	struct choice_list *list;
	GArray *choices;                 /* struct choice; the last one is next; never empty */
	const struct saved_state *saved; /* the end of that list, if an earlier search was there */
};

struct edge;

struct state_search {
	bool verify;
	bool begun;
	GHashTable *nodes; /* struct node, by fingerprint */
	GHashTable *ends;  /* struct state_hash */
	GHashTable *steps; /* verify: the known struct edge */
	GArray *waiting;   /* struct waiting, the next one last */
	/* struct waiting, served before `waiting`: visited by an earlier search */
	GArray *known_before;
	struct saved_state *saved; /* the earlier search; NULL: there was none */
	const struct saved_state
		*from; /* in `saved`: where the last choice of `here` was made; NULL: unknown */
	const struct saved_state *at; /* in `saved`: where it led */
	struct choice_list *here;     /* choices of the running world */
	/* the known state in which its last choice was made; NULL: none, or one without
	 * fingerprint */
	const struct node *last;
	struct choice made; /* verify: that choice, with relative call numbers */
	bool known;         /* verify: the world has reached a known state */
	struct state_statistics statistics;
};

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
	choice_list_unref(search->here);
	g_array_unref(search->waiting);
	g_array_unref(search->known_before);
	saved_states_free(search->saved);
	g_hash_table_destroy(search->steps);
	g_hash_table_destroy(search->ends);
	g_hash_table_destroy(search->nodes);
	g_free(search);
}

/* --- the next world --------------------------------------------------------------------------- */

/* The last choice was made at `from` and has led to `at`. */
static void follow_saved(struct state_search *search, const struct saved_state *from,
                         const struct saved_state *at)
{
	search->from = from;
	search->at = at && at->kind == SAVED_STATES_VISITED ? at : NULL;
}

/* Takes ownership of `list`. */
static void begin_at(struct state_search *search, struct choice_list *list,
                     const struct saved_state *from, const struct saved_state *at)
{
	choice_list_unref(search->here);
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
		begin_at(search, NULL, NULL, search->saved);
		return g_array_new(false, false, sizeof(struct choice));
	}
	if (all->len == 0)
		return NULL;
	top = &g_array_index(all, struct waiting, all->len - 1);
	choice = g_array_index(top->choices, struct choice, top->choices->len - 1);
	begin_at(search, choice_list_new(choice_list_ref(top->list), &choice), top->saved,
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
	waiting = (struct waiting){choice_list_ref(search->here->before),
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

/* How many calls before the rank's last one, counted from 1; 0: not known. */
static guint32 age_of(const struct known_state *state, gint32 rank, guint32 call)
{
	return call > 0 && rank >= 0 && rank < state->ranks ? state->calls[rank] - call + 1 : call;
}

/* The choice with relative call numbers: counted back from the last call of each rank. */
static struct choice seen_from(const struct known_state *state, const struct choice *choice)
{
	struct choice seen = *choice;
	struct op_id *send = &seen.taken.send;

	if (seen.point.kind == POINT_CALL)
		seen.point.call = age_of(state, seen.point.rank, seen.point.call);
	else if (seen.point.kind == POINT_LOCK)
		seen.point.call = 0; /* only one grant of each lock is open at a time */
	if (seen.taken.kind == TAKEN_MESSAGE)
		send->call = age_of(state, send->rank, send->call);
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

static struct state_hash name_of_all(const struct known_state *state, const GArray *choices)
{
	struct state_hash sum = {{choices->len, 0}};

	for (guint i = 0; i < choices->len; i++) {
		struct choice seen = seen_from(state, &g_array_index(choices, struct choice, i));
		struct state_hash one = name_of_choice(&seen);

		state_hash_add_member(&sum, &one);
	}
	return sum;
}

/* Keeps these choices for later, if there are any. Takes ownership of `choices`. */
static void postpone(struct state_search *search, GArray *all, GArray *choices)
{
	struct waiting waiting = {choice_list_ref(search->here), choices, search->at};

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
                                         struct choice *ret_choice)
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
	postpone(search, search->waiting, left);
	postpone(search, search->known_before, visited);
	return any_visited ? EXPLORER_TAKE : EXPLORER_DROP;
}

/* Makes the last of these choices and keeps the others. Takes ownership of `choices`. */
static enum explorer_step continue_here(struct state_search *search, GArray *choices,
                                        struct choice *ret_choice)
{
	if (search->at)
		return continue_saved(search, choices, ret_choice);
	*ret_choice = g_array_index(choices, struct choice, choices->len - 1);
	g_array_set_size(choices, choices->len - 1);
	postpone(search, search->waiting, choices);
	return EXPLORER_TAKE;
}

/* The last choice has led from the last known state to this one. verify: checks that it always
 * does. */
static void record_step(struct state_search *search, const struct state_hash *to)
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

static void move(struct state_search *search, const struct known_state *state,
                 const struct node *node, const struct choice *choice)
{
	search->last = node;
	follow_saved(search, search->at, saved_states_after(search->at, choice));
	search->here = choice_list_new(search->here, choice);
	if (node)
		search->made = seen_from(state, choice);
}

/* state NULL: not recorded. */
static enum explorer_step visit(struct state_search *search, const struct known_state *state,
                                GArray *choices, struct choice *ret_choice)
{
	enum explorer_step step;
	struct node *node = NULL;

	search->statistics.states += !search->at;
	if (state) {
		node = g_new0(struct node, 1);
		node->name = state->name;
		node->list = choice_list_ref(search->here);
		node->offered = name_of_all(state, choices);
		g_hash_table_add(search->nodes, node);
	}
	*ret_choice = g_array_index(choices, struct choice, choices->len - 1);
	step = continue_here(search, choices, ret_choice);
	if (node)
		node->first = seen_from(state, ret_choice);
	if (step == EXPLORER_TAKE)
		move(search, state, node, ret_choice);
	return step;
}

/* False: no open choice is the same. */
static bool find_choice(const struct known_state *state, const GArray *choices,
                        const struct choice *first, struct choice *ret_choice)
{
	for (guint i = 0; i < choices->len; i++) {
		struct choice seen;

		*ret_choice = g_array_index(choices, struct choice, i);
		seen = seen_from(state, ret_choice);
		if (choice_equal(&seen, first))
			return true;
	}
	return false;
}

/* The state is known. If this world made the same choices as the first one there, it is that world,
 * started again. */
static enum explorer_step visit_known(struct state_search *search, const struct known_state *state,
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
	offered = name_of_all(state, choices);
	found = find_choice(state, choices, &node->first, ret_choice);
	g_array_unref(choices);
	if (!same && !search->verify)
		return EXPLORER_DROP;
	if (!found || !state_hash_equal(&offered, &node->offered)) {
		search->statistics.differed++;
		return EXPLORER_DROP;
	}
	move(search, state, node, ret_choice);
	return EXPLORER_TAKE;
}

enum explorer_step state_search_rest(struct state_search *search, const struct known_state *state,
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
	if (state)
		record_step(search, &state->name);
	else
		search->statistics.nameless += !search->at;
	node = state ? g_hash_table_lookup(search->nodes, &state->name) : NULL;
	return node ? visit_known(search, state, node, choices, ret_choice)
	            : visit(search, state, choices, ret_choice);
}

bool state_search_end(struct state_search *search, const struct state_hash *outcome)
{
	record_step(search, outcome);
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

/* --- saving ----------------------------------------------------------------------------------- */

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
	gboolean begun, sets_left; /* as GVariant returns them */

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
