#include "sim_along.h"

#include <glib/gstdio.h>
#include <string.h>

#include "../brute_force.h"
#include "scheduler/reproduce/minimize.h"
#include "scheduler/store/finding_kind.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/schema.h"

enum { TRIES_MOST = 5000, HANGING_S = 600 };

GBytes *sim_outcome(const struct random_program *program, const struct record_execution *execution,
                    char **ret_problem)
{
	struct fake_rank ranks[PROGRAM_MAX_RANKS];
	GBytes *outcome;

	for (int rank = 0; rank < program->ranks; rank++) {
		GBytes *output = execution->outputs->pdata[rank];
		g_autofree char *text = output ? g_strndup(g_bytes_get_data(output, NULL),
		                                           g_bytes_get_size(output))
		                               : NULL;

		if (!text || !sim_parse_rank(program, text, &ranks[rank])) {
			*ret_problem = g_strdup_printf("interleaving %u: rank %d printed %s",
			                               execution->id, rank,
			                               text ? text : "nothing");
			return NULL;
		}
	}
	outcome = fake_ranks_outcome(program, ranks);
	if (!outcome)
		*ret_problem = g_strdup_printf("interleaving %u: a message that was never sent",
		                               execution->id);
	return outcome;
}

bool sim_lacks_output(const struct record_execution *execution)
{
	for (guint rank = 0; rank < execution->outputs->len; rank++) {
		GBytes *output = execution->outputs->pdata[rank];

		if (!output || g_bytes_get_size(output) == 0)
			return true;
	}
	return false;
}

/* A replay has a note in place of a limit. */
static bool has_note(const struct record_exploration *exploration, const char *part)
{
	for (guint i = 0; i < exploration->notes->len; i++)
		if (strstr(exploration->notes->pdata[i], part))
			return true;
	return false;
}

bool sim_unawaited(const struct record_exploration *exploration)
{
	return limits_have(exploration->limits, LIMIT_THREADS_HURRIED)
	       || has_note(exploration, limit_info(LIMIT_THREADS_HURRIED)->text);
}

bool sim_output_cut(const struct record_exploration *exploration)
{
	return limits_have(exploration->limits, LIMIT_OUTPUT_CUT);
}

void sim_remove_store(const char *directory)
{
	static const char *const names[] = {STORE_FILE, STORE_FILE "-wal", STORE_FILE "-shm"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *file = g_build_filename(directory, names[i], NULL);

		g_unlink(file);
	}
	if (g_rmdir(directory) != 0)
		g_error("%s: not empty", directory);
}

/* --- one session ------------------------------------------------------------------------------ */

/* Options as the commands set them from a path. */
static struct session_options options_along(const struct sim_along *along, const struct path *path)
{
	static char *command[] = {(char *)"/sim/program", NULL};
	static char *ignored[] = {(char *)"leak", NULL};

	return (struct session_options){
		.command = "replay",
		.program = command,
		.ranks = path->ranks,
		.backtrack = along->backtrack,
		.bufferings = 1u << path->buffering,
		.collectives = path->collectives != COLLECTIVES_ANY ? path->collectives
	                                                            : COLLECTIVES_ASYNC,
		.deviations = -1,
		.not_yet = SESSION_NOT_YET_USUAL,
		.ignored = ignored,
		.max_seconds = along->sim.faults & 1u << SIM_JOB_HANGS ? HANGING_S : 0,
		.store = along->sim.directory};
}

/* Runs the session. *ret_reason (g_free): why it did not end; NULL if it did. */
static char *run(struct sim_along *along, struct session_options *options,
                 struct session_result *result, char **ret_reason)
{
	struct sim_options sim = along->sim;
	g_autoptr(GError) error = NULL;
	struct host *host;
	char *problem = NULL;
	guint happened;
	bool fine;

