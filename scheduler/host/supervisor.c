#define _GNU_SOURCE /* ppoll */
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_reaper.h"

#define NAME "mp-supervisor" /* so `killall matchpoint` does not match it */

static void give_linker_variables(void)
{
	static const char *const names[] = SUPERVISOR_KEPT;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char kept[64];
		const char *value;

		snprintf(kept, sizeof(kept), SUPERVISOR_KEEPS "%s", names[i]);
		value = getenv(kept);
		if (value)
			setenv(names[i], value, 1);
		unsetenv(kept);
	}
}

static void become_command(char **command, pid_t parent)
{
	int current = personality(0xffffffff);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return;
	setsid();
	if (current >= 0)
		(void)personality((unsigned long)current | ADDR_NO_RANDOMIZE);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	give_linker_variables();
	execvp(command[0], command);
	fprintf(stderr, "cannot execute %s: %s\n", command[0], strerror(errno));
}

static void on_child(int number)
{
	(void)number;
}

static void report(int value)
{
	while (write(SUPERVISOR_PIPE, &value, sizeof(value)) < 0 && errno == EINTR)
		continue;
}

/* Waits until the owner closes the pipe or ends. Returns the command's pid; 0: the command has
 * ended. */
static pid_t reap_until_closed(pid_t command, const sigset_t *unblocked)
{
	struct pollfd owner = {.fd = SUPERVISOR_PIPE, .events = POLLIN};

	do {
		int status;
		pid_t ended;

		while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
			if (ended != command)
				continue;
			report(status);
			command = 0;
		}
	} while (ppoll(&owner, 1, NULL, unblocked) < 0 && errno == EINTR);
	return command;
}

int supervisor_become(char **command)
{
	static const int meant_for_owner[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	struct sigaction action = {.sa_handler = on_child};
	pid_t self = getpid(), pid;
	sigset_t blocked, before;

	fcntl(SUPERVISOR_PIPE, F_SETFD, FD_CLOEXEC);
	fcntl(SUPERVISOR_LOCK, F_SETFD, FD_CLOEXEC);
	child_reaper_adopt();
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	pid = fork();
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		become_command(command, self);
		_exit(127);
	}
	if (pid < 0) {
		fprintf(stderr, "cannot start %s: %s\n", command[0], strerror(errno));
		return 127;
	}
	prctl(PR_SET_NAME, NAME);
	sigaction(SIGCHLD, &action, NULL);
	for (size_t i = 0; i < sizeof(meant_for_owner) / sizeof(*meant_for_owner); i++)
		signal(meant_for_owner[i], SIG_IGN);
	report(pid);
	pid = reap_until_closed(pid, &before);
	if (pid > 0)
		kill(pid, SIGKILL); /* needed if the kernel does not list children */
	child_reaper_end_all();
	return 0;
}
