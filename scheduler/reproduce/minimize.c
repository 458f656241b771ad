#include "minimize.h"

#include <string.h>

#include "explorer/ddmin.h"
#include "explorer/position.h"
#include "scheduler/session/outcome_finding.h"
#include "scheduler/session/outcomes.h"
#include "scheduler/session/scripted_session.h"

/* The result of one try. */
struct
try {
	bool ended;              /* the path was followed to an end */
	bool starved;            /* memory ran out twice: the try proves nothing */
	bool shows;              /* it shows the finding */
	bool well;               /* it ended well, without the finding */
	GArray *made;            /* struct choice: all that it made */
	GPtrArray *alternatives; /* for each of them, the alternatives (GArray of struct op_id) */
};

struct search {
	struct session *session;
	struct minimize *minimize;
	enum buffering buffering;
	struct record_finding *finding; /* the finding to show */
	char *key;
	struct outcomes *outcomes; /* outcome-differs: with the reference and the target */
	guint target;
	bool again;  /* this try is the reference again, to find what varies by itself */
	bool varies; /* under the target's choices, the line in which it differs */
	struct outcome_difference difference; /* if so: that line; 0: not known yet */
	GHashTable *known;    /* struct position to the result: nothing is tried twice */
	const GArray *things; /* the choices that ddmin reduces */
	bool wants_well;      /* ddmin looks for a good interleaving */
};

static void try_clear(struct try *try)
{
	g_clear_pointer(&try->made, g_array_unref);
	g_clear_pointer(&try->alternatives, g_ptr_array_unref);
}

static bool may_go_on(const struct search *search)
{
	return session_may_go_on(search->session)
	       && search->minimize->tries < search->minimize->tries_most;
}

/* The path's mode; with the other buffering, which may be tried as well, that buffering's
 * default. */
static enum collective_mode collectives_of(const struct search *search, enum buffering buffering)
{
	const struct path *path = search->minimize->path;

	if (buffering == path->buffering || buffering == BUFFERING_ANY)
		return path->collectives;
	return COLLECTIVES_ANY;
}

static struct path *path_of(const struct search *search, const GArray *choices,
                            enum buffering buffering)
{
	return path_of_choices(search->minimize->path->ranks, search->minimize->path->nodes,
	                       buffering, collectives_of(search, buffering), choices);
}

/* --- result of an interleaving ---- */

/* Whether the first line in which the texts differ from the reference is that of the target. */
static bool differs_alike(const struct search *search, const GPtrArray *texts)
{
	struct outcome_difference difference = {0};
	bool alike = outcomes_difference(search->outcomes, texts, &difference)
	             && difference.text == search->difference.text
	             && difference.line == search->difference.line;

	outcome_difference_clear(&difference);
	return alike;
}

/* The line varies under the finding's choices: all that is not as in the reference counts as the
 * same outcome. */
static guint varying_outcome_of(struct search *search, const GPtrArray *texts)
{
	if (search->difference.line == 0
	    && !outcomes_difference(search->outcomes, texts, &search->difference))
		return 0;
	return differs_alike(search, texts) ? search->target : 0;
}

/* The index of its outcome, if outcomes are compared. */
static guint outcome_of(struct search *search, const struct execution *execution)
{
	const struct record_execution *record = interleaving_verdict(execution)->record;
	GPtrArray *texts = session_texts(search->session, record, search->outcomes);
	g_autoptr(GArray) choices = world_told_choices(execution_world(execution));
	guint index = 0;

	if (search->again)
		outcomes_check(search->outcomes, 0, texts);
	else if (search->varies && outcomes_count(search->outcomes) > 0)
		index = varying_outcome_of(search, texts);
	else
		index = outcomes_add(search->outcomes, texts, record, choices);
	session_texts_free(texts);
	return index == OUTCOMES_NONE || search->varies
	               ? index
	               : outcomes_stands_for(search->outcomes, index);
}

static guint target_of(const struct search *search)
{
	if (search->varies)
		return search->target;
	return search->target < outcomes_count(search->outcomes)
	               ? outcomes_stands_for(search->outcomes, search->target)
	               : OUTCOMES_NONE; /* not learnt yet */
}

