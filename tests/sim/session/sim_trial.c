/* The sessions of one program. */
#include "sim_trial.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "explorer/choice.h"
#include "scheduler/reproduce/merge.h"
#include "scheduler/store/finding_kind.h"
#include "scheduler/store/reader.h"
#include "sim_along.h"

enum { STATES_MOST = 20000, OUTCOMES_MOST = 60, ROUNDS_MOST = 4 };

/* Limits for one session. Where each send may complete early, few outcomes can have many
 * interleavings. */
enum { INTERLEAVINGS_MOST = 1000, COMPARED_MOST = 24, ENDS_MOST = 300 };

#define LONGEST (4 * G_TIME_SPAN_HOUR) /* the limit for a session, in the host's time */
#define HANGING_S 600 /* seconds; the limit where only the clock can end the session */

const char *const program_kind_names[KINDS] = {
	[KIND_MESSAGES] = "messages",
	[KIND_WINDOWS] = "windows",
	[KIND_THREADS] = "threads",
};

/* --- one session ------------------------------------------------------------------------------ */

static guint draw_faults(GRand *random)
{
	guint faults = 0;

	for (int count = g_rand_int_range(random, 1, 4); count > 0; count--)
		faults |= 1u << g_rand_int_range(random, 0, SIM_HELD_OPEN);
	return faults;
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static bool are_files_limited(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	return limit.rlim_cur != RLIM_INFINITY;
}

static void tell(struct trial *trial, const struct session_options *options, guint happened,
                 const char *message)
{
	g_string_append_printf(trial->history,
	                       "  session %u:%s %s buffering, %s, %u jobs, some %u;", trial->rounds,
	                       trial->states    ? " states,"
	                       : trial->watches ? " auto,"
	                                        : "",
	                       trial->buffering == PROGRAM_ZERO       ? "zero"
	                       : trial->buffering == PROGRAM_INFINITE ? "infinite"
	                                                              : "per-send",
	                       options->backtrack == BACKTRACK_RERUN    ? "rerun"
	                       : options->backtrack == BACKTRACK_REWIND ? "rewinding"
	                                                                : "forking",
	                       options->jobs, options->some);
	for (int fault = 0; fault < SIM_FAULTS; fault++)
		if (happened & 1u << fault)
			g_string_append_printf(trial->history, " %s;", sim_fault_names[fault]);
	g_string_append_printf(trial->history, " %s\n", message ? message : "complete");
}

static struct session_options options_of(struct trial *trial)
{
	static char *command[] = {(char *)"/sim/program", NULL};
	static char *ignored[] = {(char *)"leak", NULL}; /* ignore messages that are never
	                                                  * received */

	return (struct session_options){.command = "explore",
	                                .program = command,
	                                .ranks = trial->program->ranks,
	                                .backtrack = BACKTRACK_AUTO,
	                                .bufferings = 1u << trial->buffering,
	                                .collectives = trial->buffering == PROGRAM_PER_SEND
	                                                       ? COLLECTIVES_PER_CALL
	                                                       : COLLECTIVES_BOTH,
	                                .order = trial->order,
	                                .random = trial->wanders,
	                                .states = trial->states,
	                                .watch_left = trial->watches ? 1 : 0,
	                                .watch_from = 2,
	                                .watch_gain = 4,
	                                .seed = trial->program->seed,
	                                .deviations = -1,
	                                .not_yet = 1,
	                                .some = TAKEN_WINDOW,
	                                .ignored = ignored,
	                                .shard = trial->shard,
	                                .shards = trial->shards,
	                                .store = trial->directory};
}

/* Faults that end no process from outside. */
#define ENDS_NOTHING                                                                     \
	(1u << SIM_HAZARD | 1u << SIM_NO_MEMORY | 1u << SIM_SLOW | 1u << SIM_NO_HOLD     \
	 | 1u << SIM_NO_REWIND | 1u << SIM_NO_ROOM | 1u << SIM_NO_IMAGE | 1u << SIM_LONG \
	 | 1u << SIM_LATE_HELLO)

/* What was not ended from outside must not be reported as such. */
static void check_notes(const struct trial *trial, const GPtrArray *notes, guint happened)
{
	for (guint i = 0; notes && i < notes->len; i++)
		if (!(happened & ~ENDS_NOTHING) && strstr(notes->pdata[i], "ended from outside"))
			trial_fail(trial, "nothing was ended, and it reports: %s",
			           (const char *)notes->pdata[i]);
}

/* Simulated programs depend on nothing but their messages. */
static void check_blame(const struct trial *trial, const char *reason)
{
	static const char *const blames[] = {"depends on something else",
	                                     "does not behave the same way"};

	for (guint i = 0; reason && i < G_N_ELEMENTS(blames); i++)
		if (strstr(reason, blames[i]))
			trial_fail(trial, "the program is blamed: %s", reason);
}

/* true: it was complete. */
static bool run_session(struct trial *trial, guint faults, struct session_options *options,
                        struct totals *totals)
{
	const struct sim_options sim = {.program = trial->program,
	                                .seed = trial->program->seed * 31 + trial->rounds,
	                                .faults = faults,
	                                .at_once = trial->scenario && !trial->scenario->by_chance,
	                                .forks = options->backtrack == BACKTRACK_AUTO,
	                                .directory = trial->directory,
	                                .longest = LONGEST};
	struct host *host = sim_host_new(&sim);
	struct session_result result = {0};
	g_autoptr(GError) error = NULL;
	g_autofree char *reason = NULL;
	bool complete, limited = are_files_limited(), unbounded = options->max_interleavings == 0;
	guint happened;

	options->host = host;
	options->resume = trial->rounds > 0;
	if (unbounded && trial->buffering == PROGRAM_PER_SEND)
		options->max_interleavings = INTERLEAVINGS_MOST;
	if (unbounded && trial->states)
		options->max_interleavings = ENDS_MOST;
	/* Random walks continue until they find nothing new, for thousands of walks. */
	if (faults & (1u << SIM_JOB_HANGS | (trial->wanders ? 1u << SIM_SLOW : 0)))
		options->max_seconds = HANGING_S;
	complete = session_run(options, &result, &error);
	complete = complete && !limits_leave_plans(result.exploration->limits);
	limit_files(RLIM_INFINITY);
	happened = sim_host_happened(host);
	trial->starved |= (happened & 1u << SIM_STARVED) != 0;
	reason = complete
	                 ? NULL
	                 : g_strdup(error ? error->message : result.exploration->incomplete_reason);
	tell(trial, options, happened, reason);
	if (sim_host_processes(host) > 0)
		trial_fail(trial, "%u processes left", sim_host_processes(host));
	if (reason && strstr(reason, "impossible"))
		trial_fail(trial, "refused a possible report: %s", reason);
	check_blame(trial, reason);
	trial->hurried |= reason && strstr(reason, "--max-time");
	trial->unawaited |= !error && sim_unawaited(result.exploration);
	trial->slow |= (happened & 1u << SIM_SLOW) != 0;
	trial->gave_up = reason
	                 && ((trial->starved && strstr(reason, MEMORY_RAN_OUT))
	                     || (trial->slow && strstr(reason, NOT_WAITED_FOR))
	                     || (trial->kind == KIND_THREADS && strstr(reason, NOT_CHOSEN)));
	if (unbounded && reason && strstr(reason, "--max-interleavings")) {
		trial->gave_up = true;
		totals->too_long++;
	}
	if (!complete && faults == 0 && unbounded && !limited && !trial->wanders && !trial->gave_up)
		trial_fail(trial, "not complete, without a fault: %s", reason);
	trial_check_findings(trial, result.findings);
	check_notes(trial, result.exploration->notes, happened);
	for (int fault = 0; fault < SIM_FAULTS; fault++)
		totals->happened[fault] += (happened >> fault) & 1;
	totals->sessions++;
	totals->rewound += sim_host_rewound(host);
	totals->early_parks += sim_host_early_parks(host);
	totals->images += sim_host_images(host);
	totals->images_used += sim_host_images_used(host);
	totals->failed += error != NULL;
	if (complete) {
		totals->states += result.exploration->states;
		totals->merged += result.exploration->merged;
	}
	trial->rounds++;
	session_result_clear(&result);
	sim_host_free(host);
	return complete;
}

static void draw_options(struct trial *trial, struct session_options *options)
{
	GRand *random = trial->random;

	static const enum backtrack ways[] = {BACKTRACK_RERUN, BACKTRACK_REWIND, BACKTRACK_REWIND,
	                                      BACKTRACK_AUTO};

	options->backtrack = ways[g_rand_int_range(random, 0, G_N_ELEMENTS(ways))];
	options->jobs = (guint)g_rand_int_range(random, 0, 4);
	if (trial->states || trial->watches) { /* as the command sets it */
		options->jobs = 0;
		if (options->backtrack == BACKTRACK_RERUN)
			options->backtrack = BACKTRACK_SNAPSHOT;
	}
	if (g_rand_int_range(random, 0, 4) == 0)
		options->max_interleavings = (guint64)g_rand_int_range(random, 1, 5);
}

/* The next session as the scenario describes it; without faults when the scenario is over. Returns
 * the faults. */
static guint follow_scenario(const struct trial *trial, struct session_options *options)
{
	const struct scenario *scenario = trial->scenario;

	if (trial->rounds >= scenario->count)
		return 0;
	options->max_interleavings = scenario->rounds[trial->rounds].most;
	options->backtrack = scenario->rounds[trial->rounds].backtrack;
	return scenario->rounds[trial->rounds].faults;
}

/* Depends on the seed alone, so that other random faults do not change (sim_scenarios.c). */
static guint own_faults(const struct trial *trial)
{
	static const guint faults[] = {1u << SIM_LONG | 1u << SIM_PARENT_KILLED,
	                               1u << SIM_HELD_OPEN,
	                               1u << SIM_LONG | 1u << SIM_LATE_HELLO,
	                               0,
	                               0,
	                               0};

	return faults[trial->program->seed % G_N_ELEMENTS(faults)];
}

/* A random session. The last ones have no faults; the very last has no bound. */
static guint draw_session(struct trial *trial, struct session_options *options,
                          struct totals *totals)
{
	if (trial->rounds >= ROUNDS_MOST)
		return 0;
	draw_options(trial, options);
	if (trial->no_faults || trial->rounds == ROUNDS_MOST - 1)
		return 0;
	if (g_rand_int_range(trial->random, 0, 12) == 0) {
		limit_files((rlim_t)g_rand_int_range(trial->random, 50000, 400000));
		totals->disk_full++;
	}
	return draw_faults(trial->random) | own_faults(trial);
}

/* Runs sessions one after another until everything is explored. */
static void explore(struct trial *trial, struct totals *totals)
{
	bool complete = false;

	while (!complete && !trial->gave_up && (!trial->wanders || trial->rounds < 2)) {
		struct session_options options = options_of(trial);
		guint faults = trial->scenario ? follow_scenario(trial, &options)
		                               : draw_session(trial, &options, totals);

		complete = run_session(trial, faults, &options, totals);
		trial_read_store(trial);
		if (trial->rounds > ROUNDS_MOST + 1)
			trial_fail(trial, "the exploration does not end");
	}
	totals->again += trial->rounds - 1;
}

/* --- one program ------------------------------------------------------------------------------ */

/* Replays one of the interleavings, and minimizes a finding. */
static void go_along(struct trial *trial, struct totals *totals)
{
	static const enum backtrack ways[] = {BACKTRACK_RERUN, BACKTRACK_AUTO, BACKTRACK_REWIND};
	g_autofree char *directory = g_build_filename(trial->directory, "along", NULL);
	g_autofree char *problem = NULL;
	g_autoptr(StoreReader) reader = store_reader_open(trial->directory, NULL);
	g_autofree gpointer *outcomes = g_hash_table_get_keys_as_array(trial->found, NULL);
	guint count = g_hash_table_size(trial->found);
	bool faults = !trial->no_faults && g_rand_boolean(trial->random);
	struct sim_along along = {
		.sim = {.program = trial->program,
	                .seed = trial->program->seed * 37,
	                .faults = faults ? draw_faults(trial->random) : 0,
	                .directory = directory,
	                .longest = LONGEST},
		.unawaited = trial->unawaited,
		.backtrack = ways[g_rand_int_range(trial->random, 0, G_N_ELEMENTS(ways))]};

	if (count > 0) {
		GBytes *outcome = outcomes[g_rand_int_range(trial->random, 0, (gint32)count)];
		const char *path = g_hash_table_lookup(trial->found, outcome);

		along.conflicts = g_hash_table_contains(trial->conflicting, outcome);
		along.once = trial->buffering != PROGRAM_PER_SEND
		             && trial->program->collectives != PROGRAM_PER_CALL;
		problem = sim_replay(&along, path, outcome);
		if (problem)
			trial_fail(trial, "replay %s: %s", path, problem);
	}
	for (guint i = 0; reader && i < store_reader_findings(reader)->len; i++) {
		const struct record_finding *finding = store_reader_findings(reader)->pdata[i];

		/* what its replay did not show has nothing to minimize (trial_check_findings) */
		if (finding->kind != FINDING_DEADLOCK
		    || (finding->replayed && !finding->reproduced))
			continue;
		problem = sim_minimize(&along, finding);
		totals->minimized++;
		if (problem)
			trial_fail(trial, "minimize %s: %s", finding->path, problem);
		break;
	}
	for (int fault = 0; fault < SIM_FAULTS; fault++)
		totals->happened[fault] += (along.happened >> fault) & 1;
	totals->replayed += along.sessions;
}

/* Explores each shard in its own sessions, and merges all. */
static void explore_shards(struct trial *trial, struct totals *totals)
{
	char *whole = trial->directory;
	g_auto(GStrv) parts = g_new0(char *, trial->shards + 1);
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < trial->shards && !trial->gave_up; i++) {
		trial->directory = parts[i] = g_strdup_printf("%s/shard-%u", whole, i + 1);
		g_assert_cmpint(g_mkdir(parts[i], 0700), ==, 0);
		trial->shard = i + 1;
		trial->rounds = 0;
		explore(trial, totals);
	}
	trial->directory = g_strdup_printf("%s/all", whole);
	if (!trial->gave_up && !merge_stores(parts, trial->directory, &error))
		trial_fail(trial, "the shards cannot be merged: %s", error->message);
	if (!trial->gave_up) {
		trial_read_store(trial);
		/* A rank was killed, and threads passed hints in another order. */
		trial->gave_up = trial->program->hints && trial->reports_split;
		if (!trial->reports_complete && !trial->gave_up)
			trial_fail(trial, "each shard is complete, but their merge is not");
		sim_remove_store(trial->directory);
	}
	for (guint i = 0; parts[i]; i++)
		sim_remove_store(parts[i]);
	g_free(trial->directory);
	trial->directory = whole;
	totals->shards += trial->shards;
}

