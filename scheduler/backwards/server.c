#define _GNU_SOURCE /* accept4 */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gdb_link.h"
#include "target.h"

G_DEFINE_QUARK(server - error - quark, server_error)

static bool fail(GError **error, const char *what)
{
	g_set_error(error, SERVER_ERROR, 0, "%s: %s", what, g_strerror(errno));
	return false;
}

/* Returns the descriptor; -1 with `error` set. */
static int listen_on(int port, int *ret_port, GError **error)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_port = htons((guint16)port),
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0
	    && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0
	    && getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
		*ret_port = ntohs(address.sin_port);
		return fd;
	}
	fail(error, "cannot listen for gdb");
	if (fd >= 0)
		close(fd);
	return -1;
}

static int accept_gdb(int listener, GError **error)
{
	int one = 1, fd;

	do
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		fail(error, "cannot accept gdb");
	else
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return fd;
}

/* One question of gdb's, one answer, until gdb is gone. */
static bool talk(struct gdb_link *link, struct target *target, GError **error)
{
	g_autoptr(GString) packet = g_string_new(NULL);
	g_autoptr(GString) answer = g_string_new(NULL);

	while (gdb_link_receive(link, packet)) {
		bool is_last = false;

		g_string_truncate(answer, 0);
		if (!target_answer(target, packet, answer, &is_last, error))
			return false;
		gdb_link_send(link, answer);
		if (strcmp(packet->str, "QStartNoAckMode") == 0)
			gdb_link_trust(link);
		if (is_last)
			return true;
	}
	return true;
}

bool server_serve(const struct server_options *options, GError **error)
{
	struct gdb_link *link = gdb_link_new();
	struct interrupt interrupt = {-1, gdb_link_is_interrupted, link};
	struct target *target = NULL;
	int port, listener = listen_on(options->port, &port, error), fd = -1;
	bool is_done = false;

	if (listener < 0)
		goto out;
	target = target_new(options->argv, options->environment, options->every, &interrupt, error);
	if (!target)
		goto out;
	options->listens(options->user, target, port);
	fd = accept_gdb(listener, error);
	if (fd < 0)
		goto out;
	gdb_link_open(link, fd);
	interrupt.fd = fd;
	is_done = talk(link, target, error);
out:
	target_free(target);
	gdb_link_free(link);
	if (listener >= 0)
		close(listener);
	return is_done;
}
