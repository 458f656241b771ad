/* Resuming an interrupted exploration. The rest of the search is saved from time to time together
 * with the results, in one transaction. A later session reads both, adds each interleaving as if it
 * had just ended, and explores the rest. */
#include "coverage.h"
#include "explorer/program_parts.h"
#include "infrastructure_failures.h"
#include "lanes.h"
#include "native_check.h"
#include "off_tree_outcomes.h"
#include "outcome_watch.h"
#include "program_facts.h"
#include "random_walks.h"
#include "replay.h"
#include "returned_errors.h"
#include "save_cost.h"
#include "scheduler/places/source_text.h"
#include "scheduler/store/reader.h"
#include "scheduler/world/bounds.h"
#include "session_clock.h"
#include "session_internal.h"
#include "shard.h"
#include "state_exploration.h"
#include "stored_run.h"

#define SAVE_EVERY_US 200000
#define SAVE_SHARE 50 /* saving takes at most this fraction of the time (one in so many) */

struct past {
	gint64 saved; /* when the search was last saved */
	struct save_cost cost;
	double seconds; /* used by the sessions that this one continues */
};

struct past *past_new(void)
{
	return g_new0(struct past, 1);
}

void past_free(struct past *past)
{
	g_free(past);
}

double past_seconds(const struct past *past)
{
	return past->seconds;
}

/* --- identity of an exploration ------------------------------------------------------------- */

static void add_identity(GPtrArray *identity, const char *name, char *value)
{
	g_ptr_array_add(identity, g_strdup(name));
	g_ptr_array_add(identity, value);
}

static char *digest_file(const char *file)
{
	g_autoptr(GMappedFile) mapped = g_mapped_file_new(file, false, NULL);
	g_autoptr(GBytes) bytes = mapped ? g_mapped_file_get_bytes(mapped) : NULL;

	return bytes ? g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, bytes)
	             : g_strdup("not readable");
}

static char *digest_program(const char *program)
{
	g_autofree char *file = g_find_program_in_path(program);

	return digest_file(file ? file : program);
}

/* Of each program, if there are several (program_parts.h). */
static char *digest_programs(char *const *program)
{
	g_autoptr(GPtrArray) names = program_parts_names(program);
	GString *all = g_string_new(NULL);

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *digest = digest_program(names->pdata[i]);

		g_string_append_printf(all, "%s%s", i > 0 ? " " : "", digest);
	}
	return g_string_free(all, false);
}

static char *quote_words(char *const *words)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; words && words[i]; i++) {
		g_autofree char *word = g_shell_quote(words[i]);

		g_string_append_printf(text, "%s%s", i ? " " : "", word);
	}
	return g_string_free(text, false);
}

static char *word_or_none(const char *text)
{
	return g_strdup(text ? text : "none");
}

static void add_bounds(GPtrArray *identity, const GArray *bounds)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; bounds && i < bounds->len; i++) {
		g_autofree char *one = bound_print(&g_array_index(bounds, struct bound, i));

		g_string_append_printf(text, "%s%s", i > 0 ? " " : "", one);
	}
	add_identity(identity, "--bound-rank, --bound-site and --pcontrol",
	             g_string_free(text, false));
}

/* "none", "output", "output files", "output 'result.txt'" */
static char *what_is_compared(const struct session_options *options)
{
	g_autofree char *files = quote_words(options->compare_files);

	if (options->compare && options->compare_written)
		return g_strdup("output files");
	return g_strdup_printf("%s%s%s", options->compare ? "output" : "none", *files ? " " : "",
	                       files);
}

