#include "pmi.h"

#include <stdlib.h>
#include <string.h>

#include "peer.h"

/* The key by which a launcher says on which node each rank is: here, all are on the first one. */
#define NODES_OF_RANKS "PMI_process_mapping"
#define LINE_MAX_BYTES ((gsize)64 << 10)

struct pmi_server {
	uv_pipe_t listener;
	uv_loop_t *loop;
	const struct pmi_handler *handler;
	void *user;
	GPtrArray *clients; /* struct client, not owned: freed when libuv has closed them */
	GHashTable *values; /* "world key" to value, for put and get */
	GHashTable *names;  /* world to a table: published name to port */
	guint handles;      /* handles that are not closed yet */
};

struct client {
	uv_pipe_t pipe;
	struct pmi_server *server;
	GString *input;
	bool greeted;
	guint32 world;
	int rank;
	bool in_barrier;
};

struct answer {
	uv_write_t request;
	char *text;
};

static void release_handle(struct pmi_server *server)
{
	if (--server->handles)
		return;
	g_ptr_array_unref(server->clients);
	g_hash_table_unref(server->values);
	g_hash_table_unref(server->names);
	g_free(server);
}

static void on_client_closed(uv_handle_t *handle)
{
	struct client *client = handle->data;
	struct pmi_server *server = client->server;

	g_string_free(client->input, true);
	g_free(client);
	release_handle(server);
}

static void close_client(struct client *client)
{
	if (uv_is_closing((uv_handle_t *)&client->pipe))
		return;
	g_ptr_array_remove_fast(client->server->clients, client);
	uv_close((uv_handle_t *)&client->pipe, on_client_closed);
}

static void on_answered(uv_write_t *request, int status)
{
	struct answer *answer = request->data;

	(void)status; /* the reader notices a client that is gone */
	g_free(answer->text);
	g_free(answer);
}

static void G_GNUC_PRINTF(2, 3) send_answer(struct client *client, const char *format, ...)
{
	struct answer *answer = g_new0(struct answer, 1);
	va_list arguments;
	uv_buf_t buffer;

	va_start(arguments, format);
	answer->text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	answer->request.data = answer;
	buffer = uv_buf_init(answer->text, (unsigned)strlen(answer->text));
	if (uv_write(&answer->request, (uv_stream_t *)&client->pipe, &buffer, 1, on_answered) < 0)
		on_answered(&answer->request, 0);
}

/* Returns the value of `key` in "cmd=put kvsname=w key=k value=v"; free with g_free. NULL: it has
 * none. */
static char *argument(const char *line, const char *key)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);

	for (char **word = words; *word; word++) {
		gsize length = strlen(key);

		if (!strncmp(*word, key, length) && (*word)[length] == '=')
			return g_strdup(*word + length + 1);
	}
	return NULL;
}

static void handle_barrier(struct client *client)
{
	struct pmi_server *server = client->server;
	int waiting = 0, ranks = server->handler->ranks(server->user, client->world);

	client->in_barrier = true;
	for (guint i = 0; i < server->clients->len; i++) {
		struct client *other = g_ptr_array_index(server->clients, i);

		waiting += other->greeted && other->world == client->world && other->in_barrier;
	}
	if (waiting < ranks)
		return;
	for (guint i = 0; i < server->clients->len; i++) {
		struct client *other = g_ptr_array_index(server->clients, i);

		if (other->world != client->world || !other->in_barrier)
			continue;
		other->in_barrier = false;
		send_answer(other, "cmd=barrier_out\n");
	}
}

static char *value_name(const struct client *client, const char *line)
{
	g_autofree char *key = argument(line, "key");

	return key ? g_strdup_printf("%u %s", client->world, key) : NULL;
}

static void handle_put(struct client *client, const char *line)
{
	char *name = value_name(client, line), *value = argument(line, "value");

	if (!name || !value) {
		g_free(name);
		g_free(value);
		send_answer(client, "cmd=put_result rc=-1 msg=invalid_put\n");
		return;
	}
	g_hash_table_replace(client->server->values, name, value);
	send_answer(client, "cmd=put_result rc=0 msg=success\n");
}