	sim.seed += along->sessions;
	host = sim_host_new(&sim);
	options->host = host;
	g_assert_cmpint(g_mkdir_with_parents(sim.directory, 0700), ==, 0);
	fine = session_run(options, result, &error);
	happened = sim_host_happened(host);
	*ret_reason = error ? g_strdup(error->message)
	              : fine && !limits_leave_plans(result->exploration->limits)
	                      ? NULL
	                      : g_strdup(result->exploration->incomplete_reason);
	if (sim_host_processes(host) > 0)
		problem = g_strdup_printf("%u processes left", sim_host_processes(host));
	else if (*ret_reason && !happened)
		problem = g_strdup_printf("did not end, without a fault: %s", *ret_reason);
	else if (*ret_reason && strstr(*ret_reason, "impossible"))
		problem = g_strdup_printf("refused a possible report: %s", *ret_reason);
	else if (result->lost && !along->unawaited && !sim_unawaited(result->exploration))
		problem = g_strdup_printf("the path was not followed: %s", result->lost_reason);
	along->happened |= happened;
	along->sessions++;
	sim_host_free(host);
	return problem;
}

/* --- replay ----------------------------------------------------------------------------------- */

struct seen {
	const struct random_program *program;
	GBytes *outcome;
	bool struck;       /* a fault from outside ended the interleaving, and the store says so */
	bool lacks_output; /* `problem` is that a rank has printed nothing */
	char *problem;
};

static bool see(const struct record_execution *execution, void *data, GError **error)
{
	struct seen *seen = data;

	(void)error;
	if (execution->status == FINDING_CRASH) {
		seen->struck = true;
	} else if (!seen->outcome && !seen->problem) {
		seen->outcome = sim_outcome(seen->program, execution, &seen->problem);
		seen->lacks_output = seen->problem && sim_lacks_output(execution);
	}
	return true;
}

/* The contents of the store. */
static struct seen look(const struct sim_along *along)
{
	struct seen seen = {.program = along->sim.program};
	g_autoptr(GError) error = NULL;
	g_autoptr(StoreReader) reader = store_reader_open(along->sim.directory, &error);

	if (!reader && g_error_matches(error, STORE_READER_ERROR, STORE_READER_ERROR_MISSING))
		return seen;
	if (!reader || !store_reader_each(reader, false, see, &seen, &error))
		seen.problem = g_strdup_printf("the store cannot be read: %s", error->message);
	return seen;
}

static void seen_clear(struct seen *seen)
{
	g_clear_pointer(&seen->outcome, g_bytes_unref);
	g_free(seen->problem);
}

/* Whether output of the interleaving may be missing. The session must report it, and the runs that
 * were to print it again must have ended, too: for want of memory, or as a job hung until the time
 * was up. No other fault strikes them all. */
static bool may_lack_output(const struct sim_along *along, const struct session_result *result,
                            const char *reason)
{
	return sim_output_cut(result->exploration)
	       && (along->happened & 1u << SIM_STARVED
	           || (along->happened & 1u << SIM_JOB_HANGS && reason
	               && strstr(reason, "--max-time")));
}

/* Checks what a replay has shown: a deadlock or conflict must be reported as a finding. */
static char *judge(const struct sim_along *along, const struct session_result *result,
                   const struct seen *seen, GBytes *expected, const char *reason)
{
	const struct random_program *program = along->sim.program;
	guint deadlocks = 0, conflicts = 0;

	if (seen->problem && !(seen->lacks_output && may_lack_output(along, result, reason)))
		return g_strdup(seen->problem);
	if (seen->struck && !(along->happened & 1u << SIM_STARVED))
		return g_strdup("a crash, and no rank was killed twice");
	if (!seen->outcome && !seen->problem)
		return seen->struck || reason ? NULL : g_strdup("nothing was carried out");
	if (seen->outcome && !g_bytes_equal(seen->outcome, expected)) {
		g_autofree char *is = outcome_describe(program, seen->outcome);
		g_autofree char *was = outcome_describe(program, expected);

		return g_strdup_printf("ended with %s instead of %s", is, was);
	}
	for (guint i = 0; i < result->findings->len; i++) {
		const struct record_finding *finding = result->findings->pdata[i];

		deadlocks += finding->kind == FINDING_DEADLOCK;
		conflicts += finding->kind == FINDING_RMA_CONFLICT;
		if (finding->kind != FINDING_DEADLOCK && finding->kind != FINDING_RMA_CONFLICT
		    && !seen->struck)
			return g_strdup_printf("impossible finding: %s", finding->message);
	}
	if ((conflicts > 0) != along->conflicts && (conflicts > 0 || along->once) && !reason)
		return g_strdup_printf("%u conflicts reported", conflicts);
	if ((deadlocks > 0) != outcome_is_deadlock(program, expected) && !reason)
		return g_strdup_printf("%u deadlocks reported", deadlocks);
	return NULL;
}

