/* Compares what sessions stored with brute force. */
#include "explorer/position.h"
#include "scheduler/store/finding_kind.h"
#include "scheduler/store/reader.h"
#include "sim_along.h"
#include "sim_trial.h"

void trial_fail(const struct trial *trial, const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list arguments;

	va_start(arguments, format);
	what = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_printerr("%s\n%s", what, trial->history->str);
	g_printerr("sim_session: FAILED: %.*s (", (int)strcspn(what, "\n"), what);
	if (trial->scenario)
		g_printerr("scenario %s", trial->scenario->name);
	else
		g_printerr("sim_session --programs 1 --seed %" G_GUINT64_FORMAT " --kind %s%s",
		           trial->seed, program_kind_names[trial->kind],
		           trial->no_faults ? " --no-faults" : "");
	g_printerr("; its store: %s)\n", trial->directory);
	exit(1);
}

/* Equal ones have the same choices in any order, and the same findings. */
static void count_doubled(struct trial *trial, const struct record_execution *execution)
{
	struct position *position = position_parse(execution->path, NULL);
	GByteArray *identity = g_byte_array_new();

	position_put(identity, position);
	for (guint i = 0; i < execution->findings->len; i++)
		number_put(identity, g_array_index(execution->findings, guint32, i));
	position_free(position);
	trial->doubled += !g_hash_table_add(trial->stored, g_byte_array_free_to_bytes(identity));
}

static bool take_execution(const struct record_execution *execution, void *data, GError **error)
{
	struct trial *trial = data;
	g_autofree char *problem = NULL;
	GBytes *outcome;

	(void)error;
	if (trial->starved && execution->status == FINDING_CRASH)
		return true;
	outcome = sim_outcome(trial->program, execution, &problem);
	if (!outcome && sim_lacks_output(execution) && trial->reports_cut
	    && ((trial->hurried && execution->status != FINDING_NONE) || trial->starved)) {
		trial->blind = true;
		return true;
	}
	if (!outcome)
		trial_fail(trial, "%s", problem);
	if (!g_hash_table_contains(trial->expected, outcome)) {
		g_autofree char *text = outcome_describe(trial->program, outcome);

		trial_fail(trial, "interleaving %u (%s) is impossible: %s", execution->id,
		           execution->path, text);
	}
	if (g_hash_table_contains(trial->found, outcome))
		trial->repeated += !outcome_lacks_lock(trial->program, outcome);
	g_hash_table_replace(trial->found, outcome, g_strdup(execution->path));
	count_doubled(trial, execution);
	return true;
}

void trial_check_findings(struct trial *trial, const GPtrArray *findings)
{
	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *finding = findings->pdata[i];

		if (trial->starved && finding->kind == FINDING_CRASH
		    && strstr(finding->message, MEMORY_RAN_OUT))
			continue;
		trial->reports_conflict |= finding->kind == FINDING_RMA_CONFLICT;
		if (!(finding->kind == FINDING_DEADLOCK && trial->deadlocks)
		    && !(finding->kind == FINDING_RMA_CONFLICT
		         && g_hash_table_size(trial->conflicting) > 0))
			trial_fail(trial, "impossible finding: %s: %s",
			           finding_kind_name(finding->kind), finding->message);
		/* Where threads were not waited for, a path may depend on time. */
		if (finding->replayed && !finding->reproduced && !trial->unawaited)
			trial_fail(trial, "not reproduced: %s", finding->message);
	}
}

void trial_read_store(struct trial *trial)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(StoreReader) reader = store_reader_open(trial->directory, &error);
	const char *reason;

	g_hash_table_remove_all(trial->found);
	g_hash_table_remove_all(trial->stored);
	trial->repeated = trial->doubled = 0;
	trial->reports_conflict = false;
	if (!reader && g_error_matches(error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING))
		return;
	trial->reports_cut = reader && sim_output_cut(store_reader_exploration(reader));
	if (!reader || !store_reader_each(reader, false, take_execution, trial, &error))
		trial_fail(trial, "the store cannot be read: %s", error->message);
	trial_check_findings(trial, store_reader_findings(reader));
	trial->reports_complete = !limits_leave_plans(store_reader_exploration(reader)->limits);
	reason = store_reader_exploration(reader)->incomplete_reason;
	trial->reports_number = store_reader_exploration(reader)->counts == RECORD_COUNTS_STATES;
	trial->interleavings = store_reader_exploration(reader)->interleavings;
	trial->deadlocked = store_reader_count_kind(reader, FINDING_DEADLOCK);
	trial->reports_split = reason && strstr(reason, SPLIT_OTHERWISE);
}

/* Where sends and collectives are choices, an outcome is no interleaving. */
void trial_check_counts(const struct trial *trial, struct totals *totals)
{
	guint all = g_hash_table_size(trial->expected), deadlocked = 0;
	GHashTableIter iter;
	gpointer outcome;

	if (!trial->reports_number || trial->kind != KIND_MESSAGES || trial->starved
	    || trial->hurried || trial->buffering == PROGRAM_PER_SEND
	    || trial->program->collectives == PROGRAM_PER_CALL)
		return;
	totals->counted++;
	g_hash_table_iter_init(&iter, trial->expected);
	while (g_hash_table_iter_next(&iter, &outcome, NULL))
		deadlocked += outcome_is_deadlock(trial->program, outcome);
	if (trial->interleavings != all || trial->deadlocked != deadlocked)
		trial_fail(trial,
		           "%" G_GUINT64_FORMAT " interleavings are reported, %" G_GUINT64_FORMAT
		           " with a deadlock; there are %u and %u",
		           trial->interleavings, trial->deadlocked, all, deadlocked);
}

void trial_check_complete(struct trial *trial)
{
	GHashTableIter iter;
	gpointer outcome;

	g_hash_table_iter_init(&iter, trial->needed);
	while (g_hash_table_iter_next(&iter, &outcome, NULL)) {
		g_autofree char *text = NULL;

		if (g_hash_table_contains(trial->found, outcome))
			continue;
		text = outcome_describe(trial->program, outcome);
		trial_fail(trial, "reported complete, but not explored: %s", text);
	}
	if (g_hash_table_size(trial->conflicting) > 0 && !trial->reports_conflict)
		trial_fail(trial, "accesses conflict, but no conflict is reported");
	if (trial->repeated > 0 && !trial->states && !trial->watches
	    && trial->buffering != PROGRAM_PER_SEND && trial->kind != KIND_THREADS)
		trial_fail(trial, "%u interleavings were explored twice", trial->repeated);
	if (trial->doubled > 0 && !trial->states && !trial->watches)
		trial_fail(trial, "%u interleavings are stored again", trial->doubled);
}
