#include "shown_job.h"

#include <uv.h>

#include "environment.h"
#include "lined_up.h"
#include "process_table.h"
#include "run_directory.h"

#define ONLY_WORLD 0

struct running {
	uv_process_t launcher;
	struct lined_up *lined;
	int status;
};

static void on_ended(uv_process_t *process, int64_t status, int signal_number)
{
	struct running *running = process->data;

	running->status = signal_number ? 128 + signal_number : (int)status;
	process_table_forget(ONLY_WORLD);
	lined_up_free(g_steal_pointer(&running->lined));
	uv_close((uv_handle_t *)process, NULL);
}

static int spawn(uv_loop_t *loop, struct running *running, char **command, char **environment)
{
	uv_stdio_container_t streams[3];
	const uv_process_options_t options = {
		.exit_cb = on_ended,
		.file = command[0],
		.args = command,
		.env = environment,
		.stdio = streams,
		.stdio_count = G_N_ELEMENTS(streams),
	};

	for (int i = 0; i < (int)G_N_ELEMENTS(streams); i++)
		streams[i] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = i};
	running->launcher.data = running;
	return uv_spawn(loop, &running->launcher, &options);
}

/* Returns false with `error` set. */
static bool run(uv_loop_t *loop, const struct shown_job *job, const char *socket,
                struct running *running, GError **error)
{
	g_auto(GStrv) environment = g_environ_setenv(g_strdupv(job->environment),
	                                             ENVIRONMENT_START_LINE, socket, true);
	int status;

	running->lined = lined_up_new(loop, socket, ONLY_WORLD, job->ranks, true, error);
	if (!running->lined)
		return false;
	status = spawn(loop, running, job->command, environment);
	if (status != 0) {
		g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED, "cannot start %s: %s",
		            job->command[0], uv_strerror(status));
		lined_up_free(g_steal_pointer(&running->lined));
		uv_close((uv_handle_t *)&running->launcher, NULL);
	}
	uv_run(loop, UV_RUN_DEFAULT);
	return status == 0;
}

int shown_job_run(const struct shown_job *job, GError **error)
{
	struct run_directory *directory = run_directory_new(job->ranks, NULL, error);
	g_autofree char *socket = directory ? run_directory_file(directory, "main") : NULL;
	struct running running = {0};
	uv_loop_t loop;
	bool fine;

	if (!directory)
		return -1;
	uv_loop_init(&loop);
	fine = run(&loop, job, socket, &running, error);
	uv_run(&loop, UV_RUN_DEFAULT); /* for what is being closed */
	uv_loop_close(&loop);
	run_directory_free(directory);
	return fine ? running.status : -1;
}
