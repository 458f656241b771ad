#include "outcome_watch_internal.h"

#include <string.h>

#include "ckpt/journal.h"
#include "compared_files.h"
#include "findings.h"
#include "outcome_finding.h"
#include "outcome_text.h"
#include "scheduler/store/store.h"
#include "session_context.h"
#include "shard.h"
#include "stored_run.h"
#include "varying_lines.h"

static void again_clear(struct again *again)
{
	outcome_difference_clear(&again->difference);
	g_clear_pointer(&again->path, g_free);
}

struct outcome_watch *outcome_watch_new(struct session *session)
{
	const struct session_options *options = session_options(session);
	struct outcome_watch *watch = g_new0(struct outcome_watch, 1);

	watch->session = session;
	watch->outcome_of = g_array_new(false, false, sizeof(guint32));
	if (options->compare && !options->position) {
		watch->outcomes = outcomes_new();
		outcomes_files_from(watch->outcomes, (guint)options->ranks);
		watch->varying = varying_lines_new((guint)options->ranks);
	}
	return watch;
}

void outcome_watch_free(struct outcome_watch *watch)
{
	outcomes_free(watch->outcomes);
	varying_lines_free(watch->varying);
	outcome_watch_free_erratic(watch->erratic);
	again_clear(&watch->reference);
	again_clear(&watch->sure);
	g_array_unref(watch->outcome_of);
	g_free(watch);
}

struct outcomes *outcome_watch_outcomes(const struct outcome_watch *watch)
{
	return watch->outcomes;
}

static guint ranks_of(const struct session *session)
{
	return (guint)session_options(session)->ranks;
}

GPtrArray *session_texts(const struct session *session, const struct record_execution *record,
                         struct outcomes *outcomes)
{
	GPtrArray *texts = g_ptr_array_new();

	for (guint i = 0; i < record->outputs->len; i++)
		g_ptr_array_add(texts, g_bytes_ref(record->outputs->pdata[i]));
	if (outcomes)
		compared_files_add(session_compared_files(session), session_journal(session),
		                   outcomes, texts);
	return texts;
}

void session_texts_free(GPtrArray *texts)
{
	for (guint i = 0; i < texts->len; i++)
		if (texts->pdata[i])
			g_bytes_unref(texts->pdata[i]);
	g_ptr_array_unref(texts);
}

/* The outcome that an interleaving of an earlier session had. */
static guint outcome_of(const struct outcome_watch *watch, guint32 execution)
{
	const guint32 *pairs = (const guint32 *)(void *)watch->outcome_of->data;

	for (guint i = 0; i + 1 < watch->outcome_of->len; i += 2)
		if (pairs[i + 1] == execution)
			return pairs[i];
	return OUTCOMES_NONE;
}

void outcome_watch_add(struct outcome_watch *watch, const struct record_execution *record,
                       const GArray *choices)
{
	GPtrArray *texts;
	guint index;

	if (!watch->outcomes)
		return;
	if (record->id <= watch->restored) {
		outcomes_recall(watch->outcomes, record, choices);
		texts = session_texts(watch->session, record, NULL);
		varying_lines_add(watch->varying, texts, record, choices,
		                  outcome_of(watch, record->id));
		session_texts_free(texts);
		return;
	}
	texts = session_texts(watch->session, record, watch->outcomes);
	index = outcomes_add(watch->outcomes, texts, record, choices);
	varying_lines_add(watch->varying, texts, record, choices, index);
	session_texts_free(texts);
	watch->beyond += index == OUTCOMES_NONE;
	g_array_append_val(watch->outcome_of, index);
	g_array_append_val(watch->outcome_of, record->id);
	if (outcomes_differ(watch->outcomes) && watch->doubt == DOUBT_NONE)
		watch->doubt = DOUBT_NEW;
}

/* --- running again --------------------------------------------------------------------------- */

