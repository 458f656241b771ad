/* Going on with an exploration that was interrupted: what is left is written now and then together
 * with what was found, in one transaction; a later session reads both, takes each interleaving in
 * as if it had just ended, and explores what is left. */
#include "../reports/store_reader.h"
#include "lanes.h"
#include "recall.h"
#include "session_internal.h"

#define SAVE_EVERY_US 200000
#define SAVE_SHARE 50 /* at most one part in so many of the time is spent on it */

/* --- what it is that is explored ------------------------------------------------------------ */

static void add(GPtrArray *identity, const char *name, char *value)
{
	g_ptr_array_add(identity, g_strdup(name));
	g_ptr_array_add(identity, value);
}

static char *digest(const char *file)
{
	g_autoptr(GMappedFile) mapped = g_mapped_file_new(file, FALSE, NULL);
	g_autoptr(GBytes) bytes = mapped ? g_mapped_file_get_bytes(mapped) : NULL;

	return bytes ? g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, bytes)
	             : g_strdup("not readable");
}

static char *digest_program(const char *program)
{
	g_autofree char *file = g_find_program_in_path(program);

	return digest(file ? file : program);
}

static char *quote(char *const *words)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; words && words[i]; i++) {
		g_autofree char *word = g_shell_quote(words[i]);

		g_string_append_printf(text, "%s%s", i ? " " : "", word);
	}
	return g_string_free(text, FALSE);
}

static char *word(const char *text)
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
	add(identity, "--bound-rank, --bound-site and --pcontrol", g_string_free(text, FALSE));
}

/* "none", "output", "output 'result.txt'" */
static char *compared(const struct session_options *options)
{
	g_autofree char *files = quote(options->compare_files);

	return g_strdup_printf("%s%s%s", options->compare ? "output" : "none", *files ? " " : "",
	                       files);
}

/* Name and value in turns: all on which the tree and what is told of it depend. */
static GPtrArray *identity_of(const struct session *session)
{
	const struct session_options *options = session->options;
	GPtrArray *identity = g_ptr_array_new_with_free_func(g_free);

	add(identity, "the kind of session", g_strdup(options->command));
	add(identity, "matchpoint", g_strdup(MATCHPOINT_VERSION));
	add(identity, "the command", quote(options->program));
	add(identity, "the program's SHA-256", digest_program(options->program[0]));
	add(identity, "the directory", g_get_current_dir());
	add(identity, "the number of ranks", g_strdup_printf("%d", options->ranks));
	add(identity, "--buffering (a mask)", g_strdup_printf("%u", options->bufferings));
	add(identity, "--collectives", word(collective_mode_word(options->collectives)));
	add(identity, "--deviations", g_strdup_printf("%d", options->deviations));
	add(identity, "--random",
	    options->random ? g_strdup_printf("%" G_GUINT64_FORMAT, options->seed) : word(NULL));
	add_bounds(identity, options->bounds);
	add(identity, "--shard",
	    options->shards > 0 ? g_strdup_printf("%u/%u", options->shard, options->shards)
	                        : g_strdup("none"));
	add(identity, "--not-yet", g_strdup_printf("%u", options->not_yet));
	add(identity, "--some", g_strdup_printf("%u", options->some));
	add(identity, "--wait-each-call", g_strdup(options->every_call_waits ? "yes" : "no"));
	add(identity, "--virtual-time", g_strdup(options->virtual_time ? "yes" : "no"));
	add(identity, "--launcher", word(options->launcher));
	add(identity, "--stdin",
	    options->standard_input ? digest(options->standard_input) : g_strdup("none"));
	add(identity, "--ignore", quote(options->ignored));
	add(identity, "--compare", compared(options));
	return identity;
}

/* --- writing -------------------------------------------------------------------------------- */

