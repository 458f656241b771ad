#include "minimize.h"

#include <string.h>

#include "../explorer/ddmin.h"
#include "session_internal.h"

/* What one try showed. */
struct
try {
	gboolean ended;          /* the path was followed to an end */
	gboolean shows;          /* the finding */
	gboolean well;           /* it ended well: the finding is not in it */
	GArray *made;            /* struct choice: all that were */
	GPtrArray *alternatives; /* for each, the others (GArray of struct op_id) */
};

struct search {
	struct session *session;
	struct minimize *minimize;
	enum buffering buffering;
	struct record_finding *finding; /* what is looked for */
	char *key;
	struct outcomes *outcomes; /* outcome-differs: with the reference and the target */
	guint target;
	gboolean again;       /* it is the reference's interleaving again: what varies by itself? */
	GHashTable *known;    /* path to whether it shows the finding: nothing is tried twice */
	const GArray *things; /* of which ddmin keeps some */
	gboolean wants_well;  /* ddmin is to keep what ends well */
};

static void try_clear(struct try *try)
{
	g_clear_pointer(&try->made, g_array_unref);
	g_clear_pointer(&try->alternatives, g_ptr_array_unref);
}

static gboolean may_go_on(const struct search *search)
{
	const struct session *session = search->session;

	return !session->error && !session->stop_reason
	       && search->minimize->tries < search->minimize->tries_most;
}

/* As the path has it; with the other buffering, which may be tried besides, its own. */
static enum collective_mode collectives_of(const struct search *search, enum buffering buffering)
{
	const struct path *path = search->minimize->path;

	if (buffering == path->buffering || buffering == BUFFERING_ANY)
		return path->collectives;
	return COLLECTIVES_ANY;
}

static char *print(const struct search *search, const GArray *choices, enum buffering buffering)
{
	struct path path = {search->session->options->ranks, buffering,
	                    collectives_of(search, buffering), (GArray *)choices};

	return path_print(&path);
}

/* --- looking at an interleaving --- */

static struct record_finding *shown(const struct execution *execution, const char *key)
{
	for (guint i = 0; i < execution->findings->len; i++) {
		g_autofree char *other = record_finding_key(execution->findings->pdata[i]);

		if (g_str_equal(key, other))
			return execution->findings->pdata[i];
	}
	return NULL;
}

/* The index of the outcome that it left, as far as outcomes are compared. */
static guint outcome_of(struct search *search, const struct execution *execution)
{
	GPtrArray *texts = session_texts(search->session, execution->record);
	g_autoptr(GArray) choices = world_told_choices(execution->world);
	guint index = 0;

	if (search->again)
		outcomes_check(search->outcomes, 0, texts);
	else
		index = outcomes_add(search->outcomes, texts, execution->record, choices);
	session_texts_free(texts);
	return index == OUTCOMES_NONE ? index : outcomes_stands_for(search->outcomes, index);
}

struct looking {
	struct search *search;
	struct try *try;
};

static void look(struct session *session, void *data)
{
	struct looking *looking = data;
	struct search *search = looking->search;
	struct try *try = looking->try;
	const struct execution *execution = session->current;
	const struct world *world = execution->world;

	if (!execution->record || execution->cut_short || execution->lost
	    || execution->state != EXECUTION_OVER)
		return;
	try->ended = TRUE;
	try->made = world_told_choices(world);
	try->alternatives = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (guint i = 0; i < world_choices(world)->len; i++) {
		if (world_choice_is_told(world, i))
			g_ptr_array_add(try->alternatives,
			                g_array_copy((GArray *)world_alternatives(world, i)));
	}
	if (search->outcomes) {
		guint outcome = execution->ended_well ? outcome_of(search, execution)
		                                      : OUTCOMES_NONE;

		try->shows = outcome != OUTCOMES_NONE
		             && outcome == outcomes_stands_for(search->outcomes, search->target);
		try->well = outcome == 0;
	} else if (search->key) {
		try->shows = shown(execution, search->key) != NULL;
		try->well = execution->ended_well && !try->shows;
	} else if (execution->findings->len > 0) { /* the first time: this is the finding */
		struct record_finding *first = execution->findings->pdata[0];

		search->finding = record_finding_new(first->kind);
		search->key = record_finding_key(first);
		try->shows = TRUE;
	}
}

