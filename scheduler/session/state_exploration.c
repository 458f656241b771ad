#include "state_exploration.h"

#include <string.h>

#include "coverage.h"
#include "executor.h"
#include "infrastructure_failures.h"
#include "interleaving.h"
#include "scheduler/world/world_fingerprint.h"
#include "session_context.h"
#include "state_look.h"
#include "stored_run.h"

/* So many states that cannot be compared are too many, if no more were met again. */
#define NAMELESS_MOST 100

struct state_exploration {
	struct plan_source source;
	struct session *session;
	struct state_search *searches[BUFFERING_PER_SEND + 1]; /* by buffering; NULL: none */
	struct strategy *strategies[BUFFERING_PER_SEND + 1];   /* the same, during the search */
	guint turn;                                            /* the current buffering */
	struct state_look *look;                               /* at the tree */
	bool watching;                                         /* the tree may be left, or was */
	GHashTable *paths; /* struct state_hash of paths that the tree has counted: execution */
	struct state_counts *counts;
	guint64 before; /* interleavings of the tree when it was left */
	bool begun;
	const char *failed; /* why it has given up, as a clause; NULL: it has not */
	bool unbounded;     /* a state is reached again from itself */
	char *why; /* why the first state without a fingerprint had none; NULL: all had one */
};

static bool states_may_go_on(const struct plan_source *source)
{
	return session_may_go_on(((const struct state_exploration *)source)->session);
}

/* --search auto: why the tree is the better search after all; NULL: it is not. */
static const char *find_failure(const struct state_exploration *walks)
{
	struct state_statistics statistics;

	if (!walks->watching)
		return NULL;
	if (state_look_reason(walks->look))
		return state_look_reason(walks->look);
	state_search_statistics(walks->searches[walks->turn], &statistics);
	if (statistics.circles > 0)
		return "a state is reached again from itself";
	return statistics.nameless > NAMELESS_MOST + statistics.merged
	               ? "too many states cannot be compared"
	               : NULL;
}

static bool states_next(struct plan_source *source, struct run_request *ret_request)
{
	struct state_exploration *walks = (struct state_exploration *)source;
	g_autoptr(GArray) plan = NULL;

	if (session_is_enough(walks->session) || walks->failed)
		return false;
	while (walks->turn <= BUFFERING_PER_SEND) {
		struct strategy *strategy = walks->strategies[walks->turn];

		plan = strategy ? strategy->next(strategy) : NULL;
		if (plan)
			break;
		walks->turn++;
	}
	if (!plan)
		return false;
	*ret_request = (struct run_request){
		.position = session_position(walks->session, plan, (enum buffering)walks->turn),
		.strategy = walks->strategies[walks->turn],
		.saves = session_saves(walks->session, (enum buffering)walks->turn)};
	session_request(walks->session, ret_request, CALLS_NEW);
	return true;
}

static void add_outputs(struct state_hash *hash, const GPtrArray *outputs)
{
	state_hash_add(hash, outputs ? outputs->len : 0);
	for (guint i = 0; outputs && i < outputs->len; i++) {
		gsize size = 0;
		const void *bytes = outputs->pdata[i] ? g_bytes_get_data(outputs->pdata[i], &size)
		                                      : NULL;

		state_hash_add_bytes(hash, bytes ? bytes : "", size);
	}
}

static void add_text(struct state_hash *hash, const char *text)
{
	state_hash_add_bytes(hash, text ? text : "", text ? strlen(text) : 0);
}

/* Two ends are equal if everything reported about them is equal. Returns the number of the end; 0:
 * none. */
static guint note_end(struct state_exploration *walks, const struct execution *execution)
{
	const struct run_result *result = execution_result(execution);
	const struct verdict *verdict = interleaving_verdict(execution);
	struct state_hash name;

	if (result->discard || result->phase != EXECUTION_OVER || !verdict->record)
		return 0;
	world_fingerprint_end(execution_world(execution), &name);
	state_hash_add(&name, (guint64)verdict->record->status << 1 | result->stalled);
	add_outputs(&name, verdict->record->outputs);
	add_outputs(&name, verdict->record->errors);
	for (guint i = 0; i < verdict->findings->len; i++) {
		const struct record_finding *finding = verdict->findings->pdata[i];
		g_autofree char *key = record_finding_key(finding);

		state_hash_add(&name, finding->kind);
		add_text(&name, finding->message);
		add_text(&name, key);
	}
	state_search_end(walks->searches[walks->turn], &name);
	return state_search_ended(walks->searches[walks->turn]);
}

