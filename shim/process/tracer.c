#define _GNU_SOURCE
#include "tracer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

void tracer_allow(int connection)
{
	struct ucred other;
	socklen_t length = sizeof(other);

	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 && other.pid > 0)
		prctl(PR_SET_PTRACER, (unsigned long)other.pid, 0, 0, 0);
}

bool tracer_is_there(void)
{
	static const char name[] = "\nTracerPid:";
	char text[4096];
	int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t count = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
	const char *line;

	if (file >= 0)
		close(file);
	text[count > 0 ? count : 0] = '\0';
	line = strstr(text, name);
	return line && strtol(line + sizeof(name) - 1, NULL, 10) != 0;
}