static void keep_files(const struct outcome_watch *watch, guint number)
{
	struct session *session = watch->session;
	g_autofree char *directory = g_strdup_printf("%s/outcome-%u",
	                                             session_options(session)->keep_files, number);
	g_autoptr(GError) error = NULL;

	if (!journal_keep(session_journal(session), session_exploration(session)->directory,
	                  directory, &error))
		session_fail(session, "%s", error->message);
}

/* Whether it has ended well, so that its outcome can be compared. */
static bool went_well(const struct execution *execution)
{
	const struct verdict *verdict = interleaving_verdict(execution);

	return verdict->record && execution_result(execution)->discard != DISCARD_CUT_SHORT
	       && verdict->ended_well && session_output_is_whole(execution);
}

static void compare_again(const struct outcome_watch *watch, const struct execution *execution,
                          struct again *again)
{
	GPtrArray *texts;

	compared_files_learn(session_compared_files(watch->session),
	                     session_journal(watch->session), watch->outcomes, again->index);
	texts = session_texts(watch->session, interleaving_verdict(execution)->record,
	                      watch->outcomes);
	again->same = outcomes_check(watch->outcomes, again->index, texts);
	varying_lines_check(watch->varying, varying_lines_example(watch->varying, again->index),
	                    texts);
	if (again->index > 0)
		outcomes_difference(watch->outcomes, texts, &again->difference);
	session_texts_free(texts);
	if (again->same && again->number > 0 && session_options(watch->session)->keep_files)
		keep_files(watch, again->number);
}

/* The choices that its path has to name, as far as known. A replay makes the others by default. */
static GArray *least_choices(const struct outcome_watch *watch,
                             const struct record_execution *first)
{
	guint not_yet = session_options(watch->session)->not_yet;
	GArray *least = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < first->choices->len; i++) {
		const struct record_choice *record = first->choices->pdata[i];
		struct choice choice = record_choice_made(record);

		if (!record->is_first || not_yet != SESSION_NOT_YET_USUAL)
			g_array_append_val(least, choice);
	}
	return least;
}

/* Runs an interleaving from the start, with the choices in `named` forced. NULL: that was another
 * one, or did not end well. */
static struct execution *run_named(struct outcome_watch *watch,
                                   const struct record_execution *first, const GArray *choices,
                                   const GArray *named, bool uneven)
{
	struct execution *execution = session_follow_printed(
		watch->session, named, stored_run_buffering(first), uneven ? ++watch->clocks : 0);
	g_autoptr(GArray) made = world_told_choices(execution_world(execution));

	if (choices_same(made, choices) && went_well(execution))
		return execution;
	session_drop(execution);
	return NULL;
}

/* Runs an interleaving again. Its clocks run unevenly, if the program can do with that: so a line
 * that depends on time varies, even if the time that it shows is coarse. *ret_named: the choices
 * that were forced; free with g_array_unref. NULL: it could not be run again. */
struct execution *outcome_watch_run_first(struct outcome_watch *watch,
                                          const struct record_execution *first,
                                          const GArray *choices, GArray **ret_named)
{
	g_autoptr(GArray) all = g_array_copy((GArray *)choices);
	GArray *least = least_choices(watch, first);
	struct execution *execution = NULL;

	*ret_named = NULL;
	for (int try = least->len < choices->len ? 0 : 1; try < 3 && !execution; try++) {
		g_clear_pointer(ret_named, g_array_unref);
		if (!session_may_make_sure(watch->session))
			break;
		*ret_named = g_array_ref(try == 0 ? least : all);
		execution = run_named(watch, first, choices, *ret_named, try < 2);
	}
	g_array_unref(least);
	if (!execution)
		g_clear_pointer(ret_named, g_array_unref);
	return execution;
}

/* Where `execution` ends as it should, `again` gets the path that led to it. */
static void take_again(const struct outcome_watch *watch, struct again *again,
                       const struct execution *execution, const GArray *named)
{
	const struct record_execution *first = outcomes_first(watch->outcomes, again->index);

	compare_again(watch, execution, again);
	if (!again->same)
		return;
	g_free(again->path);
	again->path = path_with_choices(first->path, named);
}