static struct state_hash name_of_path(const char *path)
{
	struct state_hash name = {{0, 0}};

	add_text(&name, path);
	return name;
}

/* The execution of the tree that has counted this interleaving; 0: none. */
static guint32 counted_as(const struct state_exploration *walks, const struct execution *execution)
{
	const struct record_execution *record = interleaving_verdict(execution)->record;
	struct state_hash name;

	if (!record || !record->path)
		return 0;
	name = name_of_path(record->path);
	return GPOINTER_TO_UINT(g_hash_table_lookup(walks->paths, &name));
}

static void states_ended(struct plan_source *source, struct execution *execution)
{
	struct state_exploration *walks = (struct state_exploration *)source;

	guint64 before = session_interleavings(walks->session);
	guint end = note_end(walks, execution);
	guint32 known = counted_as(walks, execution);

	if (!session_finish(walks->session, execution, known == 0))
		state_search_cut(walks->searches[walks->turn]);
	if (session_interleavings(walks->session) > before)
		known = (guint32)session_interleavings(walks->session);
	state_counts_end(walks->counts, (enum buffering)walks->turn, end, known);
	walks->failed = find_failure(walks);
	if (!walks->failed && session_save_is_due(walks->session))
		session_save(walks->session);
}

struct state_exploration *state_exploration_new(struct session *session)
{
	static const struct plan_source_type type = {
		.next = states_next, .may_go_on = states_may_go_on, .ended = states_ended};
	struct state_exploration *walks = g_new0(struct state_exploration, 1);

	walks->source.type = &type;
	walks->session = session;
	walks->paths = g_hash_table_new_full(state_key_hash, state_key_equal, g_free, NULL);
	walks->begun = session_options(session)->states;
	walks->watching = session_options(session)->watch_left > 0;
	walks->look = state_look_new(session);
	walks->counts = state_counts_new();
	return walks;
}

void state_exploration_free(struct state_exploration *walks)
{
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		state_search_free(walks->searches[i]);
	state_look_free(walks->look);
	state_counts_free(walks->counts);
	g_hash_table_destroy(walks->paths);
	g_free(walks->why);
	g_free(walks);
}

/* `wasted`: runs before. Those that came to known states since were not wasted. */
static void give_up(struct state_exploration *walks, guint64 wasted)
{
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		g_clear_pointer(&walks->searches[i], state_search_free);
	state_counts_forget_ends(walks->counts);
	infrastructure_failures_limit_wasted(session_failures(walks->session), wasted);
	session_end_comparing(walks->session);
	session_leave_states(walks->session);
	walks->watching = walks->begun = false;
}

bool state_exploration_have_failed(const struct state_exploration *walks)
{
	return walks->failed != NULL;
}

bool state_exploration_may_fail(const struct state_exploration *walks)
{
	return walks->begun && walks->watching && state_exploration_statistics(walks).waiting > 0;
}

bool state_exploration_knows(const struct state_exploration *walks,
                             const struct execution *execution)
{
	return counted_as(walks, execution) > 0;
}

/* --- during the tree search ------------------------------------------------------------------- */

bool state_exploration_have_begun(const struct state_exploration *walks)
{
	return walks->begun;
}

void state_exploration_keep_to_tree(struct state_exploration *walks)
{
	session_leave_states(walks->session);
	g_hash_table_remove_all(walks->paths);
	walks->watching = false;
}

struct state_watch *state_exploration_watch(const struct state_exploration *walks)
{
	return walks->watching ? state_look_watch(walks->look) : NULL;
}

void state_exploration_know(struct state_exploration *walks,
                            const struct record_execution *execution, const GArray *choices)
{
	struct state_hash name;

	state_counts_add(walks->counts, stored_run_buffering(execution));
	if (!walks->watching || !execution->path)
		return;
	if (!walks->begun)
		state_look_note(walks->look, execution, choices);
	name = name_of_path(execution->path);
	g_hash_table_insert(walks->paths, g_memdup2(&name, sizeof(name)),
	                    GUINT_TO_POINTER(execution->id));
}

bool state_exploration_look(struct state_exploration *walks, double left)
{
	if (!walks->watching)
		return false;
	if (state_look_now(walks->look, session_interleavings(walks->session), left))
		return true;
	if (!state_look_watch(walks->look))
		state_exploration_keep_to_tree(walks);
	return false;
}

/* --- the search ------------------------------------------------------------------------------- */