static struct try attempt(struct search *search, const GArray *choices)
{
	struct try try = {0};
	struct looking looking = {search, &try};

	search->minimize->tries++;
	session_follow(search->session, choices, search->buffering, look, &looking);
	return try;
}

/* --- the fewest choices --- */

static GArray *chosen(const GArray *things, const GArray *kept)
{
	GArray *choices = g_array_new(FALSE, FALSE, sizeof(struct choice));

	for (guint i = 0; i < kept->len; i++) {
		guint index = g_array_index(kept, guint, i);

		g_array_append_val(choices, g_array_index(things, struct choice, index));
	}
	return choices;
}

static gboolean still(const GArray *kept, gpointer user)
{
	struct search *search = user;
	g_autoptr(GArray) choices = chosen(search->things, kept);
	char *text = print(search, choices, search->buffering);
	gpointer known;
	struct try try;
	gboolean result;

	if (g_hash_table_lookup_extended(search->known, text, NULL, &known)) {
		g_free(text);
		return GPOINTER_TO_INT(known);
	}
	if (!may_go_on(search)) {
		search->minimize->cut = TRUE;
		g_free(text);
		return FALSE;
	}
	try = attempt(search, choices);
	result = search->wants_well ? try.well : try.shows;
	try_clear(&try);
	g_hash_table_insert(search->known, text, GINT_TO_POINTER(result));
	return result;
}

/* Of these choices, as few as do it alone. */
static GArray *least(struct search *search, const GArray *things, gboolean wants_well)
{
	g_autoptr(GArray) kept = NULL;

	search->things = things;
	search->wants_well = wants_well;
	g_hash_table_remove_all(search->known);
	kept = ddmin(things->len, still, search);
	return chosen(things, kept);
}

static gboolean names(const GArray *choices, struct op_id point)
{
	for (guint i = 0; i < choices->len; i++) {
		if (op_id_equal(g_array_index(choices, struct choice, i).point, point))
			return TRUE;
	}
	return FALSE;
}

/* --- the interleaving that ends well --- */

/* The choices made before the one with this index, or of them those that are forced. */
static GArray *beginning(const GArray *made, guint index, const GArray *forced)
{
	GArray *choices = g_array_new(FALSE, FALSE, sizeof(struct choice));

	for (guint i = 0; i < index; i++) {
		struct choice choice = g_array_index(made, struct choice, i);

		if (!forced || names(forced, choice.point))
			g_array_append_val(choices, choice);
	}
	return choices;
}

static gboolean same(const struct choice *one, const struct choice *other)
{
	return op_id_equal(one->point, other->point)
	       && session_choice_key(one) == session_choice_key(other);
}

/* Whether this ends well by way of the same choices up to `index`, and of another there. */
static gboolean goes_well(struct search *search, const struct try *bad, guint index,
                          const GArray *choices)
{
	struct try try = attempt(search, choices);
	gboolean well = try.well && try.made->len > index;

	for (guint i = 0; i <= index && well; i++)
		well = same(&g_array_index(try.made, struct choice, i),
		            &g_array_index(bad->made, struct choice, i))
		       == (i < index);
	try_clear(&try);
	return well;
}

/* Makes one choice otherwise, and leaves what comes after it to the default; NULL: that does not
 * end well. */
static GArray *otherwise(struct search *search, const struct try *bad, guint index,
                         struct op_id taken, const GArray *forced)
{
	struct choice other = {g_array_index(bad->made, struct choice, index).point, taken};
	GArray *choices = beginning(bad->made, index, forced);

	g_array_append_val(choices, other);
	if (goes_well(search, bad, index, choices))
		return choices;
	g_array_unref(choices);
	return NULL;
}

static GArray *one_otherwise(struct search *search, const struct try *bad, const GArray *forced)
{
	for (int pass = 0; pass < 2; pass++) {
		for (guint i = bad->made->len; i-- > 0;) {
			const GArray *others = bad->alternatives->pdata[i];
			struct op_id point = g_array_index(bad->made, struct choice, i).point;

			if (names(forced, point) != (pass == 0))
				continue;
			for (guint j = 0; j < others->len && may_go_on(search); j++) {
				struct op_id taken = g_array_index(others, struct op_id, j);
				GArray *good = otherwise(search, bad, i, taken, forced);

				if (good)
					return good;
			}
		}
	}
	return NULL;
}