/* Runs with as few choices forced as possible. */
static bool run_again(struct outcome_watch *watch, struct again *again)
{
	const struct session *session = watch->session;
	const struct record_execution *first = outcomes_first(watch->outcomes, again->index);
	const GArray *choices = outcomes_choices(watch->outcomes, again->index);
	bool is_usual = session_options(session)->not_yet == SESSION_NOT_YET_USUAL;
	g_autoptr(GArray) named = NULL, learned = NULL;
	struct execution *execution = outcome_watch_run_first(watch, first, choices, &named);

	if (!execution)
		return false;
	take_again(watch, again, execution, named);
	if (is_usual && named->len == choices->len) /* it may have been read from a store */
		learned = world_least_choices(execution_world(execution));
	session_drop(execution);
	if (!again->same || !learned || learned->len >= choices->len
	    || !session_may_make_sure(session))
		return again->same;
	execution = run_named(watch, first, choices, learned, true);
	if (execution) {
		take_again(watch, again, execution, learned);
		session_drop(execution);
	}
	return again->same;
}

/* --- between interleavings -------------------------------------------------------------------- */

/* Limit of checks. The first few show what varies by itself; running every outcome twice would be
 * too much. */
#define DOUBTS_MOST 4

void outcome_watch_suspect(struct outcome_watch *watch)
{
	struct session *session = watch->session;
	bool fail_fast = session_options(session)->fail_fast;
	struct again other = {.index = 1};

	if (watch->doubt != DOUBT_NEW || !session_may_make_sure(session))
		return;
	watch->doubt = DOUBT_CHECKED;
	again_clear(&watch->reference);
	run_again(watch, &watch->reference);
	while (other.index + 1 < outcomes_count(watch->outcomes)
	       && outcomes_stands_for(watch->outcomes, other.index) == 0)
		other.index++;
	if (outcomes_differ(watch->outcomes) && run_again(watch, &other)) {
		watch->sure = other;
		if (fail_fast)
			session_stop(session, "stopped by --fail-fast");
		return;
	}
	again_clear(&other);
	outcome_watch_confirm_suspects(watch);
	if (watch->erratic && fail_fast)
		session_stop(session, "stopped by --fail-fast");
	if (++watch->doubts < DOUBTS_MOST || fail_fast)
		watch->doubt = DOUBT_NONE; /* check the next one as well */
}

bool outcome_watch_sure(const struct outcome_watch *watch)
{
	return watch->sure.index > 0 || watch->erratic;
}

/* --- the finding ------------------------------------------------------------------------------ */

char *outcome_watch_place(const struct outcome_watch *watch,
                          const struct outcome_difference *difference)
{
	return outcome_finding_place(ranks_of(watch->session),
	                             compared_files_names(session_compared_files(watch->session)),
	                             difference);
}

/* Adds a finding with all its outcomes. `shown`: the interleavings (guint32) that show it; `first`
 * and `choices`: the one that its path leads to. */
void outcome_watch_add_shown(const struct outcome_watch *watch, struct record_finding *finding,
                             const GArray *shown, const struct record_execution *first,
                             const GArray *choices)
{
	struct session *session = watch->session;
	struct findings *findings = session_findings(session);
	struct store *store = session_store(session);
	g_autoptr(GError) error = NULL;

	outcome_finding_finish(finding);
	finding = findings_add(findings, finding, first, choices);
	findings_show(findings, finding->id, shown);
	if (store
	    && !store_show(store, finding->id, (const guint32 *)(const void *)shown->data,
	                   shown->len, &error))
		session_fail(session, "%s", error->message);
}

static guint64 stands_for(const void *session, guint32 execution)
{
	return session_stands_for(session, execution);
}

