/* The job that the launcher starts. */
#include <signal.h>
#include <string.h>

#include "cluster.h"
#include "disconnect_order.h"
#include "environment.h"
#include "errand.h"
#include "explorer/program_parts.h"
#include "forked_start.h"
#include "launcher.h"
#include "lined_up.h"
#include "local_internal.h"
#include "mpi_calls.h"
#include "peer_memory.h"
#include "process_table.h"
#include "program.h"

#define OWN_FAILURE 255 /* status of Hydra, as of other tools: not that of a rank */
#define WORDS_MOST 2000 /* bytes kept of a job's output */

struct host_job {
	struct local *local;
	struct launcher *launcher;
	struct disconnect_order *disconnect_order;
	struct lined_up *lined; /* ranks before main; NULL: they do not wait there */
	char *directory;
	guint32 world;
	/* Of a launcher that waits until other machines are ready; NULL: it has been started. */
	char **command, **environment;
};

static void on_launcher_ended(void *user, const struct launcher *launcher, int status)
{
	struct host_job *job = user;
	const struct local *local = job->local;

	(void)launcher;
	/* Hydra fails itself if a proxy reports something that it does not expect. */
	if (local->cluster
	    && (status == OWN_FAILURE || cluster_has_broken(local->cluster, job->world)))
		status = 128 + SIGKILL;
	if (local->listener)
		local->listener->job_ended(local->user, job, status);
}

/* `instead`: of the program; NULL: none. */
static char **command_line(const struct local_options *options, char **instead, GError **error)
{
	g_auto(GStrv) before = options->wrapper && !instead ? wrapper_command(options->wrapper)
	                                                    : NULL;
	const struct launcher_job job = {
		.custom = options->launcher,
		.nodes = options->nodes,
		.ranks = options->ranks,
		.before = before,
		.program = instead ? instead : options->program,
	};

	return launcher_command(&job, error);
}

/* Whether it holds of any of the programs. */
static bool any_program(const struct local *local, bool (*holds)(const char *name))
{
	g_autoptr(GPtrArray) names = program_parts_names(local->options.program);

	for (guint i = 0; i < names->len; i++)
		if (holds(names->pdata[i]))
			return true;
	return false;
}

static bool polls(struct local *local)
{
	if (!local->knows_polls)
		local->polls = any_program(local, program_polls);
	local->knows_polls = true;
	return local->polls;
}

/* The socket where ranks wait before main; NULL: nobody has asked for them. */
static char *start_line(const struct local *local, guint32 world)
{
	g_autofree char *name = g_strdup_printf("main.%u", world);

	return process_table_is_watched() ? run_directory_file(local->options.directory, name)
	                                  : NULL;
}

/* How the job is divided, as text; NULL: it is not. Ranks that connect need a communicator that the
 * program does not know. Free with g_free. */
static char *divided(struct host *host)
{
	const struct local_options *options = &local_of(host)->options;

	return host_divides_job(host, options->program, options->ranks)
	               ? program_parts_prelaunched(options->program, options->ranks)
	               : NULL;
}

static bool launch(struct host_job *job, GError **error)
{
	struct local *local = job->local;
	const struct launcher_options options = {
		.loop = &local->loop,
		.command = job->command,
		.environment = job->environment,
		.lock = run_directory_lock(local->options.directory),
		.ended = on_launcher_ended,
		.user = job};

	job->launcher = launcher_start(&options, error);
	g_clear_pointer(&job->command, g_strfreev);
	g_clear_pointer(&job->environment, g_strfreev);
	return job->launcher != NULL;
}

static void launch_later(void *user)
{
	struct host_job *job = user;
	g_autoptr(GError) error = NULL;

	if (!launch(job, &error))
		job->local->listener->failed(job->local->user, error->message);
}

/* Whether the ranks of a job may be forked from one process. Not again once that has failed. */
static bool may_be_forked(struct local *local, const struct forked_start *start)
{
	g_free(local->launched);
	local->launched = forked_start_met(run_directory_path(local->options.directory));
	if (!local->launched)
		local->launched = forked_start_obstacle(start);
	return local->launched == NULL;
}

char *local_launched(struct host *host)
{
	const struct local *local = local_of(host);
	char *met = forked_start_met(run_directory_path(local->options.directory));

	return met ? met : g_strdup(local->launched);
}