static guint common_beginning(const GArray *one, const GArray *other)
{
	guint i = 0;

	while (i < one->len && i < other->len
	       && same(&g_array_index(one, struct choice, i),
	               &g_array_index(other, struct choice, i)))
		i++;
	return i;
}

/* Of those that are known to end well the one that is like it the longest, cut down. */
static GArray *nearest(struct search *search, const struct try *bad)
{
	const struct path *best = search->minimize->reference;
	guint longest = 0;
	struct try try;
	gboolean well;

	for (guint i = 0; search->minimize->well && i < search->minimize->well->len; i++) {
		const struct path *path = search->minimize->well->pdata[i];
		guint common = common_beginning(bad->made, path->choices);

		if (path->buffering != search->buffering || (best && common <= longest))
			continue;
		best = path;
		longest = common;
	}
	if (!best || !may_go_on(search))
		return NULL;
	try = attempt(search, best->choices);
	well = try.well;
	try_clear(&try);
	return well ? least(search, best->choices, TRUE) : NULL;
}

/* In how many choices that are forced `good` differs from what was made in the bad one. */
static guint differences(const GArray *good, const struct try *bad)
{
	guint count = 0;

	for (guint i = 0; i < good->len; i++) {
		gboolean found = FALSE;

		for (guint j = 0; j < bad->made->len && !found; j++)
			found = same(&g_array_index(good, struct choice, i),
			             &g_array_index(bad->made, struct choice, j));
		count += !found;
	}
	return count;
}

/* --- in the end --- */

struct keeping {
	struct search *search;
	const char *path;
	gboolean well;
};

static void put_path(char **path, const char *text)
{
	g_free(*path);
	*path = g_strdup(text);
}

/* The choices that the path forces, as they are told. */
static void tell_forced(struct minimize *minimize, const struct record_execution *record)
{
	minimize->forced = g_ptr_array_new_with_free_func((GDestroyNotify)record_choice_free);
	for (guint i = 0; i < record->choices->len; i++) {
		const struct record_choice *choice = record->choices->pdata[i];
		struct op_id point = {choice->rank, choice->call, choice->sub};

		if (names(minimize->least->choices, point))
			g_ptr_array_add(minimize->forced, record_choice_copy(choice));
	}
}

/* The record tells the path by the forced choices alone, and of nothing but what is looked for. */
static void shorten(struct session *session, void *data)
{
	struct keeping *keeping = data;
	struct minimize *minimize = keeping->search->minimize;
	struct execution *execution = session->current;
	const struct record_finding *finding = NULL;

	if (!execution->record || execution->lost || execution->cut_short)
		return;
	if (keeping->search->key)
		finding = shown(execution, keeping->search->key);
	for (guint i = execution->findings->len; i-- > 0;) {
		if (execution->findings->pdata[i] != finding)
			g_ptr_array_remove_index(execution->findings, i);
		else
			put_path(&((struct record_finding *)finding)->path, keeping->path);
	}
	put_path(&execution->record->path, keeping->path);
	execution->record->status = finding ? finding->kind : g_intern_string("ok");
	if (!keeping->well)
		tell_forced(minimize, execution->record);
}

static void keep(struct search *search, const struct path *path, gboolean well)
{
	g_autofree char *text = path_print(path);
	struct keeping keeping = {search, text, well};

	session_follow_and_keep(search->session, path->choices,
	                        path->buffering == BUFFERING_ANY ? search->buffering
	                                                         : path->buffering,
	                        shorten, &keeping);
}

static struct path *path_of(const struct search *search, GArray *choices, enum buffering buffering)
{
	struct path *path = path_new(search->session->options->ranks, buffering,
	                             collectives_of(search, buffering));

	g_array_append_vals(path->choices, choices->data, choices->len);
	return path;
}

/* Whether any buffering will do: then the path names none. */
static enum buffering buffering_needed(struct search *search, const GArray *choices)
{
	enum buffering own = search->buffering;
	struct try try;
	gboolean both;

	if (search->minimize->path->buffering != BUFFERING_ANY || own != BUFFERING_ZERO
	    || !may_go_on(search))
		return own;
	search->buffering = BUFFERING_INFINITE;
	try = attempt(search, choices);
	both = try.shows;
	try_clear(&try);
	search->buffering = own;
	return both ? BUFFERING_ANY : own;
}