static void read_try(struct search *search, const struct execution *execution, struct try *try)
{
	const struct verdict *verdict = interleaving_verdict(execution);
	const struct run_result *result = execution_result(execution);
	const struct world *world = execution_world(execution);

	try->starved = verdict->starved;
	if (!verdict->record || !discard_followed_plan(result->discard) || verdict->starved
	    || result->phase != EXECUTION_OVER) {
		search->minimize->cut |= verdict->starved || result->discard == DISCARD_CUT_SHORT;
		return;
	}
	try->ended = true;
	try->made = world_told_choices(world);
	try->alternatives = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (guint i = 0; i < world_choices(world)->len; i++) {
		if (world_choice_is_told(world, i))
			g_ptr_array_add(try->alternatives,
			                g_array_copy((GArray *)world_alternatives(world, i)));
	}
	if (search->outcomes) {
		guint outcome = verdict->ended_well ? outcome_of(search, execution) : OUTCOMES_NONE;

		try->shows = outcome != OUTCOMES_NONE && outcome == target_of(search);
		try->well = outcome == 0;
	} else if (search->key) {
		try->shows = verdict_finding(verdict, search->key) != NULL;
		try->well = verdict->ended_well && !try->shows;
	} else if (verdict->findings->len > 0) { /* first try: this becomes the finding to show */
		struct record_finding *first = verdict->findings->pdata[0];

		search->finding = record_finding_new(first->kind);
		search->key = record_finding_key(first);
		try->shows = true;
	}
}

static struct try try_choices(struct search *search, const GArray *choices)
{
	struct try try = {0};
	struct execution *execution;
	struct position *position;

	search->minimize->tries++;
	/* What is compared must not be left from another try. If the clocks run unevenly, all that
	 * depends on time varies. */
	position = session_position(search->session, choices, search->buffering);
	execution = search->outcomes
	                    ? session_follow_from_start(search->session, position, search->again,
	                                                CALLS_FORGOTTEN)
	                    : session_follow(search->session, position, false, CALLS_FORGOTTEN);
	read_try(search, execution, &try);
	session_drop(execution);
	return try;
}

/* --- least choices -------- */

static bool still_does(const GArray *kept, gpointer user)
{
	struct search *search = user;
	g_autoptr(GArray) choices = choices_at(search->things, kept);
	struct position *position = position_new(path_of(search, choices, search->buffering));
	void *known;
	struct try try;
	bool result;

	if (g_hash_table_lookup_extended(search->known, position, NULL, &known)) {
		position_free(position);
		return GPOINTER_TO_INT(known);
	}
	if (!may_go_on(search)) {
		search->minimize->cut = true;
		position_free(position);
		return false;
	}
	try = try_choices(search, choices);
	result = search->wants_well ? try.well : try.shows;
	try_clear(&try);
	g_hash_table_insert(search->known, position, GINT_TO_POINTER(result));
	return result;
}

/* The least subset of these choices that is sufficient. */
static GArray *least_choices(struct search *search, const GArray *things, bool wants_well)
{
	g_autoptr(GArray) kept = NULL;

	search->things = things;
	search->wants_well = wants_well;
	g_hash_table_remove_all(search->known);
	kept = ddmin(things->len, still_does, search);
	return choices_at(things, kept);
}

static bool choices_name(const GArray *choices, const struct point *point)
{
	return choices_find(choices, point) != NULL;
}

/* --- good interleaving ----------------- */

/* The choices made before the one at `index`; with `forced`, only those that are forced. */
static GArray *choices_before(const GArray *made, guint index, const GArray *forced)
{
	GArray *choices = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < index; i++) {
		struct choice choice = g_array_index(made, struct choice, i);

		if (!forced || choices_name(forced, &choice.point))
			g_array_append_val(choices, choice);
	}
	return choices;
}

/* Whether an interleaving ends well that makes the same choices up to `index` and another one
 * there. */
static bool ends_well(struct search *search, const struct try *bad, guint index,
                      const GArray *choices)
{
	struct try try = try_choices(search, choices);
	bool well = try.well && try.made->len > index;

	for (guint i = 0; i <= index && well; i++)
		well = choice_equal(&g_array_index(try.made, struct choice, i),
		                    &g_array_index(bad->made, struct choice, i))
		       == (i < index);
	try_clear(&try);
	return well;
}

/* Tries another choice at one point, with defaults after it; NULL: it does not end well. */
static GArray *choose_otherwise(struct search *search, const struct try *bad, guint index,
                                struct taken taken, const GArray *forced)
{
	struct choice other = {g_array_index(bad->made, struct choice, index).point, taken};
	GArray *choices = choices_before(bad->made, index, forced);

	g_array_append_val(choices, other);
	if (ends_well(search, bad, index, choices))
		return choices;
	g_array_unref(choices);
	return NULL;
}

static GArray *one_otherwise(struct search *search, const struct try *bad, const GArray *forced)
{
	for (int pass = 0; pass < 2; pass++) {
		for (guint i = bad->made->len; i-- > 0;) {
			const GArray *others = bad->alternatives->pdata[i];
			const struct point *point =
				&g_array_index(bad->made, struct choice, i).point;

			if (choices_name(forced, point) != (pass == 0))
				continue;
			for (guint j = 0; j < others->len && may_go_on(search); j++) {
				struct taken taken = g_array_index(others, struct taken, j);
				GArray *good = choose_otherwise(search, bad, i, taken, forced);

				if (good)
					return good;
			}
		}
	}
	return NULL;
}

