/* How a session begins: what it has, what it listens to, and what can stop it. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../ckpt/agent.h"
#include "aftermath.h"
#include "interruption.h"
#include "janitor.h"
#include "lanes.h"
#include "memory_pressure.h"
#include "offspring.h"
#include "program.h"
#include "session_internal.h"
#include "strays.h"

#define STOP_PATIENCE_S 3.0

static void on_deadline(uv_timer_t *timer);

void session_fail(struct session *session, const char *format, ...)
{
	g_autofree char *message = NULL;
	va_list arguments;

	if (session->error)
		return;
	va_start(arguments, format);
	message = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	session->error = g_error_new_literal(SESSION_ERROR, 0, message);
}

/* What is ending ends as it is, and a new job has nothing to do with snapshots. */
static void begin_again(struct execution *execution)
{
	execution->again |= execution->state < EXECUTION_ENDING
	                    && (!execution->launched || execution->state == EXECUTION_PARKING);
}

void session_fall_back(struct session *session, char *reason)
{
	if (session->options->backtrack == BACKTRACK_SNAPSHOT)
		session_fail(session,
		             "snapshots are not safe here: %s; --backtrack=auto would rerun "
		             "instead",
		             reason);
	session->snapshots = FALSE;
	g_free(session->exploration->backtrack_reason);
	session->exploration->backtrack_reason = reason;
	session_each_execution(session, begin_again);
}

void session_each_execution(struct session *session, void (*function)(struct execution *execution))
{
	g_autoptr(GList) all = g_hash_table_get_values(session->executions);

	for (GList *item = all; item; item = item->next)
		function(item->data);
}

/* What is carried out again, to make sure of a finding, comes to its end. */
static void cut_exploration(struct execution *execution)
{
	const struct session *session = execution->session;

	if (!session->following || execution != session->current)
		execution_cut_short(execution);
}

/* Some time is given to make sure of what has been found, unless somebody sits and waits; a
 * conductor has it in any case. Who asks again ends it at once. */
static void stop(struct session *session, const char *reason, gboolean patient)
{
	gboolean first = !session->stop_reason;
	double seconds = STOP_PATIENCE_S + (session->options->conduct ? 0 : session->longest);

	if (first)
		session->stop_reason = g_strdup(reason);
	if (first && (patient || session->options->conduct)) {
		uv_timer_start(&session->deadline, on_deadline, (uint64_t)(seconds * 1000), 0);
		if (session->options->conduct)
			return;
		session_note_silence(session);
		session_each_execution(session, cut_exploration);
		return;
	}
	if (!session->hurry && (first || session->options->conduct))
		session_note_silence(session);
	session->hurry = TRUE;
	session_each_execution(session, execution_cut_short);
}

/* Ctrl-C is for the rank in the debugger, which stops it; where that holds it already, for the
 * debugger. FALSE: there is none. */
static gboolean interrupt_debugged(struct session *session)
{
	const struct wrapper *wrapper = session->options->wrapper;
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, session->executions);
	while (wrapper && wrapper->terminal && g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct execution *execution = value;
		pid_t pid = execution->pids[wrapper->rank], debugger;

		if (execution->links[wrapper->rank]) {
			debugger = offspring_debugger(pid);
			kill(debugger > 0 ? debugger : pid, SIGINT);
		}
		return TRUE;
	}
	return FALSE;
}

static void on_interruption(uv_async_t *interruption)
{
	if (interruption_asked() == SIGINT && interrupt_debugged(interruption->data))
		interruption_dismiss();
	else
		stop(interruption->data, "interrupted", FALSE);
}

static void on_deadline(uv_timer_t *timer)
{
	struct session *session = timer->data;
	g_autofree char *reason = g_strdup_printf("stopped by --max-time %g",
	                                          session->options->max_seconds);

	stop(session, reason, TRUE);
}

double session_seconds(const struct session *session)
{
	return session->seconds_before
	       + (double)(g_get_monotonic_time() - session->started) / G_USEC_PER_SEC;
}

#define LONG_SILENCE_S 10.0

static void on_tick(uv_timer_t *timer)
{
	g_autoptr(GPtrArray) stacks = NULL;
	struct session *session = timer->data;
	struct session_progress progress = {
		.interleavings = session->interleavings,
		.left = -1,
		.findings = findings_all(session->findings)->len,
		.seconds = session_seconds(session),
		.runs = session->runs,
	};

	lanes_progress(session, &progress);
	progress.silent_rank = session_silent_rank(session, &progress.silent_seconds);
	if (progress.silent_seconds >= LONG_SILENCE_S && !session->stacks_told)
		stacks = session_stacks_of_ranks(session);
	session->stacks_told = progress.silent_seconds >= LONG_SILENCE_S;
	progress.stacks = stacks;
	if (session->current)
		progress.depth = MAX(progress.depth, world_choices(session->current->world)->len);
	session->options->progress(session->options->user, &progress);
}

