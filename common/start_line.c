#define _GNU_SOURCE
#include "start_line.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

bool start_line_is_rank(void)
{
	return getenv(START_LINE_VARIABLE) && dlsym(RTLD_NEXT, "PMPI_Init");
}

/* By system calls alone: the caller may replace the C library's functions. Returns -1 if nobody
 * listens. */
static long connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	long connection;

	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	strcpy(address.sun_path, path);
	connection = syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connection >= 0 && syscall(SYS_connect, connection, &address, sizeof(address)) < 0) {
		syscall(SYS_close, connection);
		return -1;
	}
	return connection;
}

/* Where only ancestors may attach (Yama), the debugger's servers may not be ones. */
static void allow_debuggers(void)
{
	syscall(SYS_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0L, 0L, 0L);
}

void start_line_wait(int rank)
{
	static bool has_waited;
	const char *path = getenv(START_LINE_VARIABLE);
	const struct start_line_word word = {rank};
	const int error = errno;
	long connection, got;
	char byte;

	if (has_waited || !path)
		return;
	has_waited = true;
	connection = connect_to(path);
	if (connection >= 0) {
		allow_debuggers();
		if (syscall(SYS_sendto, connection, &word, sizeof(word), MSG_NOSIGNAL, NULL, 0L)
		    == (long)sizeof(word))
			do
				got = syscall(SYS_read, connection, &byte, 1L);
			while (got > 0 || (got < 0 && errno == EINTR));
		syscall(SYS_close, connection);
	}
	errno = error;
}