static void add_finding(const struct outcome_watch *watch, struct record_finding *finding,
                        guint index, const guint *numbers)
{
	g_autoptr(GArray) shown = outcome_finding_count(finding, watch->outcomes, watch->outcome_of,
	                                                numbers, stands_for, watch->session);

	outcome_watch_add_shown(watch, finding, shown, outcomes_first(watch->outcomes, index),
	                        outcomes_choices(watch->outcomes, index));
}

/* The outcome was the same again: stores the calls of this run. */
static void keep_calls(const struct outcome_watch *watch, const struct execution *execution,
                       const struct record_execution *first, const GArray *choices)
{
	struct session *session = watch->session;
	const struct record_execution *record = interleaving_verdict(execution)->record;
	g_autoptr(GArray) made = NULL;
	g_autoptr(GError) error = NULL;

	if (!went_well(execution) || record->calls->len == 0)
		return;
	made = world_told_choices(execution_world(execution));
	if (!choices_same(made, choices))
		return;
	if (!store_replace_calls(session_store(session), first->id, record->calls, &error))
		session_fail(session, "%s", error->message);
	session_keep_stacks(session, execution, first->id);
}

/* Runs again the interleaving that shows the difference, or the reference, to store its calls for
 * graphs and call stacks. */
void outcome_watch_show(const struct outcome_watch *watch, const struct record_execution *first,
                        const GArray *choices)
{
	struct session *session = watch->session;
	struct execution *execution;

	if (!session_store(session) || session_options(session)->conduct
	    || !session_may_make_sure(session))
		return;
	execution = session_follow(session,
	                           session_position(session, choices, stored_run_buffering(first)),
	                           true, CALLS_KEPT);
	keep_calls(watch, execution, first, choices);
	session_drop(execution);
}

static void show_outcome(const struct outcome_watch *watch, guint index)
{
	outcome_watch_show(watch, outcomes_first(watch->outcomes, index),
	                   outcomes_choices(watch->outcomes, index));
}

static void note_varying(const struct outcome_watch *watch)
{
	const struct outcome_difference *in_file = outcomes_varying(watch->outcomes);
	struct outcome_difference varying = {0};
	g_autofree char *place = NULL;
	g_autofree char *line = NULL;
	const GPtrArray *reference;

	if (varying_lines_first_everywhere(watch->varying, &varying.text, &varying.line)) {
		reference = outcomes_reference(watch->outcomes);
		line = outcome_text_show(reference->pdata[varying.text], false, varying.line++);
	} else if (in_file && in_file->text >= ranks_of(watch->session)) {
		varying = *in_file;
		line = g_strdup(in_file->here);
	} else {
		return;
	}
	place = outcome_watch_place(watch, &varying);
	limits_add(session_exploration(watch->session)->limits, LIMIT_LINES_VARY,
	           g_strdup_printf("lines that vary when the same interleaving is run again "
	                           "were not compared: %s (\"%s\")",
	                           place, line ? line : ""));
}

/* Time ran out: only the first other outcome is certain, from the check before. */
static void number_sure(struct outcome_watch *watch, struct again *agains, guint *numbers)
{
	struct again *known[] = {&watch->reference, &watch->sure};

	for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
		guint index = known[i]->index;

		again_clear(&agains[index]);
		agains[index] = *known[i];
		*known[i] = (struct again){.index = index};
		numbers[index] = i + 1;
	}
}

/* Runs one interleaving of each outcome again. Outcomes that are the same again get a number. */
static void number_outcomes(struct outcome_watch *watch, struct again *agains, guint *numbers)
{
	const struct session *session = watch->session;
	guint count_all = outcomes_count(watch->outcomes), next = 1;
	struct again reference = {0};

	for (guint i = 0; i < count_all && session_may_make_sure(session); i++) {
		agains[i].index = i;
		if (outcomes_stands_for(watch->outcomes, i) != i)
			continue;
		agains[i].number = next;
		if (run_again(watch, &agains[i]) || i == 0)
			numbers[i] = next++;
	}
	if (next > 2 && session_may_make_sure(session))
		run_again(watch, &reference);
	again_clear(&reference);
}