/* Names and values in turns: everything that the tree and its reports depend on. */
static GPtrArray *identity_of(const struct session *session)
{
	const struct session_options *options = session->options;
	GPtrArray *identity = g_ptr_array_new_with_free_func(g_free);

	add_identity(identity, "the kind of session", g_strdup(options->command));
	add_identity(identity, "matchpoint", g_strdup(MATCHPOINT_VERSION));
	add_identity(identity, "the command", quote_words(options->program));
	add_identity(identity, "the program's SHA-256", digest_programs(options->program));
	add_identity(identity, "the directory", g_get_current_dir());
	add_identity(identity, "the number of ranks", g_strdup_printf("%d", options->ranks));
	add_identity(identity, "--nodes", word_or_none(options->nodes));
	add_identity(identity, "--buffering (a mask)", g_strdup_printf("%u", options->bufferings));
	add_identity(identity, "--collectives",
	             word_or_none(collective_mode_word(options->collectives)));
	add_identity(identity, "--deviations", g_strdup_printf("%d", options->deviations));
	add_identity(identity, "--from",
	             options->from ? path_print(options->from) : word_or_none(NULL));
	add_identity(identity, "--random",
	             options->random ? g_strdup_printf("%" G_GUINT64_FORMAT, options->seed)
	                             : word_or_none(NULL));
	add_identity(identity, "--search",
	             g_strdup(options->states ? "states" : "tree")); /* auto may do both */
	add_bounds(identity, options->bounds);
	add_identity(identity, "--shard",
	             options->shards > 0 ? g_strdup_printf("%u/%u", options->shard, options->shards)
	                                 : g_strdup("none"));
	add_identity(identity, "--not-yet", g_strdup_printf("%u", options->not_yet));
	add_identity(identity, "--some", g_strdup_printf("%u", options->some));
	add_identity(identity, "--wait-each-call",
	             g_strdup(options->every_call_waits ? "yes" : "no"));
	add_identity(identity, "--virtual-time", g_strdup(options->virtual_time ? "yes" : "no"));
	add_identity(identity, "--launcher", word_or_none(options->launcher));
	add_identity(identity, "--stdin",
	             options->standard_input ? digest_file(options->standard_input)
	                                     : g_strdup("none"));
	add_identity(identity, "--ignore", quote_words(options->ignored));
	add_identity(identity, "--errors-returned",
	             g_strdup(options->errors_returned ? "finding" : "note"));
	add_identity(identity, "--compare", what_is_compared(options));
	return identity;
}

/* --- save ----------------------------------------------------------------------------------- */

