#include "launcher.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_reaper.h"
#include "common/virtual_nodes.h"
#include "explorer/program_parts.h"
#include "installation.h"
#include "mpi_runtime.h"
#include "supervisor.h"

#define OUTPUT_KEPT 8192
#define SUPERVISOR "matchpoint-supervisor" /* supervisor_main.c */

struct launcher {
	uv_process_t supervisor;
	uv_pipe_t output, reports; /* of the command; of the supervisor */
	uv_pipe_t input;           /* of the command, if it has any */
	uv_write_t writing;
	char *written;
	bool supervised; /* the supervisor lives */
	bool running, freed;
	int open_handles;
	void (*ended)(void *user, const struct launcher *launcher, int status);
	void *user;
	GString *text; /* end of its output */
	int report[2]; /* from the supervisor: a pid, a status */
	size_t report_bytes;
	char area[4096];
};

static void on_handle_closed(uv_handle_t *handle)
{
	struct launcher *launcher = handle->data;

	launcher->open_handles--;
	if (launcher->open_handles == 0 && launcher->freed) {
		g_string_free(launcher->text, true);
		g_free(launcher->written);
		g_free(launcher);
	}
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	struct launcher *launcher = handle->data;

	(void)suggested;
	*buffer = uv_buf_init(launcher->area, sizeof(launcher->area));
}

static void keep_output(struct launcher *launcher, const char *bytes, ssize_t count)
{
	g_string_append_len(launcher->text, bytes, count);
	if (launcher->text->len > OUTPUT_KEPT)
		g_string_erase(launcher->text, 0, (gssize)(launcher->text->len - OUTPUT_KEPT));
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct launcher *launcher = stream->data;

	if (count < 0) {
		uv_read_stop(stream);
		return;
	}
	keep_output(launcher, buffer->base, count);
}

/* Reads the output that the launcher wrote before its end. */
static void read_rest(struct launcher *launcher)
{
	uv_os_fd_t descriptor;
	ssize_t count;

	if (uv_fileno((uv_handle_t *)&launcher->output, &descriptor) != 0)
		return;
	while ((count = read(descriptor, launcher->area, sizeof(launcher->area))) > 0)
		keep_output(launcher, launcher->area, count);
}

/* `status` as from waitpid. */
static void command_ended(struct launcher *launcher, int status)
{
	launcher->running = false;
	read_rest(launcher);
	if (!launcher->freed)
		launcher->ended(launcher->user, launcher,
		                WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void on_supervisor_ended(uv_process_t *process, int64_t status, int signal_number)
{
	struct launcher *launcher = process->data;
	bool was_running = launcher->running;

	child_reaper_supervised(process->pid, 0);
	child_reaper_spare(process->pid, false);
	launcher->supervised = false;
	if (launcher->freed)
		uv_close((uv_handle_t *)process, on_handle_closed);
	else if (was_running) /* the supervisor was killed, or could not start */
		command_ended(launcher, signal_number ? signal_number : (int)status << 8);
}

static void on_alloc_report(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	struct launcher *launcher = handle->data;

	(void)suggested;
	*buffer = uv_buf_init((char *)launcher->report + launcher->report_bytes,
	                      (unsigned)(sizeof(launcher->report) - launcher->report_bytes));
}

static void on_report(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct launcher *launcher = stream->data;
	size_t before = launcher->report_bytes;

	(void)buffer;
	if (count < 0 || before + (size_t)count == sizeof(launcher->report))
		uv_read_stop(stream);
	if (count <= 0)
		return;
	launcher->report_bytes += (size_t)count;
	if (before < sizeof(int) && launcher->report_bytes >= sizeof(int))
		child_reaper_supervised(launcher->supervisor.pid, launcher->report[0]);
	if (launcher->report_bytes == sizeof(launcher->report))
		command_ended(launcher, launcher->report[1]);
}

GPtrArray *launcher_self(const char *verb)
{
	GPtrArray *words = g_ptr_array_new();
	char path[4096];
	size_t size = sizeof(path);

	if (uv_exepath(path, &size) != 0)
		g_strlcpy(path, "/proc/self/exe", sizeof(path));
	g_ptr_array_add(words, g_strdup(path));
	g_ptr_array_add(words, g_strdup(verb));
	return words;
}

/* Returns the program that is only the supervisor; if it is not there, as in tests, our own program
 * and LAUNCHER_VERB; and the command. */
static char **wrapped(char **command)
{
	char *program = installation_find(SUPERVISOR, NULL);
	GPtrArray *words = program ? g_ptr_array_new() : launcher_self(LAUNCHER_VERB);

	if (program)
		g_ptr_array_add(words, program);

	for (char **word = command; *word; word++)
		g_ptr_array_add(words, g_strdup(*word));
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, false);
}

static void on_input_written(uv_write_t *request, int status)
{
	struct launcher *launcher = request->data;

	(void)status; /* a command that reads nothing shows it by its end */
	if (!uv_is_closing((uv_handle_t *)&launcher->input))
		uv_close((uv_handle_t *)&launcher->input, on_handle_closed);
}

static void write_input(struct launcher *launcher, const char *text)
{
	uv_buf_t buffer;

	if (!text)
		return;
	launcher->written = g_strdup(text);
	launcher->writing.data = launcher;
	buffer = uv_buf_init(launcher->written, (unsigned)strlen(text));
	if (uv_write(&launcher->writing, (uv_stream_t *)&launcher->input, &buffer, 1,
	             on_input_written)
	    != 0)
		uv_close((uv_handle_t *)&launcher->input, on_handle_closed);
}

/* The supervisor would be slower for what is preloaded, and is no rank. */
static char **keep_linker_variables(char *const *environment)
{
	static const char *const names[] = SUPERVISOR_KEPT;
	char **ret = g_strdupv((char **)environment);

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *kept = g_strconcat(SUPERVISOR_KEEPS, names[i], NULL);
		const char *value = g_environ_getenv(ret, names[i]);

		if (!value)
			continue;
		ret = g_environ_setenv(ret, kept, value, true);
		ret = g_environ_unsetenv(ret, names[i]);
	}
	return ret;
}

