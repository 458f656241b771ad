#include "sim_agree.h"

#include <stdlib.h>
#include <string.h>

#include "scheduler/store/reader_rows.h"
#include "sim_along.h"
#include "sim_trial.h"

enum { TOO_MANY = 3000, STATES_MOST = 20000 };

/* What a session has found. */
struct result {
	guint64 interleavings, states;
	enum record_counts counts;
	GHashTable *outcomes; /* text that the ranks printed: set of executions (GHashTable) */
	GString *report;      /* a line for each outcome and finding, sorted: in how many */
	bool complete;
};

struct agreement {
	guint sessions, left, too_large, unknown, findings;
	guint64 interleavings, executions;
};

static bool take(const struct record_execution *execution, void *data, GError **error)
{
	struct result *result = data;
	g_autoptr(GString) text = g_string_new(NULL);
	GHashTable *executions;

	(void)error;
	for (guint rank = 0; rank < execution->outputs->len; rank++) {
		GBytes *output = execution->outputs->pdata[rank];

		if (output)
			g_string_append_len(text, g_bytes_get_data(output, NULL),
			                    (gssize)g_bytes_get_size(output));
	}
	executions = g_hash_table_lookup(result->outcomes, text->str);
	if (!executions) {
		executions = g_hash_table_new(NULL, NULL);
		g_hash_table_insert(result->outcomes, g_strdup(text->str), executions);
	}
	g_hash_table_add(executions, GUINT_TO_POINTER(execution->id));
	return true;
}

static int compare_texts(gconstpointer one, gconstpointer other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static void describe(struct result *result, const struct store_reader *reader)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	const GPtrArray *findings = store_reader_findings(reader);
	GHashTableIter iter;
	gpointer text, executions;

	g_hash_table_iter_init(&iter, result->outcomes);
	while (g_hash_table_iter_next(&iter, &text, &executions))
		g_ptr_array_add(lines, g_strdup_printf("%s in %" G_GUINT64_FORMAT, (char *)text,
		                                       rows_interleavings(reader, executions)));
	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *finding = findings->pdata[i];
		g_autofree char *key = record_finding_key(finding);

		g_ptr_array_add(lines, g_strdup_printf("finding %s in %" G_GUINT64_FORMAT
		                                       ", %" G_GUINT64_FORMAT " with variants",
		                                       key, finding->count, finding->together));
	}
	g_ptr_array_sort(lines, compare_texts);
	result->report = g_string_new(NULL);
	for (guint i = 0; i < lines->len; i++)
		g_string_append_printf(result->report, "%s\n", (char *)lines->pdata[i]);
}

static struct result explore(const struct random_program *program, enum program_buffering buffering,
                             bool automatic)
{
	static char *command[] = {(char *)"/sim/program", NULL};
	static char *ignored[] = {(char *)"leak", NULL};
	g_autofree char *directory = sim_directory_new();
	const struct sim_options sim = {.program = program,
	                                .seed = program->seed * 41 + automatic,
	                                .forgets = true,
	                                .directory = directory,
	                                .longest = (gint64)100000 * G_TIME_SPAN_SECOND};
	struct host *host = sim_host_new(&sim);
	struct session_options options = {.command = "explore",
	                                  .program = command,
	                                  .ranks = program->ranks,
	                                  .backtrack = program->seed % 2 ? BACKTRACK_REWIND
	                                                                 : BACKTRACK_AUTO,
	                                  .bufferings = 1u << buffering,
	                                  .collectives = COLLECTIVES_BOTH,
	                                  .watch_left = automatic ? 1 : 0,
	                                  .watch_from = 1 + program->seed % 3,
	                                  .watch_gain = 1 + (double)(program->seed % 2),
	                                  .deviations = -1,
	                                  .not_yet = 1,
	                                  .some = TAKEN_WINDOW,
	                                  .ignored = ignored,
	                                  .host = host,
	                                  .store = directory};
	struct session_result ended = {0};
	struct result result = {
		.outcomes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
	                                          (GDestroyNotify)g_hash_table_unref)};
	g_autoptr(GError) error = NULL;
	g_autoptr(StoreReader) reader = NULL;

	result.complete = session_run(&options, &ended, &error)
	                  && !limits_leave_plans(ended.exploration->limits);
	session_result_clear(&ended);
	sim_host_free(host);
	reader = error ? NULL : store_reader_open(directory, &error);
	if (!reader || !store_reader_each(reader, false, take, &result, &error))
		g_error("%s", error->message);
	result.interleavings = store_reader_exploration(reader)->interleavings;
	result.states = store_reader_exploration(reader)->states;
	result.counts = store_reader_exploration(reader)->counts;
	describe(&result, reader);
	sim_remove_store(directory);
	return result;
}