void state_exploration_explore(struct state_exploration *walks, guint bufferings)
{
	const struct session_options *options = session_options(walks->session);
	const guint64 wasted = infrastructure_failures_wasted(session_failures(walks->session));

	if (!walks->begun)
		walks->before = session_interleavings(walks->session);
	walks->begun = true;
	session_release_snapshots(walks->session);
	walks->turn = BUFFERING_ZERO;
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		if (!(bufferings & 1u << i))
			continue;
		if (!walks->searches[i])
			walks->searches[i] = state_search_new(options->verify);
		walks->strategies[i] = strategy_states(walks->searches[i], options->verify,
		                                       &walks->why);
		walks->strategies[i]->watch = state_exploration_watch(walks);
	}
	session_begin_comparing(walks->session);
	executor_run(session_executor(walks->session), (struct plan_source *[]){&walks->source}, 1);
	if (!walks->failed)
		session_save(walks->session);
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		if (walks->strategies[i])
			walks->strategies[i]->free(g_steal_pointer(&walks->strategies[i]));
	if (walks->failed)
		give_up(walks, wasted);
}

bool state_exploration_need(const struct state_exploration *walks, const struct world *world)
{
	const struct state_search *search = walks->searches[world_options(world)->buffering];

	return search && state_search_needs(search, world_choices(world));
}

struct state_statistics state_exploration_statistics(const struct state_exploration *walks)
{
	struct state_statistics all = {0};

	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		struct state_statistics one;

		if (!walks->searches[i])
			continue;
		state_search_statistics(walks->searches[i], &one);
		all.states += one.states;
		all.ends += one.ends;
		all.nameless += one.nameless;
		all.merged += one.merged;
		all.verified += one.verified;
		all.differed += one.differed;
		all.lost += one.lost;
		all.waiting += one.waiting;
		all.missed += one.missed;
		all.sets_left |= one.sets_left;
	}
	return all;
}

/* "covered: zero buffering 12 states, 3 choices in them not made; infinite buffering not begun" */
static char *covered_words(const struct state_exploration *walks)
{
	GString *text = g_string_new("covered:");

	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		struct state_statistics one;

		if (!walks->searches[i])
			continue;
		state_search_statistics(walks->searches[i], &one);
		g_string_append_printf(text, "%s %s", text->str[text->len - 1] == ':' ? "" : ";",
		                       coverage_names[i]);
		if (one.states == 0)
			g_string_append(text, " not begun");
		else
			g_string_append_printf(text,
			                       " %" G_GUINT64_FORMAT " states, %" G_GUINT64_FORMAT
			                       " choices in them not made",
			                       one.states, one.waiting);
	}
	return g_string_free(text, false);
}

/* --- how many interleavings ------------------------------------------------------------------- */

static enum record_counts how_counted(enum graph_answer answer)
{
	switch (answer) {
	case GRAPH_COUNTED: return RECORD_COUNTS_STATES;
	case GRAPH_COUNTED_SOME: return RECORD_COUNTS_SOME;
	case GRAPH_UNBOUNDED:
	case GRAPH_UNKNOWN: break;
	}
	return RECORD_COUNTS_UNKNOWN;
}

void state_exploration_count(struct state_exploration *walks)
{
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		struct state_statistics statistics;
		GArray *ends = NULL;
		enum graph_answer answer;

		if (!walks->searches[i])
			continue;
		state_search_statistics(walks->searches[i], &statistics);
		answer = statistics.states == 0 ? GRAPH_COUNTED_SOME /* not begun */
		                                : state_search_count(walks->searches[i], &ends);
		walks->unbounded |= answer == GRAPH_UNBOUNDED;
		state_counts_weigh(walks->counts, (enum buffering)i, how_counted(answer), ends);
		g_clear_pointer(&ends, g_array_unref);
	}
}

const struct state_counts *state_exploration_counts(const struct state_exploration *walks)
{
	return walks->counts;
}

/* Why --search auto has explored the tree. */
static void note_tree(const struct state_exploration *walks, GPtrArray *notes)
{
	const struct session_options *options = session_options(walks->session);
	const char *kept = walks->failed             ? walks->failed
	                   : options->watch_left > 0 ? state_look_reason(walks->look)
	                                             : NULL;

	if (options->watch_not)
		g_ptr_array_add(notes, g_strdup_printf("--search auto: the tree was explored; "
		                                       "states do not work with %s",
		                                       options->watch_not));
	else if (kept && !walks->begun)
		g_ptr_array_add(notes,
		                g_strdup_printf("--search auto: the tree was explored; %s", kept));
}

