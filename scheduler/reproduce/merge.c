#include "merge.h"

#include "merge_internal.h"
#include "scheduler/session/stored_run.h"

/* --- interleavings -------------------------------------------------------------------------- */

/* Whether an earlier store has the same interleaving. */
static bool is_known(struct merge *merge, const struct record_execution *execution)
{
	g_autoptr(GPtrArray) shown = NULL;
	char *identity;

	if (!merge->known)
		return false;
	shown = stored_run_findings(merge->current->reader, execution);
	g_ptr_array_set_free_func(shown, (GDestroyNotify)record_finding_free);
	identity = stored_run_identity(execution, shown);
	if (!g_hash_table_contains(merge->known, identity)) {
		g_hash_table_add(merge->own, identity);
		return false;
	}
	g_free(identity);
	merge->exploration->wasted += merge->exploration->shards > 0;
	return true;
}

/* Collects the interleavings with a different outcome according to the source. */
static void note_difference(struct merge_source *source, const struct record_execution *execution,
                            guint32 id)
{
	if (!source->ids)
		return;
	g_hash_table_insert(source->ids, GUINT_TO_POINTER(execution->id), GUINT_TO_POINTER(id));
	for (guint i = 0; i < execution->findings->len; i++) {
		const struct record_finding *finding = store_reader_finding(
			source->reader, g_array_index(execution->findings, guint32, i));

		if (finding && finding_kind_info(finding->kind)->compares)
			g_array_append_val(source->differ, id);
	}
}

/* true: one of them is new. */
static bool add_findings(struct merge *merge, struct record_execution *record,
                         const GArray *choices)
{
	g_autoptr(GPtrArray) shown = stored_run_findings(merge->current->reader, record);
	bool fresh = false;

	g_array_set_size(record->findings, 0);
	for (guint i = 0; i < shown->len; i++) {
		struct record_finding *finding = findings_add(merge->findings, shown->pdata[i],
		                                              record, choices);

		g_array_append_val(record->findings, finding->id);
		fresh |= finding->count == 1;
	}
	return fresh;
}

/* Keeps calls as the session does (record.h). */
static void thin_calls(struct merge *merge, struct record_execution *record, bool fresh)
{
	bool well = record->status == FINDING_NONE;

	if (record->calls->len == 0)
		return;
	if (!fresh && (!well || merge->well_kept & record->buffering))
		g_array_set_size(record->calls, 0);
	else if (well)
		merge->well_kept |= record->buffering;
}

/* Appends the stack of a call with its number in the merged store; 0: no stack was taken. */
static void add_stack(struct merge *merge, GArray *calls, struct record_stack told)
{
	guint32 *number = &g_array_index(merge->current->stacks, guint32, told.stack);
	const GArray *frames = store_reader_stack(merge->current->reader, told.stack);

	if (!frames)
		return;
	if (*number == 0) {
		g_ptr_array_add(merge->stacks, (gpointer)frames);
		*number = merge->stacks->len;
	}
	told.stack = *number;
	g_array_append_val(calls, told);
}

/* Stores the stacks of its calls and crashes. */
static bool put_stacks(struct merge *merge, const struct record_execution *record, GError **error)
{
	g_autoptr(GArray) calls = g_array_new(false, false, sizeof(struct record_stack));

	for (guint i = 0; i < record->calls->len; i++) {
		const struct record_call *call = &g_array_index(record->calls, struct record_call,
		                                                i);

		add_stack(merge, calls, (struct record_stack){call->rank, call->call, call->stack});
	}
	for (guint i = 0; i < record->ranks->len; i++) {
		const struct record_rank *rank = record->ranks->pdata[i];

		if (record_rank_crashed(rank))
			add_stack(merge, calls, (struct record_stack){rank->rank, 0, rank->stack});
	}
	return calls->len == 0
	       || store_put_stacks(merge->store, record->id, calls, merge->stacks, error);
}

static bool take_interleaving(const struct record_execution *execution, void *data, GError **error)
{
	struct merge *merge = data;
	struct record_execution *record = (struct record_execution *)execution;
	guint32 id = (guint32)merge->exploration->interleavings + 1;
	g_autoptr(GArray) choices = NULL;
	bool fresh;

	if (is_known(merge, execution))
		return true;
	note_difference(merge->current, execution, id);
	merge->exploration->interleavings++;
	record->id = id;
	choices = stored_run_choices(execution);
	fresh = add_findings(merge, record, choices);
	thin_calls(merge, record, fresh);
	if (stored_run_ended_well(record)) {
		findings_add_good(merge->findings, record, choices);
		merge_outcomes_take(merge, record, choices);
	}
	return store_add(merge->store, record, NULL, error) && put_stacks(merge, record, error);
}

/* --- findings of replays, which no interleaving shows --------------------------------------- */

static bool is_shown(struct store_reader *reader, guint32 finding)
{
	g_autoptr(RecordExecution) example = store_reader_example(reader, finding, NULL);

	return example != NULL;
}

static void add_unshown(struct merge *merge, const struct record_finding *finding)
{
	g_autoptr(RecordExecution) record = record_execution_new();
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct choice));
	struct path *path = path_parse(finding->path, NULL);
	struct record_finding *added;

	record->buffering = finding->bufferings;
	added = findings_add(merge->findings, stored_run_finding(finding), record,
	                     path ? path->choices : none);
	added->count += MAX(finding->count, 1) - 1;
	path_free(path);
}

/* --- paths ------------------------------------------------------------------------------------ */

/* Removes the buffering from the finding's path if it shows under several. A shard may know it
 * under one only, and name that; a replay without a buffering takes that one anyway. */