static int spawn(struct launcher *launcher, const struct launcher_options *options, char **command)
{
	const uv_stdio_container_t stdio[] = {
		{.flags = options->input ? UV_CREATE_PIPE | UV_READABLE_PIPE : UV_IGNORE,
	         .data.stream = (uv_stream_t *)&launcher->input},
		{.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, /* standard error as well */
	         .data.stream = (uv_stream_t *)&launcher->output},
		{.flags = UV_IGNORE},
		[SUPERVISOR_PIPE] = {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
	                             .data.stream = (uv_stream_t *)&launcher->reports},
		[SUPERVISOR_LOCK] = {.flags = UV_INHERIT_FD, .data.fd = options->lock},
	};
	g_auto(GStrv) environment = options->environment
	                                    ? keep_linker_variables(options->environment)
	                                    : NULL;
	uv_process_options_t process = {
		.exit_cb = on_supervisor_ended,
		.file = command[0],
		.args = command,
		.env = environment,
		.flags = UV_PROCESS_DETACHED,
		.stdio = (uv_stdio_container_t *)stdio,
		.stdio_count = G_N_ELEMENTS(stdio),
	};

	return uv_spawn(options->loop, &launcher->supervisor, &process);
}

struct launcher *launcher_start(const struct launcher_options *options, GError **error)
{
	struct launcher *launcher = g_new0(struct launcher, 1);
	g_auto(GStrv) command = wrapped(options->command);
	int status;

	launcher->ended = options->ended;
	launcher->user = options->user;
	launcher->text = g_string_new(NULL);
	launcher->open_handles = 3;
	uv_pipe_init(options->loop, &launcher->output, 0);
	uv_pipe_init(options->loop, &launcher->reports, 0);
	launcher->output.data = launcher->reports.data = launcher->supervisor.data = launcher;
	if (options->input) {
		uv_pipe_init(options->loop, &launcher->input, 0);
		launcher->input.data = launcher;
		launcher->open_handles++;
	}
	status = spawn(launcher, options, command);
	if (status == 0) {
		child_reaper_spare(launcher->supervisor.pid, true);
		launcher->supervised = launcher->running = true;
		uv_read_start((uv_stream_t *)&launcher->output, on_alloc, on_read);
		uv_read_start((uv_stream_t *)&launcher->reports, on_alloc_report, on_report);
		write_input(launcher, options->input);
		return launcher;
	}
	g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED, "cannot start %s: %s",
	            options->command[0], uv_strerror(status));
	launcher_free(launcher);
	return NULL;
}

void launcher_free(struct launcher *launcher)
{
	if (!launcher)
		return;
	launcher->freed = true;
	if (launcher->input.data && !uv_is_closing((uv_handle_t *)&launcher->input))
		uv_close((uv_handle_t *)&launcher->input, on_handle_closed);
	uv_close((uv_handle_t *)&launcher->output, on_handle_closed);
	uv_close((uv_handle_t *)&launcher->reports, on_handle_closed); /* ends the supervisor */
	if (!launcher->supervised)
		uv_close((uv_handle_t *)&launcher->supervisor, on_handle_closed);
}

bool launcher_running(const struct launcher *launcher)
{
	return launcher && launcher->running;
}

const char *launcher_output(const struct launcher *launcher)
{
	return launcher->text->str;
}

