#include "control.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "peer.h"
#include "run_directory.h"

#define REQUEST_MOST 8192 /* bytes */

struct control {
	uv_pipe_t listener;
	const struct control_owner *owner;
	GPtrArray *clients; /* struct client, not owned */
	guint handles;      /* that are not closed yet */
};

struct client {
	struct control_request request;
	uv_pipe_t pipe;
	struct control *control;
	GString *text; /* received */
	char **lines;
	bool asked;
	char bytes[1024];
};

struct answer {
	uv_write_t request;
	struct client *client;
	char *text;
};

/* --- in the session --------------------------------------------------------------------------- */

static void release(struct control *control)
{
	if (--control->handles > 0)
		return;
	g_ptr_array_unref(control->clients);
	g_free(control);
}

static void on_client_closed(uv_handle_t *handle)
{
	struct client *client = handle->data;
	struct control *control = client->control;

	g_string_free(client->text, true);
	g_strfreev(client->lines);
	g_free(client);
	release(control);
}

static void close_client(struct client *client)
{
	if (uv_is_closing((uv_handle_t *)&client->pipe))
		return;
	g_ptr_array_remove_fast(client->control->clients, client);
	uv_close((uv_handle_t *)&client->pipe, on_client_closed);
}

static void on_written(uv_write_t *request, int status)
{
	struct answer *answer = request->data;

	(void)status;
	close_client(answer->client);
	g_free(answer->text);
	g_free(answer);
}

void control_answer(const struct control_request *request, const char *text)
{
	struct client *client = (struct client *)request;
	struct answer *answer = g_new0(struct answer, 1);
	uv_buf_t buffer;

	client->asked = false; /* it is over, for the owner */
	answer->client = client;
	answer->request.data = answer;
	answer->text = g_strdup(text);
	buffer = uv_buf_init(answer->text, (unsigned)strlen(answer->text));
	if (uv_write(&answer->request, (uv_stream_t *)&client->pipe, &buffer, 1, on_written) != 0)
		on_written(&answer->request, 0);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	struct client *client = handle->data;

	(void)suggested;
	*buffer = uv_buf_init(client->bytes, sizeof(client->bytes));
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct client *client = stream->data;
	const struct control_owner *owner = client->control->owner;

	if (count < 0 || client->text->len > REQUEST_MOST) {
		if (client->asked)
			owner->gone(owner->user, &client->request);
		close_client(client);
		return;
	}
	g_string_append_len(client->text, buffer->base, count);
	if (client->lines)
		return;
	client->lines = g_strsplit(client->text->str, "\n", -1);
	if (g_strv_length(client->lines) < 3) { /* with what follows the second newline */
		g_clear_pointer(&client->lines, g_strfreev);
		return;
	}
	client->request = (struct control_request){client->lines[0], client->lines[1]};
	client->asked = true;
	owner->asked(owner->user, &client->request);
}

static bool is_ours(const struct client *client)
{
	uv_os_fd_t socket;

	return uv_fileno((const uv_handle_t *)&client->pipe, &socket) == 0 && peer_of(socket) > 0;
}

static void on_connection(uv_stream_t *stream, int status)
{
	struct control *control = stream->data;
	struct client *client;

	if (status < 0)
		return;
	client = g_new0(struct client, 1);
	client->control = control;
	client->text = g_string_new(NULL);
	uv_pipe_init(stream->loop, &client->pipe, 0);
	client->pipe.data = client;
	control->handles++;
	g_ptr_array_add(control->clients, client);
	if (uv_accept(stream, (uv_stream_t *)&client->pipe) != 0 || !is_ours(client)
	    || uv_read_start((uv_stream_t *)&client->pipe, on_alloc, on_read) != 0)
		close_client(client);
}

static void on_listener_closed(uv_handle_t *handle)
{
	release(handle->data);
}

void control_free(struct control *control)
{
	if (!control)
		return;
	while (control->clients->len > 0)
		close_client(control->clients->pdata[0]);
	uv_close((uv_handle_t *)&control->listener, on_listener_closed);
}

struct control *control_new(uv_loop_t *loop, const char *path, const struct control_owner *owner,
                            GError **error)
{
	struct control *control = g_new0(struct control, 1);
	int status;

	control->owner = owner;
	control->clients = g_ptr_array_new();
	control->handles = 1;
	uv_pipe_init(loop, &control->listener, 0);
	control->listener.data = control;
	status = uv_pipe_bind(&control->listener, path);
	if (status == 0)
		status = uv_listen((uv_stream_t *)&control->listener, 16, on_connection);
	uv_unref((uv_handle_t *)&control->listener); /* nobody waits for requests */
	if (status == 0)
		return control;
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot listen on %s: %s", path,
	            uv_strerror(status));
	control_free(control);
	return NULL;
}

/* --- outside ---------------------------------------------------------------------------------- */

/* A session keeps a descriptor of the lock in its run directory. */
char *control_find(pid_t pid)
{
	g_autofree char *descriptors = g_strdup_printf("/proc/%d/fd", (int)pid);
	g_autofree char *prefix = g_strdup_printf("matchpoint-%d-", (int)pid);
	g_autoptr(GDir) directory = g_dir_open(descriptors, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		g_autofree char *link = g_build_filename(descriptors, name, NULL);
		g_autofree char *file = g_file_read_link(link, NULL);
		g_autofree char *folder = g_path_get_dirname(file ? file : "");
		g_autofree char *last = g_path_get_basename(folder);
		g_autofree char *path = g_build_filename(folder, RUN_DIRECTORY_CONTROL, NULL);

		if (g_str_has_prefix(last, prefix) && g_file_test(path, G_FILE_TEST_EXISTS))
			return g_steal_pointer(&path);
	}
	return NULL;
}

static bool fail(GError **error, const char *what)
{
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: %s", what, g_strerror(errno));
	return false;
}

/* -1 with `error` set. */
static int connect_to(const char *path, GError **error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	if (connection >= 0
	    && connect(connection, (struct sockaddr *)&address, sizeof(address)) == 0)
		return connection;
	fail(error, path);
	if (connection >= 0)
		close(connection);
	return -1;
}

/* Returns false with `error` set if the end does not come in time. */
static bool read_all(int connection, GString *text, int seconds, GError **error)
{
	const gint64 end = g_get_monotonic_time() + seconds * G_USEC_PER_SEC;
	struct pollfd one = {.fd = connection, .events = POLLIN};
	char bytes[4096];

	for (;;) {
		gint64 left = (end - g_get_monotonic_time()) / 1000;
		ssize_t count;
		int ready = left > 0 ? poll(&one, 1, (int)MIN(left, G_MAXINT)) : 0;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready == 0) {
			g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
			            "no answer in %d seconds: the session has not come to a choice",
			            seconds);
			return false;
		}
		count = ready < 0 ? -1 : read(connection, bytes, sizeof(bytes));
		if (count < 0)
			return fail(error, "its connection");
		if (count == 0)
			return true;
		g_string_append_len(text, bytes, count);
	}
}

char *control_ask(const char *path, const struct control_request *request, int seconds,
                  GError **error)
{
	g_autofree char *lines = g_strdup_printf("%s\n%s\n", request->name, request->folder);
	GString *text = g_string_new(NULL);
	int connection = connect_to(path, error);
	bool fine = connection >= 0;

	if (fine && send(connection, lines, strlen(lines), MSG_NOSIGNAL) != (ssize_t)strlen(lines))
		fine = fail(error, path);
	fine = fine && read_all(connection, text, seconds, error);
	if (connection >= 0)
		close(connection);
	return g_string_free(text, !fine);
}