/* The known good interleaving with the longest common beginning, minimized. */
static GArray *nearest_good(struct search *search, const struct try *bad)
{
	const struct path *best = search->minimize->reference;
	guint longest = 0;
	struct try try;
	bool well;

	for (guint i = 0; search->minimize->well && i < search->minimize->well->len; i++) {
		const struct path *path = search->minimize->well->pdata[i];
		guint common = choices_common(bad->made, path->choices);

		if (path->buffering != search->buffering || (best && common <= longest))
			continue;
		best = path;
		longest = common;
	}
	if (!best || !may_go_on(search))
		return NULL;
	try = try_choices(search, best->choices);
	well = try.well;
	try_clear(&try);
	return well ? least_choices(search, best->choices, true) : NULL;
}

/* The number of forced choices of `good` that differ from those of the bad interleaving. */
static guint count_differences(const GArray *good, const struct try *bad)
{
	guint count = 0;

	for (guint i = 0; i < good->len; i++) {
		bool found = false;

		for (guint j = 0; j < bad->made->len && !found; j++)
			found = choice_equal(&g_array_index(good, struct choice, i),
			                     &g_array_index(bad->made, struct choice, j));
		count += !found;
	}
	return count;
}

/* --- result ------- */

static void put_path(char **path, const char *text)
{
	g_free(*path);
	*path = g_strdup(text);
}

/* The choices that the path forces, as records. */
static void record_forced(struct minimize *minimize, const struct record_execution *record)
{
	minimize->forced = g_ptr_array_new_with_free_func((GDestroyNotify)record_choice_free);
	for (guint i = 0; i < record->choices->len; i++) {
		const struct record_choice *choice = record->choices->pdata[i];

		if (choices_name(minimize->least->choices, &choice->point))
			g_ptr_array_add(minimize->forced, record_choice_copy(choice));
	}
}

/* Reduces the record to the forced choices and the finding to show. */
static void shorten_record(const struct search *search, const struct execution *execution,
                           const char *path, bool well)
{
	struct verdict *verdict = interleaving_verdict(execution);
	struct record_finding *finding = NULL;

	if (!verdict->record || !discard_followed_plan(execution_result(execution)->discard))
		return;
	if (search->key)
		finding = verdict_finding(verdict, search->key);
	for (guint i = verdict->findings->len; i-- > 0;) {
		if (verdict->findings->pdata[i] != finding)
			g_ptr_array_remove_index(verdict->findings, i);
		else
			put_path(&finding->path, path);
	}
	put_path(&verdict->record->path, path);
	verdict->record->status = finding ? finding->kind : FINDING_NONE;
	if (!well)
		record_forced(search->minimize, verdict->record);
}

static void keep_interleaving(struct search *search, const struct path *path, bool well)
{
	g_autofree char *text = path_print(path);
	enum buffering buffering = path->buffering == BUFFERING_ANY ? search->buffering
	                                                            : path->buffering;
	struct execution *execution = session_follow(
		search->session, session_position(search->session, path->choices, buffering), true,
		CALLS_KEPT);

	shorten_record(search, execution, text, well);
	session_account(search->session, execution);
	session_drop(execution);
}

/* The buffering that the path must name; none if any will do. */
static enum buffering buffering_needed(struct search *search, const GArray *choices)
{
	enum buffering own = search->buffering;
	struct try try;
	bool both;

	if (search->minimize->path->buffering != BUFFERING_ANY || own != BUFFERING_ZERO
	    || !may_go_on(search))
		return own;
	search->buffering = BUFFERING_INFINITE;
	try = try_choices(search, choices);
	both = try.shows;
	try_clear(&try);
	search->buffering = own;
	return both ? BUFFERING_ANY : own;
}

static void keep_found(struct search *search, GArray *forced, GArray *good)
{
	struct minimize *minimize = search->minimize;

	minimize->least = path_of(search, forced, buffering_needed(search, forced));
	if (good)
		minimize->good = path_of(search, good, search->buffering);
	/* Outcomes are compared with the first outcome. */
	if (search->outcomes)
		keep_interleaving(search, minimize->good ? minimize->good : minimize->reference,
		                  true);
	keep_interleaving(search, minimize->least, false);
	if (!search->outcomes && minimize->good)
		keep_interleaving(search, minimize->good, true);
}

static bool learn_outcome(struct search *search, const struct path *path)
{
	struct try try;
	bool ended;

	search->buffering = path->buffering == BUFFERING_ANY ? BUFFERING_ZERO : path->buffering;
	try = try_choices(search, path->choices);
	ended = try.ended;
	try_clear(&try);
	return ended;
}