/* `checkpoint`: whose ranks are started; NULL: those of the program. */
static struct host_job *start(struct host *host, guint32 world, const char *directory,
                              const struct disk_checkpoint *checkpoint, GError **error)
{
	struct local *local = local_of(host);
	const struct local_options *options = &local->options;
	g_autofree char *prelaunched = divided(host);
	g_autofree char *line = start_line(local, world);
	g_autofree char *shell = run_directory_file(options->directory, ERRAND_LINK);
	struct environment_settings settings = {
		.shim = options->shim,
		.directory = run_directory_path(options->directory),
		.output = output_place_path(options->output),
		.world = world,
		.standard_input = options->standard_input,
		.journal = options->journal ? journal_path(options->journal) : NULL,
		.virtual_time = options->virtual_time,
		.nodes = options->nodes,
		.prelaunched = prelaunched,
		.start_line = line,
		.heap = local_can_digest(host),
		.steady = options->states || polls(local),
		.reads_peers = peer_memory_obstacle() == NULL,
		.own_launcher = options->launcher != NULL,
		.machines = options->cluster != NULL,
		.remote_shell = options->cluster ? shell : NULL,
	};
	const struct forked_start forked = {
		.program = options->program,
		.ranks = options->ranks,
		.launcher = options->launcher,
		.nodes = options->nodes,
		.wrapped = options->wrapper != NULL,
		.divided = prelaunched != NULL,
		.restarted = checkpoint != NULL,
		.distributed = options->cluster != NULL,
		.watched = line != NULL,
		.environment = options->environment,
	};
	g_auto(GStrv) program = checkpoint ? local_restart_program(checkpoint) : NULL;
	g_auto(GStrv) command = command_line(options, program, error), environment = NULL;
	struct host_job *job;

	if (!command)
		return NULL;
	environment = environment_for_ranks(options->environment, &settings,
	                                    world == 0 ? options->notes : NULL);
	if (checkpoint) {
		environment = local_restart_environment(environment, checkpoint, error);
		if (!environment
		    || !local_prepare_restart(local, world, directory, checkpoint, error))
			return NULL;
	}
	if (may_be_forked(local, &forked)) {
		environment = forked_start_environment(environment, &forked, command);
		g_strfreev(command);
		command = g_strdupv(options->program);
	}
	job = g_new0(struct host_job, 1);
	job->local = local;
	job->world = world;
	job->command = g_steal_pointer(&command);
	job->environment = g_steal_pointer(&environment);
	job->disconnect_order = disconnect_order_new();
	job->directory = g_strdup(directory);
	if (line)
		job->lined = lined_up_new(&local->loop, line, world, options->ranks, true, error);
	if ((line && !job->lined) || (!local->cluster && !launch(job, error))) {
		local_job_free(job);
		return NULL;
	}
	if (local->cluster)
		cluster_when_ready(local->cluster, launch_later, job);
	return job;
}

struct host_job *local_job_start(struct host *host, guint32 world, const char *directory,
                                 GError **error)
{
	return start(host, world, directory, NULL, error);
}

struct host_job *local_job_restart(struct host *host, guint32 world, const char *directory,
                                   const struct disk_checkpoint *checkpoint, GError **error)
{
	return start(host, world, directory, checkpoint, error);
}

bool local_job_is_running(const struct host_job *job)
{
	return job->command || launcher_running(job->launcher);
}

static void add_words(void *text, struct host_output output)
{
	gsize length;
	const char *bytes = g_bytes_get_data(output.bytes, &length);
	g_autofree char *words = g_strndup(bytes ? bytes : "", length);

	g_string_append(text, g_strstrip(words));
	host_output_clear(&output);
}

char *local_job_words(const struct host_job *job)
{
	struct host_range end = {.directory = job->directory,
	                         .stream = HOST_STREAM_ERRORS,
	                         .most = WORDS_MOST,
	                         .last = true};
	struct host *host = &job->local->base;
	GString *text = g_string_new(NULL);

	for (; end.rank < job->local->options.ranks && text->len == 0; end.rank++)
		host->operations->rank_output(host, &end, add_words, text); /* at once */
	if (text->len == 0 && job->launcher)
		g_string_append(text, launcher_output(job->launcher));
	if (text->len > WORDS_MOST)
		g_string_erase(text, 0, (gssize)text->len - WORDS_MOST);
	g_strstrip(text->str);
	return g_string_free(text, false);
}

int local_job_signal(const struct host_job *job)
{
	return job->launcher ? launcher_signal(job->launcher) : 0;
}

void local_job_connected(struct host_job *job, int rank, const struct host_link *link)
{
	if (!cluster_watch(link, rank, job->disconnect_order))
		disconnect_order_watch(job->disconnect_order, rank, link_socket(link));
	if (job->lined)
		lined_up_let_go(job->lined); /* not all are known before MPI_Init */
}

const GArray *local_job_disconnect_order(struct host_job *job)
{
	return disconnect_order_of(job->disconnect_order);
}

void local_job_free(struct host_job *job)
{
	if (job->local->cluster)
		cluster_forget(job->local->cluster, job);
	cluster_unwatch(job->local->cluster, job->disconnect_order);
	launcher_free(job->launcher);
	lined_up_free(job->lined);
	disconnect_order_free(job->disconnect_order);
	g_strfreev(job->command);
	g_strfreev(job->environment);
	g_free(job->directory);
	g_free(job);
}

/* By MPI call: whether any of the programs makes it. */
static bool *calls_of_all(const struct local *local)
{
	g_autoptr(GPtrArray) names = program_parts_names(local->options.program);
	bool *all = program_calls(names->pdata[0]);

	for (guint i = 1; i < names->len; i++) {
		g_autofree bool *calls = program_calls(names->pdata[i]);

		for (guint call = 0; call < MPI_CALL_COUNT; call++)
			all[call] |= calls[call];
	}
	return all;
}

bool local_program_calls(struct host *host, const char *function)
{
	struct local *local = local_of(host);

	if (!local->calls)
		local->calls = calls_of_all(local);
	return local->calls[mpi_call_by_name(function)];
}

/* The heap of a program built with AddressSanitizer is the sanitizer's. */
bool local_can_digest(struct host *host)
{
	struct local *local = local_of(host);

	if (!local->knows_sanitized)
		local->sanitized = any_program(local, program_is_sanitized);
	local->knows_sanitized = true;
	return !local->sanitized;
}