static GVariant *state_of(const struct session *session)
{
	GVariantDict dict;
	struct left_out left_out = lanes_left_out(session);

	g_variant_dict_init(&dict, NULL);
	g_variant_dict_insert(&dict, "interleavings", "t", session->interleavings);
	g_variant_dict_insert(&dict, "wasted", "t", session->wasted);
	g_variant_dict_insert(&dict, "pruned", "t", left_out.pruned);
	g_variant_dict_insert(&dict, "vouched", "t", left_out.vouched);
	g_variant_dict_insert(&dict, "sets-left", "b", left_out.sets);
	g_variant_dict_insert(&dict, "bounds-met", "t", session->bounds_met);
	g_variant_dict_insert(&dict, "lost", "t", session->lost);
	g_variant_dict_insert(&dict, "starved", "t", session->starved);
	if (session->lost_reason)
		g_variant_dict_insert(&dict, "lost-reason", "s", session->lost_reason);
	g_variant_dict_insert(&dict, "lost-unseen", "b", session->lost_unseen);
	g_variant_dict_insert(&dict, "by-rule", "b", session->by_rule);
	g_variant_dict_insert(&dict, "collectives-waited", "b", session->collectives_waited);
	g_variant_dict_insert(&dict, "collectives-tried", "u", session->collectives_tried);
	g_variant_dict_insert(&dict, "threads", "b", session->threads);
	g_variant_dict_insert(&dict, "locks", "b", session->locks);
	g_variant_dict_insert(&dict, "atomics", "b", session->atomics);
	g_variant_dict_insert(&dict, "accesses", "b", session->accesses);
	g_variant_dict_insert(&dict, "accesses-unknown", "b", session->accesses_unknown);
	g_variant_dict_insert(&dict, "accesses-learnt", "b", session->accesses_learnt);
	g_variant_dict_insert(&dict, "seconds", "d", session_seconds(session));
	session_wander_save(session, &dict);
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

gboolean session_save_is_due(const struct session *session)
{
	return session->store && !session->options->path
	       && g_get_monotonic_time() - session->saved
	                  >= MAX(SAVE_EVERY_US, session->save_cost * SAVE_SHARE);
}

void session_save(struct session *session)
{
	gint64 begun = g_get_monotonic_time();
	g_autoptr(GVariant) state = NULL;
	g_autoptr(GPtrArray) parts = NULL;
	g_autoptr(GError) error = NULL;

	if (!session->store || session->options->path)
		return;
	state = state_of(session);
	parts = lanes_parts(session);
	if (!store_put_search(session->store, state, parts, &error)
	    || !store_release(session->store, &error))
		session_fail(session, "%s", error->message);
	store_hold(session->store);
	session->saved = g_get_monotonic_time();
	session->save_cost = session->saved - begun;
}

/* --- reading -------------------------------------------------------------------------------- */

struct recall {
	struct session *session;
	struct store_reader *reader;
	guint64 count; /* interleavings that what is left knows of */
	GArray *shown; /* guint32 in pairs: an interleaving, a finding that it shows */
};

/* What is left was written together with what was found: a store that lacks some of that was
 * damaged, and what it lacks would be missed. */
static bool not_whole(const struct session *session, guint64 count, GError **error)
{
	g_set_error(error, SESSION_ERROR, 0,
	            "--resume: %s is damaged: of the %" G_GUINT64_FORMAT
	            " interleavings that were explored, only the first %" G_GUINT64_FORMAT
	            " are there as they were; explore anew",
	            session->options->store, count, session->interleavings);
	return false;
}

static bool recall_execution(const struct record_execution *execution, void *data, GError **error)
{
	struct recall *recall = data;
	struct session *session = recall->session;
	struct record_execution *record = (struct record_execution *)execution;
	g_autoptr(GArray) choices = recall_choices(execution);
	g_autoptr(GPtrArray) shown = NULL;

	if (record->id > recall->count) /* written after what is left: they will come again */
		return true;
	if (record->id != session->interleavings + 1
	    || !recall_is_whole(recall->reader, execution))
		return not_whole(session, recall->count, error);
	shown = recall_findings(recall->reader, execution);
	for (guint i = 0; i < shown->len; i++)
		((struct record_finding *)shown->pdata[i])->reproduced = FALSE; /* replayed again */
	g_array_set_size(record->findings, 0);
	session_take(session, record, choices, shown, recall_ended_well(record));
	for (guint i = 0; i < record->findings->len; i++) {
		g_array_append_val(recall->shown, record->id);
		g_array_append_val(recall->shown, g_array_index(record->findings, guint32, i));
	}
	return true;
}

static void recall_state(struct session *session, GVariant *state, guint64 *ret_count)
{
	GVariantDict dict;

	g_variant_dict_init(&dict, state);
	g_variant_dict_lookup(&dict, "interleavings", "t", ret_count);
	g_variant_dict_lookup(&dict, "wasted", "t", &session->wasted);
	g_variant_dict_lookup(&dict, "pruned", "t", &session->left_out.pruned);
	g_variant_dict_lookup(&dict, "vouched", "t", &session->left_out.vouched);
	g_variant_dict_lookup(&dict, "sets-left", "b", &session->left_out.sets);
	g_variant_dict_lookup(&dict, "bounds-met", "t", &session->bounds_met);
	g_variant_dict_lookup(&dict, "lost", "t", &session->lost);
	g_variant_dict_lookup(&dict, "starved", "t", &session->starved);
	g_variant_dict_lookup(&dict, "lost-reason", "s", &session->lost_reason);
	g_variant_dict_lookup(&dict, "lost-unseen", "b", &session->lost_unseen);
	g_variant_dict_lookup(&dict, "by-rule", "b", &session->by_rule);
	g_variant_dict_lookup(&dict, "collectives-waited", "b", &session->collectives_waited);
	g_variant_dict_lookup(&dict, "collectives-tried", "u", &session->collectives_tried);
	g_variant_dict_lookup(&dict, "threads", "b", &session->threads);
	g_variant_dict_lookup(&dict, "locks", "b", &session->locks);
	g_variant_dict_lookup(&dict, "atomics", "b", &session->atomics);
	g_variant_dict_lookup(&dict, "accesses", "b", &session->accesses);
	g_variant_dict_lookup(&dict, "accesses-unknown", "b", &session->accesses_unknown);
	g_variant_dict_lookup(&dict, "accesses-learnt", "b", &session->accesses_learnt);
	g_variant_dict_lookup(&dict, "seconds", "d", &session->seconds_before);
	session_wander_recall(session, &dict);
	g_variant_dict_clear(&dict);
}

static gboolean read_past(struct recall *recall, GError **error)
{
	recall->reader = store_reader_open(recall->session->options->store, error);
	if (!recall->reader
	    || !store_reader_each(recall->reader, false, recall_execution, recall, error))
		return FALSE;
	return recall->session->interleavings == recall->count
	       || not_whole(recall->session, recall->count, error);
}

/* Findings are numbered anew: some were judgements at the end, which are given again. */
static gboolean renew_findings(const struct recall *recall, GError **error)
{
	struct store *store = recall->session->store;

	if (!store_forget_findings(store, recall->count, error)
	    || !store_add(store, NULL, findings_all(recall->session->findings), error))
		return FALSE;
	for (guint i = 0; i + 1 < recall->shown->len; i += 2)
		if (!store_show(store, g_array_index(recall->shown, guint32, i + 1),
		                &g_array_index(recall->shown, guint32, i), 1, error))
			return FALSE;
	return TRUE;
}

/* What is left, if it is of the same. */
static gboolean read_search(struct session *session, const GPtrArray *identity, guint64 *ret_count,
                            GError **error)
{
	struct store *store = store_continue(session->options->store, error);
	g_autoptr(GVariant) state = NULL, common = NULL;
	GPtrArray *parts = NULL;
	gboolean good = store && store_get_search(store, &state, &parts, error);

	if (good && !state) {
		g_set_error(error, SESSION_ERROR, 0,
		            "--resume: %s holds nothing that could be gone on with; explore anew",
		            session->options->store);
		good = FALSE;
	}
	good = good && store_identical(store, identity, error)
	       && store_get_common(store, &common, error);
	store_close(store);
	if (good) {
		recall_state(session, state, ret_count);
		g_ptr_array_unref(session->parts);
		session->parts = g_steal_pointer(&parts);
		if (common && session->options->shards > 0)
			session_shard_recall(session, common);
	}
	if (parts)
		g_ptr_array_unref(parts);
	return good;
}

static gboolean go_on(struct session *session, const GPtrArray *identity, GError **error)
{
	g_autoptr(GArray) shown = g_array_new(FALSE, FALSE, sizeof(guint32));
	struct recall recall = {session, NULL, 0, shown};
	gboolean good = read_search(session, identity, &recall.count, error)
	                && read_past(&recall, error);

	store_reader_close(recall.reader);
	if (!good)
		return FALSE;
	session->store = store_continue(session->options->store, error);
	if (!session->store)
		return FALSE;
	store_hold(session->store);
	if (!renew_findings(&recall, error)
	    || !store_put_exploration(session->store, session->exploration, error)
	    || !store_release(session->store, error))
		return FALSE;
	store_hold(session->store);
	return TRUE;
}

/* A new store that holds the whole tree as what is left. */
static gboolean begin(struct session *session, const GPtrArray *identity, GError **error)
{
	g_autoptr(GVariant) state = state_of(session);

	session->store = store_create(session->options->store, error);
	if (!session->store)
		return FALSE;
	store_hold(session->store);
	if (!store_put_exploration(session->store, session->exploration, error)
	    || !store_identify(session->store, identity, error)
	    || !store_put_search(session->store, state, session->parts, error)
	    || !store_release(session->store, error))
		return FALSE;
	if (!session->options->path)
		store_hold(session->store);
	return TRUE;
}

gboolean session_open_store(struct session *session, GError **error)
{
	g_autoptr(GPtrArray) identity = identity_of(session);

	return session->options->resume ? go_on(session, identity, error)
	                                : begin(session, identity, error);
}