int launcher_signal(const struct launcher *launcher)
{
	const struct mpi_runtime *runtime = mpi_runtime_usual();
	const char *line = strstr(launcher->text->str, runtime->struck);
	const char *at = line ? strstr(line, runtime->before_signal) : NULL;

	return at ? (int)g_ascii_strtoll(at + strlen(runtime->before_signal), NULL, 10) : 0;
}

/* Each host of Hydra's is a node for MPI, and the processes for all of them are forked here. */
static void add_hosts(GStrvBuilder *words, const char *nodes, int ranks)
{
	g_autoptr(GString) hosts = g_string_new(NULL);
	struct virtual_node node = {0};

	for (int rank = 0; virtual_node_of(nodes, ranks, rank, &node); rank += node.ranks)
		g_string_append_printf(hosts, "%s" VIRTUAL_NODE_NAME ":%d", rank > 0 ? "," : "",
		                       node.number, node.ranks);
	g_strv_builder_add_many(words, "-launcher", "fork", "-hosts", hosts->str, NULL);
}

/* Whether the words start a number of ranks: also "-n4", "--ntasks=4". */
static bool names_number(char *const *words)
{
	static const char *const options[] = {"-n", "-np", "--ntasks", NULL};

	for (; *words; words++) {
		if (g_strv_contains(options, *words) || g_str_has_prefix(*words, "--ntasks=")
		    || (g_str_has_prefix(*words, "-n") && g_ascii_isdigit((*words)[2])))
			return true;
	}
	return false;
}

/* The words of --launcher. mpiexec, mpirun and srun are told the number of ranks if they are not
 * told yet; what another launcher is told is not known. */
static char **own_words(const char *custom, const char *number, GError **error)
{
	static const char *const known[] = {"mpiexec", "mpirun", "srun"};
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
	g_auto(GStrv) words = NULL;
	g_autofree char *name = NULL;

	if (!g_shell_parse_argv(custom, NULL, &words, error))
		return NULL;
	name = g_path_get_basename(words[0]);
	g_strv_builder_addv(builder, (const char **)words);
	for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_str_has_prefix(name, known[i]) && !names_number(words))
			g_strv_builder_add_many(builder, "-n", number, NULL);
	return g_strv_builder_end(builder);
}

int launcher_universe(const char *custom)
{
	g_auto(GStrv) words = NULL;

	if (!custom || !g_shell_parse_argv(custom, NULL, &words, NULL))
		return -1;
	for (char **word = words; word[0] && word[1]; word++)
		if (g_str_equal(word[0], "-usize") || g_str_equal(word[0], "--usize"))
			return g_ascii_isdigit(word[1][0]) ? atoi(word[1]) : -1;
	return -1;
}

/* Returns "mpiexec.mpich -n 4" (struct mpi_runtime), or the words of --launcher. `first`: the ranks
 * of the first program. */
static char **launcher_words(const char *custom, int ranks, int first, const char *nodes,
                             GError **error)
{
	const char *usual = mpi_runtime_usual()->launcher;
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
	g_autofree char *found = NULL, *number = g_strdup_printf("%d", first);

	if (custom)
		return own_words(custom, number, error);
	/* Debian's name; elsewhere, the one beside mpicc at build time. */
	found = g_find_program_in_path(usual);
	g_strv_builder_add(builder, found ? usual : MATCHPOINT_MPIEXEC);
	if (nodes)
		add_hosts(builder, nodes, ranks);
	g_strv_builder_add_many(builder, "-n", number, NULL);
	return g_strv_builder_end(builder);
}

/* "-n 3 PROGRAM ARG...", without the number of the first one: the launcher's words have it. */
static void add_part(GStrvBuilder *words, const struct launcher_job *job,
                     const struct program_part *part)
{
	if (part->first > 0) {
		g_autofree char *ranks = g_strdup_printf("%d", part->ranks);

		g_strv_builder_add_many(words, ":", "-n", ranks, NULL);
	}
	if (job->before)
		g_strv_builder_addv(words, (const char **)job->before);
	for (guint i = 0; i < part->length; i++)
		g_strv_builder_add(words, part->words[i]);
}

char **launcher_command(const struct launcher_job *job, GError **error)
{
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = program_parts(job->program, job->ranks, &problem);
	const struct program_part *first = parts ? &g_array_index(parts, struct program_part, 0)
	                                         : NULL;
	g_auto(GStrv) launcher = first ? launcher_words(job->custom, job->ranks, first->ranks,
	                                                job->nodes, error)
	                               : NULL;
	g_autoptr(GStrvBuilder) words = g_strv_builder_new();

	if (problem)
		g_set_error_literal(error, G_SPAWN_ERROR, G_SPAWN_ERROR_INVAL, problem);
	if (!launcher)
		return NULL;
	g_strv_builder_addv(words, (const char **)launcher);
	for (guint i = 0; i < parts->len; i++)
		add_part(words, job, &g_array_index(parts, struct program_part, i));
	return g_strv_builder_end(words);
}