static void conclude(struct search *search, GArray *forced, GArray *good)
{
	struct minimize *minimize = search->minimize;

	minimize->least = path_of(search, forced, buffering_needed(search, forced));
	if (good)
		minimize->good = path_of(search, good, search->buffering);
	/* Outcomes are compared with the first. */
	if (search->outcomes)
		keep(search, minimize->good ? minimize->good : minimize->reference, TRUE);
	keep(search, minimize->least, FALSE);
	if (!search->outcomes && minimize->good)
		keep(search, minimize->good, TRUE);
}

static gboolean learn(struct search *search, const struct path *path)
{
	struct try try;
	gboolean ended;

	search->buffering = path->buffering == BUFFERING_ANY ? BUFFERING_ZERO : path->buffering;
	try = attempt(search, path->choices);
	ended = try.ended;
	try_clear(&try);
	return ended;
}

/* outcome-differs: what the reference and the finding's interleaving leave. */
static gboolean learn_outcomes(struct search *search)
{
	search->outcomes = outcomes_new();
	if (!learn(search, search->minimize->reference) || outcomes_count(search->outcomes) == 0)
		return FALSE;
	search->again = TRUE;
	learn(search, search->minimize->reference);
	search->again = FALSE;
	if (!learn(search, search->minimize->path) || outcomes_count(search->outcomes) < 2)
		return FALSE;
	search->target = outcomes_count(search->outcomes) - 1;
	return outcomes_stands_for(search->outcomes, search->target) != 0;
}

/* Where it needs sends that wait, the same choices may end well when none does. */
static gboolean goes_well_buffered(struct search *search, const GArray *forced)
{
	struct try try;
	gboolean well;

	if (search->buffering != BUFFERING_ZERO || search->outcomes || !may_go_on(search))
		return FALSE;
	search->buffering = BUFFERING_INFINITE;
	try = attempt(search, forced);
	well = try.well;
	try_clear(&try);
	search->buffering = BUFFERING_ZERO;
	return well;
}

static void search_least(struct search *search)
{
	struct minimize *minimize = search->minimize;
	struct try try = attempt(search, minimize->path->choices);
	g_autoptr(GArray) forced = NULL, good = NULL;

	if (!try.ended || !try.shows) {
		minimize->failed = g_strdup(try.ended ? "the path does not show it any more"
		                                      : "the program does not follow the path any "
		                                        "more");
		try_clear(&try);
		return;
	}
	minimize->choices = try.made->len;
	forced = least(search, try.made, FALSE);
	try_clear(&try);
	try = attempt(search, forced);
	if (try.ended && try.shows) {
		good = one_otherwise(search, &try, forced);
		minimize->difference = good ? 1 : 0;
		if (!good && (good = nearest(search, &try)))
			minimize->difference = differences(good, &try);
		if (!good && goes_well_buffered(search, forced))
			minimize->good = path_of(search, forced, BUFFERING_INFINITE);
		conclude(search, forced, good);
	} else {
		minimize->failed = g_strdup("it does not show each time that the same choices are "
		                            "made");
	}
	try_clear(&try);
}

void minimize_conduct(struct session *session, void *data)
{
	struct minimize *minimize = data;
	struct search search = {.session = session, .minimize = minimize};

	search.buffering = minimize->path->buffering == BUFFERING_ANY ? BUFFERING_ZERO
	                                                              : minimize->path->buffering;
	search.known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (minimize->finding && minimize->finding->outcomes->len == 0)
		search.key = record_finding_key(minimize->finding);
	if (minimize->reference && !learn_outcomes(&search))
		minimize->failed = g_strdup("its outcome does not differ from the first any more, "
		                            "in what is compared");
	else
		search_least(&search);
	/* What was cut short shows nothing; that is no failure of the path. */
	if (minimize->failed && session->stop_reason) {
		g_free(minimize->failed);
		minimize->failed = g_strdup(session->stop_reason);
	}
	g_hash_table_destroy(search.known);
	outcomes_free(search.outcomes);
	record_finding_free(search.finding);
	g_free(search.key);
}

void minimize_clear(struct minimize *minimize)
{
	g_clear_pointer(&minimize->failed, g_free);
	g_clear_pointer(&minimize->least, path_free);
	g_clear_pointer(&minimize->good, path_free);
	g_clear_pointer(&minimize->forced, g_ptr_array_unref);
}