static GVariant *state_of(const struct session *session)
{
	const struct left_out left_out = lanes_left_out(session->lanes);
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	g_variant_dict_insert(&dict, "interleavings", "t", session->interleavings);
	coverage_save(session->coverage, &left_out, &dict);
	infrastructure_failures_save(session->failures, &dict);
	program_facts_save(session->facts, &dict);
	g_variant_dict_insert(&dict, "seconds", "d", session_seconds(session));
	random_walks_save(session->walks, &dict);
	state_exploration_save(session->states, &dict);
	outcome_watch_save(session->outcomes, &dict);
	returned_errors_save(session->returned, &dict);
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

bool session_save_is_due(const struct session *session)
{
	double every = MAX(SAVE_EVERY_US, session->past->cost.last * SAVE_SHARE * G_USEC_PER_SEC);

	return session->store && !session->options->position
	       && (double)(session_now(session) - session->past->saved) >= every;
}

void session_save(struct session *session)
{
	struct past *past = session->past;
	gint64 begun = session_now(session);
	g_autoptr(GVariant) state = NULL;
	g_autoptr(GPtrArray) parts = NULL;
	g_autoptr(GError) error = NULL;

	if (!session->store || session->options->position)
		return;
	state = state_of(session);
	if (!session_visits_states(session))
		parts = lanes_parts(session->lanes);
	else
		parts = state_exploration_may_fail(session->states)
		                ? lanes_parts_left(session->lanes)
		                : lanes_no_parts();
	if (!store_put_search(session->store, state, parts, &error)
	    || !store_release(session->store, &error))
		session_fail(session, "%s", error->message);
	store_hold(session->store);
	past->saved = session_now(session);
	save_cost_add(&past->cost, (double)(past->saved - begun) / G_USEC_PER_SEC);
}

void session_leave_time(struct session *session)
{
	double most = session->options->max_seconds;
	double reserve = save_cost_reserve(&session->past->cost, most);

	if (most > 0 && !session->stop_reason)
		session_clock_set_deadline(
			session->clock,
			MAX(most - session_clock_seconds(session->clock) - reserve, 0.001));
}

/* --- restore -------------------------------------------------------------------------------- */

struct import {
	struct session *session;
	struct store_reader *reader;
	guint64 count; /* interleavings that the saved search includes */
	GArray *shown; /* guint32 in pairs: an interleaving, a finding that it shows */
};

/* The rest was saved together with the results. If results are missing, the store is damaged; they
 * would be lost. */
static bool not_whole(const struct session *session, guint64 count, GError **error)
{
	g_set_error(error, SESSION_ERROR, 0,
	            "--resume: %s is damaged: of the %" G_GUINT64_FORMAT
	            " interleavings that were explored, only the first %" G_GUINT64_FORMAT
	            " are intact; explore again without --resume",
	            session->options->store, count, session->interleavings);
	return false;
}

static bool import_execution(const struct record_execution *execution, void *data, GError **error)
{
	struct import *import = data;
	struct session *session = import->session;
	struct record_execution *record = (struct record_execution *)execution;
	g_autoptr(GArray) choices = stored_run_choices(execution);
	g_autoptr(GPtrArray) shown = NULL;

	if (record->id > import->count) /* written after the search was saved: it will run again */
		return true;
	if (record->id != session->interleavings + 1
	    || !stored_run_is_whole(import->reader, execution))
		return not_whole(session, import->count, error);
	shown = stored_run_findings(import->reader, execution);
	for (guint i = 0; i < shown->len; i++) {
		struct record_finding *finding = shown->pdata[i];

		finding->replayed = finding->reproduced = false; /* until it is replayed again */
	}
	if (program_facts_threads(session->facts))
		off_tree_outcomes_recall(session->off_tree_outcomes, record, shown);
	g_array_set_size(record->findings, 0);
	session_add_interleaving(session, NULL, record, choices, shown,
	                         stored_run_ended_well(record));
	for (guint i = 0; i < record->findings->len; i++) {
		g_array_append_val(import->shown, record->id);
		g_array_append_val(import->shown, g_array_index(record->findings, guint32, i));
	}
	return true;
}

static bool recall_state(struct session *session, GVariant *state, guint64 *ret_count,
                         GError **error)
{
	GVariantDict dict;
	bool good;

	g_variant_dict_init(&dict, state);
	if (!state_exploration_suits(session->states, &dict)) {
		g_set_error(
			error, SESSION_ERROR, 0,
			"--resume: %s was continued with each of several equal states explored "
			"once, which does not work with the options given now; give the earlier "
			"ones",
			session->options->store);
		g_variant_dict_clear(&dict);
		return false;
	}
	g_variant_dict_lookup(&dict, "interleavings", "t", ret_count);
	coverage_restore(session->coverage, &dict);
	infrastructure_failures_restore(session->failures, &dict);
	program_facts_restore(session->facts, &dict);
	g_variant_dict_lookup(&dict, "seconds", "d", &session->past->seconds);
	random_walks_restore(session->walks, &dict);
	state_exploration_restore(session->states, &dict);
	returned_errors_restore(session->returned, &dict);
	good = outcome_watch_restore(session->outcomes, &dict, error);
	g_variant_dict_clear(&dict);
	return good;
}

/* What the program did without control stays known, unless it runs so again. */
static void keep_native(const struct import *import)
{
	const GPtrArray *findings = store_reader_findings(import->reader);

	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *finding = findings->pdata[i];

		if (!finding_kind_info(finding->kind)->native || import->session->options->native)
			continue;
		native_check_add(import->session, finding->message);
		replay_add_log(import->session->replay, NULL); /* one for each finding so far */
	}
}

static bool read_past(struct import *import, GError **error)
{
	import->reader = store_reader_open(import->session->options->store, error);
	if (!import->reader
	    || !store_reader_each(import->reader, false, import_execution, import, error))
		return false;
	keep_native(import);
	return (import->session->interleavings == import->count
	        && outcome_watch_is_whole(import->session->outcomes))
	       || not_whole(import->session, import->count, error);
}

