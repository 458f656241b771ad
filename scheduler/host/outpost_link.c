#include "outpost_link.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/wire.h"
#include "outpost.h"
#include "run_directory.h"

#define CONNECT_MS 10000

char *outpost_version(void)
{
	return g_strdup_printf("%s, protocol %u", MATCHPOINT_VERSION, WIRE_VERSION);
}

static bool G_GNUC_PRINTF(2, 3) failed(GError **error, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error_literal(error, G_IO_CHANNEL_ERROR, G_IO_CHANNEL_ERROR_FAILED, text);
	return false;
}

/* --- orders ----------------------------------------------------------------------------------- */

static char *word(GKeyFile *file, const char *key)
{
	return g_key_file_get_string(file, OUTPOST_GROUP, key, NULL);
}

bool outpost_link_read(const char *text, struct outpost_orders *orders, GError **error)
{
	g_autoptr(GKeyFile) file = g_key_file_new();
	g_autofree char *version = NULL, *own = outpost_version();

	g_key_file_load_from_data(file, text, (gsize)-1, G_KEY_FILE_NONE, NULL);
	version = word(file, OUTPOST_VERSION);
	if (!version)
		return failed(error,
		              "this command is for matchpoint's own use on several machines");
	if (strcmp(version, own) != 0)
		return failed(error,
		              "matchpoint is another version there (%s) than here (%s): install "
		              "the same on all machines",
		              own, version);
	orders->secret = word(file, OUTPOST_SECRET);
	orders->directory = word(file, OUTPOST_DIRECTORY);
	orders->shim = word(file, OUTPOST_SHIM);
	orders->machine = word(file, OUTPOST_MACHINE);
	orders->port = word(file, OUTPOST_PORT);
	orders->addresses = g_key_file_get_string_list(file, OUTPOST_GROUP, OUTPOST_ADDRESSES, NULL,
	                                               NULL);
	orders->ranks = g_key_file_get_integer(file, OUTPOST_GROUP, OUTPOST_RANKS, NULL);
	orders->owner = g_key_file_get_integer(file, OUTPOST_GROUP, OUTPOST_OWNER, NULL);
	if (!orders->secret || !orders->directory || !orders->shim || !orders->machine
	    || !orders->port || !orders->addresses || orders->ranks < 1)
		return failed(error, "its orders are incomplete");
	if (access(orders->shim, R_OK) < 0)
		return failed(error,
		              "%s: %s: matchpoint must be installed at the same path on all "
		              "machines",
		              orders->shim, g_strerror(errno));
	return true;
}

void outpost_link_clear(struct outpost_orders *orders)
{
	g_free(orders->secret);
	g_free(orders->directory);
	g_free(orders->shim);
	g_free(orders->machine);
	g_free(orders->port);
	g_strfreev(orders->addresses);
	*orders = (struct outpost_orders){.socket = -1};
}

/* --- the scheduler ---------------------------------------------------------------------------- */

/* Begins to connect to all addresses of a name: struct pollfd. */
static void begin(GArray *sockets, const char *name, const char *port)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *all = NULL;

	if (getaddrinfo(name, port, &hints, &all) != 0)
		return;
	for (const struct addrinfo *one = all; one; one = one->ai_next) {
		struct pollfd ready = {
			.fd = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
			.events = POLLOUT};

		if (ready.fd < 0)
			continue;
		if (connect(ready.fd, one->ai_addr, one->ai_addrlen) < 0 && errno != EINPROGRESS)
			close(ready.fd);
		else
			g_array_append_val(sockets, ready);
	}
	freeaddrinfo(all);
}

/* Returns a socket that is connected, of those that are ready, or -1. Those that failed are closed,
 * and ignored from then on. */
static int pick(GArray *sockets, int *ret_error)
{
	for (guint i = 0; i < sockets->len; i++) {
		struct pollfd *ready = &g_array_index(sockets, struct pollfd, i);
		socklen_t size = sizeof(*ret_error);
		int problem = 0;

		if (ready->fd < 0 || !ready->revents)
			continue;
		getsockopt(ready->fd, SOL_SOCKET, SO_ERROR, &problem, &size);
		if (problem == 0) {
			int connected = ready->fd;

			ready->fd = -1;
			return connected;
		}
		*ret_error = problem;
		close(ready->fd);
		ready->fd = -1;
	}
	return -1;
}

static bool any_left(const GArray *sockets)
{
	for (guint i = 0; i < sockets->len; i++)
		if (g_array_index(sockets, struct pollfd, i).fd >= 0)
			return true;
	return false;
}

static int connect_to(char *const *addresses, const char *port, int *ret_error)
{
	g_autoptr(GArray) sockets = g_array_new(false, false, sizeof(struct pollfd));
	gint64 until = g_get_monotonic_time() + (gint64)CONNECT_MS * 1000;
	int connected = -1;

	*ret_error = ETIMEDOUT;
	for (; *addresses; addresses++)
		begin(sockets, *addresses, port);
	while (connected < 0 && any_left(sockets) && g_get_monotonic_time() < until) {
		gint64 left = (until - g_get_monotonic_time()) / 1000 + 1;

		poll((struct pollfd *)(void *)sockets->data, sockets->len, (int)left);
		connected = pick(sockets, ret_error);
	}
	for (guint i = 0; i < sockets->len; i++)
		if (g_array_index(sockets, struct pollfd, i).fd >= 0)
			close(g_array_index(sockets, struct pollfd, i).fd);
	return connected;
}

/* Whether the scheduler itself listens at the path of the run directory. */
static bool is_home(const char *directory)
{
	g_autofree char *path = g_build_filename(directory, RUN_DIRECTORY_SOCKET, NULL);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool answers;

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	answers = connect(probe, (const struct sockaddr *)&address, sizeof(address)) == 0;
	close(probe);
	return answers;
}

void outpost_link_greet(struct frames *frames, const struct outpost_orders *orders, bool at_home)
{
	frames_send_value(frames, OUTPOST_HELLO, 0, g_variant_new("(sb)", orders->secret, at_home));
}

bool outpost_link_connect(struct outpost_orders *orders, GError **error)
{
	g_autofree char *names = g_strjoinv(", ", orders->addresses);
	const struct frames_user nobody = {0};
	int problem;

	orders->socket = connect_to(orders->addresses, orders->port, &problem);
	if (orders->socket < 0)
		return failed(error,
		              "it cannot connect back to port %s of %s: %s: is there a firewall "
		              "between the machines?",
		              orders->port, names, g_strerror(problem));
	orders->at_home = is_home(orders->directory);
	if (orders->at_home) {
		struct frames *frames = frames_new(NULL, orders->socket, &nobody);

		outpost_link_greet(frames, orders, true);
		frames_free(frames);
	}
	return true;
}