char *sim_replay(struct sim_along *along, const char *text, GBytes *outcome)
{
	struct position *position = position_parse(text, NULL);
	struct session_options options = options_along(along, position_path(position));
	struct session_result result = {0};
	g_autofree char *reason = NULL;
	struct seen seen;
	char *problem;

	options.position = position;
	problem = run(along, &options, &result, &reason);
	seen = look(along);
	if (!problem && !result.lost)
		problem = judge(along, &result, &seen, outcome, reason);
	seen_clear(&seen);
	session_result_clear(&result);
	sim_remove_store(along->sim.directory);
	position_free(position);
	return problem;
}

/* --- minimize --------------------------------------------------------------------------------- */

/* Whether this path, with some of the choices, leads to the finding; runs without faults. */
static bool shows(const struct sim_along *along, const struct path *path, const char *key)
{
	struct sim_along alone = *along;
	struct position *position = position_of(path->ranks, path->nodes, path->buffering,
	                                        path->collectives, path->choices);
	struct session_options options = options_along(&alone, path);
	struct session_result result = {0};
	g_autofree char *reason = NULL, *problem = NULL;
	bool shown = false;

	alone.sim.faults = 0;
	options.max_seconds = 0;
	options.position = position;
	options.bufferings = 1u << (path->buffering != BUFFERING_ANY
	                                    ? path->buffering
	                                    : path_usual_buffering(path->choices));
	problem = run(&alone, &options, &result, &reason);
	for (guint i = 0; !problem && i < result.findings->len; i++) {
		g_autofree char *other = record_finding_key(result.findings->pdata[i]);

		shown = shown || g_str_equal(key, other);
	}
	session_result_clear(&result);
	sim_remove_store(alone.sim.directory);
	position_free(position);
	return shown;
}

static char *check_least(const struct sim_along *along, const struct minimize *found,
                         const char *key)
{
	g_autofree char *text = path_print(found->least);

	if (!shows(along, found->least, key))
		return g_strdup_printf("the minimal path does not show the finding: %s", text);
	if (found->good && shows(along, found->good, key))
		return g_strdup_printf("the nearest good path shows the finding; minimal path: %s",
		                       text);
	for (guint i = 0; !found->cut && i < found->least->choices->len; i++) {
		struct path *less = path_of_choices(
			found->least->ranks, found->least->nodes, found->least->buffering,
			found->least->collectives, found->least->choices);
		bool shown;

		g_array_remove_index(less->choices, i);
		shown = shows(along, less, key);
		path_free(less);
		if (shown)
			return g_strdup_printf("%s shows the finding without its choice %u, too",
			                       text, i + 1);
	}
	return NULL;
}

char *sim_minimize(struct sim_along *along, const struct record_finding *finding)
{
	struct path *path = path_parse(finding->path, NULL);
	struct session_options options = options_along(along, path);
	struct session_result result = {0};
	struct minimize found = {.finding = finding, .path = path, .tries_most = TRIES_MOST};
	g_autofree char *key = record_finding_key(finding);
	g_autofree char *reason = NULL;
	char *problem;
	bool lost;

	options.command = "minimize";
	options.conduct = minimize_conduct;
	options.scripted = &found;
	if (path->buffering == BUFFERING_ZERO && options.collectives == COLLECTIVES_SYNC)
		options.collectives = COLLECTIVES_BOTH;
	problem = run(along, &options, &result, &reason);
	lost = result.lost;
	session_result_clear(&result);
	sim_remove_store(along->sim.directory);
	if (!problem && !found.least && !along->happened && !lost)
		problem = g_strdup_printf("without a fault: %s", found.failed);
	if (!problem && found.least)
		problem = check_least(along, &found, key);
	minimize_clear(&found);
	path_free(path);
	return problem;
}