static void leave_out_buffering(struct record_finding *finding)
{
	struct path *path = path_parse(finding->path, NULL);

	if (path && path->collectives == COLLECTIVES_ANY
	    && path->buffering == path_usual_buffering(path->choices)) {
		path->buffering = BUFFERING_ANY;
		g_free(finding->path);
		finding->path = path_print(path);
	}
	path_free(path);
}

static void shorten_paths(const struct merge *merge)
{
	const GPtrArray *all = findings_all(merge->findings);

	for (guint i = 0; i < all->len; i++) {
		struct record_finding *finding = all->pdata[i];

		if (finding->reproduced && finding->outcomes->len == 0
		    && !finding_kind_info(finding->kind)->beyond_choices
		    && findings_everywhere(merge->findings, finding->id))
			leave_out_buffering(finding);
	}
}

/* --- merge ---------------------------------------------------------------------------------- */

static bool find_excerpt(void *data, const struct place *place, struct record_excerpt *ret)
{
	struct merge *merge = data;
	const struct record_excerpt *excerpt = NULL;

	for (guint i = 0; !excerpt && i < merge->sources->len; i++) {
		const struct merge_source *source = merge->sources->pdata[i];

		excerpt = store_reader_excerpt(source->reader, place);
	}
	if (excerpt)
		*ret = (struct record_excerpt){excerpt->first, g_strdup(excerpt->text)};
	return excerpt != NULL;
}

static void forget_own(struct merge *merge)
{
	GHashTableIter iter;
	gpointer name;

	if (!merge->known)
		return;
	g_hash_table_iter_init(&iter, merge->own);
	while (g_hash_table_iter_next(&iter, &name, NULL)) {
		g_hash_table_iter_steal(&iter);
		g_hash_table_add(merge->known, name);
	}
}

static bool take_all(struct merge *merge, GError **error)
{
	for (guint i = 0; i < merge->sources->len; i++) {
		const GPtrArray *findings;

		merge->current = merge->sources->pdata[i];
		if (!store_reader_each(merge->current->reader, false, take_interleaving, merge,
		                       error))
			return false;
		forget_own(merge);
		findings = store_reader_findings(merge->current->reader);
		for (guint j = 0; j < findings->len; j++) {
			const struct record_finding *finding = findings->pdata[j];

			if (!finding_kind_info(finding->kind)->compares
			    && !is_shown(merge->current->reader, finding->id))
				add_unshown(merge, finding);
		}
	}
	return true;
}

static GPtrArray *identity_of(const struct merge *merge)
{
	const struct merge_source *first = merge->sources->pdata[0];
	GPtrArray *identity = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i + 1 < first->identity->len; i += 2) {
		const char *name = first->identity->pdata[i];

		g_ptr_array_add(identity, g_strdup(name));
		if (merge->exploration->shards > 0 && g_str_equal(name, "--shard"))
			g_ptr_array_add(identity,
			                g_strdup_printf("all %u", merge->exploration->shards));
		else
			g_ptr_array_add(identity, g_strdup(first->identity->pdata[i + 1]));
	}
	return identity;
}

static bool carry_out(struct merge *merge, GError **error)
{
	struct record_exploration *e = merge->exploration;
	g_autoptr(GPtrArray) identity = identity_of(merge);
	g_autoptr(GVariant) common = NULL;

	store_hold(merge->store);
	store_excerpts_from(merge->store, find_excerpt, merge);
	merge_outcomes_begin(merge);
	if (!store_put_exploration(merge->store, e, error)
	    || !store_identify(merge->store, identity, error) || !take_all(merge, error)
	    || !merge_outcomes_judge(merge, error))
		return false;
	findings_blame(merge->findings);
	shorten_paths(merge);
	merge_limits(merge);
	common = merge_outcomes_common(merge);
	return store_put_common(merge->store, common, error)
	       && store_add(merge->store, NULL, findings_all(merge->findings), error)
	       && store_put_exploration(merge->store, e, error)
	       && store_release(merge->store, error);
}

static void merge_release(struct merge *merge)
{
	store_close(merge->store);
	findings_free(merge->findings);
	outcomes_free(merge->outcomes);
	merge_varying_free(merge->varying);
	record_exploration_free(merge->exploration);
	g_clear_pointer(&merge->known, g_hash_table_destroy);
	g_clear_pointer(&merge->own, g_hash_table_destroy);
	g_ptr_array_unref(merge->texts);
	g_ptr_array_unref(merge->stacks);
	g_array_unref(merge->outcome_of);
	g_ptr_array_unref(merge->sources);
}

bool merge_stores(char *const *stores, const char *into, GError **error)
{
	struct merge merge = {.sources = merge_sources_open(stores, error)};
	bool good = merge.sources != NULL;

	if (!good)
		return false;
	for (guint i = 0; good && stores[i]; i++) {
		good = !merge_same_store(stores[i], into);
		if (!good)
			g_set_error(error, MERGE_ERROR, 0,
			            "%s is one of the stores to be merged: name another directory",
			            into);
	}
	merge.exploration = record_exploration_new();
	merge.stacks = g_ptr_array_new();
	merge.texts = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	merge.outcome_of = g_array_new(false, false, sizeof(guint32));
	merge_describe(&merge);
	merge.findings = findings_new(merge.exploration->bufferings);
	/* Explorations that are not shards may overlap. Shards of a program with threads may, too
	 * (off_tree_outcomes.h). */
	if (merge.exploration->shards == 0 || merge.exploration->threads) {
		merge.known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
		merge.own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	}
	merge.store = good ? store_create(into, error) : NULL;
	good = merge.store && carry_out(&merge, error);
	if (merge.store && !good)
		store_drop(g_steal_pointer(&merge.store));
	merge_release(&merge);
	return good;
}
