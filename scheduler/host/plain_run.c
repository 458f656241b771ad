#include "plain_run.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "environment.h"
#include "launcher.h"
#include "local.h"
#include "mpi_runtime.h"
#include "scheduler/tools/full_disk.h"

#define UNKNOWN (-1)
#define NO_INPUT "-"

/* --- the run ---------------------------------------------------------------------------------- */

struct job {
	const struct plain_run_options *options;
	struct launcher *launcher;
	int status;
};

static void on_ended(void *user, const struct launcher *launcher, int status)
{
	(void)launcher;
	((struct job *)user)->status = status;
}

static bool has_ended(void *data)
{
	const struct job *job = data;

	return !launcher_running(job->launcher) || !job->options->may_go_on(job->options->user);
}

static char **command_line(const struct plain_run_options *options, GError **error)
{
	g_autoptr(GPtrArray) before = launcher_self(PLAIN_RUN_VERB);
	const char *input = options->standard_input ? options->standard_input : NO_INPUT;

	g_ptr_array_set_free_func(before, g_free);
	g_ptr_array_add(before, g_strdup(options->directory));
	g_ptr_array_add(before, g_strdup(input));
	g_ptr_array_add(before, NULL);
	return launcher_command(&(struct launcher_job){.custom = options->launcher,
	                                               .ranks = options->ranks,
	                                               .before = (char **)before->pdata,
	                                               .program = options->program},
	                        error);
}

static GBytes *read_file(const char *directory, const char *name, int rank)
{
	g_autofree char *file = g_strdup_printf("%s/%s.%d", directory, name, rank);
	char *contents;
	gsize size;

	if (!g_file_get_contents(file, &contents, &size, NULL))
		return g_bytes_new(NULL, 0);
	return g_bytes_new_take(contents, size);
}

static void read_ends(struct plain_run *run, const struct plain_run_options *options)
{
	for (int rank = 0; rank < options->ranks; rank++) {
		g_autoptr(GBytes) end = read_file(options->directory, "end", rank);
		gsize size;
		const char *text = g_bytes_get_data(end, &size);
		g_autofree char *number = size > 0 ? g_strndup(text, size) : NULL;
		int status = number ? atoi(number) : UNKNOWN;
		g_autofree char *out = g_strdup_printf("%s/out.%d", options->directory, rank);

		run->started += g_file_test(out, G_FILE_TEST_EXISTS);
		g_array_append_val(run->ends, status);
		g_ptr_array_add(run->outputs, read_file(options->directory, "out", rank));
		g_ptr_array_add(run->errors, read_file(options->directory, "err", rank));
	}
}

struct plain_run *plain_run(const struct plain_run_options *options, GError **error)
{
	struct job job = {.options = options};
	g_auto(GStrv) command = command_line(options, error), environment = NULL;
	struct launcher_options launch = {.loop = local_loop(options->host),
	                                  .command = command,
	                                  .lock = options->lock,
	                                  .ended = on_ended,
	                                  .user = &job};
	struct plain_run *run;
	double megabytes;

	if (!command)
		return NULL;
	if (g_mkdir(options->directory, 0700) != 0) {
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot make %s: %s",
		            options->directory, g_strerror(errno));
		return NULL;
	}
	environment = environment_plain(options->environment, options->launcher != NULL);
	launch.environment = environment;
	job.launcher = launcher_start(&launch, error);
	if (!job.launcher)
		return NULL;
	run = g_new0(struct plain_run, 1);
	host_wait(options->host, has_ended, &job, options->seconds);
	run->timed_out = launcher_running(job.launcher);
	run->cut = run->timed_out && !options->may_go_on(options->user);
	run->status = job.status;
	run->words = g_strdup(launcher_output(job.launcher));
	run->ends = g_array_new(false, false, sizeof(int));
	run->outputs = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	run->errors = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	launcher_free(job.launcher);
	read_ends(run, options);
	run->full = full_disk(options->directory, &megabytes);
	return run;
}

void plain_run_free(struct plain_run *run)
{
	if (!run)
		return;
	g_free(run->words);
	g_array_unref(run->ends);
	g_ptr_array_unref(run->outputs);
	g_ptr_array_unref(run->errors);
	g_free(run);
}

/* --- one rank --------------------------------------------------------------------------------- */

/* As launchers tell it. */
static const char *rank_of_this_process(void)
{
	const struct mpi_launch_variables *told = mpi_launch_variables();

	for (; told->rank; told++)
		if (g_getenv(told->rank))
			return g_getenv(told->rank);
	return "0";
}

static bool redirect(int descriptor, const char *file, int flags)
{
	int opened = open(file, flags | O_CLOEXEC, 0600);

	return opened >= 0 && dup2(opened, descriptor) == descriptor;
}

static bool redirect_all(const char *directory, const char *rank, const char *input)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
	g_autofree char *out = g_strdup_printf("%s/out.%s", directory, rank);
	g_autofree char *err = g_strdup_printf("%s/err.%s", directory, rank);
	bool has_input = g_str_equal(rank, "0") && !g_str_equal(input, NO_INPUT);

	return redirect(STDIN_FILENO, has_input ? input : "/dev/null", O_RDONLY)
	       && redirect(STDOUT_FILENO, out, flags) && redirect(STDERR_FILENO, err, flags);
}

static G_GNUC_NORETURN void become_program(pid_t parent, const char *directory, const char *rank,
                                           const char *input, char **program)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* the launcher kills the parent */
	if (getppid() != parent || !redirect_all(directory, rank, input))
		_exit(127);
	execvp(program[0], program);
	fprintf(stderr, "cannot execute %s: %s\n", program[0], strerror(errno));
	_exit(127);
}

int plain_run_become(char **argv)
{
	const char *rank = rank_of_this_process();
	const struct rlimit no_core = {0, 0};
	g_autofree char *file = NULL, *text = NULL;
	pid_t parent = getpid(), child;
	int status;

	if (g_strv_length(argv) < 3)
		return 127;
	child = fork();
	if (child == 0)
		become_program(parent, argv[0], rank, argv[1], argv + 2);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child < 0)
		return 127;
	file = g_strdup_printf("%s/end.%s", argv[0], rank);
	text = g_strdup_printf("%d", status);
	g_file_set_contents(file, text, -1, NULL);
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &no_core); /* the program's own is enough */
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}