static void look_for_absent(struct execution *execution)
{
	struct session *session = execution->session;
	int rank = absent_look(&execution->absent, run_directory_path(session->directory),
	                       execution->pids, session->options->ranks, g_get_monotonic_time());

	if (rank >= 0 && !session->error)
		session_fail(session,
		             "%s: rank %d ended without calling MPI_Init, where others wait "
		             "for it",
		             session->options->program[0], rank);
}

static void look(struct execution *execution)
{
	if (execution->state == EXECUTION_STARTING && execution->launched
	    && execution->connected > 0)
		look_for_absent(execution);
	execution_look(execution);
}

static void on_look(uv_timer_t *timer)
{
	const struct session *session = timer->data;

	if (session->journal)
		journal_lives(session->journal);
	session_each_execution(timer->data, look);
}

static void describe(struct session *session)
{
	const struct session_options *options = session->options;
	struct record_exploration *exploration = record_exploration_new();

	session->exploration = exploration;
	exploration->command = g_intern_string(options->command);
	g_strfreev(exploration->program);
	exploration->program = g_strdupv(options->program);
	exploration->directory = g_get_current_dir();
	exploration->machine = g_strdup(g_get_host_name());
	exploration->standard_input = g_strdup(options->standard_input);
	exploration->ranks = options->ranks;
	exploration->bufferings = options->bufferings;
	exploration->shard = options->shard;
	exploration->shards = options->shards;
	exploration->random = options->random;
	exploration->seed = options->seed;
	exploration->collectives = collective_mode_word(options->collectives);
	exploration->version = g_strdup(MATCHPOINT_VERSION);
	exploration->backtrack = session->snapshots ? "snapshot" : "rerun";
}

static void watch(struct session *session)
{
	const struct session_options *options = session->options;

	uv_async_init(&session->loop, &session->interruption, on_interruption);
	session->interruption.data = session;
	interruption_watch(&session->interruption);
	uv_timer_init(&session->loop, &session->deadline);
	uv_timer_init(&session->loop, &session->ticker);
	uv_timer_init(&session->loop, &session->looker);
	session->deadline.data = session->ticker.data = session->looker.data = session;
	uv_timer_start(&session->looker, on_look, STALL_LOOK_MS, STALL_LOOK_MS);
	if (options->max_seconds > 0)
		uv_timer_start(&session->deadline, on_deadline,
		               (uint64_t)(options->max_seconds * 1000), 0);
	if (options->progress)
		uv_timer_start(&session->ticker, on_tick, 200, 200);
}

/* A rank takes about this much: MPICH's own memory; and these descriptors of ours. */
#define RANK_BYTES (16u << 20)
#define RANK_DESCRIPTORS 4u
#define OUR_DESCRIPTORS 100u

/* A rank has the shim's descriptors out of the program's way, and some more behind them. */
#define LEAST_DESCRIPTORS (AGENT_WORLD_FD + 56u)

/* Whether the machine can hold so many ranks at all. */
static gboolean enough_room(guint64 ranks, GError **error)
{
	guint64 memory = uv_get_free_memory(); /* what is available, caches included */
	struct rlimit files;
	guint64 needed;

	if (ranks * RANK_BYTES > memory) {
		g_set_error(error, SESSION_ERROR, 0,
		            "%u ranks need about %u MB of memory, and %u MB "
		            "are available: use fewer ranks, or a smaller -j",
		            (guint)ranks, (guint)(ranks * (RANK_BYTES >> 20)),
		            (guint)(memory >> 20));
		return FALSE;
	}
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return TRUE;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	needed = MAX(ranks * RANK_DESCRIPTORS + OUR_DESCRIPTORS, LEAST_DESCRIPTORS);
	if (needed > files.rlim_max) {
		g_set_error(error, SESSION_ERROR, 0,
		            "%u ranks need %u open files, more than a process may have here (%u): "
		            "raise the limit (ulimit -n)%s",
		            (guint)ranks, (guint)needed, (guint)files.rlim_max,
		            needed > LEAST_DESCRIPTORS ? ", use fewer ranks, or a smaller -j" : "");
		return FALSE;
	}
	return TRUE;
}

static const char *place_of_journal(const struct session_options *options)
{
	return options->store ? options->store : g_get_tmp_dir();
}

