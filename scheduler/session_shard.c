/* One of several sessions that explore a program together, each by itself (--shard): all run the
 * stem, divide what it leaves waiting alike (explorer/partition.h), and explore their own parts.
 *
 * The stem's interleavings are the first shard's; the others run them, and forget them but for what
 * one that ended well has printed: by that outcomes can be compared when the shards are merged
 * (merge_outcomes.c). Until the stem has ended the store holds nothing to go on with but the whole
 * trees, so a later session begins it anew. */
#include "../explorer/partition.h"
#include "lanes.h"
#include "outcome_finding.h"
#include "session_internal.h"

/* --- what shards must know of each other ---------------------------------------------------- */

/* Where the first interleaving of this shard leaves something else in files than the one that all
 * ran; what ranks printed is in the stores, what was in files is not. */
static void compare_files(const struct session *session, GVariantDict *common)
{
	const struct session_options *options = session->options;
	struct outcome_difference difference = {0};
	g_autofree char *place = NULL, *text = NULL;

	if (!session->outcomes || !outcomes_reference(session->outcomes)
	    || outcomes_reference(session->outcomes)->len != session->shared_texts->len
	    || !outcomes_difference(session->outcomes, session->shared_texts, &difference))
		return;
	if (difference.text >= (guint)options->ranks) {
		place = outcome_finding_place((guint)options->ranks, options->compare_files,
		                              &difference);
		text = g_strdup_printf("differs from other shards in %s: \"%s\" instead of \"%s\"",
		                       place, difference.instead ? difference.instead : "",
		                       difference.here ? difference.here : "");
		g_variant_dict_insert(common, "files", "s", text);
	}
	outcome_difference_clear(&difference);
}

void session_shard_common(const struct session *session, GVariantDict *common)
{
	if (session->split)
		g_variant_dict_insert(common, "split", "s", session->split);
	if (!session->shared_path)
		return;
	store_common_texts(common, session->shared_path, session->shared_texts,
	                   (guint)session->options->ranks);
	compare_files(session, common);
}

void session_shard_recall(struct session *session, GVariant *common)
{
	GVariantDict dict;
	GVariantIter *texts;
	GVariant *text;

	g_variant_dict_init(&dict, common);
	g_variant_dict_lookup(&dict, "split", "s", &session->split);
	if (g_variant_dict_lookup(&dict, "texts", "aay", &texts)) {
		g_variant_dict_lookup(&dict, "path", "s", &session->shared_path);
		session->shared_texts = g_ptr_array_new();
		while ((text = g_variant_iter_next_value(texts))) {
			g_ptr_array_add(session->shared_texts, g_variant_get_data_as_bytes(text));
			g_variant_unref(text);
		}
		g_variant_iter_free(texts);
	}
	g_variant_dict_clear(&dict);
}

void session_shard_release(struct session *session)
{
	g_clear_pointer(&session->split, g_free);
	g_clear_pointer(&session->shared_path, g_free);
	g_clear_pointer(&session->shared_texts, session_texts_free);
}

static void share_texts(struct session *session)
{
	const struct execution *execution = session->current;
	const struct record_execution *record = execution->record;

	if (session->shared_path || !record || !execution->ended_well || execution->cut_short)
		return;
	session->shared_path = g_strdup(record->path);
	session->shared_texts = session_texts(session, record);
}

/* --- the stem ------------------------------------------------------------------------------- */

static gboolean is_first(const struct session *session)
{
	return session->options->shard == 1;
}

/* Carries out the next plan. FALSE: it did not come to its end. */
static gboolean run_next(struct session *session, struct explorer *explorer,
                         enum buffering buffering)
{
	struct strategy *strategy = strategy_search(explorer);
	struct execution *execution;
	gboolean whole;

	execution = session_carry_out(session, strategy, buffering, strategy->next(strategy));
	share_texts(session);
	whole = session_finish(session, execution, is_first(session));
	strategy->free(strategy);
	return whole;
}

/* FALSE: it was stopped. */
static gboolean run_stem(struct session *session, struct partition *partition,
                         const GArray *bufferings)
{
	struct explorer *explorer;
	guint tree;

	while ((explorer = partition_next(partition, &tree))) {
		enum buffering buffering = g_array_index(bufferings, guint32, tree);

		if (session_is_enough(session) || !run_next(session, explorer, buffering))
			return FALSE;
	}
	return !session->error;
}

/* --- whose is what -------------------------------------------------------------------------- */

/* Takes this shard's parts in the place of the whole trees. */
static void take_parts(struct session *session, struct partition *partition,
                       const GArray *bufferings)
{
	g_autoptr(GArray) parts = partition_parts(partition, session->options->shard);
	struct explorer_statistics stem;

	g_ptr_array_set_size(session->parts, 0);
	for (guint i = 0; i < parts->len; i++) {
		const struct partition_part *part = &g_array_index(parts, struct partition_part, i);
		struct store_part *own = g_new0(struct store_part, 1);

		own->buffering = g_array_index(bufferings, guint32, part->tree);
		own->frontier = g_variant_ref(part->frontier);
		session->own_share[own->buffering] += part->share;
		g_ptr_array_add(session->parts, own);
	}
	session->split = partition_digest(partition);
	partition_statistics(partition, &stem);
	session->left_out.pruned += is_first(session) ? stem.pruned : 0;
	session->left_out.vouched += is_first(session) ? stem.vouched : 0;
	session->left_out.sets |= stem.sets_left;
}

/* For the note on what was explored: all of the stem is, or it is not known how much of this
 * shard's is left. */
static void cover_stem(struct session *session, const GArray *bufferings, gboolean done)
{
	for (guint i = 0; i < bufferings->len; i++) {
		struct coverage *covered = &session->covered[g_array_index(bufferings, guint32, i)];

		covered->begun = done || covered->explored > 0;
		covered->left += done || covered->explored == 0 ? 0 : 1;
	}
}

static gboolean save(struct session *session)
{
	g_autoptr(GVariant) common = NULL;
	g_autoptr(GError) error = NULL;
	GVariantDict dict;

	if (!session->store)
		return TRUE;
	g_variant_dict_init(&dict, NULL);
	session_shard_common(session, &dict);
	common = g_variant_ref_sink(g_variant_dict_end(&dict));
	if (!store_put_common(session->store, common, &error))
		session_fail(session, "%s", error->message);
	session_save(session);
	return !session->error;
}

gboolean session_divide(struct session *session)
{
	const struct session_options *options = session->options;
	g_autoptr(GArray) bounds = session_explorer_bounds(options);
	const struct explorer_options search = {
		options->ranks,
		options->deviations,
		(const struct explorer_bound *)(const void *)bounds->data,
		bounds->len,
		options->some,
	};
	g_autoptr(GArray) bufferings = g_array_new(FALSE, FALSE, sizeof(guint32));
	struct partition *partition;
	gboolean done;

	for (guint i = 0; options->shards > 1 && i < session->parts->len; i++) {
		const struct store_part *part = session->parts->pdata[i];

		if (!part->frontier)
			g_array_append_val(bufferings, part->buffering);
	}
	if (bufferings->len == 0) /* an earlier session has divided them */
		return TRUE;
	partition = partition_new(&search, options->shards);
	for (guint i = 0; i < bufferings->len; i++)
		partition_add_tree(partition);
	done = run_stem(session, partition, bufferings);
	if (done)
		take_parts(session, partition, bufferings);
	cover_stem(session, bufferings, done);
	partition_free(partition);
	return done && save(session);
}
