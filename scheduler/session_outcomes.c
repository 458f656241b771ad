/* Whether interleavings that end well leave the same: `outcome-differs`.
 *
 * A difference counts only when it comes from the choices: the reference and one interleaving of
 * each other outcome are run again, along their paths, and must leave what they left before. The
 * reference is run again when the first other outcome shows, too, so that what varies by itself
 * makes no outcomes. */
#include <string.h>

#include "outcome_finding.h"
#include "session_internal.h"

static guint ranks_of(const struct session *session)
{
	return (guint)session->options->ranks;
}

GPtrArray *session_texts(const struct session *session, const struct record_execution *record)
{
	const struct session_options *options = session->options;
	GPtrArray *texts = g_ptr_array_new();

	for (guint i = 0; i < record->outputs->len; i++)
		g_ptr_array_add(texts, g_bytes_ref(record->outputs->pdata[i]));
	for (char **file = options->compare_files; file && *file; file++) {
		char *contents;
		gsize size;

		g_ptr_array_add(texts, g_file_get_contents(*file, &contents, &size, NULL)
		                               ? g_bytes_new_take(contents, size)
		                               : NULL);
	}
	return texts;
}

void session_texts_free(GPtrArray *texts)
{
	for (guint i = 0; i < texts->len; i++)
		if (texts->pdata[i])
			g_bytes_unref(texts->pdata[i]);
	g_ptr_array_unref(texts);
}

void session_outcome(struct session *session, const struct record_execution *record,
                     const GArray *choices)
{
	GPtrArray *texts;
	guint index;

	if (!session->outcomes)
		return;
	texts = session_texts(session, record);
	index = outcomes_add(session->outcomes, texts, record, choices);
	session_texts_free(texts);
	session->outcomes_beyond += index == OUTCOMES_NONE;
	g_array_append_val(session->outcome_of, index);
	g_array_append_val(session->outcome_of, record->id);
	if (outcomes_differ(session->outcomes) && session->outcome_doubt == DOUBT_NONE)
		session->outcome_doubt = DOUBT_NEW;
}

/* --- running again --- */

struct again {
	guint index;
	guint number; /* of the outcome, for --keep-files; 0: not kept */
	gboolean same;
	struct outcome_difference difference; /* from the reference */
};

static void keep_files(struct session *session, guint number)
{
	g_autofree char *directory = g_strdup_printf("%s/outcome-%u", session->options->keep_files,
	                                             number);
	g_autoptr(GError) error = NULL;

	if (!journal_keep(session->journal, session->exploration->directory, directory, &error))
		session_fail(session, "%s", error->message);
}

static void look(struct session *session, void *data)
{
	const struct execution *execution = session->current;
	struct again *again = data;
	GPtrArray *texts;

	if (!execution->record || execution->cut_short || !execution->ended_well)
		return;
	texts = session_texts(session, execution->record);
	again->same = outcomes_check(session->outcomes, again->index, texts);
	if (again->index > 0)
		outcomes_difference(session->outcomes, texts, &again->difference);
	session_texts_free(texts);
	if (again->same && again->number > 0 && session->options->keep_files)
		keep_files(session, again->number);
}

static enum buffering buffering_of(const struct record_execution *execution)
{
	enum buffering buffering = BUFFERING_ZERO;

	while (buffering < BUFFERING_PER_SEND && execution->buffering != 1u << buffering)
		buffering++;
	return buffering;
}

static gboolean run_again(struct session *session, struct again *again)
{
	const struct record_execution *first = outcomes_first(session->outcomes, again->index);

	session_follow(session, outcomes_choices(session->outcomes, again->index),
	               buffering_of(first), look, again);
	return again->same;
}

void session_doubt_outcomes(struct session *session)
{
	struct again reference = {0}, other = {.index = 1};

	if (session->outcome_doubt != DOUBT_NEW || session->error || session->hurry)
		return;
	session->outcome_doubt = DOUBT_CHECKED;
	run_again(session, &reference);
	if (!session->options->fail_fast || session->stop_reason)
		return;
	while (other.index + 1 < outcomes_count(session->outcomes)
	       && outcomes_stands_for(session->outcomes, other.index) == 0)
		other.index++;
	if (outcomes_differ(session->outcomes) && run_again(session, &other))
		session->stop_reason = g_strdup("stopped by --fail-fast");
	else
		session->outcome_doubt = DOUBT_NONE; /* until the next one */
	outcome_difference_clear(&other.difference);
}

/* --- the finding --- */

static char *name_text(const struct session *session, const struct outcome_difference *difference)
{
	return outcome_finding_place(ranks_of(session), session->options->compare_files,
	                             difference);
}

static void report(struct session *session, struct record_finding *finding, guint index,
                   const guint *numbers)
{
	g_autoptr(GArray) shown = outcome_finding_count(finding, session->outcomes,
	                                                session->outcome_of, numbers);
	g_autoptr(GError) error = NULL;

	outcome_finding_tell(finding, session->outcomes, index);
	finding = findings_add(session->findings, finding, outcomes_first(session->outcomes, index),
	                       outcomes_choices(session->outcomes, index));
	findings_show(session->findings, finding->id, shown);
	if (session->store
	    && !store_show(session->store, finding->id, (const guint32 *)(void *)shown->data,
	                   shown->len, &error))
		session_fail(session, "%s", error->message);
}