/* outcome-differs: runs the reference and the finding's interleaving for their outcomes. */
static bool learn_outcomes(struct search *search)
{
	search->outcomes = outcomes_new();
	outcomes_files_from(search->outcomes, (guint)search->minimize->path->ranks);
	search->target = 1;
	if (!learn_outcome(search, search->minimize->reference)
	    || outcomes_count(search->outcomes) == 0)
		return false;
	search->again = true;
	learn_outcome(search, search->minimize->reference);
	search->again = false;
	if (!learn_outcome(search, search->minimize->path))
		return false;
	if (search->varies)
		return search->difference.line > 0;
	if (outcomes_count(search->outcomes) < 2)
		return false;
	search->target = outcomes_count(search->outcomes) - 1;
	return outcomes_stands_for(search->outcomes, search->target) != 0;
}

/* A good interleaving beside a bad one, which may have been carried out with the other buffering;
 * then no choice of it is tried otherwise. Returns its choices; NULL: none was found. */
static GArray *good_beside(struct search *search, const struct try *bad, const GArray *forced,
                           bool same_buffering)
{
	GArray *good = same_buffering ? one_otherwise(search, bad, forced) : NULL;

	if (good)
		search->minimize->difference = 1;
	else if ((good = nearest_good(search, bad)))
		search->minimize->difference = count_differences(good, bad);
	return good;
}

/* Where sends that wait leave no good interleaving, one may be good in which no send does: with the
 * same choices, or beside them. */
static void find_good_buffered(struct search *search, const struct try *bad, const GArray *forced)
{
	g_autoptr(GArray) good = NULL;
	struct try try;

	if (search->buffering != BUFFERING_ZERO || search->outcomes || !may_go_on(search))
		return;
	search->buffering = BUFFERING_INFINITE;
	try = try_choices(search, forced);
	if (!try.well)
		good = good_beside(search, try.ended ? &try : bad, forced, try.ended);
	if (try.well || good)
		search->minimize->good = path_of(search, try.well ? forced : good,
		                                 BUFFERING_INFINITE);
	try_clear(&try);
	search->buffering = BUFFERING_ZERO;
}

/* Tries the path as given. If it names no buffering, finds the one that shows the finding. */
static struct try try_given(struct search *search)
{
	const struct path *path = search->minimize->path;
	struct try try = try_choices(search, path->choices);

	if ((try.ended && try.shows) || path->buffering != BUFFERING_ANY || search->outcomes)
		return try;
	try_clear(&try);
	search->buffering = BUFFERING_INFINITE;
	return try_choices(search, path->choices);
}

static void search_least(struct search *search)
{
	struct minimize *minimize = search->minimize;
	struct try try = try_given(search);
	g_autoptr(GArray) forced = NULL, good = NULL;

	if (!try.ended || !try.shows) {
		minimize->failed = g_strdup(try.ended     ? "the path does not show it any more"
		                            : try.starved ? "memory ran out"
		                                          : "the program does not follow the "
		                                            "path any more");
		try_clear(&try);
		return;
	}
	minimize->choices = try.made->len;
	forced = least_choices(search, try.made, false);
	try_clear(&try);
	try = try_choices(search, forced);
	if (try.ended && try.shows) {
		good = good_beside(search, &try, forced, true);
		if (!good)
			find_good_buffered(search, &try, forced);
		keep_found(search, forced, good);
	} else {
		minimize->failed = g_strdup(try.starved ? "memory ran out"
		                                        : "it does not show each time that the "
		                                          "same choices are made");
	}
	try_clear(&try);
}

void minimize_conduct(struct session *session, void *data)
{
	struct minimize *minimize = data;
	struct search search = {.session = session, .minimize = minimize};

	search.buffering = minimize->path->buffering == BUFFERING_ANY ? BUFFERING_ZERO
	                                                              : minimize->path->buffering;
	search.varies = minimize->finding && outcome_finding_varies(minimize->finding);
	search.known = g_hash_table_new_full(position_key_hash, position_key_equal,
	                                     (GDestroyNotify)position_free, NULL);
	if (minimize->finding && minimize->finding->outcomes->len == 0)
		search.key = record_finding_key(minimize->finding);
	if (minimize->reference && !learn_outcomes(&search))
		minimize->failed = g_strdup("its outcome does not differ from the first any more, "
		                            "in what is compared");
	else
		search_least(&search);
	/* A try that was cut short shows nothing; that is no failure of the path. */
	if (minimize->failed && session_stop_reason(session)) {
		g_free(minimize->failed);
		minimize->failed = g_strdup(session_stop_reason(session));
	}
	g_hash_table_destroy(search.known);
	outcomes_free(search.outcomes);
	outcome_difference_clear(&search.difference);
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
