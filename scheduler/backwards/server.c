#define _GNU_SOURCE /* accept4, ppoll */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "gdb_link.h"
#include "rsp.h"
#include "target.h"

G_DEFINE_QUARK(server - error - quark, server_error)

static bool fail(GError **error, const char *what)
{
	g_set_error(error, SERVER_ERROR, SERVER_FAILED, "%s: %s", what, g_strerror(errno));
	return false;
}

static bool bind_path(int fd, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return false;
	}
	g_strlcpy(address.sun_path, path, sizeof address.sun_path);
	return bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
}

static bool bind_port(int fd, int port, int *ret_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_port = htons((guint16)port),
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int one = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0
	    || bind(fd, (struct sockaddr *)&address, sizeof address) != 0
	    || getsockname(fd, (struct sockaddr *)&address, &size) != 0)
		return false;
	*ret_port = ntohs(address.sin_port);
	return true;
}

/* Returns the descriptor; -1 with `error` set. */
static int listen_for_gdb(const struct server_options *options, int *ret_port, GError **error)
{
	int fd = socket(options->path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	g_autofree char *what = options->path
	                                ? g_strdup_printf("cannot listen at %s", options->path)
	                                : g_strdup_printf("cannot listen at port %d",
	                                                  options->port);

	*ret_port = 0;
	if (fd >= 0
	    && (options->path ? bind_path(fd, options->path)
	                      : bind_port(fd, options->port, ret_port))
	    && listen(fd, 1) == 0)
		return fd;
	fail(error, what);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* `ends`: as from options->listens. */
static int accept_gdb(int listener, int ends, const sigset_t *waiting, GError **error)
{
	struct pollfd ready[2] = {{.fd = listener, .events = POLLIN},
	                          {.fd = ends, .events = POLLIN}};
	int one = 1, fd, count = ppoll(ready, 2, NULL, waiting);

	if (count < 0 || !ready[0].revents) {
		g_set_error_literal(error, SERVER_ERROR, SERVER_UNUSED,
		                    count < 0 ? "interrupted before gdb connected"
		                              : "gdb has ended before it connected");
		return -1;
	}
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		fail(error, "cannot accept gdb");
	else
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return fd;
}

/* As output of the target, in the manual's words. */
static void tell(struct gdb_link *link, struct target *target)
{
	g_autofree char *news = target_take_news(target);
	g_autoptr(GString) packet = g_string_new("O");

	if (!news)
		return;
	rsp_append_hex(packet, news, strlen(news));
	gdb_link_send(link, packet);
}

/* One question of gdb's, one answer, until gdb is gone. */
static bool talk(struct gdb_link *link, struct target *target, GError **error)
{
	g_autoptr(GString) packet = g_string_new(NULL);
	g_autoptr(GString) answer = g_string_new(NULL);
	g_autoptr(GError) failed = NULL;

	while (gdb_link_receive(link, packet)) {
		bool is_last = false;

		g_string_truncate(answer, 0);
		if (!target_answer(target, packet, answer, &is_last, &failed)) {
			/* A gdb that is gone interrupts whatever is under way. */
			if (gdb_link_is_gone(link))
				return true;
			g_propagate_error(error, g_steal_pointer(&failed));
			return false;
		}
		tell(link, target);
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
	int port, listener = listen_for_gdb(options, &port, error), ends, fd;
	bool is_done = false;

	if (listener < 0)
		goto out;
	target = target_new(&options->replayer, options->every, &interrupt, error);
	if (!target)
		goto out;
	ends = options->listens(options->user, target, port);
	fd = accept_gdb(listener, ends, options->waiting, error);
	if (fd < 0)
		goto out;
	gdb_link_open(link, fd);
	interrupt.fd = fd;
	if (options->connected)
		options->connected(options->user);
	is_done = talk(link, target, error);
out:
	target_free(target);
	gdb_link_free(link);
	if (listener >= 0)
		close(listener);
	return is_done;
}