void outcome_watch_set_path(struct record_outcome *outcome, const char *path)
{
	if (!path)
		return;
	g_free(outcome->path);
	outcome->path = g_strdup(path);
}

static void report_outcomes(const struct outcome_watch *watch, struct again *agains, guint *numbers)
{
	struct record_finding *finding = record_finding_new(FINDING_OUTCOME_DIFFERS);
	guint second = 0, next = 1;

	for (guint i = 0; i < outcomes_count(watch->outcomes); i++) {
		/* It may have turned out that it equals another outcome. */
		if (outcomes_stands_for(watch->outcomes, i) != i
		    || (i > 0 && !agains[i].difference.line))
			numbers[i] = 0;
		if (numbers[i] == 0)
			continue;
		if (next == 2)
			second = i;
		numbers[i] = next++;
		outcome_finding_add(finding, watch->outcomes, i,
		                    i > 0 ? outcome_watch_place(watch, &agains[i].difference)
		                          : NULL,
		                    i > 0 ? &agains[i].difference : NULL);
		outcome_watch_set_path(finding->outcomes->pdata[next - 2], agains[i].path);
	}
	if (second == 0) {
		record_finding_free(finding);
		return;
	}
	add_finding(watch, finding, second, numbers);
	show_outcome(watch, 0);
	show_outcome(watch, second);
}

/* --- conclusion ------------------------------------------------------------------------------- */

