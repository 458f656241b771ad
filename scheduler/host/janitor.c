#define _GNU_SOURCE /* pipe2, close_range */
#include "janitor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_reaper.h"
#include "crash_recovery.h"
#include "environment.h"
#include "run_directory.h"

#define NAME "mp-janitor" /* so `killall matchpoint` does not match it */
#define GIVE_UP_US (10 * G_USEC_PER_SEC)
#define STEP_US 5000
#define ALL_IS_CLEAN 'c'

struct janitor {
	pid_t pid;
	int pipe;
};

/* Kills the processes of the run in that directory. Returns false if there are none (any more). */
static bool kill_processes(const char *run_directory)
{
	GDir *processes = g_dir_open("/proc", 0, NULL);
	bool any = false;
	const char *name;

	while (processes && (name = g_dir_read_name(processes))) {
		pid_t pid = (pid_t)atoi(name);

		if (pid > 0 && pid != getpid()
		    && (environment_has(name, ENVIRONMENT_DIRECTORY, run_directory)
		        || child_reaper_writes(pid, run_directory)))
			any |= kill(pid, SIGKILL) == 0;
	}
	if (processes)
		g_dir_close(processes);
	return any;
}

static void put_back(const char *place)
{
	if (place)
		crash_recovery_put_back(place, NULL, NULL);
}

static void clean_up(pid_t owner, const char *place)
{
	gint64 deadline = g_get_monotonic_time() + GIVE_UP_US;
	g_auto(GStrv) directories = NULL;
	bool again = true;

	while (again && g_get_monotonic_time() < deadline) {
		g_strfreev(directories);
		directories = run_directory_left_by(owner, place, &again);
		for (char **directory = directories; *directory; directory++) {
			again |= kill_processes(*directory);
			if (again)
				continue;
			put_back(place);
			run_directory_remove(*directory);
			again |= g_file_test(*directory, G_FILE_TEST_EXISTS);
		}
		if (again)
			g_usleep(STEP_US);
	}
	put_back(place); /* the directory may be gone by itself */
}

/* Whether the owner reported that everything was cleaned up before it ended. */
static bool is_clean(int pipe)
{
	char byte = 0;
	ssize_t count;

	while ((count = read(pipe, &byte, 1)) < 0 && errno == EINTR)
		continue;
	return count == 1 && byte == ALL_IS_CLEAN;
}

/* Waits for the owner's end, out of reach of the terminal and of signals to its process group. */
static _Noreturn void watch(int pipe, pid_t owner, const char *place)
{
	static const int meant_for_it[] = {SIGINT, SIGTERM, SIGHUP};

	for (gsize i = 0; i < G_N_ELEMENTS(meant_for_it); i++)
		signal(meant_for_it[i], SIG_IGN);
	setsid();
	prctl(PR_SET_NAME, NAME);
	dup2(pipe, 0);
	close_range(1, ~0u, 0);
	if (!is_clean(0))
		clean_up(owner, place);
	_exit(0);
}

struct janitor *janitor_start(const char *place)
{
	return janitor_start_for(getpid(), place);
}

struct janitor *janitor_start_for(pid_t owner, const char *place)
{
	struct janitor *janitor;
	pid_t pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return NULL;
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		watch(ends[0], owner, place);
	}
	close(ends[0]);
	if (pid < 0) {
		close(ends[1]);
		return NULL;
	}
	child_reaper_spare(pid, true);
	janitor = g_new0(struct janitor, 1);
	janitor->pid = pid;
	janitor->pipe = ends[1];
	return janitor;
}

void janitor_end(struct janitor *janitor)
{
	const char byte = ALL_IS_CLEAN;

	if (!janitor)
		return;
	if (write(janitor->pipe, &byte, 1) != 1)
		kill(janitor->pid, SIGKILL);
	close(janitor->pipe);
	while (waitpid(janitor->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	child_reaper_spare(janitor->pid, false);
	g_free(janitor);
}