void state_exploration_note(const struct state_exploration *walks, GPtrArray *notes)
{
	struct state_statistics all = state_exploration_statistics(walks);

	if (session_options(walks->session)->verbose)
		note_tree(walks, notes);
	if (walks->begun && walks->watching)
		g_ptr_array_add(notes, g_strdup_printf("after %" G_GUINT64_FORMAT
		                                       " interleavings equal states occurred: from "
		                                       "then on each state was explored once",
		                                       walks->before));
	if (walks->unbounded)
		g_ptr_array_add(notes,
		                g_strdup("a state is reached again from itself, so there is no "
		                         "number of interleavings"));
	if (walks->begun && session_stop_reason(walks->session))
		g_ptr_array_add(notes, covered_words(walks));
	if (all.nameless > 0)
		g_ptr_array_add(notes,
		                g_strdup_printf("%" G_GUINT64_FORMAT
		                                " states could not be compared with others, and "
		                                "were explored each time they occurred: %s",
		                                all.nameless, walks->why));
	if (session_options(walks->session)->verify)
		g_ptr_array_add(
			notes,
			g_strdup_printf("--verify: %" G_GUINT64_FORMAT
		                        " steps from known states led to the same states as before",
		                        all.verified));
}

char *state_exploration_distrust(const struct state_exploration *walks, const char *hurried)
{
	struct state_statistics all = state_exploration_statistics(walks);

	if (all.missed > 0)
		return g_strdup_printf(
			"%" G_GUINT64_FORMAT
			" choices that were open before --resume are missing now: %s",
			all.missed,
			hurried ? hurried
				: "the program depends on something else (time, files, other "
				  "programs)");
	if (all.differed == 0)
		return NULL;
	return g_strdup_printf("--verify: %" G_GUINT64_FORMAT
	                       " steps from states considered equal led to different states: %s",
	                       all.differed,
	                       hurried ? hurried
	                               : "the program depends on what matchpoint does not see "
	                                 "(time, files, other programs); use --search tree");
}

/* --- save and restore ------------------------------------------------------------------------- */

#define SAVED_TYPE "a(u" STATE_SEARCH_TYPE ")"

void state_exploration_save(const struct state_exploration *walks, GVariantDict *state)
{
	GVariantBuilder builder;

	if (!walks->begun)
		return;
	g_variant_builder_init(&builder, G_VARIANT_TYPE(SAVED_TYPE));
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		g_autoptr(GVariant) saved = NULL;

		if (!walks->searches[i])
			continue;
		saved = state_search_save(walks->searches[i]);
		g_variant_builder_add(&builder, "(u@" STATE_SEARCH_TYPE ")", i, saved);
	}
	g_variant_dict_insert_value(state, "states", g_variant_builder_end(&builder));
	g_variant_dict_insert(state, "before-states", "t", walks->before);
	state_counts_save(walks->counts, state);
}

static bool restore_one(struct state_exploration *walks, guint buffering, GVariant *saved)
{
	if (buffering < BUFFERING_ZERO || buffering > BUFFERING_PER_SEND
	    || walks->searches[buffering])
		return false;
	walks->searches[buffering] = state_search_new(session_options(walks->session)->verify);
	return state_search_restore(walks->searches[buffering], saved);
}

bool state_exploration_suits(const struct state_exploration *walks, GVariantDict *state)
{
	return walks->begun || walks->watching || !g_variant_dict_contains(state, "states");
}

void state_exploration_restore(struct state_exploration *walks, GVariantDict *state)
{
	g_autoptr(GVariant)
		all = g_variant_dict_lookup_value(state, "states", G_VARIANT_TYPE(SAVED_TYPE));
	GVariantIter iter;
	GVariant *saved;
	guint32 buffering;
	bool good = true;

	if (!all && walks->begun)
		session_fail(
			walks->session,
			"--resume: %s has no states to resume from; explore again without --resume",
			session_options(walks->session)->store);
	if (!all)
		return;
	g_variant_dict_lookup(state, "before-states", "t", &walks->before);
	state_counts_restore(walks->counts, state);
	g_variant_iter_init(&iter, all);
	while (good
	       && g_variant_iter_next(&iter, "(u@" STATE_SEARCH_TYPE ")", &buffering, &saved)) {
		good = restore_one(walks, buffering, saved);
		g_variant_unref(saved);
	}
	if (!good)
		session_fail(walks->session, "%s: this store is damaged: its states cannot be read",
		             session_options(walks->session)->store);
	walks->begun = true;
}

guint state_exploration_bufferings(const struct state_exploration *walks)
{
	guint some = 0;

	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		some |= walks->searches[i] ? 1u << i : 0;
	return some ? some : session_options(walks->session)->bufferings;
}
