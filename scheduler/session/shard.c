#include "shard.h"

#include "compared_files.h"
#include "coverage.h"
#include "executor.h"
#include "explorer/partition.h"
#include "lanes.h"
#include "outcome_finding.h"
#include "scheduler/store/store.h"
#include "search_bounds.h"
#include "session_context.h"

struct shard {
	struct session *session;
	char *split;             /* a digest of how the tree was divided; NULL: not yet */
	gboolean struck;         /* (GVariant) ranks were killed during the division */
	char *shared_path;       /* of an interleaving that all shards ran; NULL: none ended well */
	GPtrArray *shared_texts; /* session_texts of that interleaving in this shard */
};

struct shard *shard_new(struct session *session)
{
	struct shard *shard = g_new0(struct shard, 1);

	shard->session = session;
	return shard;
}

void shard_free(struct shard *shard)
{
	g_free(shard->split);
	g_free(shard->shared_path);
	if (shard->shared_texts)
		session_texts_free(shard->shared_texts);
	g_free(shard);
}

/* --- data for merges with other shards ------------------------------------------------------ */

/* Records where the first interleaving of this shard leaves other file contents than the
 * interleaving that all shards ran. Stores hold the ranks' output, but not the files. */
static void compare_files(const struct shard *shard, GVariantDict *common)
{
	const struct session_options *options = session_options(shard->session);
	const struct outcomes *outcomes = session_outcomes(shard->session);
	char *const *names = compared_files_names(session_compared_files(shard->session));
	struct outcome_difference difference = {0};
	g_autofree char *place = NULL, *text = NULL;

	if (!outcomes || !outcomes_reference(outcomes)
	    || outcomes_reference(outcomes)->len < shard->shared_texts->len
	    || !outcomes_difference(outcomes, shard->shared_texts, &difference))
		return;
	if (difference.text >= (guint)options->ranks) {
		place = outcome_finding_place((guint)options->ranks, names, &difference);
		text = g_strdup_printf("differs from other shards in %s: \"%s\" instead of \"%s\"",
		                       place, difference.instead ? difference.instead : "",
		                       difference.here ? difference.here : "");
		g_variant_dict_insert(common, "files", "s", text);
	}
	outcome_difference_clear(&difference);
}

void shard_common(const struct shard *shard, GVariantDict *common)
{
	if (shard->split)
		g_variant_dict_insert(common, "split", "s", shard->split);
	g_variant_dict_insert(common, "struck", "b", shard->struck);
	g_variant_dict_insert(common, "wrote", "b",
	                      compared_files_any(session_compared_files(shard->session)));
	if (!shard->shared_path)
		return;
	store_common_texts(common, shard->shared_path, shard->shared_texts,
	                   (guint)session_options(shard->session)->ranks);
	compare_files(shard, common);
}

void shard_restore(struct shard *shard, GVariant *common)
{
	GVariantDict dict;
	GVariantIter *texts;
	GVariant *text;

	g_variant_dict_init(&dict, common);
	g_variant_dict_lookup(&dict, "split", "s", &shard->split);
	g_variant_dict_lookup(&dict, "struck", "b", &shard->struck);
	if (g_variant_dict_lookup(&dict, "texts", "aay", &texts)) {
		g_variant_dict_lookup(&dict, "path", "s", &shard->shared_path);
		shard->shared_texts = g_ptr_array_new();
		while ((text = g_variant_iter_next_value(texts))) {
			g_ptr_array_add(shard->shared_texts, g_variant_get_data_as_bytes(text));
			g_variant_unref(text);
		}
		g_variant_iter_free(texts);
	}
	g_variant_dict_clear(&dict);
}

static void share_texts(struct shard *shard, const struct execution *execution)
{
	const struct verdict *verdict = interleaving_verdict(execution);
	const struct record_execution *record = verdict->record;

	if (shard->shared_path || !record || !verdict->ended_well
	    || execution_result(execution)->discard == DISCARD_CUT_SHORT)
		return;
	shard->shared_path = g_strdup(record->path);
	shard->shared_texts = session_texts(shard->session, record,
	                                    session_outcomes(shard->session));
}

/* --- the stem ------------------------------------------------------------------------------- */

struct stem {
	struct plan_source source;
	struct shard *shard;
	struct partition *partition;
	const GArray *bufferings;  /* bufferings of its trees */
	struct strategy *strategy; /* of the current tree */
	bool stopped;
};

static bool is_first(const struct shard *shard)
{
	return session_options(shard->session)->shard == 1;
}

static bool stem_may_go_on(const struct plan_source *source)
{
	return session_may_go_on(((const struct stem *)source)->shard->session);
}

