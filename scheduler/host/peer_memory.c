#define _GNU_SOURCE /* process_vm_readv, pipe2 */
#include "peer_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCOPE "/proc/sys/kernel/yama/ptrace_scope"

/* Reads from a child process that lives until the pipe is closed. */
static bool can_read_another(void)
{
	static char known = 1;
	char copy = 0;
	struct iovec local = {&copy, 1}, remote = {&known, 1};
	int life[2];
	bool read_it;
	pid_t other;

	if (pipe2(life, O_CLOEXEC) < 0)
		return false;
	other = fork();
	if (other == 0) {
		close(life[1]);
		(void)!read(life[0], &copy, 1);
		_exit(0);
	}
	read_it = other > 0 && process_vm_readv(other, &local, 1, &remote, 1, 0) == 1 && copy == 1;
	close(life[0]);
	close(life[1]);
	if (other > 0)
		while (waitpid(other, NULL, 0) < 0 && errno == EINTR)
			;
	return read_it;
}

static bool yama_has_a_say(void)
{
	g_autofree char *scope = NULL;

	return g_file_get_contents(SCOPE, &scope, NULL, NULL) && atoi(scope) != 0;
}

const char *peer_memory_obstacle(void)
{
	static const char *obstacle;
	static bool tried;

	if (!tried && yama_has_a_say())
		obstacle = SCOPE " is not 0";
	else if (!tried && !can_read_another())
		obstacle = "process_vm_readv is forbidden here";
	tried = true;
	return obstacle;
}