/* Draws the conditions of all sessions that explore the program. */
static void draw_exploration(struct trial *trial)
{
	static const enum program_buffering bufferings[] = {
		PROGRAM_ZERO, PROGRAM_ZERO, PROGRAM_INFINITE, PROGRAM_INFINITE, PROGRAM_PER_SEND};
	static const enum session_order orders[] = {SESSION_ORDER_DEPTH, SESSION_ORDER_DEPTH,
	                                            SESSION_ORDER_DEVIATIONS,
	                                            SESSION_ORDER_PORTFOLIO};

	if (trial->scenario) {
		trial->buffering = trial->scenario->buffering;
		return;
	}
	trial->buffering = bufferings[g_rand_int_range(trial->random, 0, G_N_ELEMENTS(bufferings))];
	if (trial->kind == KIND_THREADS && trial->buffering == PROGRAM_PER_SEND)
		trial->buffering = PROGRAM_ZERO;
	trial->order = orders[g_rand_int_range(trial->random, 0, G_N_ELEMENTS(orders))];
	trial->wanders = g_rand_int_range(trial->random, 0, 10) == 0;
	if (!trial->wanders && trial->program->seed % 8 == 0)
		trial->shards = 1 + (guint)(trial->program->seed / 8 % 3);
}

/* The possible outcomes, for any timing of threads' calls, are more than the required ones. */
static void enumerate(struct trial *trial)
{
	bool threads = trial->kind == KIND_THREADS;
	bool awaited = threads_are_apart(trial->program) && !trial->program->hints;

	trial->expected = brute_force(trial->program, trial->buffering,
	                              threads ? STEPS_ANY_TIME : STEPS_FIRST, TAKEN_WINDOW,
	                              STATES_MOST);
	if (!trial->expected)
		return;
	trial->conflicting = brute_force_conflicts(trial->program, trial->buffering, STATES_MOST);
	if (!trial->conflicting)
		return;
	trial->needed = threads ? brute_force(trial->program, trial->buffering,
	                                      awaited ? STEPS_AWAITED : STEPS_IN_TURN, TAKEN_WINDOW,
	                                      STATES_MOST)
	                        : g_hash_table_ref(trial->expected);
}

