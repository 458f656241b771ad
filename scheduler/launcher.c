#include "launcher.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "offspring.h"

#define OUTPUT_KEPT 8192

struct launcher {
	uv_process_t process;
	uv_pipe_t output;
	gboolean running, freed;
	int open_handles;
	void (*ended)(void *user, const struct launcher *launcher, int status);
	void *user;
	GString *said;
	char area[4096];
};

static void on_handle_closed(uv_handle_t *handle)
{
	struct launcher *launcher = handle->data;

	launcher->open_handles--;
	if (launcher->open_handles == 0 && launcher->freed) {
		g_string_free(launcher->said, TRUE);
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
	g_string_append_len(launcher->said, bytes, count);
	if (launcher->said->len > OUTPUT_KEPT)
		g_string_erase(launcher->said, 0, (gssize)(launcher->said->len - OUTPUT_KEPT));
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

/* What it has said before it ended, and was not read yet. */
static void read_rest(struct launcher *launcher)
{
	uv_os_fd_t descriptor;
	ssize_t count;

	if (uv_fileno((uv_handle_t *)&launcher->output, &descriptor) != 0)
		return;
	while ((count = read(descriptor, launcher->area, sizeof(launcher->area))) > 0)
		keep_output(launcher, launcher->area, count);
}

static void on_process_ended(uv_process_t *process, int64_t status, int signal_number)
{
	struct launcher *launcher = process->data;

	offspring_spare(process->pid, FALSE);
	launcher->running = FALSE;
	read_rest(launcher);
	if (!launcher->freed)
		launcher->ended(launcher->user, launcher,
		                signal_number ? 128 + signal_number : (int)status);
	else
		uv_close((uv_handle_t *)&launcher->process, on_handle_closed);
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

/* Our own program, then LAUNCHER_VERB, then the command. */
static char **wrapped(char **command)
{
	GPtrArray *words = launcher_self(LAUNCHER_VERB);

	for (char **word = command; *word; word++)
		g_ptr_array_add(words, g_strdup(*word));
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, FALSE);
}

struct launcher *launcher_start(const struct launcher_options *options, GError **error)
{
	struct launcher *launcher = g_new0(struct launcher, 1);
	g_auto(GStrv) command = wrapped(options->command);
	uv_stdio_container_t stdio[3] = {{.flags = UV_IGNORE}};
	uv_process_options_t process = {0};
	int status;

	launcher->ended = options->ended;
	launcher->user = options->user;
	launcher->said = g_string_new(NULL);
	launcher->open_handles = 2;
	uv_pipe_init(options->loop, &launcher->output, 0);
	launcher->output.data = launcher->process.data = launcher;
	stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE; /* for errors, too: launcher_become */
	stdio[1].data.stream = (uv_stream_t *)&launcher->output;
	process.exit_cb = on_process_ended;
	process.file = command[0];
	process.args = command;
	process.env = options->environment;
	process.flags = UV_PROCESS_DETACHED;
	process.stdio = stdio;
	process.stdio_count = 3;
	status = uv_spawn(options->loop, &launcher->process, &process);
	if (status == 0) {
		offspring_spare(launcher->process.pid, TRUE);
		launcher->running = TRUE;
		uv_read_start((uv_stream_t *)&launcher->output, on_alloc, on_read);
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
	launcher->freed = TRUE;
	uv_close((uv_handle_t *)&launcher->output, on_handle_closed);
	if (launcher->running)
		kill(-launcher->process.pid, SIGKILL); /* reaped in on_process_ended */
	else
		uv_close((uv_handle_t *)&launcher->process, on_handle_closed);
}

gboolean launcher_running(const struct launcher *launcher)
{
	return launcher && launcher->running;
}

const char *launcher_output(const struct launcher *launcher)
{
	return launcher->said->str;
}

int launcher_signal(const struct launcher *launcher)
{
	static const char before[] = "(signal ";
	const char *line = strstr(launcher->said->str, "TERMINATED WITH THE EXIT STRING");
	const char *at = line ? strstr(line, before) : NULL;

	return at ? (int)g_ascii_strtoll(at + strlen(before), NULL, 10) : 0;
}

char **launcher_words(const char *custom, int ranks, GError **error)
{
	static const char usual[] = "mpiexec.mpich";
	g_autofree char *found = NULL;
	char **words = NULL;

	if (custom)
		return g_shell_parse_argv(custom, NULL, &words, error) ? words : NULL;
	/* Debian's name; elsewhere the one that stood beside mpicc when this was built. */
	found = g_find_program_in_path(usual);
	words = g_new0(char *, 4);
	words[0] = g_strdup(found ? usual : MATCHPOINT_MPIEXEC);
	words[1] = g_strdup("-n");
	words[2] = g_strdup_printf("%d", ranks);
	return words;
}

int launcher_become(char **command)
{
	int current = personality(0xffffffff);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (current >= 0)
		(void)personality((unsigned long)current | ADDR_NO_RANDOMIZE);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	execvp(command[0], command);
	fprintf(stderr, "cannot execute %s: %s\n", command[0], strerror(errno));
	return 127;
}