/* It has left the same once more. */
static void keep_calls(struct session *session, void *data)
{
	const struct execution *execution = session->current;
	const struct record_execution *first = data;
	g_autoptr(GError) error = NULL;

	if (!execution->record || execution->cut_short || !execution->ended_well
	    || execution->record->calls->len == 0
	    || !g_str_equal(execution->record->path, first->path))
		return;
	if (!store_replace_calls(session->store, first->id, execution->record->calls, &error))
		session_fail(session, "%s", error->message);
	session_keep_stacks(session, first->id);
}

/* For graphs and call stacks: the interleaving that shows the difference, and what it differs
 * from. */
static void show(struct session *session, guint index)
{
	const struct record_execution *first = outcomes_first(session->outcomes, index);

	if (!session->store || session->options->conduct || session->error || session->hurry)
		return;
	session->replaying = session->showing = TRUE;
	session_follow(session, outcomes_choices(session->outcomes, index), buffering_of(first),
	               keep_calls, (void *)first);
	session->replaying = session->showing = FALSE;
}

static void note_varying(struct session *session)
{
	const struct outcome_difference *varying = outcomes_varying(session->outcomes);
	g_autofree char *name = NULL;

	if (!varying)
		return;
	name = name_text(session, varying);
	g_ptr_array_add(session->exploration->notes,
	                g_strdup_printf("what varies when the same interleaving is run again was "
	                                "not compared: %s (\"%s\")",
	                                name, varying->here ? varying->here : ""));
}

/* Runs one of each outcome again; those that leave the same get a number. */
static guint number_outcomes(struct session *session, struct again *agains, guint *numbers)
{
	guint count_all = outcomes_count(session->outcomes), next = 1;
	struct again reference = {0};

	for (guint i = 0; i < count_all && !session->error && !session->hurry; i++) {
		agains[i].index = i;
		if (outcomes_stands_for(session->outcomes, i) != i)
			continue;
		agains[i].number = next;
		if (run_again(session, &agains[i]) || i == 0)
			numbers[i] = next++;
	}
	if (next > 2 && !session->error && !session->hurry)
		run_again(session, &reference);
	return next - 1;
}

static void tell(struct session *session, struct again *agains, guint *numbers)
{
	struct record_finding *finding = record_finding_new("outcome-differs");
	guint second = 0, next = 1;

	for (guint i = 0; i < outcomes_count(session->outcomes); i++) {
		/* It may have turned out meanwhile that it is no other. */
		if (outcomes_stands_for(session->outcomes, i) != i
		    || (i > 0 && !agains[i].difference.line))
			numbers[i] = 0;
		if (numbers[i] == 0)
			continue;
		if (next == 2)
			second = i;
		numbers[i] = next++;
		outcome_finding_add(finding, session->outcomes, i,
		                    i > 0 ? name_text(session, &agains[i].difference) : NULL,
		                    i > 0 ? &agains[i].difference : NULL);
	}
	if (second == 0 || session->error || session->hurry) {
		record_finding_free(finding);
		return;
	}
	report(session, finding, second, numbers);
	show(session, 0);
	show(session, second);
}

/* What merges of this store with others must know (store_schema.h). */
static GVariant *common_of(const struct session *session, gboolean again)
{
	const struct outcomes *outcomes = session->outcomes;
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	g_variant_dict_insert(&dict, "again", "b", again);
	if (outcomes) {
		g_autoptr(GVariant) left_out = outcomes_left_out(outcomes);

		g_variant_dict_insert_value(&dict, "left-out", left_out);
	}
	if (session->options->shards > 0)
		session_shard_common(session, &dict);
	else if (outcomes && outcomes_reference(outcomes))
		store_common_texts(&dict, outcomes_first(outcomes, 0)->path,
		                   outcomes_reference(outcomes), ranks_of(session));
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

static void put_common(struct session *session, gboolean again)
{
	const struct session_options *options = session->options;
	g_autoptr(GVariant) common = NULL;
	g_autoptr(GError) error = NULL;

	if (!session->store || options->path || options->conduct)
		return;
	common = common_of(session, again && !session->error && !session->hurry);
	if (!store_put_common(session->store, common, &error))
		session_fail(session, "%s", error->message);
}

/* All is the same here. In parts of the tree that others explore it may not be: then it must be
 * known what varies by itself. FALSE: it is not known. */
static gboolean look_for_varying(struct session *session)
{
	struct again reference = {0};

	if ((session->options->shards == 0 && !session->stop_reason) || session->error
	    || session->hurry)
		return FALSE;
	run_again(session, &reference);
	return TRUE;
}

/* FALSE: not all that was to be run again was. */
static gboolean judge(struct session *session)
{
	guint all = session->outcomes ? outcomes_count(session->outcomes) : 0;
	g_autofree struct again *agains = g_new0(struct again, all + 1);
	g_autofree guint *numbers = g_new0(guint, all + 1);
	gboolean again;

	if (all == 0)
		return TRUE;
	if (!outcomes_differ(session->outcomes) && !session->options->keep_files) {
		again = look_for_varying(session);
		note_varying(session);
		return again;
	}
	number_outcomes(session, agains, numbers);
	if (session->hurry)
		g_ptr_array_add(session->exploration->notes,
		                g_strdup("interleavings that end well differ in their output; "
		                         "there was no time to see whether by the choices"));
	tell(session, agains, numbers);
	note_varying(session);
	for (guint i = 0; i < all; i++)
		outcome_difference_clear(&agains[i].difference);
	return TRUE;
}

void session_judge_outcomes(struct session *session)
{
	put_common(session, judge(session));
}