/* Ranks forget nothing here, so there are more states than outcomes: one for each order in which
 * choices that do not exclude each other can be made. */
static void draw_states(struct trial *trial)
{
	trial->states = trial->scenario && trial->scenario->states;
	if (trial->scenario || trial->wanders || trial->shards > 0
	    || trial->order != SESSION_ORDER_DEPTH
	    || g_hash_table_size(trial->expected) > COMPARED_MOST)
		return;
	trial->states = trial->program->seed % 5 < 2;
	trial->watches = !trial->states && trial->program->seed % 5 == 2;
}

static struct random_program *draw_program(const struct trial_options *options)
{
	switch (options->kind) {
	case KIND_WINDOWS: return random_program_windows(options->seed);
	case KIND_THREADS:
		if (options->seed % 16 == 7)
			return random_program_hints(options->seed / 16);
		return options->seed / 4 % 2 ? random_program_relays(options->seed / 8)
		                             : random_program_threads(options->seed);
	default: return random_program_new(options->seed, options->size);
	}
}

void trial_run(const struct trial_options *options, struct totals *totals)
{
	static const enum program_collectives usual[] = {[PROGRAM_ZERO] = PROGRAM_SYNC,
	                                                 [PROGRAM_INFINITE] = PROGRAM_ASYNC,
	                                                 [PROGRAM_PER_SEND] = PROGRAM_PER_CALL};
	struct random_program *program = draw_program(options);
	struct trial trial = {.scenario = options->scenario,
	                      .kind = options->kind,
	                      .seed = options->seed,
	                      .no_faults = options->no_faults,
	                      .program = program,
	                      .random = g_rand_new_with_seed((guint32)options->seed)};

	draw_exploration(&trial);
	program->collectives = usual[trial.buffering];
	enumerate(&trial);
	if (trial.needed && g_hash_table_size(trial.expected) <= OUTCOMES_MOST) {
		draw_states(&trial);
		trial.deadlocks = outcomes_deadlocks(program, trial.expected) > 0;
		trial.found = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
		                                    (GDestroyNotify)g_bytes_unref, g_free);
		trial.stored = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
		                                     (GDestroyNotify)g_bytes_unref, NULL);
		trial.directory = sim_directory_new();
		trial.history = g_string_new(NULL);
		if (trial.shards > 0)
			explore_shards(&trial, totals);
		else
			explore(&trial, totals);
		go_along(&trial, totals);
		if (!trial.wanders && !trial.gave_up && !trial.blind)
			trial_check_complete(&trial);
		if (!trial.wanders && !trial.gave_up && !trial.blind && trial.shards == 0)
			trial_check_counts(&trial, totals);
		totals->outcomes += g_hash_table_size(trial.expected);
		totals->programs[trial.kind]++;
		sim_remove_store(trial.directory);
		g_string_free(trial.history, true);
		g_free(trial.directory);
		g_hash_table_destroy(trial.found);
		g_hash_table_destroy(trial.stored);
	} else {
		totals->too_large++;
	}
	if (trial.expected)
		g_hash_table_unref(trial.expected);
	if (trial.needed)
		g_hash_table_unref(trial.needed);
	if (trial.conflicting)
		g_hash_table_unref(trial.conflicting);
	g_rand_free(trial.random);
	random_program_free(program);
}