static void handle_get(struct client *client, const char *line)
{
	g_autofree char *name = value_name(client, line);
	const char *value = name ? g_hash_table_lookup(client->server->values, name) : NULL;

	if (value)
		send_answer(client, "cmd=get_result rc=0 msg=success value=%s\n", value);
	else if (name && g_str_has_suffix(name, " " NODES_OF_RANKS))
		send_answer(client, "cmd=get_result rc=0 msg=success value=(vector,(0,1,%d))\n",
		            client->server->handler->ranks(client->server->user, client->world));
	else
		send_answer(client, "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
}

/* The names that a world's ranks have published; NULL: none. */
static GHashTable *names_of(const struct pmi_server *server, guint32 world)
{
	return g_hash_table_lookup(server->names, GUINT_TO_POINTER(world));
}

static GHashTable *new_names(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

/* As with Hydra, a name that is published is not published again. */
static void handle_publish(struct client *client, const char *line)
{
	struct pmi_server *server = client->server;
	g_autofree char *service = argument(line, "service"), *port = argument(line, "port");
	GHashTable *names = names_of(server, client->world);

	if (!service || !port || (names && g_hash_table_contains(names, service))) {
		send_answer(client, "cmd=publish_result info=refused rc=1 "
		                    "msg=key_already_present\n");
		return;
	}
	if (!names) {
		names = new_names();
		g_hash_table_insert(server->names, GUINT_TO_POINTER(client->world), names);
	}
	g_hash_table_insert(names, g_steal_pointer(&service), g_steal_pointer(&port));
	send_answer(client, "cmd=publish_result info=ok rc=0 msg=success\n");
}

static void handle_unpublish(struct client *client, const char *line)
{
	g_autofree char *service = argument(line, "service");
	GHashTable *names = names_of(client->server, client->world);

	if (service && names && g_hash_table_remove(names, service))
		send_answer(client, "cmd=unpublish_result info=ok rc=0 msg=success\n");
	else
		send_answer(client, "cmd=unpublish_result info=unknown_service rc=1 "
		                    "msg=service_not_found\n");
}

static void handle_lookup(struct client *client, const char *line)
{
	g_autofree char *service = argument(line, "service");
	GHashTable *names = names_of(client->server, client->world);
	const char *port = service && names ? g_hash_table_lookup(names, service) : NULL;

	if (port)
		send_answer(client, "cmd=lookup_result info=ok rc=0 msg=success port=%s\n", port);
	else
		send_answer(client, "cmd=lookup_result info=unknown_service rc=1 "
		                    "msg=service_not_found\n");
}

static void handle_abort(struct client *client, const char *line)
{
	struct pmi_server *server = client->server;
	g_autofree char *code = argument(line, "exitcode");

	server->handler->abort(server->user, client->world, client->rank, code ? atoi(code) : 1);
}

static pid_t process_of(const struct client *client)
{
	uv_os_fd_t descriptor;

	return uv_fileno((const uv_handle_t *)&client->pipe, &descriptor) == 0 ? peer_of(descriptor)
	                                                                       : 0;
}

static void handle_init(struct client *client, const char *line)
{
	const struct pmi_handler *handler = client->server->handler;
	g_autofree char *version = argument(line, "pmi_version");

	if (version && strcmp(version, "1") != 0 && handler->stranger)
		handler->stranger(client->server->user, process_of(client));
	else
		send_answer(client, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
}

static void handle_universe(struct client *client)
{
	const struct pmi_server *server = client->server;

	send_answer(client, "cmd=universe_size size=%d\n",
	            server->handler->universe ? server->handler->universe(server->user) : -1);
}

static void handle_line(struct client *client, const char *line)
{
	g_autofree char *command = argument(line, "cmd");

	if (!g_strcmp0(command, "barrier_in"))
		handle_barrier(client);
	else if (!g_strcmp0(command, "finalize"))
		send_answer(client, "cmd=finalize_ack\n");
	else if (!g_strcmp0(command, "abort"))
		handle_abort(client, line);
	else if (!g_strcmp0(command, "init"))
		handle_init(client, line);
	else if (!g_strcmp0(command, "get_maxes"))
		send_answer(client, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n");
	else if (!g_strcmp0(command, "get_appnum"))
		send_answer(client, "cmd=appnum appnum=0\n");
	else if (!g_strcmp0(command, "get_universe_size"))
		handle_universe(client);
	else if (!g_strcmp0(command, "get_my_kvsname"))
		send_answer(client, "cmd=my_kvsname kvsname=matchpoint_%u\n", client->world);
	else if (!g_strcmp0(command, "put"))
		handle_put(client, line);
	else if (!g_strcmp0(command, "get"))
		handle_get(client, line);
	else if (!g_strcmp0(command, "publish_name"))
		handle_publish(client, line);
	else if (!g_strcmp0(command, "unpublish_name"))
		handle_unpublish(client, line);
	else if (!g_strcmp0(command, "lookup_name"))
		handle_lookup(client, line);
	else
		send_answer(client, "cmd=%s_result rc=-1 msg=not_supported\n",
		            command ? command : "unknown");
}

/* Reads the first line of a connection. Returns false if it is not one of ours. */
static bool greet(struct client *client, const char *line)
{
	g_autofree char *world = argument(line, "world"), *rank = argument(line, "rank");
	guint64 number, rank_number;

	if (!g_str_has_prefix(line, "matchpoint ") || !world || !rank
	    || !g_ascii_string_to_unsigned(world, 10, 0, G_MAXUINT32, &number, NULL)
	    || !g_ascii_string_to_unsigned(rank, 10, 0, G_MAXINT, &rank_number, NULL))
		return false;
	client->world = (guint32)number;
	client->rank = (int)rank_number;
	client->greeted = true;
	return true;
}

static void handle_input(struct client *client)
{
	char *end;

	while (!uv_is_closing((uv_handle_t *)&client->pipe)
	       && (end = memchr(client->input->str, '\n', client->input->len))) {
		gsize length = (gsize)(end - client->input->str);
		g_autofree char *line = g_strndup(client->input->str, length);

		g_string_erase(client->input, 0, (gssize)length + 1);
		if (client->greeted)
			handle_line(client, line);
		else if (!greet(client, line))
			close_client(client);
	}
	if (client->input->len > LINE_MAX_BYTES)
		close_client(client);
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	static char bytes[4096]; /* consumed before the loop reads again */

	(void)handle;
	(void)suggested;
	*buffer = uv_buf_init(bytes, sizeof(bytes));
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct client *client = stream->data;

	if (count < 0) {
		close_client(client);
		return;
	}
	g_string_append_len(client->input, buffer->base, count);
	handle_input(client);
}

static bool is_known(const struct client *client)
{
	const struct pmi_handler *handler = client->server->handler;

	return !handler->knows || handler->knows(client->server->user, process_of(client));
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct pmi_server *server = listener->data;
	struct client *client;

	if (status < 0)
		return;
	client = g_new0(struct client, 1);
	client->server = server;
	client->input = g_string_new(NULL);
	client->pipe.data = client;
	uv_pipe_init(server->loop, &client->pipe, 0);
	server->handles++;
	g_ptr_array_add(server->clients, client);
	if (uv_accept(listener, (uv_stream_t *)&client->pipe) < 0 || !is_known(client)
	    || uv_read_start((uv_stream_t *)&client->pipe, on_allocate, on_read) < 0)
		close_client(client);
}

static void on_listener_closed(uv_handle_t *handle)
{
	release_handle(handle->data);
}

struct pmi_server *pmi_server_new(uv_loop_t *loop, const char *path,
                                  const struct pmi_handler *handler, void *user, GError **error)
{
	struct pmi_server *server = g_new0(struct pmi_server, 1);
	int result;

	server->loop = loop;
	server->handler = handler;
	server->user = user;
	server->clients = g_ptr_array_new();
	server->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	server->names = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_hash_table_unref);
	server->handles = 1;
	server->listener.data = server;
	uv_pipe_init(loop, &server->listener, 0);
	result = uv_pipe_bind(&server->listener, path);
	if (result == 0)
		result = uv_listen((uv_stream_t *)&server->listener, 1024, on_connection);
	if (result < 0) {
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot listen on %s: %s",
		            path, uv_strerror(result));
		pmi_server_close(server);
		return NULL;
	}
	return server;
}

static gboolean belongs_to(gpointer key, gpointer value, gpointer prefix)
{
	(void)value;
	return g_str_has_prefix(key, prefix);
}

static void forget_values(struct pmi_server *server, guint32 world)
{
	g_autofree char *prefix = g_strdup_printf("%u ", world);

	if (g_hash_table_size(server->values))
		g_hash_table_foreach_remove(server->values, belongs_to, prefix);
	g_hash_table_remove(server->names, GUINT_TO_POINTER(world));
}

static GHashTable *copy_names(GHashTable *names)
{
	GHashTable *copy = new_names();
	gpointer name, port;
	GHashTableIter iter;

	g_hash_table_iter_init(&iter, names);
	while (g_hash_table_iter_next(&iter, &name, &port))
		g_hash_table_insert(copy, g_strdup(name), g_strdup(port));
	return copy;
}

GHashTable *pmi_server_names(const struct pmi_server *server, guint32 world)
{
	GHashTable *names = names_of(server, world);

	return names ? copy_names(names) : NULL;
}

void pmi_server_set_names(struct pmi_server *server, guint32 world, GHashTable *names)
{
	g_hash_table_remove(server->names, GUINT_TO_POINTER(world));
	if (names)
		g_hash_table_insert(server->names, GUINT_TO_POINTER(world), copy_names(names));
}

void pmi_server_rename(struct pmi_server *server, guint32 from, guint32 to, const bool *stays,
                       int ranks)
{
	forget_values(server, from);
	for (guint i = 0; i < server->clients->len; i++) {
		struct client *client = g_ptr_array_index(server->clients, i);

		if (!client->greeted || client->world != from)
			continue;
		client->greeted = client->rank < ranks && stays[client->rank];
		client->world = to;
		client->in_barrier = false;
		g_string_truncate(client->input, 0);
	}
}

void pmi_server_forget(struct pmi_server *server, guint32 world)
{
	forget_values(server, world);
	for (guint i = server->clients->len; i > 0; i--) {
		struct client *client = g_ptr_array_index(server->clients, i - 1);

		if (client->greeted && client->world == world)
			close_client(client);
	}
}

void pmi_server_close(struct pmi_server *server)
{
	if (!server)
		return;
	for (guint i = server->clients->len; i > 0; i--)
		close_client(g_ptr_array_index(server->clients, i - 1));
	uv_close((uv_handle_t *)&server->listener, on_listener_closed);
}