/* What a merge of this store with others needs (scheduler/store/schema.h). */
static GVariant *common_of(const struct outcome_watch *watch, const struct shard *shard, bool again)
{
	const struct outcomes *outcomes = watch->outcomes;
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	g_variant_dict_insert(&dict, "again", "b", again);
	g_variant_dict_insert(&dict, "wrote", "b",
	                      compared_files_any(session_compared_files(watch->session)));
	if (outcomes) {
		g_autoptr(GVariant) left_out = outcomes_left_out(outcomes);

		g_variant_dict_insert_value(&dict, "left-out", left_out);
		outcome_watch_insert_varying(watch, &dict);
	}
	session_insert_counts(watch->session, &dict);
	if (session_options(watch->session)->shards > 0)
		shard_common(shard, &dict);
	else if (outcomes && outcomes_reference(outcomes))
		store_common_texts(&dict, outcomes_first(outcomes, 0)->path,
		                   outcomes_reference(outcomes), ranks_of(watch->session));
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

static void write_common(const struct outcome_watch *watch, const struct shard *shard, bool again)
{
	struct session *session = watch->session;
	const struct session_options *options = session_options(session);
	g_autoptr(GVariant) common = NULL;
	g_autoptr(GError) error = NULL;

	if (!session_store(session) || options->position || options->conduct)
		return;
	common = common_of(watch, shard, again && session_may_make_sure(session));
	if (!store_put_common(session_store(session), common, &error))
		session_fail(session, "%s", error->message);
}

/* All outcomes are equal here. They may differ in parts of the tree that others explore; for that
 * case it must be known what varies by itself. false: it is not known. */
static bool look_for_varying(struct outcome_watch *watch)
{
	const struct session *session = watch->session;
	struct again reference = {0};

	if ((session_options(session)->shards == 0 && !session_stop_reason(session))
	    || !session_may_make_sure(session))
		return false;
	run_again(watch, &reference);
	again_clear(&reference);
	return true;
}

/* Called when not every outcome could be run again. */
static void hurry_outcomes(struct outcome_watch *watch, struct again *agains, guint *numbers)
{
	GPtrArray *limits = session_exploration(watch->session)->limits;

	memset(numbers, 0, outcomes_count(watch->outcomes) * sizeof *numbers);
	if (!outcome_watch_sure(watch)) {
		limits_add(limits, LIMIT_OUTCOMES_TIME,
		           g_strdup("interleavings that end well differ in their output, and "
		                    "there was no time to find out whether the choices cause it"));
		return;
	}
	number_sure(watch, agains, numbers);
	limits_add(limits, LIMIT_OUTCOMES_TIME,
	           g_strdup("there was no time to compare all outcomes"));
}

/* false: not every outcome that had to be was run again. */
static bool judge_outcomes(struct outcome_watch *watch)
{
	const struct session *session = watch->session;
	guint all = watch->outcomes ? outcomes_count(watch->outcomes) : 0;
	g_autofree struct again *agains = g_new0(struct again, all + 1);
	g_autofree guint *numbers = g_new0(guint, all + 1);
	bool again;

	if (all == 0)
		return true;
	if (!outcomes_differ(watch->outcomes) && !session_options(session)->keep_files) {
		again = look_for_varying(watch);
		outcome_watch_look_for_erratic(watch);
		return again;
	}
	number_outcomes(watch, agains, numbers);
	if (!session_may_make_sure(session) && !session_has_failed(session))
		hurry_outcomes(watch, agains, numbers);
	if (!session_has_failed(session))
		report_outcomes(watch, agains, numbers);
	outcome_watch_look_for_erratic(watch);
	for (guint i = 0; i < all; i++)
		again_clear(&agains[i]);
	return true;
}

/* A misspelt name must not look as if the file never differed. */
static void check_named(const struct outcome_watch *watch)
{
	g_autofree char *problem = watch->outcomes && outcomes_count(watch->outcomes) > 0
	                                   ? compared_files_problem(
						   session_compared_files(watch->session))
	                                   : NULL;

	if (problem)
		session_fail(watch->session, "%s", problem);
}

void outcome_watch_conclude(struct outcome_watch *watch, const struct shard *shard)
{
	bool again = judge_outcomes(watch);

	if (watch->outcomes)
		note_varying(watch);
	if (watch->erratic && !session_has_failed(watch->session))
		outcome_watch_report_erratic(watch);
	write_common(watch, shard, again);
	check_named(watch);
}

bool outcome_watch_shows(const struct outcome_watch *watch, const GPtrArray *outputs)
{
	return !watch->outcomes || watch->beyond > 0 || outcomes_count(watch->outcomes) == 0
	       || outcomes_show(watch->outcomes, outputs);
}

char *outcome_watch_never_printed(struct outcome_watch *watch, const GPtrArray *runs)
{
	const GPtrArray *first = runs->pdata[0];
	struct again reference = {0};
	struct outcome_difference difference = {0};
	g_autofree char *place = NULL;
	char *words = NULL;

	run_again(watch, &reference);
	again_clear(&reference);
	for (guint i = 1; i < runs->len; i++)
		outcomes_leave_out_differences(watch->outcomes, first, runs->pdata[i]);
	if (!session_may_make_sure(watch->session) || outcomes_show(watch->outcomes, first)
	    || !outcomes_difference(watch->outcomes, first, &difference))
		return NULL;
	place = outcome_watch_place(watch, &difference);
	words = g_strdup_printf("%s: \"%s\" instead of \"%s\"", place,
	                        difference.here ? difference.here : "",
	                        difference.instead ? difference.instead : "");
	outcome_difference_clear(&difference);
	return words;
}

void outcome_watch_limits(const struct outcome_watch *watch, GPtrArray *limits)
{
	g_autofree char *large = compared_files_large(session_compared_files(watch->session));

	if (large)
		limits_add(
			limits, LIMIT_FILES_LARGE,
			g_strdup_printf("files over 64 MB, or after 256 MB of others: %s", large));
	if (watch->beyond > 0)
		limits_add(limits, LIMIT_OUTCOMES_MANY,
		           g_strdup_printf("only %d outcomes are compared: %" G_GUINT64_FORMAT
		                           " interleavings had others",
		                           OUTCOMES_KEPT, watch->beyond));
}