static bool stem_next(struct plan_source *source, struct run_request *ret_request)
{
	struct stem *stem = (struct stem *)source;
	struct session *session = stem->shard->session;
	g_autoptr(GArray) plan = NULL;
	struct explorer *explorer;
	guint tree;

	if (stem->stopped || !(explorer = partition_next(stem->partition, &tree)))
		return false;
	stem->stopped = session_is_enough(session);
	if (stem->stopped)
		return false;
	stem->strategy = strategy_search(explorer);
	plan = stem->strategy->next(stem->strategy);
	*ret_request = (struct run_request){
		.position = session_position(session, plan,
	                                     g_array_index(stem->bufferings, guint32, tree)),
		.strategy = stem->strategy};
	session_request(session, ret_request, CALLS_NEW);
	return true;
}

static void stem_ended(struct plan_source *source, struct execution *execution)
{
	struct stem *stem = (struct stem *)source;

	share_texts(stem->shard, execution);
	stem->shard->struck |= execution_result(execution)->struck_before;
	stem->stopped = !session_finish(stem->shard->session, execution, is_first(stem->shard));
	stem->strategy->free(g_steal_pointer(&stem->strategy));
}

/* false: the session is to end. */
static bool run_stem(struct shard *shard, struct partition *partition, const GArray *bufferings)
{
	static const struct plan_source_type type = {
		.next = stem_next, .may_go_on = stem_may_go_on, .ended = stem_ended};
	struct stem stem = {.source = {.type = &type},
	                    .shard = shard,
	                    .partition = partition,
	                    .bufferings = bufferings};

	executor_run(session_executor(shard->session), (struct plan_source *[]){&stem.source}, 1);
	return !stem.stopped && !session_has_failed(shard->session);
}

/* --- division into parts -------------------------------------------------------------------- */

/* Replaces the whole trees by this shard's parts of them. */
static void take_own_parts(struct shard *shard, struct partition *partition,
                           const GArray *bufferings, struct lanes *lanes)
{
	const struct session *session = shard->session;
	g_autoptr(GArray) parts = partition_parts(partition, session_options(session)->shard);
	GPtrArray *own = lanes_no_parts();
	struct explorer_statistics stem;
	struct left_out left_out = {0};

	for (guint i = 0; i < parts->len; i++) {
		const struct partition_part *part = &g_array_index(parts, struct partition_part, i);
		enum buffering buffering = g_array_index(bufferings, guint32, part->tree);

		coverage_add_own(session_coverage(session), buffering, part->share);
		lanes_add_part(own, buffering, g_variant_ref(part->frontier));
	}
	lanes_set_waiting(lanes, own);
	shard->split = partition_digest(partition);
	partition_statistics(partition, &stem);
	left_out_add(&left_out, &stem);
	if (!is_first(shard))
		left_out.pruned = left_out.vouched = 0;
	coverage_add_left_out(session_coverage(session), &left_out);
}

/* For the note on coverage: the whole stem is covered, or the rest of this shard is unknown. */
static void cover_stem(const struct shard *shard, const GArray *bufferings, bool done)
{
	struct coverage *coverage = session_coverage(shard->session);

	for (guint i = 0; i < bufferings->len; i++) {
		enum buffering buffering = g_array_index(bufferings, guint32, i);
		bool begun = coverage_explored(coverage, buffering) > 0;

		if (done || begun)
			coverage_begin(coverage, buffering);
		if (!done && begun)
			coverage_leave(coverage, buffering, 1);
	}
}

static bool save_division(const struct shard *shard)
{
	struct store *store = session_store(shard->session);
	g_autoptr(GVariant) common = NULL;
	g_autoptr(GError) error = NULL;
	GVariantDict dict;

	if (!store)
		return true;
	g_variant_dict_init(&dict, NULL);
	shard_common(shard, &dict);
	common = g_variant_ref_sink(g_variant_dict_end(&dict));
	if (!store_put_common(store, common, &error))
		session_fail(shard->session, "%s", error->message);
	session_save(shard->session);
	return !session_has_failed(shard->session);
}

bool shard_divide(struct shard *shard, struct lanes *lanes)
{
	const struct session_options *options = session_options(shard->session);
	g_autoptr(GArray) bounds = search_bounds(options);
	const struct explorer_options search = search_bounds_explorer(options, bounds);
	const GPtrArray *waiting = lanes_waiting(lanes);
	g_autoptr(GArray) bufferings = g_array_new(false, false, sizeof(guint32));
	struct partition *partition;
	bool done;

	for (guint i = 0; options->shards > 1 && i < waiting->len; i++) {
		const struct store_part *part = waiting->pdata[i];

		if (!part->frontier)
			g_array_append_val(bufferings, part->buffering);
	}
	if (bufferings->len == 0) /* an earlier session has divided them */
		return true;
	partition = partition_new(&search, options->shards);
	for (guint i = 0; i < bufferings->len; i++)
		partition_add_tree(partition);
	done = run_stem(shard, partition, bufferings);
	if (done)
		take_own_parts(shard, partition, bufferings, lanes);
	cover_stem(shard, bufferings, done);
	partition_free(partition);
	return done && save_division(shard);
}