/* Numbers findings anew. Some of them were judgements at the end, and are made again. */
static bool renew_findings(const struct import *import, GError **error)
{
	struct store *store = import->session->store;

	if (!store_forget_findings(store, import->count, error)
	    || !store_add(store, NULL, findings_all(import->session->findings), error))
		return false;
	for (guint i = 0; i + 1 < import->shown->len; i += 2)
		if (!store_show(store, g_array_index(import->shown, guint32, i + 1),
		                &g_array_index(import->shown, guint32, i), 1, error))
			return false;
	return true;
}

/* Reads the rest of the search, if it belongs to the same exploration. */
static bool read_search(struct session *session, const GPtrArray *identity, guint64 *ret_count,
                        GError **error)
{
	struct store *store = store_continue(session->options->store, error);
	g_autoptr(GVariant) state = NULL, common = NULL;
	GPtrArray *parts = NULL;
	bool good = store && store_get_search(store, &state, &parts, error);

	if (good && !state) {
		g_set_error(error, SESSION_ERROR, 0,
		            "--resume: %s has nothing to resume; explore again without --resume",
		            session->options->store);
		good = false;
	}
	good = good && store_identical(store, identity, error)
	       && store_get_common(store, &common, error);
	store_close(store);
	good = good && recall_state(session, state, ret_count, error);
	if (good) {
		lanes_set_waiting(session->lanes, g_steal_pointer(&parts));
		if (common && session->options->shards > 0)
			shard_restore(session->shard, common);
	}
	if (parts)
		g_ptr_array_unref(parts);
	return good;
}

static bool find_excerpt(void *source, const struct place *place, struct record_excerpt *ret)
{
	return source_text_around(source, place, ret);
}

/* Lines of the program's source that are read go into the store with the places. */
static void keep_source(struct session *session)
{
	g_autoptr(GPtrArray) names = program_parts_names(session->exploration->program);

	session->source = source_text_new();
	for (guint i = 0; i < names->len; i++)
		source_text_program(session->source, names->pdata[i]);
	store_excerpts_from(session->store, find_excerpt, session->source);
}

static bool continue_store(struct session *session, const GPtrArray *identity, GError **error)
{
	g_autoptr(GArray) shown = g_array_new(false, false, sizeof(guint32));
	struct import import = {session, NULL, 0, shown};
	bool good = read_search(session, identity, &import.count, error)
	            && read_past(&import, error);

	store_reader_close(import.reader);
	if (!good)
		return false;
	session->store = store_continue(session->options->store, error);
	if (!session->store)
		return false;
	keep_source(session);
	store_hold(session->store);
	if (!renew_findings(&import, error)
	    || !store_put_exploration(session->store, session->exploration, error)
	    || !store_release(session->store, error))
		return false;
	store_hold(session->store);
	return true;
}

/* Creates a store with the whole tree as the rest. */
static bool begin_store(struct session *session, const GPtrArray *identity, GError **error)
{
	g_autoptr(GVariant) state = state_of(session);

	session->store = store_create(session->options->store, error);
	if (!session->store)
		return false;
	keep_source(session);
	store_hold(session->store);
	if (!store_put_exploration(session->store, session->exploration, error)
	    || !store_identify(session->store, identity, error)
	    || !store_put_search(session->store, state, lanes_waiting(session->lanes), error)
	    || !store_release(session->store, error))
		return false;
	if (!session->options->position)
		store_hold(session->store);
	return true;
}

bool session_open_store(struct session *session, GError **error)
{
	g_autoptr(GPtrArray) identity = identity_of(session);
	g_autoptr(GError) problem = NULL;

	if (!session->options->resume)
		return begin_store(session, identity, error);
	if (continue_store(session, identity, &problem))
		return true;
	if (!g_error_matches(problem, STORE_ERROR, STORE_ERROR_EMPTY)) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	g_ptr_array_add(session->exploration->notes,
	                g_strdup_printf("%s was empty, so --resume began a new exploration",
	                                session->options->store));
	return begin_store(session, identity, error);
}