/* What a predecessor that was killed has left changed must not become part of what is explored: an
 * exploration that is gone on with would be that of another program. One that begins takes the
 * files as they are, with a note. */
static gboolean put_back_left(struct session *session, GError **error)
{
	const struct session_options *options = session->options;
	GPtrArray *notes = session->exploration->notes;
	g_autoptr(GError) problem = NULL;

	if (!options->store || aftermath_put_back(options->store, notes, &problem))
		return TRUE;
	if (!options->resume) {
		g_ptr_array_add(notes, g_strdup(problem->message));
		return TRUE;
	}
	g_set_error(error, SESSION_ERROR, 0,
	            "%s: put them back by hand, and remove that directory, to go on with the "
	            "exploration",
	            problem->message);
	return FALSE;
}

/* Whoever cleans up after this process finds the journal by it. */
static gboolean link_journal(struct session *session, GError **error)
{
	g_autofree char *link = run_directory_file(session->directory, RUN_DIRECTORY_JOURNAL);

	if (symlink(journal_path(session->journal), link) == 0)
		return TRUE;
	g_set_error(error, SESSION_ERROR, 0, "cannot write %s: %s", link, g_strerror(errno));
	return FALSE;
}

/* An exploration, or what goes back otherwise, leaves the files as they were; run and replay leave
 * them as the program does. */
static gboolean open_journal(struct session *session, GError **error)
{
	const struct session_options *options = session->options;

	if (!put_back_left(session, error))
		return FALSE;
	if (options->path || (!options->conduct && !g_str_equal(options->command, "explore")))
		return TRUE;
	session->journal = journal_new(place_of_journal(options), error);
	return session->journal && link_journal(session, error);
}

gboolean session_open(struct session *session, GError **error)
{
	const struct session_options *options = session->options;
	g_autofree char *socket = NULL, *pmi = NULL;

	offspring_adopt();
	if (!enough_room((guint64)options->ranks * MAX(options->jobs, 1), error))
		return FALSE;
	session->janitor = janitor_start(session->strays, place_of_journal(options));
	aftermath_put_back_all(session->exploration->notes);
	session->directory = run_directory_new(options->ranks, error);
	if (!session->directory)
		return FALSE;
	socket = run_directory_file(session->directory, RUN_DIRECTORY_SOCKET);
	pmi = run_directory_file(session->directory, RUN_DIRECTORY_PMI);
	session->listener = link_listen(&session->loop, socket, &session_link_handler, session,
	                                error);
	if (!session->listener)
		return FALSE;
	session->pmi = pmi_server_new(&session->loop, pmi, &session_pmi_handler, session, error);
	if (!session->pmi)
		return FALSE;
	if (options->store && !session_open_store(session, error))
		return FALSE;
	return open_journal(session, error);
}

/* Each buffering is a tree of its own. */
static void begin_anew(struct session *session)
{
	for (guint buffering = BUFFERING_ZERO; buffering <= BUFFERING_PER_SEND; buffering++) {
		struct store_part *part;

		if (!(session->options->bufferings & 1u << buffering))
			continue;
		part = g_new0(struct store_part, 1);
		part->buffering = buffering;
		g_ptr_array_add(session->parts, part);
	}
}

void session_init(struct session *session, const struct session_options *options)
{
	guint64 memory = options->max_memory;

	if (memory == 0)
		memory = (guint64)uv_get_free_memory() / 2;
	session->options = options;
	session->alone = options->alone;
	session->memory_before = memory_pressure_now();
	session->cancels = program_calls(options->program[0], "MPI_Cancel");
	session->started = g_get_monotonic_time();
	session->snapshots = options->backtrack != BACKTRACK_RERUN && !options->path;
	uv_loop_init(&session->loop);
	session->comms = communicators_new(options->ranks);
	session->lines = source_lines_new();
	session->strays = strays_list();
	session->places = session_places_new();
	session->stacks = stack_table_new();
	session->findings = findings_new(options->bufferings);
	session->logs = g_ptr_array_new_with_free_func((GDestroyNotify)call_log_free);
	session->parts = g_ptr_array_new_with_free_func((GDestroyNotify)store_part_free);
	session->set = snapshot_set_new(memory, 4096);
	session->frozen = g_ptr_array_new();
	session->outcome_of = g_array_new(FALSE, FALSE, sizeof(guint32));
	if (options->compare && !options->path)
		session->outcomes = outcomes_new();
	session->executions = g_hash_table_new(NULL, NULL);
	session->lanes = lanes_new();
	session->choices = choice_coverage_new();
	begin_anew(session);
	describe(session);
	watch(session);
}
