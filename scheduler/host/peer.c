#define _GNU_SOURCE /* struct ucred */
#include "peer.h"

#include <sys/socket.h>
#include <unistd.h>

#include "child_reaper.h"
#include "environment.h"

#define GENERATIONS 64 /* a rank is never deeper below this process */

pid_t peer_of(int socket)
{
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid())
		return 0;
	return peer.pid;
}

bool peer_belongs(pid_t pid, const char *run_directory)
{
	g_autofree char *name = g_strdup_printf("%d", (int)pid);
	pid_t ancestor = pid;

	if (pid <= 0)
		return false;
	for (int i = 0; i < GENERATIONS && ancestor > 1; i++) {
		ancestor = child_reaper_parent(ancestor);
		if (ancestor == getpid())
			return true;
	}
	return environment_has(name, ENVIRONMENT_DIRECTORY, run_directory);
}