static void result_clear(struct result *result)
{
	g_hash_table_unref(result->outcomes);
	g_string_free(result->report, true);
}

static void compare(const struct random_program *program, enum program_buffering buffering,
                    const char *kind, guint64 seed, struct agreement *all)
{
	struct result tree = explore(program, buffering, false);
	struct result automatic = explore(program, buffering, true);

	all->sessions++;
	all->left += automatic.states > 0;
	all->unknown += automatic.counts == RECORD_COUNTS_UNKNOWN;
	all->interleavings += tree.interleavings;
	if (tree.complete != automatic.complete || tree.interleavings != automatic.interleavings
	    || !g_string_equal(tree.report, automatic.report)) {
		g_printerr("the tree, %s: %" G_GUINT64_FORMAT " interleavings\n%s\nauto, %s: "
		           "%" G_GUINT64_FORMAT " interleavings, %" G_GUINT64_FORMAT
		           " states\n%s\n",
		           tree.complete ? "complete" : "not complete", tree.interleavings,
		           tree.report->str, automatic.complete ? "complete" : "not complete",
		           automatic.interleavings, automatic.states, automatic.report->str);
		g_printerr(
			"sim_session: FAILED: auto differs from the tree (sim_session --programs 0 "
			"--no-scenarios --agree 1 --seed %" G_GUINT64_FORMAT
			": %s, buffering %d)\n",
			seed, kind, (int)buffering);
		exit(1);
	}
	result_clear(&tree);
	result_clear(&automatic);
}

/* `program` is freed. */
static void agree(struct random_program *program, const char *kind, guint64 seed,
                  struct agreement *all)
{
	for (int buffering = PROGRAM_ZERO; buffering <= PROGRAM_INFINITE; buffering++) {
		GHashTable *outcomes;

		program->collectives = buffering == PROGRAM_ZERO ? PROGRAM_SYNC : PROGRAM_ASYNC;
		outcomes = brute_force(program, (enum program_buffering)buffering, STEPS_FIRST,
		                       TAKEN_WINDOW, STATES_MOST);
		if (!outcomes || g_hash_table_size(outcomes) > TOO_MANY)
			all->too_large++;
		else
			compare(program, (enum program_buffering)buffering, kind, seed, all);
		if (outcomes)
			g_hash_table_unref(outcomes);
	}
	random_program_free(program);
}

void agree_run(guint64 first_seed, guint programs)
{
	struct agreement all = {0};

	for (guint64 seed = first_seed; seed < first_seed + programs; seed++) {
		agree(random_program_new(seed, 4 + (int)(seed % 6)), "messages", seed, &all);
		if (seed % 4 == 1)
			agree(random_program_threads(seed), "threads", seed, &all);
		if (seed % 32 == 2)
			agree(random_program_senders(4 + (int)(seed / 32 % 3)), "senders", seed,
			      &all);
	}
	g_print("auto and the tree, programs from seed %" G_GUINT64_FORMAT
	        ": %u compared, %u too large; %" G_GUINT64_FORMAT
	        " interleavings; left the tree %u times; number not known %u times\n",
	        first_seed, all.sessions, all.too_large, all.interleavings, all.left, all.unknown);
	if (programs >= 100 && all.left == 0) {
		g_printerr("sim_session: FAILED: expected to leave the tree, never did\n");
		exit(1);
	}
}
